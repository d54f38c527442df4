import type { Context, MiddlewareHandler } from "hono";

/** What the page may load and do: its own script, style and connections, nothing else, and no HTML made from text. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const headers = {
  "content-security-policy": contentSecurityPolicy,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
} as const;

/** Every answer of the server carries these, refusals and faults too. */
export const secureHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value);
};

/**
 * Who may speak to a server on the loopback: any page in any browser on this machine can send it requests, and a
 * name that an attacker points at 127.0.0.1 makes such a page look local. So `Host` must be ours (DNS rebinding),
 * `Origin` too where there is one, and what changes something must prove that it comes from our own page.
 */
export function ownOnly(port: () => number): MiddlewareHandler {
  return async (c, next) => {
    const host = c.req.header("host")?.toLowerCase();
    if (host === undefined || !ownHosts(port()).includes(host)) {
      return refuse(c, 403, "wrong-host", "This address does not belong to owlpost's inbox.");
    }
    const origin = c.req.header("origin");
    if (origin !== undefined && origin !== `http://${host}`) {
      return refuse(c, 403, "wrong-origin", "Only owlpost's own page may ask this.");
    }
    const site = c.req.header("sec-fetch-site");
    const ownSite = site === "same-origin" || site === "none";
    const isApi = c.req.path.startsWith("/api/");
    if (isApi && site !== undefined && !ownSite) {
      return refuse(c, 403, "wrong-origin", "Only owlpost's own page may ask this.");
    }
    if (c.req.method === "POST") {
      if (origin === undefined && !ownSite) {
        return refuse(c, 403, "wrong-origin", "A change must name where it comes from.");
      }
      if (!isJson(c.req.header("content-type"))) {
        return refuse(c, 415, "not-json", "A change must be sent as application/json.");
      }
    }
    return next();
  };
}

/** One shape for everything that is turned away: a reason for programs, a sentence for people. */
export function refuse(
  c: Context,
  status: 400 | 401 | 403 | 404 | 405 | 413 | 415 | 429 | 500 | 503,
  error: string,
  message: string,
): Response {
  return c.json({ error, message }, status);
}

function ownHosts(port: number): readonly string[] {
  const names = ["127.0.0.1", "localhost", "[::1]"];
  const withPort = names.map((name) => `${name}:${port}`);
  // Browsers leave the port out where it is the scheme's own.
  return port === 80 ? [...names, ...withPort] : withPort;
}

function isJson(type: string | undefined): boolean {
  return type !== undefined && /^application\/json\s*(;.*)?$/i.test(type.trim());
}
