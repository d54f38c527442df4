import assert from "node:assert/strict";
import type { QuestionId } from "../../src/domain/ids.ts";
import { isOpen } from "../../src/domain/question.ts";
import { askUserQuestion, auth, permissionRequest, storage } from "../hook/events.ts";
import type { Told } from "./agent-line.ts";
import type { Play } from "./play.ts";
import type { Scene } from "./scene.ts";

const options = [
  { label: "A column", consequence: "one migration", recommended: true, reversible: true },
  { label: "A table", consequence: "two migrations" },
];
const context = "The orders need a discount, and `src/orders.ts` has no place for it.";

/**
 * Agents ask by their hooks and over MCP, and each of these processes may die at any step: asked, waiting, answered, taken,
 * written, confirmed. The answer is found by whoever asks next, and silence allows nothing.
 */
export const agents: Scene = {
  endings: {
    auth: { state: "applied", outcome: "answered", option: "1" },
    storage: { state: "applied", outcome: "answered", option: "2" },
    publish: {},
    deploy: {},
    schema: { state: "applied", outcome: "answered", option: "1" },
    index: { state: "applied", outcome: "answered", option: "2" },
  },
  async play(play: Play) {
    const { agent } = play;
    const press = (key: string) => (id: QuestionId) => play.press(`${key} for ${id}`, id, key);
    const chosen = await agent.hook("auth", askUserQuestion([auth]), press("1"));
    assert.match(chosen.text, /"permissionDecision":"allow".*"answers"/);

    // Nobody is at a terminal: the run is parked, and told when it stops.
    const deferred = await agent.hook("storage", askUserQuestion([storage], { tool_use_id: "toolu_02" }));
    assert.match(deferred.text, /"defer"/);
    await play.settle();
    await press("2")(await onThePhone(play, "storage"));

    const allowed = await agent.hook("publish", permissionRequest(), press("1"));
    assert.match(allowed.text, /"behavior":"allow"/);
    const silent = await agent.hook("deploy", permissionRequest(), async (id) => {
      await play.advance(`the deadline of ${id}`, 16);
      await play.until(`${id} is over`, async () => !isOpen((await play.state(id)) ?? "posted"));
    });
    assert.match(silent.text, /"behavior":"deny".*not allowed/);

    const ask = (task: string, wait: number) => ({
      title: `How is ${task} kept?`,
      context,
      options,
      task,
      idempotency_key: `key-${task}`,
      wait_seconds: wait,
    });
    await untilTold(play, "schema", (name, attempt) =>
      agent.tool(name, "schema", "ask_human", ask("schema", attempt === 0 ? 10 : 0), press("1")),
    );
    await agent.tool("a ticket", "index", "ask_human", ask("index", 0));
    const index = await onThePhone(play, "index");
    await press("2")(index);
    await untilTold(play, "index", (name) => agent.tool(name, "index", "get_answer", { id: index }));

    for (const time of ["first", "second", "third"]) {
      await agent.stop(`the ${time} stop`);
      await play.advance(`after the ${time} stop`, 11);
      await play.settle();
    }
  },
};

/** Who died with an answer holds it until the lease is over; then it is handed over to whoever asks. */
async function untilTold(
  play: Play,
  what: string,
  call: (name: string, attempt: number) => Promise<Told>,
): Promise<void> {
  for (const attempt of [0, 1, 2]) {
    const { news } = await call(`${what} ${attempt}`, attempt);
    if (news.length > 0) return;
    await play.advance(`${what} ${attempt} was in vain`, 11);
    await play.settle();
  }
  assert.fail(`${what} is never told`);
}

async function onThePhone(play: Play, task: string): Promise<QuestionId> {
  let id: QuestionId | undefined;
  await play.until(`${task} is on the phone`, async () => {
    const questions = await play.service().store.questions({ limit: 100 });
    id = questions.find((each) => each.question.task === task && each.state !== "pending")?.question.id;
    return id !== undefined;
  });
  return id as QuestionId;
}
