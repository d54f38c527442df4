import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { builtCli, serveHome, stop } from "../built.ts";
import { benchDocument, newHome } from "../home.ts";
import { absolutes, interleave, type Row, ratio } from "../measure.ts";

/** `owlpost ask` as a command, from nothing to its exit, beside a Node that does nothing. */
export const cold: Row = {
  name: "cold",
  async run() {
    const cli = await builtCli();
    const alone = newHome();
    const served = newHome();
    const json = join(alone, "question.json");
    const yaml = join(alone, "question.yaml");
    // No engine facts: a command's own text.
    const { facts: _facts, ...document } = benchDocument(1, { default: { action: "skip_spec", at: "12h" } });
    writeFileSync(json, JSON.stringify(document));
    writeFileSync(yaml, stringify(document));
    const service = await serveHome(served);
    const asking = (home: string, file: string) => () => node(cli, "ask", "--json", "--home", home, file);
    const blocks = await interleave(
      {
        node: () => node("-e", "0"),
        alone: asking(alone, json),
        served: asking(served, json),
        "alone, YAML": asking(alone, yaml),
        "served, YAML": asking(served, yaml),
      },
      { blocks: 7, rounds: 5, warm: 2 },
    );
    if (!existsSync(join(served, "owlpost.sock"))) throw new Error("the service went away");
    await stop(service);
    const figure = (name: string, arm: keyof typeof blocks) => ({
      name,
      spread: ratio(blocks, arm, "node"),
      unit: "x" as const,
      goal: { most: 2.2 },
      detail: absolutes(blocks, [arm, "node"]),
    });
    return [
      figure("owlpost ask cold, no service / node -e 0", "alone"),
      figure("owlpost ask cold, running service / node -e 0", "served"),
      figure("the same with YAML, no service", "alone, YAML"),
      figure("the same with YAML, running service", "served, YAML"),
    ];
  },
};

function node(...args: string[]): void {
  const ran = spawnSync(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  if (ran.status !== 0) throw new Error(`node ${args.join(" ")}: ${ran.stderr.toString()}`);
}
