import { type MailFacts, type MailRead, readMail } from "../../channels/email/read.ts";
import type { Owlpost } from "../../src/app/api.ts";
import { takeIn } from "../../src/app/inbox-turn.ts";
import { openOwlpost } from "../../src/app/owlpost.ts";
import type { NightRules } from "../../src/core/night.ts";
import type { Place } from "../../src/core/people.ts";
import type { Reply } from "../../src/domain/channel.ts";
import type { Ack } from "../../src/domain/command.ts";
import type { Event } from "../../src/domain/event.ts";
import type { QuestionId } from "../../src/domain/ids.ts";
import type { Job, Store } from "../../src/domain/store.ts";
import { aConfig, aDocument, aPlace } from "../builders.ts";
import { aClock, afterwards, aQuickHome } from "../homes.ts";
import { eric, someFacts } from "./letters.ts";

export type PostOffice = {
  readonly owlpost: Owlpost;
  readonly store: Store;
  readonly clock: ReturnType<typeof aClock>;
  /** The question that Eric's letters answer. */
  readonly question: QuestionId;
  /** Reads a raw mail and takes it in, as the line would. */
  deliver(
    raw: string | Buffer,
    facts?: Partial<MailFacts>,
  ): Promise<{ readonly read: MailRead; readonly ack?: Ack }>;
  take(reply: Reply): Promise<Ack | undefined>;
  /** What waits to be mailed as the answer to somebody's mail. */
  receipts(address?: string): Promise<readonly Job[]>;
  /** What waits for a queue of another channel. */
  jobs(channel: string, destination: string): Promise<readonly Job[]>;
  events(kind: Event["kind"]): Promise<readonly Event[]>;
};

/** The real store and the real turn, with Eric as an owner by the configuration, and Telegram as another channel. */
export async function aPostOffice(
  given: {
    readonly owners?: readonly string[];
    readonly places?: readonly Place[];
    readonly night?: NightRules;
  } = {},
): Promise<PostOffice> {
  const { owners = [eric], night } = given;
  const clock = aClock();
  const owlpost = await openOwlpost({
    home: aQuickHome(),
    config: aConfig({ deliver: ["email", "telegram"], channels: { email: { to: [eric] }, telegram: {} } }),
    now: clock.now,
    host: "tower",
  });
  afterwards(() => owlpost.store.close());
  const { store } = owlpost;
  const asked = await owlpost.ask({ document: aDocument() });
  if (!asked.ok) throw new Error(JSON.stringify(asked));
  const all = given.places ?? [aPlace({ channel: "email", allow: owners }), aPlace({ allow: ["42"] })];
  const take = async (reply: Reply): Promise<Ack | undefined> => {
    const options = { store, now: clock.now, project: "default", zone: "Europe/Berlin", places: all, night };
    const {
      acks: [ack],
    } = await takeIn("email", { replies: [reply] }, options);
    return ack;
  };
  const receiptsAt = async (address: string): Promise<readonly Job[]> =>
    (await store.queue("email", address, 100)).filter(({ kind }) => kind === "receipt");
  return {
    owlpost,
    store,
    clock,
    question: asked.id,
    take,
    async deliver(raw, facts = {}) {
      const now = clock.now();
      const read = await readMail(
        typeof raw === "string" ? Buffer.from(raw) : raw,
        someFacts({ receivedAt: now, now, ...facts }),
      );
      if (read.kind === "drop") return { read };
      const ack = await take(read.reply);
      return ack === undefined ? { read } : { read, ack };
    },
    receipts: async (address) =>
      address === undefined
        ? (await Promise.all([eric, "mara@example.net"].map(receiptsAt))).flat()
        : receiptsAt(address),
    jobs: (channel, destination) => store.queue(channel, destination, 100),
    events: async (kind) => (await store.events(0, 10_000)).filter((event) => event.kind === kind),
  };
}
