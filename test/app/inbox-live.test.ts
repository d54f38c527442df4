import { request } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aStored } from "../builders.ts";
import { aStatus, type Bench, openBench } from "./inbox-peer.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await openBench();
});
afterEach(() => bench.close());

type Stream = { readonly lines: string[]; readonly ended: Promise<void>; status: number; cut(): void };

function follow(session: string): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: "127.0.0.1",
        port: bench.inbox.port,
        path: "/api/stream",
        headers: { authorization: `Bearer ${session}` },
        agent: false,
      },
      (incoming) => {
        const lines: string[] = [];
        let rest = "";
        incoming.setEncoding("utf8");
        incoming.on("data", (chunk: string) => {
          const parts = (rest + chunk).split("\n");
          rest = parts.pop() ?? "";
          lines.push(...parts);
        });
        const ended = new Promise<void>((end) => incoming.on("close", end));
        incoming.on("error", () => undefined);
        resolve({ lines, ended, status: incoming.statusCode ?? 0, cut: () => outgoing.destroy() });
      },
    );
    outgoing.on("error", reject);
    outgoing.end();
  });
}

async function until(met: () => boolean): Promise<void> {
  const end = performance.now() + 5_000;
  while (!met()) {
    if (performance.now() > end) throw new Error("it did not happen within 5 s");
    await new Promise((wake) => setTimeout(wake, 5));
  }
}

describe("the stream", () => {
  it("sends the whole state at once and again after a change", async () => {
    const stream = await follow(await bench.signIn());
    await until(() => stream.lines.length === 1);
    expect(JSON.parse(stream.lines[0] ?? "").cards).toHaveLength(1);
    bench.status = async () => aStatus({ open: [], decided: [aStored({ state: "cancelled", why: "done" })] });
    bench.inbox.changed();
    await until(() => stream.lines.length === 2);
    expect(JSON.parse(stream.lines[1] ?? "").cards[0].place).toBe("closed");
    stream.cut();
  });

  it("tells every open page when one of them decides", async () => {
    const session = await bench.signIn();
    const [one, two] = await Promise.all([follow(session), follow(session)]);
    await until(() => one.lines.length === 1 && two.lines.length === 1);
    bench.status = async () => aStatus({ open: [] });
    await bench.send({
      method: "POST",
      path: "/api/decide",
      headers: { authorization: `Bearer ${session}` },
      body: JSON.stringify({ command: { verb: "skip", question: "q-a3f2-012-1" }, key: "k".repeat(24) }),
    });
    await until(() => one.lines.length === 2 && two.lines.length === 2);
    expect(one.lines[1]).toBe(two.lines[1]);
    one.cut();
    two.cut();
  });

  it("gathers a burst of changes and still ends with the last state", async () => {
    const stream = await follow(await bench.signIn());
    await until(() => stream.lines.length === 1);
    let looks = 0;
    for (let index = 1; index <= 200; index += 1) {
      bench.status = async () => {
        looks += 1;
        return aStatus({ open: [aStored({ revision: index + 1 })] });
      };
      bench.inbox.changed();
      if (index % 20 === 0) await new Promise((wake) => setTimeout(wake, 10));
    }
    await until(() => stream.lines.some((line) => line !== "" && JSON.parse(line).cards[0].revision === 201));
    expect(looks).toBeLessThan(10);
    stream.cut();
  });

  it("shares one look at the store between all pages", async () => {
    const session = await bench.signIn();
    const streams = await Promise.all(Array.from({ length: 8 }, () => follow(session)));
    await until(() => streams.every((stream) => stream.lines.length === 1));
    let looks = 0;
    bench.status = async () => {
      looks += 1;
      await new Promise((wake) => setTimeout(wake, 20));
      return aStatus({ open: [] });
    };
    await new Promise((wake) => setTimeout(wake, 60));
    bench.inbox.changed();
    await until(() => streams.every((stream) => stream.lines.length === 2));
    expect(looks).toBe(1);
    for (const stream of streams) stream.cut();
  });

  it("goes on when the store fails for a while", async () => {
    const stream = await follow(await bench.signIn());
    await until(() => stream.lines.length === 1);
    bench.status = async () => {
      throw new Error("busy");
    };
    bench.inbox.changed();
    await until(() => stream.lines.length === 2);
    expect(stream.lines[1]).toBe("");
    bench.status = async () => aStatus({ open: [] });
    bench.inbox.changed();
    await until(() => stream.lines.length === 3);
    expect(JSON.parse(stream.lines[2] ?? "").cards).toEqual([]);
    stream.cut();
  });

  it("forgets pages that went away, and refuses the 61st that is open", async () => {
    const session = await bench.signIn();
    for (let round = 0; round < 2; round += 1) {
      const streams = await Promise.all(Array.from({ length: 60 }, () => follow(session)));
      expect(streams.every((stream) => stream.status === 200)).toBe(true);
      const more = await bench.send({ path: "/api/stream", headers: { authorization: `Bearer ${session}` } });
      expect(more.status).toBe(503);
      for (const stream of streams) stream.cut();
      await Promise.all(streams.map((stream) => stream.ended));
      // The server learns of it a moment later.
      await new Promise((wake) => setTimeout(wake, 200));
    }
  });

  it("ends when the inbox closes, at once", async () => {
    const stream = await follow(await bench.signIn());
    await until(() => stream.lines.length === 1);
    const from = performance.now();
    await bench.inbox.close();
    await stream.ended;
    expect(performance.now() - from).toBeLessThan(2_000);
  });
});
