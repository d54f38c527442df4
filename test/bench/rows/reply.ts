import type { Owlpost } from "../../../src/app/api.ts";
import { type InboxTurnOptions, takeIn } from "../../../src/app/inbox-turn.ts";
import { openOwlpost } from "../../../src/app/owlpost.ts";
import type { Reply } from "../../../src/domain/channel.ts";
import type { QuestionId } from "../../../src/domain/ids.ts";
import type { Store } from "../../../src/domain/store.ts";
import { bareInsert, benchConfig, benchDocument, mustAsk, newHome } from "../home.ts";
import { absolutes, duration, interleave, median, type Row, ratio } from "../measure.ts";

/** One reply of the owner, decided and committed, beside one bare row. */
export const reply: Row = {
  name: "reply",
  async run() {
    const size = { blocks: 9, rounds: 120, warm: 60 };
    const home = newHome();
    const owlpost = await openOwlpost({ home, config: benchConfig() });
    const ids = await postedQuestions(owlpost, size.blocks * size.rounds + size.warm);
    const bare = bareInsert(home);
    const blocks = await interleave(
      {
        bare: () => bare.insert(),
        reply: async (round) => {
          const ack = await owlpost.decide({ verb: "choose", question: ids[round] ?? "", key: "1" }, "cli");
          if (!ack.accepted) throw new Error(ack.text);
        },
      },
      size,
    );
    await owlpost.close();
    bare.close();
    return [
      {
        name: "decide + commit of one reply / bare INSERT",
        spread: ratio(blocks, "reply", "bare"),
        unit: "x",
        goal: { most: 1.6 },
        detail: absolutes(blocks, ["reply", "bare"]),
      },
    ];
  },
};

const batchSize = 100;

/** A batch of 100 presses, each on a question of its own, beside a batch of one. */
export const batch: Row = {
  name: "batch",
  async run() {
    const size = { blocks: 9, rounds: 9, warm: 4 };
    const rounds = size.blocks * size.rounds + size.warm;
    const home = newHome();
    const owlpost = await openOwlpost({ home, config: benchConfig() });
    const ids = await postedQuestions(owlpost, rounds * (batchSize + 1));
    const options: InboxTurnOptions = {
      store: owlpost.store,
      now: Date.now,
      project: "default",
      places: [{ channel: "peer", chats: "one", allow: ["42"], mark: "/", isPublic: false }],
    };
    let next = 0;
    const press = async (count: number): Promise<void> => {
      const replies = ids.slice(next, next + count).map(pressOf);
      next += count;
      const { acks } = await takeIn("peer", { replies, cursor: String(next) }, options);
      if (acks.length !== count || !acks.every((ack) => ack.accepted)) throw new Error("a press was refused");
    };
    const bare = bareInsert(home);
    const blocks = await interleave(
      {
        one: () => press(1),
        hundred: () => press(batchSize),
        "bare row": () => bare.insert(),
        "100 bare rows": () => bare.insertMany(batchSize),
      },
      size,
    );
    await owlpost.close();
    bare.close();
    const each = median(blocks.hundred.flat()) / batchSize;
    return [
      {
        name: "a batch of 100 replies / a batch of one",
        spread: ratio(blocks, "hundred", "one"),
        unit: "x",
        goal: { most: 3 },
        detail: `${absolutes(blocks, ["hundred", "one"])}; ${duration(each)} a reply`,
      },
      {
        name: "100 bare rows in one commit / one bare row",
        spread: ratio(blocks, "100 bare rows", "bare row"),
        unit: "x",
        detail: `${absolutes(blocks, ["100 bare rows", "bare row"])}; a reply writes at least 4 rows`,
      },
    ];
  },
};

function pressOf(id: QuestionId): Reply {
  return { key: `press-${id}`, sender: "42", at: Date.now(), press: { question: id, action: "1" } };
}

/** Questions that stand on both channels, as they do when somebody answers. */
export async function postedQuestions(
  owlpost: Owlpost & { readonly store: Store },
  count: number,
): Promise<QuestionId[]> {
  const ids: QuestionId[] = [];
  for (let from = 0; from < count; from += 200) {
    const asks = Array.from({ length: Math.min(200, count - from) }, (_, index) =>
      owlpost.ask({ document: benchDocument(from + index) }),
    );
    ids.push(...(await Promise.all(asks)).map((outcome) => mustAsk(outcome).id));
  }
  await postAll(owlpost.store);
  return ids;
}

/** Empties the outbox as a sender does whose channels accept everything at once. */
export async function postAll(store: Store): Promise<void> {
  for (;;) {
    const jobs = await store.nextJobs(Date.now(), 64);
    if (jobs.length === 0) return;
    const posts = jobs.map((job) =>
      store.sent(
        job,
        { ref: `message-${job.id}`, revision: 1 },
        (row) =>
          row?.state === "pending"
            ? [{ type: "move-question", id: row.question.id, from: "pending", to: "posted" }]
            : [],
        Date.now(),
      ),
    );
    await Promise.all(posts);
  }
}
