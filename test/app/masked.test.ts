import { expect, test } from "vitest";
import { masked } from "../../src/app/masked.ts";
import { shownConfig } from "../../src/app/setup-draft.ts";
import { aConfig } from "../builders.ts";

const webhook = "https://open.feishu.cn/open-apis/bot/v2/hook/0f5a3c9e-TEST-only";
const url = "https://hooks.example.org/services/TEST/only";

test("an address by which anybody can write is a secret as a token is", () => {
  const config = aConfig({ channels: { feishu: { webhook }, webhook: { url, format: "slack" } } });
  expect(masked(`POST ${webhook} and ${url} as slack`, config)).toBe(
    "POST [redacted] and [redacted] as slack",
  );
});

test("and is not shown by the set-up", () => {
  const file = `channels:\n  feishu: { webhook: "${webhook}" }\n  webhook: { url: "${url}" }\n`;
  const shown = shownConfig(file);
  expect(shown).not.toContain("TEST");
  expect(shown.match(/\[hidden\]/g)).toHaveLength(2);
  expect(shownConfig('channels: { feishu: { webhook: "${FEISHU_WEBHOOK}" } }')).toContain(
    "${FEISHU_WEBHOOK}",
  );
});
