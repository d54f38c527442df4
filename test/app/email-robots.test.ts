import { expect, test } from "vitest";
import type { Service } from "../../src/app/service.ts";
import { aConfig, aDocument, hour } from "../builders.ts";
import { eric, ours } from "../email/letters.ts";
import { aMailLine, aPostalService, type Mail } from "../email/line.ts";
import { aClock, aService, until } from "../homes.ts";

const robots = "robot@example.org";

async function aServiceAt(
  address: string,
  owner: string,
  post: ReturnType<typeof aPostalService>,
  clock = aClock(),
) {
  return aService({
    config: aConfig({ deliver: ["email"], channels: { email: { to: [owner] } } }),
    channels: new Map([["email", aMailLine(address, post)]]),
    now: clock.now,
  });
}

/** Until nothing is on its way any more: what was sent was read, and what was read was answered. */
async function calm(post: ReturnType<typeof aPostalService>, ...services: readonly Service[]): Promise<void> {
  await until(
    async () => {
      const before = post.sent.length;
      const refused = async () =>
        (await Promise.all(services.map(({ store }) => store.lastEvent()))).reduce(
          (sum, each) => sum + each,
          0,
        );
      const events = await refused();
      for (let round = 0; round < 5; round += 1) {
        for (const service of services) await service.settle();
        await new Promise((done) => setTimeout(done, 20));
      }
      return post.sent.length === before && (await refused()) === events;
    },
    (still) => still,
  );
}

test.each([
  ["says that it is away", "Thank you for your mail. I am away until Monday."],
  ["says nothing", ""],
  ["repeats what it was told", (mail: Mail) => mail.text],
  ["always takes the first option", "1"],
  ["asks for help", "/nosuch"],
])(
  "field 44: a robot that answers every mail and %s gets at most three mails of ours",
  async (_what, words) => {
    const post = aPostalService();
    const clock = aClock();
    post.register(robots, async (mail) => {
      const text = typeof words === "string" ? words : words(mail);
      await post.send({
        from: robots,
        to: mail.replyTo,
        replyTo: robots,
        subject: `Re: ${mail.subject}`,
        text,
      });
    });
    const service = await aServiceAt(ours, robots, post, clock);
    const asked = await service.owlpost.ask({ document: aDocument() });
    expect(asked.ok).toBe(true);
    await until(
      () => post.sent.length,
      (count) => count >= 2,
    );
    await calm(post, service);
    const { length } = post.sent.filter(({ from }) => from === ours);
    expect(length).toBeGreaterThan(1);
    // The question, and two that answer it. A right answer gets its receipt and hears once that it stands already; and what
    // became of the question, where the robot was faster than the record of the question's own mail.
    const decides = words === "1";
    expect(length).toBeLessThanOrEqual(decides ? 4 : 3);
    clock.advance(2 * hour);
    await post.send({ from: robots, to: ours, replyTo: robots, subject: "hi", text: "still here" });
    await calm(post, service);
    expect(post.sent.filter(({ from }) => from === ours).length).toBeLessThanOrEqual(
      length + (decides ? 1 : 0),
    );
  },
);

test("two services that mail each other stop, although neither can tell that the other is a machine", async () => {
  const other = "owl@example.org";
  const post = aPostalService({ "s1._domainkey.bot.example.org": "ed25519" });
  const clock = aClock();
  const one = await aServiceAt(ours, other, post, clock);
  const two = await aServiceAt(other, ours, post, clock);
  const asked = await one.owlpost.ask({ document: aDocument() });
  expect(asked.ok).toBe(true);
  await until(
    () => post.sent.length,
    (count) => count >= 2,
  );
  await calm(post, one, two);
  const by = (address: string): number => post.sent.filter(({ from }) => from === address).length;
  expect([by(ours), by(other)].map((count) => count <= 3)).toEqual([true, true]);
  expect(eric).not.toBe(other);
});
