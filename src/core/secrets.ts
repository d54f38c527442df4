/**
 * Does a text ask its reader to type a credential? Naming one is fine ("Rotate the API key tonight?"), and so is
 * talking about how software handles one ("Send the access token as a cookie"). English only.
 */
const mention = /pass(?:word|wd|phrase|code)|secret|token|\bkey\b|keys\b|credential|\bPIN\b/i;

const noun =
  "(?:pass(?:word|phrase|code)s?|passwd|secrets?(?: (?:access )?keys?)?|(?:api|access|secret|private|ssh|signing|encryption|licen[cs]e|deploy|account)[ -]?keys?|(?:api|access|auth|authentication|bearer|bot|deploy|oauth|personal access|refresh|service|session|security|secret|login) tokens?|credentials?|PIN)";
/** Names of services make any token a credential: "the new GitHub token". */
const serviceToken =
  "(?:github|gitlab|slack|stripe|telegram|npm|pypi|aws|azure|google|openai|anthropic|docker|discord|sentry|cloudflare|jira|bitbucket|heroku|vercel|sendgrid|twilio|notion|linear|figma|ntfy) tokens?";
/** At most six words between the request and the noun, none of which makes it a question about something else. */
const between =
  "(?:(?:the )?(?:contents?|value|text) of )?(?:(?!(?:to|of|whether|how|that|which|when|where|if|with|without|instead|in|on|by|not|from)\\b)[\\w'’./`-]+ ){0,6}?";
/** The noun ends its phrase: "password policy", "API key rotation" and "token header" are about other things. */
const phraseEnd =
  "(?=\\s*(?:$|[?!.,;:)\\]}'\"”’`\\u2013\\u2014-]|(?:for|of|to|on|in|at|from|you|we|i|that|so|and|or|here|below|now|please|again|via|as|with|by|into|through|over|is|are|here)\\b))";

const phrase = `${between}\`?(?:${noun}|${serviceToken})\`?${phraseEnd}`;
/** "What is the API key used for?" is about the key, "What is the API key for staging?" asks for it. */
const whatPhrase = `${phrase}(?! (?:used|to|as|via|with|by|into|in) )`;

const direct = new RegExp(
  `\\b(?:paste|type(?: in| out)?|reveal|disclose|(?:tell|give|send|hand|show|email|e-mail|message|dm|let) (?:me|us)(?: (?:have|know))?|(?:reply|answer|respond|come back|get back) with|(?:can|could|would|will) you(?: please)? (?:give|send|share|provide|supply|enter|tell|write|post|hand|put)|please (?:give|send|share|provide|supply|enter|input|submit|post|write|put|fill in|specify|set)) ${phrase}`,
  "i",
);
const what = new RegExp(
  `\\bwhat(?:'s|’s| is| are| was|s| would| will) (?:the|your|our|my|this|that|its|their) ${whatPhrase}`,
  "i",
);
const need = new RegExp(
  `\\b(?:i|we)(?:'ll|’ll| will| would| still| also)? need (?:you to \\w+ )?${phrase}`,
  "i",
);
/** These verbs also tell what software does, so a way of sending right behind the noun lets them pass. */
const indirect = new RegExp(
  `(?:^|[.!?:;,\\n]\\s*|\\band |\\bto )(?:enter|send|share|provide|supply|input|submit|fill in|write|post|give) ${phrase}(?!\\s*(?:in|as|via|through|over|from|with|by|into|on|at|to)\\b(?! (?:the |your |a |this )?(?:reply|replies|answer|response|comment|chat|message|thread|channel|me|us)\\b))`,
  "i",
);
const designQuestion =
  /^\s*(?:should|shall|do|does|did|is|are|was|must|may|might|which|where|when|how|why|who|whether|what way)\b/i;

/** Every request begins with one of these. The patterns above are large, and their first use alone takes milliseconds. */
const request =
  /\b(?:paste|type|reveal|disclose|tell|give|send|hand|show|email|e-mail|message|dm|let|reply|answer|respond|come|get|you|please|what|need|enter|share|provide|supply|input|submit|fill|write|post)/i;

export function asksForSecret(text: string): boolean {
  if (!mention.test(text)) return false;
  // The patterns are bounded, but no title or option needs more than this.
  const line = text.slice(0, 1024).replace(/\s+/g, " ");
  if (!request.test(line)) return false;
  if (direct.test(line) || what.test(line)) return true;
  if (designQuestion.test(line)) return false;
  return need.test(line) || indirect.test(line);
}
