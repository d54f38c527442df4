/** The line above which a reply is written: what stands below it is ours, whatever a mail program did to it. */
export const delimiter = "##- Reply above this line -##";
