export const taskUsage = "--task needs a task's id: small letters, digits and dashes, such as 012-fix-auth";
export const runUsage = "--run needs 1 to 8 small letters or digits, such as a3f2";
export const projectUsage = "--project needs a project's name: letters, digits, . _ - (at most 64)";
