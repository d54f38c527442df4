/** Nothing hidden and nothing that changes direction: a quick look that is enough for most texts. */
export const openText =
  /^[\t\n -~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u058f\u2010-\u2027\u2030-\u205e\u20a0-\u20cf\u2100-\u2bff\u3001-\u3029\u3041-\u3098\u309b-\u9fff\uac00-\ud7a3\uff01-\uff9f]*$/;
