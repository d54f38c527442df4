/**
 * Credentials that are known by their own shape. Every pattern begins with fixed text after a boundary and goes on with
 * one class of characters, so no text makes it look at a place more than a few times.
 */
type Count = () => string;

const shapes: readonly string[] = [
  // GitHub, GitLab
  "gh[pousr]_[A-Za-z0-9]{20,}",
  "github_pat_[A-Za-z0-9_]{20,}",
  "gl(?:pat|oas|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat|ffct|wt)-[A-Za-z0-9_.-]{16,}",
  // Slack
  "xox[a-z]-[A-Za-z0-9-]{10,}",
  "xox[a-z]\\.xox[a-z]-[A-Za-z0-9-]{10,}",
  "xapp-[A-Za-z0-9-]{10,}",
  // AWS, Google, Azure, DigitalOcean
  "(?:AKIA|ASIA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])",
  "AIza[A-Za-z0-9_-]{30,}",
  "GOCSPX-[A-Za-z0-9_-]{20,}",
  "ya29\\.[A-Za-z0-9_-]{20,}",
  "do[por]_v1_[A-Za-z0-9]{32,}",
  // Stripe, Square, Shopify
  "(?:sk|rk)_(?:live|test|prod)_[A-Za-z0-9]{10,}",
  "whsec_[A-Za-z0-9+/=]{16,}",
  "sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{20,}",
  "shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}",
  // Package registries
  "npm_[A-Za-z0-9]{30,}",
  "pypi-[A-Za-z0-9_-]{40,}",
  "rubygems_[a-f0-9]{40,}",
  "dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}",
  // Mail and telephone
  "SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}",
  "(?:SK|AC)[0-9a-f]{32}(?![A-Za-z0-9])",
  "key-[0-9a-f]{32}(?![A-Za-z0-9])",
  // Models
  "hf_[A-Za-z0-9]{30,}",
  "gsk_[A-Za-z0-9]{30,}",
  "r8_[A-Za-z0-9]{30,}",
  "xai-[A-Za-z0-9]{30,}",
  "pplx-[A-Za-z0-9]{30,}",
  // Hosting, monitoring, trackers
  "dapi[a-f0-9]{32}",
  "lin_api_[A-Za-z0-9]{30,}",
  "ntn_[A-Za-z0-9]{30,}",
  "hv[sbr]\\.[A-Za-z0-9_-]{20,}",
  "gl(?:sa|c)_[A-Za-z0-9_=+/]{20,}",
  "AT(?:ATT|BB|CTT)[A-Za-z0-9_=-]{20,}",
  "NRAK-[A-Z0-9]{20,}",
  "PMAK-[A-Za-z0-9-]{20,}",
  "figd_[A-Za-z0-9_-]{20,}",
  "sb[ps]_[A-Za-z0-9_]{20,}",
  "sb_secret_[A-Za-z0-9_-]{20,}",
  "fm[12]_[A-Za-z0-9+/=]{20,}",
  "sntry[su]_[A-Za-z0-9_=+/-]{20,}",
  "dp\\.(?:pt|st|ct|sa)\\.[A-Za-z0-9.]{20,}",
  "pul-[a-f0-9]{40}",
  "nfp_[A-Za-z0-9]{30,}",
  "tskey-[A-Za-z0-9-]{16,}",
  "tk_[a-z0-9]{29}(?![A-Za-z0-9])",
  "AGE-SECRET-KEY-1[A-Z0-9]{20,}",
  // Telegram and Discord bots
  "[0-9]{6,12}:[A-Za-z0-9_-]{30,64}(?![A-Za-z0-9_-])",
  "[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,}",
];
/**
 * The bot in a path such as `/bot123456:AA…/getMe` is the one token that may follow letters. What is written on without
 * a gap goes as well.
 */
const shape = new RegExp(`(?<![A-Za-z0-9])(?:(?<bot>bot)?(?:${shapes.join("|")})[A-Za-z0-9_-]*)`, "g");

/** JSON Web Tokens, signed or encrypted; the signature may be missing. One beginning per run: see the boundary. */
const jwt = /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*){0,3}/g;

/** `sk-…` is also how ordinary names begin, so it needs a run that no word has. */
const skShape = /(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{16,}/g;

const bearer = /(?<![A-Za-z0-9])(bearer\s{1,4})([A-Za-z0-9._~+/-]{12,}=*)/gi;

export function redactShapes(text: string, count: Count): string {
  let out = text.replace(shape, (_match, bot: string | undefined) => `${bot ?? ""}${count()}`);
  if (out.includes("eyJ")) out = out.replace(jwt, count);
  if (out.includes("sk-"))
    out = out.replace(skShape, (match) => (isRandom(match.slice(3)) ? count() : match));
  if (/bearer/i.test(out))
    out = out.replace(bearer, (match, scheme: string, value: string) =>
      /[0-9]/.test(value) ? `${scheme}${count()}` : match,
    );
  return out;
}

function isRandom(text: string): boolean {
  for (const [run] of text.matchAll(/[A-Za-z0-9]{16,}/g)) {
    if (/[0-9]/.test(run) || (/[A-Z]/.test(run) && /[a-z]/.test(run))) return true;
  }
  return false;
}

const keyMarker = /-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,20}-----/g;

/** Private-key blocks: whole, cut off at their end, or cut off at their beginning. */
export function redactPrivateKeys(text: string, count: Count): string {
  if (!text.includes("PRIVATE KEY")) return text;
  let out = "";
  let done = 0;
  let inside = false;
  for (const marker of text.matchAll(keyMarker)) {
    if (marker[1] === "BEGIN") {
      if (inside) continue;
      out += `${text.slice(done, marker.index)}${count()}`;
      inside = true;
    } else {
      if (!inside) out += `${withoutKeyLines(text.slice(done, marker.index))}${count()}`;
      inside = false;
    }
    done = marker.index + marker[0].length;
  }
  // Without an end, everything that may still belong to the key goes.
  return inside ? out : out + text.slice(done);
}

/** Takes the lines of base64 off the end of a text. A line break may also be written as `\n`. */
function withoutKeyLines(text: string): string {
  let end = text.length;
  while (end > 0 && /[A-Za-z0-9+/=\s\\]/.test(text[end - 1] as string)) end -= 1;
  const tail = text.slice(end);
  const body = /(?:^|\n|\\n|\s)[A-Za-z0-9+/=]{16,}/.exec(tail);
  return body ? text.slice(0, end + body.index) : text;
}

const userinfo = /[^\s/?#"'<>`\\]{1,1024}@/y;

/** `scheme://name:password@host` keeps its name; a long lone name over HTTP is a token too. */
export function redactUrls(text: string, count: Count): string {
  let at = text.indexOf("://");
  if (at < 0) return text;
  let out = "";
  let done = 0;
  for (; at >= 0; at = text.indexOf("://", at + 3)) {
    userinfo.lastIndex = at + 3;
    const match = userinfo.exec(text);
    if (!match) continue;
    const info = match[0].slice(0, -1);
    const colon = info.indexOf(":");
    const from = colon >= 0 ? at + 3 + colon + 1 : at + 3;
    const secret = colon >= 0 ? info.slice(colon + 1) : info;
    if (secret === "" || isPlaceholder(secret) || (colon < 0 && secret.length < 16)) continue;
    out += `${text.slice(done, from)}${count()}`;
    done = at + 3 + info.length;
  }
  const rest = out + text.slice(done);
  return rest.replace(webhook, (_match, head: string) => `${head}${count()}`);
}

/** Addresses that are credentials themselves. */
const webhook =
  /(hooks\.slack\.com\/(?:services|workflows)\/|discord(?:app)?\.com\/api\/webhooks\/|open\.(?:feishu\.cn|larksuite\.com)\/open-apis\/bot\/(?:v2\/)?hook\/)[A-Za-z0-9][A-Za-z0-9_/-]{7,}/g;

/** Something that stands for a credential, or a credential that is gone already. */
export function isPlaceholder(value: string): boolean {
  return placeholder.test(value);
}

const placeholder =
  /^(?:\[redacted\]?|\$(?:$|[{(]|[A-Z_][A-Z0-9_]*$|[a-z_]+$)|%[A-Za-z_]+%?$|\{\{|<[^>]*>?$|[*•.…xX#-]{3,}$|\[[A-Za-z _-]+\]$)/;
