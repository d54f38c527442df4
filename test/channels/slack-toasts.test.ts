import { describe, expect, test } from "vitest";
import { aQuestionId } from "../builders.ts";
import { until } from "../homes.ts";
import { appToken, botToken, eric, inTeam, mara, ops } from "../slack/phone.ts";
import { aMessage, aStage, never, receipts, received } from "./slack-line.ts";

const buttons = ["1", "2"].map((key) => ({
  label: `${key} · Go`,
  question: aQuestionId,
  action: { key },
  primary: false,
}));

/** A question in the channel, and a line that is up. */
async function asked(timing: Parameters<typeof aStage>[1] = {}, destination = ops) {
  const stage = await aStage({}, timing);
  const { slack, channel } = stage;
  const changes = { question: aQuestionId, buttons, headline: "Which <way>? [q-a3f2-012-fix-auth-1]" };
  await channel.post(destination, aMessage({ ...changes, body: "Which way?" }), "k1", never);
  await (await channel.poll?.(undefined, never))?.settle?.([]);
  const room = destination === ops ? slack.workspace.room(ops) : slack.workspace.direct(eric);
  const question = room.messages[0];
  if (!question) throw new Error("no question");
  return {
    ...stage,
    question,
    tap: (user: string, what: string) =>
      slack.people.taps(user, question, ({ value }) => value.endsWith(`|${what}`)),
  };
}

describe("receipts that one person sees", () => {
  test.each([ops, inTeam(eric)])(
    "a tap at %s has its receipt beside it, as plain text",
    async (destination) => {
      const { slack, channel, tap } = await asked({}, destination);
      tap(eric, "2");
      const batch = await received(channel);
      const words = "Already answered: 1 — *bold* <!channel> :tada: & more\nby mara\u202e";
      expect(await batch.settle?.(receipts(batch, words, false))).toEqual(
        batch.replies.map(({ key }) => key),
      );
      expect(slack.people.whispers(eric)).toEqual([
        "Already answered: 1 — *bold* <!channel> :tada: & more\nby mara⟨U+202E⟩",
      ]);
      expect(slack.workspace.ephemerals[0]?.text).toContain("&lt;!channel&gt;");
      expect(slack.people.signs).toEqual([]);
    },
  );

  test("a tap in a thread has its receipt in that thread", async () => {
    const { slack, channel } = await aStage();
    const root = slack.people.says(mara, "tonight", { in: ops });
    await channel.post(`${ops}/${root.ts}`, aMessage({ question: aQuestionId, buttons }), "k1", never);
    await (await channel.poll?.(undefined, never))?.settle?.([]);
    const [question] = slack.workspace.repliesTo(slack.workspace.room(ops), root.ts);
    if (!question) throw new Error("no question");
    slack.people.taps(eric, question, ({ value }) => value.endsWith("|2"));
    const batch = await received(channel);
    expect(await batch.settle?.(receipts(batch))).toHaveLength(1);
    expect(slack.workspace.ephemerals).toMatchObject([{ user: eric, thread: root.ts, isShown: true }]);
  });

  test("field 33: of two taps within a second the second hears who was first, and no error", async () => {
    const { slack, channel, tap } = await asked();
    tap(eric, "1");
    tap(mara, "2");
    const batch = await received(channel);
    const [first, second] = batch.replies;
    await batch.settle?.([
      { key: first?.key ?? "", text: "✅ Answered: 1", accepted: true },
      { key: second?.key ?? "", text: "Already answered: 1 by eric", accepted: false },
    ]);
    expect(slack.people.whispers(mara)).toEqual(["Already answered: 1 by eric"]);
    expect(slack.people.signs).toEqual([]);
  });

  test("without a receipt nothing is shown, and the sign of waiting ends", async () => {
    const { slack, channel, tap } = await asked();
    tap(mara, "1");
    const batch = await received(channel);
    expect(await batch.settle?.([])).toEqual([]);
    await until(slack.unacked, (count) => count === 0);
    expect(slack.people.whispers(mara)).toEqual([]);
  });

  test("a receipt that could not be shown is said to be so", async () => {
    const { slack, channel, tap } = await asked();
    tap(eric, "1");
    slack.fail({ method: "response_url", how: { page: 500 }, times: 1 });
    const batch = await received(channel);
    expect(await batch.settle?.(receipts(batch))).toEqual([]);
    await until(slack.unacked, (count) => count === 0);
  });

  test("a command is answered in its ack, and where the line is gone, at the address that came with it", async () => {
    const { slack, channel } = await asked();
    slack.people.slash(eric, "pending", { in: ops });
    const batch = await received(channel);
    expect(await batch.settle?.(receipts(batch, "Nothing is open."))).toHaveLength(1);
    await until(slack.unacked, (count) => count === 0);
    expect(slack.people.whispers(eric, ops)).toEqual(["Nothing is open."]);
    expect(slack.calls.filter(({ method }) => method === "response_url")).toEqual([]);
    slack.people.slash(eric, "status", { in: ops });
    const next = await received(channel);
    slack.sockets.cut();
    await until(slack.sockets.live, (count) => count === 0);
    expect(await next.settle?.(receipts(next, "All is well."))).toHaveLength(1);
    expect(slack.people.whispers(eric, ops)).toContain("All is well.");
  });
});

describe("*Write an answer*", () => {
  test("opens a form at once, whose words come as an answer; it closes, and says so where it was opened", async () => {
    const { slack, channel, tap, question } = await asked();
    const opened = tap(eric, "/write");
    await until(
      () => slack.people.modal(eric),
      (form) => form !== undefined,
    );
    await until(
      () => opened.envelope.state,
      (state) => state === "acked",
    );
    expect(JSON.stringify(slack.people.modal(eric)?.view)).toContain("Which <way>?");
    slack.people.submits(eric, "use Map<K, V> && flush");
    const batch = await received(channel);
    expect(batch.replies).toMatchObject([
      { text: `!answer ${aQuestionId} use Map<K, V> && flush`, toast: true },
    ]);
    expect(await batch.settle?.(receipts(batch, "✅ Answered: use Map…"))).toHaveLength(1);
    await until(
      () => slack.people.modal(eric),
      (form) => form === undefined,
    );
    expect(slack.people.whispers(eric, ops)).toEqual(["✅ Answered: use Map…"]);
    expect(question.versions).toHaveLength(1);
    expect(slack.misuses()).toEqual([]);
  });

  test("what is refused stands at its field, and the form stays", async () => {
    const { slack, channel, tap } = await asked();
    tap(eric, "/write");
    await until(
      () => slack.people.modal(eric),
      (form) => form !== undefined,
    );
    slack.people.submits(eric, "  ");
    await until(
      () => slack.people.errors(eric),
      (errors) => errors.length === 1,
    );
    expect(slack.people.errors(eric)).toEqual([expect.stringContaining("nothing in it")]);
    slack.people.submits(eric, "9");
    const batch = await received(channel);
    expect(await batch.settle?.(receipts(batch, "There is no option 9.", false))).toHaveLength(1);
    await until(
      () => slack.people.errors(eric),
      ([error]) => error === "There is no option 9.",
    );
    expect(slack.people.modal(eric)).toBeDefined();
    expect(slack.people.whispers(eric)).toEqual([]);
  });

  test("a form that cannot be opened says so to whoever wanted it", async () => {
    const { slack, tap } = await asked();
    slack.fail({ method: "views.open", how: { error: "expired_trigger_id" }, times: 1 });
    tap(eric, "/write");
    await until(
      () => slack.people.whispers(eric),
      (said) => said.length === 1,
    );
    expect(slack.people.whispers(eric)[0]).toContain("could not be opened");
    expect(slack.people.signs).toEqual([]);
  });

  test("no token stands in anything that was sent", async () => {
    const { slack, tap } = await asked();
    tap(eric, "/write");
    await until(
      () => slack.people.modal(eric),
      (form) => form !== undefined,
    );
    const sent = JSON.stringify(slack.calls.map(({ params }) => params));
    expect(sent).not.toContain(botToken);
    expect(sent).not.toContain(appToken);
  });
});
