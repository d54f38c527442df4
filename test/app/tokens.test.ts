import { createHmac } from "node:crypto";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { channelTools, signing } from "../../src/app/tokens.ts";
import { openStore } from "../../src/store/sqlite.ts";
import { evening } from "../builders.ts";
import { aHome } from "../homes.ts";

const { sign, isSigned } = signing(Buffer.alloc(32, 7));

test("a token is 26 characters of base32 in lower case, taken from HMAC-SHA-256", () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1 }), (parts) => {
      const token = sign(...parts);
      expect(token).toMatch(/^[a-z2-7]{26}$/);
      // Python's base64.b32encode gives the same; here it is counted bit by bit.
      const bits = [...createHmac("sha256", Buffer.alloc(32, 7)).update(JSON.stringify(parts)).digest()]
        .map((byte) => byte.toString(2).padStart(8, "0"))
        .join("");
      const letters = (bits.match(/.{5}/g) ?? []).map((five) =>
        "abcdefghijklmnopqrstuvwxyz234567".charAt(Number.parseInt(five, 2)),
      );
      expect(token).toBe(letters.join("").slice(0, 26));
    }),
  );
});

test("only the same parts in the same order have it, in upper case as well", () => {
  const token = sign("q-a3f2-012-1", "1", "default");
  expect(isSigned(token.toUpperCase(), "q-a3f2-012-1", "1", "default")).toBe(true);
  expect(isSigned(token, "q-a3f2-012-1", "2", "default")).toBe(false);
  expect(isSigned(token, "q-a3f2-012-11", "", "default")).toBe(false);
  expect(isSigned(token, "q-a3f2-012-1", "1,default")).toBe(false);
  expect(isSigned(token.slice(0, 25), "q-a3f2-012-1", "1", "default")).toBe(false);
  expect(isSigned("", "q-a3f2-012-1", "1", "default")).toBe(false);
  expect(isSigned("ſ".repeat(26), "q-a3f2-012-1", "1", "default")).toBe(false);
});

test("a home keeps its key, and another home has another", async () => {
  const tokens: string[] = [];
  const [one, two] = [aHome(), aHome()];
  for (const home of [one, one, two]) {
    const store = await openStore(join(home, "owlpost.db"));
    const tools = await Promise.all([channelTools(store, () => evening), channelTools(store, () => evening)]);
    expect(tools[0]?.sign("a")).toBe(tools[1]?.sign("a"));
    tokens.push(tools[0]?.sign("a") ?? "");
    await store.close();
  }
  expect(tokens[0]).toBe(tokens[1]);
  expect(tokens[2]).not.toBe(tokens[0]);
});
