/** A process of its own for the tests of many processes: `writer.ts <what> <path> <name>`. */
import { openStore } from "../../src/store/sqlite.ts";
import { aQuestion, now } from "./rows.ts";

const [what, path, name] = process.argv.slice(2);
if (!what || !path || !name) throw new Error("writer.ts <what> <path> <name>");

try {
  const store = await openStore(path);
  if (what === "ask") {
    const row = aQuestion({ task: `task-${name}` });
    await store.append([{ type: "insert-question", row }], now);
    console.log(JSON.stringify({ stored: (await store.question(row.question.id)) !== undefined }));
  } else if (what === "acquire") {
    const record = {
      pid: process.pid,
      startedAt: "1",
      token: name,
      host: "mill",
      socket: "s",
      sinceAt: 0,
      port: undefined,
    };
    const holder = await store.acquireService(record, () => true);
    console.log(JSON.stringify({ holder: holder?.token ?? name }));
  } else if (what === "pair") {
    const bound = await store.pair(({ codes }) => {
      const code = codes[0]?.id;
      const person = { name, role: "member" } as const;
      const bind = { type: "bind", person, channel: "telegram", address: name } as const;
      return { effects: code === undefined ? [] : [{ ...bind, code }], value: code !== undefined };
    }, now);
    console.log(JSON.stringify({ bound }));
  } else if (what === "fill") {
    for (let seq = 1; ; seq += 1) {
      const row = aQuestion({ task: `task-${name}`, seq });
      await store.append([{ type: "insert-question", row }], now);
      console.log(JSON.stringify({ stored: seq }));
    }
  }
  await store.close();
} catch (error) {
  console.log(JSON.stringify(error instanceof Error ? { ...error, message: error.message } : { error }));
  process.exitCode = 1;
}
