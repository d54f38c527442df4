import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isReplyAddress, readReplyAddress, replyAddress } from "../../channels/email/address.ts";
import { mintQuestionId, type QuestionId, type RunId } from "../../src/domain/ids.ts";
import { aQuestionId, aTools } from "../builders.ts";

const { sign } = aTools();
const ours = "owlpost@bot.example.org";
const eric = "eric@example.org";

describe("the address that a reply goes to", () => {
  it("names the question and holds the token of question and recipient", () => {
    const address = replyAddress(ours, aQuestionId, eric, sign);
    expect(address).toBe(`owlpost+${aQuestionId}.${sign("reply", aQuestionId, eric)}@bot.example.org`);
    expect(readReplyAddress(address, ours)).toEqual({
      question: aQuestionId,
      token: sign("reply", aQuestionId, eric),
    });
  });

  it("survives a server that turns its letters, and whatever case the recipient was configured in", () => {
    const address = replyAddress("Owlpost@Bot.Example.org", aQuestionId, "Eric@Example.ORG", sign);
    expect(isReplyAddress(address.toUpperCase(), ours, aQuestionId, eric, sign)).toBe(true);
    expect(readReplyAddress(address.toUpperCase(), ours)?.question).toBe(aQuestionId);
  });

  it("counts for its own question and its own recipient alone", () => {
    const address = replyAddress(ours, aQuestionId, eric, sign);
    const other = "q-a3f2-012-fix-auth-2" as QuestionId;
    expect(isReplyAddress(address, ours, other, eric, sign)).toBe(false);
    expect(isReplyAddress(address, ours, aQuestionId, "mara@example.org", sign)).toBe(false);
    expect(isReplyAddress(address.replace(/.@/, "@"), ours, aQuestionId, eric, sign)).toBe(false);
  });

  it("is nothing but what we wrote", () => {
    for (const address of [
      ours,
      "owlpost+@bot.example.org",
      "owlpost+news@bot.example.org",
      "owlpost+q-x.aaaaaaaaaaaaaaaaaaaaaaaaaa@bot.example.org",
      `owlpost+${aQuestionId}@bot.example.org`,
      `owlpost+${aQuestionId}.short@bot.example.org`,
      `owlpost+${aQuestionId}.aaaaaaaaaaaaaaaaaaaaaaaaaa@bot.example.org.evil.example`,
      `notowlpost+${aQuestionId}.aaaaaaaaaaaaaaaaaaaaaaaaaa@bot.example.org`,
    ]) {
      expect(readReplyAddress(address, ours), address).toBeUndefined();
    }
  });

  it("is never longer than mail allows, has at least 80 bits, and is read again", () => {
    const run = fc.stringMatching(/^[a-z0-9]{1,8}$/);
    const part = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,23}$/);
    const local = fc.stringMatching(/^[a-z][a-z0-9.]{0,30}$/);
    fc.assert(
      fc.property(run, part, fc.integer({ min: 1, max: 9999 }), local, (r, p, seq, name) => {
        const question = mintQuestionId(r as RunId, p, seq);
        const from = `${name}@bot.example.org`;
        const address = replyAddress(from, question, eric, sign);
        expect(address.lastIndexOf("@")).toBeLessThanOrEqual(64);
        const read = readReplyAddress(address, from);
        expect(read?.token.length).toBeGreaterThanOrEqual(16);
        expect(read?.question ?? question).toBe(question);
        expect(isReplyAddress(address, from, question, eric, sign)).toBe(true);
      }),
    );
  });
});
