import assert from "node:assert/strict";
import type { Play } from "./play.ts";
import type { Scene } from "./scene.ts";
import { eric, mara, stranger } from "./telegram-desk.ts";

const longDefault = { more: { default: { action: "skip_spec", at: "20h" } } };

/** Codes that are guessed, slipped, used, used again and sent by the wrong person; somebody comes, is revoked, comes again. */
export const pairing: Scene = {
  platform: "telegram",
  allow: [eric],
  endings: {
    heron: { state: "applied", outcome: "answered", option: "2" },
    egret: { state: "applied", outcome: "answered", option: "1" },
  },
  people: {
    bindings: [{ name: "ola", role: "viewer", address: String(mara) }],
    paired: ["mara", "ola"],
    unpaired: ["mara"],
    failures: {
      [stranger]: { counted: 5, now: 5 },
      [mara]: { counted: 1, now: 0 },
      [eric]: { counted: 1, now: 1 },
    },
    live: { name: "ida", failures: 1 },
  },
  async play(play: Play) {
    const { people } = play;
    const heron = await play.ask("heron", { key: "key-heron", ...longDefault });
    const egret = await play.ask("egret", longDefault);
    await people.reads(eric, "What about egret?");
    await people.type("before there is a code", stranger, "/start AAAABBBB");
    const { code } = await play.pair("mara", "member");
    await people.type("a guess", stranger, "/pair AAAACCCC");
    await people.type("a slip", mara, "/start AAAADDDD");
    await people.fault("the announcement is done and its reply lost", {
      method: "sendMessage",
      how: "swallow",
      times: 1,
      chat: eric,
    });
    await people.type("the right one", mara, `/start ${code}`);
    await people.type("it is used up", stranger, `/start ${code}`);
    await people.type("once more", mara, `/pair ${code}`);
    await play.advance("the announcement is tried again", 1);
    await people.type("mara answers", mara, `${heron} 2`);
    await play.revoke("mara");
    await people.type("after that she is nobody", mara, `/override ${heron} 1`);

    const { token } = await play.pair("ola", "viewer");
    await play.close();
    await people.leave("a guess at night", stranger, "/pair AAAAEEEE");
    await people.leave("the link", mara, `/start ${token}`);
    await people.leave("and may look", mara, "/pending");
    await play.open();
    await people.reads(eric, "ola is paired on telegram as viewer");
    await people.reads(mara, "1 question is open");
    await people.type("but not answer", mara, `${egret} 1`);
    await people.type("the last guess", stranger, "/pair AAAAFFFF");

    const ida = await play.pair("ida", "owner");
    await people.type("an owner tries", eric, "/pair AAAAGGGG");
    await people.type("too often: not even the right one", stranger, `/start ${ida.code}`);
    await people.type("eric answers", eric, `${egret} 1`);
    assert.equal((await play.take("both", "claim-pairing")).given.length, 2);
    await play.confirm("claim-pairing");
  },
};

const storm = 8;

/** Everything that is typed: refused, mended by an edit, changed, noted, gathered; while messages get lost. */
export const words: Scene = {
  platform: "telegram",
  endings: {
    ibis: { state: "applied", outcome: "overridden", option: "1" },
    jay: { state: "applied", outcome: "answered", option: "1" },
    kite: { state: "applied", outcome: "answered" },
    lark: { state: "answered", outcome: "skipped" },
  },
  notes: ["mind the nest", "keep it small"],
  async play(play: Play) {
    const { people } = play;
    const ibis = await play.ask("ibis", { key: "key-ibis", ...longDefault });
    const jay = await play.ask("jay", longDefault);
    const kite = await play.ask("kite", { key: "key-kite", ...longDefault });
    for (const task of ["ibis", "jay", "kite"]) await people.seen(task);
    await people.type("a number that could mean three", eric, "1");
    await people.type("a wrong key", eric, `${ibis} 9`);
    await people.type("mended by an edit", eric, `${ibis} 2`, { edit: "a wrong key" });
    await people.type("edited once too often", eric, `${ibis} 1`, { edit: "a wrong key" });
    await people.fault("a receipt is done and its reply lost", {
      method: "sendMessage",
      how: "swallow",
      times: 1,
      chat: eric,
    });
    await people.type("override", eric, `/override ${ibis} 1`);
    await people.type("override again", eric, `/override ${ibis} 1`);
    await people.press("mara is too late", ibis, "2", mara, mara);
    await people.fault("a receipt is not even read", {
      method: "sendMessage",
      how: "reset",
      times: 1,
      chat: mara,
    });
    await people.type("in reply to the message", mara, "1", { to: jay });
    await people.type("talk", mara, "thanks, good night");
    await people.type("more talk", mara, "and sleep well");
    await people.type("a note", mara, `/steer ${kite} mind the nest`);
    await people.type("in words", eric, `/answer ${kite} neither, ask in May`);
    await play.advance("they are tried again", 1);
    for (let n = 1; n <= storm; n += 1) {
      await people.type(`nothing of that name ${n}`, mara, `/skip q-a3f2-none-${n}`);
    }
    await play.close();
    await people.leave("a note at night", eric, `/steer ${kite} keep it small`);
    await people.leave("one more of no name", mara, "/skip q-a3f2-none-99");
    await play.advance("a short absence", 2);
    await play.open();
    await people.reads(mara, "refused:");
    assert.equal((await play.take("three", "claim-words")).given.length, 3);
    await play.confirm("claim-words");
    await people.type("too late for that", eric, `/override ${ibis} 2`);
    const lark = await play.ask("lark", { key: "key-lark", ...longDefault });
    await people.seen("lark");
    await people.type("the only one open", mara, "/skip");
    await people.type("already so", eric, `/skip ${lark}`);
    await people.type("help", mara, "/help");
  },
};
