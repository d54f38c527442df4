import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { matrix, rowOf } from "../../renderers/matrix.ts";
import { channelIds } from "../../src/app/channel-files.ts";
import { readConfig } from "../../src/app/config-read.ts";
import { partNames } from "../../src/domain/channel.ts";
import { bodySchema } from "../webhook/receiver.ts";
import { exampleOf, expectReceiver } from "./examples.ts";

const docs = join(import.meta.dirname, "../../docs");
const env = {
  WEBHOOK_SECRET: "TEST-only-not-the-secret-of-a-receiver",
  WEBHOOK_URL: "https://example.org/hook",
  FEISHU_WEBHOOK: "https://open.larksuite.com/open-apis/bot/v2/hook/0f5a3c9e-TEST-only",
  FEISHU_SECRET: "TEST-only",
};

test("every channel that init names has its page", () => {
  const named = channelIds().filter((id) => id !== "telegram" && rowOf(id).inbound !== "page");
  expect(named).toEqual(expect.arrayContaining(["feishu", "webhook"]));
  expect(named.filter((id) => !existsSync(join(docs, `${id}.md`)))).toEqual([]);
});

test.each(["webhook.md", "feishu.md"])(
  "the configuration in %s is one, and so is every other line of it",
  async (page) => {
    const text = exampleOf(page, "yaml").replace(/^ {3}/gm, "");
    const others = Array.from(
      text.matchAll(/^ {2}# (\w+: \{.*\})/gm),
      ([, line]) => `channels:\n  ${line}\n`,
    );
    for (const each of [text, ...others]) {
      const read = await readConfig(each, env);
      expect(read.ok ? [] : read.errors).toEqual([]);
      expect(Object.keys(parse(each).channels)).toEqual([page.replace(".md", "")]);
    }
    expect(others).toHaveLength(page === "webhook.md" ? 2 : 0);
  },
);

test("the body on the page is as owlpost's own form is, and its table names every field and part", () => {
  const body: unknown = JSON.parse(exampleOf("webhook.md", "json"));
  expect(bodySchema.safeParse(body).error?.issues).toBeUndefined();
  const page = readFileSync(join(docs, "webhook.md"), "utf8");
  const fields = ["id", "version", "type", "question", "follows", "silent", "headline", "text", "parts"];
  const table = Array.from(page.matchAll(/^\| `(\w+)` \|/gm), ([, name]) => name);
  expect(table).toEqual(fields);
  const parts = /^\| `parts` \|(.*)$/m.exec(page)?.[1] ?? "";
  expect(Array.from(parts.matchAll(/`(\w+)`/g), ([, name]) => name).sort()).toEqual([...partNames].sort());
  const { max } = matrix.webhook.body;
  expect(page).toContain(`at most ${max.toLocaleString("en-US")} bytes of UTF-8`);
});

test("the receiver in Node takes what owlpost signs, once, and nothing else", async () => {
  await expectReceiver(process.execPath, ["--input-type=module", "--eval", exampleOf("webhook.md", "js")]);
});
