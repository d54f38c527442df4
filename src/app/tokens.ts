import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { ChannelTools } from "../domain/channel.ts";
import type { Instant } from "../domain/ids.ts";
import type { Store } from "../domain/store.ts";

const keyBytes = 32;
/** 26 characters of base32 hold 130 bits. */
const tokenCharacters = 26;
const alphabet = "abcdefghijklmnopqrstuvwxyz234567";

/** What a channel is opened with; the key of its tokens is this home's own and lies in the store. */
export async function channelTools(
  store: Pick<Store, "tokenKey">,
  now: () => Instant,
): Promise<ChannelTools> {
  const key = await store.tokenKey(randomBytes(keyBytes).toString("base64"), now());
  return { ...signing(Buffer.from(key, "base64")), now };
}

/** Tokens of one key. */
export function signing(key: Uint8Array): Pick<ChannelTools, "sign" | "isSigned"> {
  // As JSON, so that no two lists of parts read alike.
  const sign = (...parts: readonly string[]): string =>
    base32(createHmac("sha256", key).update(JSON.stringify(parts)).digest()).slice(0, tokenCharacters);
  return {
    sign,
    isSigned(token, ...parts) {
      const given = Buffer.from(token.toLowerCase());
      const wanted = Buffer.from(sign(...parts));
      return given.length === wanted.length && timingSafeEqual(given, wanted);
    },
  };
}

function base32(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(held >> bits) & 31];
    }
    held &= (1 << bits) - 1;
  }
  return text;
}
