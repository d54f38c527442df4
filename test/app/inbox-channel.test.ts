import { describe, expect, it } from "vitest";
import { open, settings } from "../../channels/inbox.ts";
import { aQuestionId } from "../builders.ts";

describe("the inbox as a channel", () => {
  it("takes every post at once, under the question's id", async () => {
    const inbox = open();
    const { signal } = new AbortController();
    const button = { label: "1", question: aQuestionId, action: { key: "1" }, primary: true };
    const message = { headline: "", parts: [], body: "", plain: "", degraded: [], silent: false };
    expect(await inbox.post("local", { ...message, buttons: [button] }, "k1", signal)).toBe(aQuestionId);
    expect(await inbox.post("local", { ...message, buttons: [] }, "k2", signal)).toBe("k2");
    expect([inbox.id, inbox.rings, inbox.destinations, inbox.poll]).toEqual([
      "inbox",
      false,
      ["local"],
      undefined,
    ]);
    await inbox.edit?.("local", aQuestionId, { ...message, buttons: [] }, signal);
    await inbox.close();
  });

  it("listens on 7373 unless another port is named", () => {
    expect(settings.parse({})).toEqual({ port: 7373 });
    expect(settings.parse({ port: 0 })).toEqual({ port: 0 });
    expect(settings.parse({ port: "8080" })).toEqual({ port: 8080 });
    for (const port of [-1, 65_536, 1.5, "0x1", "", true, null, "99999"])
      expect(settings.safeParse({ port }).success).toBe(false);
    expect(settings.safeParse({ host: "0.0.0.0" }).success).toBe(false);
  });
});
