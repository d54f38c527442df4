import { domainToASCII } from "node:url";
import { getDomain } from "tldts";

/** The domain of an address, in the letters of the DNS. */
export function domainOf(address: string): string {
  return inAscii(address.slice(address.lastIndexOf("@") + 1));
}

/**
 * Do two domains belong together, so that what one has signed may speak for the other? The same one, or two of the same
 * organisation, by the list of public suffixes: nobody owns `co.uk` or `github.io`.
 */
export function isAligned(one: string, other: string): boolean {
  const [a, b] = [inAscii(one), inAscii(other)];
  if (a === "" || b === "") return false;
  if (a === b) return true;
  const organisation = getDomain(a, suffixes);
  return organisation !== null && organisation === getDomain(b, suffixes);
}

const suffixes = { allowPrivateDomains: true } as const;

/**
 * Empty for what is no domain. Node's conversion takes it for the beginning of a URL: of `example.org/.evil.example`, which
 * is a name in the DNS of evil.example, it would keep example.org.
 */
function inAscii(domain: string): string {
  if (!/^[\p{L}\p{M}\p{N}._-]+$/u.test(domain.trim())) return "";
  const ascii = domainToASCII(domain.trim().replace(/\.$/, "")).toLowerCase();
  return /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(ascii) ? ascii : "";
}
