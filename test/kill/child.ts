import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openLedger } from "./ledger.ts";
import { openPlay } from "./play.ts";
import { scenes } from "./scenes.ts";
import { passed } from "./steps.ts";
import { tapFiles } from "./tapped-files.ts";
import { tapStatements } from "./tapped-statements.ts";

/** Plays one scene to its end, unless it dies on the way: `child FOLDER SCENE PEER-URL`. */
async function main(): Promise<void> {
  const [folder = "", name = "", peerUrl = ""] = process.argv.slice(2);
  const scene = scenes[name];
  if (!scene) throw new Error(`no scene ${name}`);
  await tapFiles(folder);
  tapStatements();
  const ledger = openLedger(join(folder, "ledger.jsonl"));
  const play = await openPlay(folder, peerUrl, ledger, scene);
  await play.open();
  ledger.add("(ready)", Math.round(performance.now()));
  await scene.play(play);
  await play.askAgain();
  await play.until("the outbox is empty", async () => (await play.service().store.nextJobAt()) === undefined);
  await play.settle();
  await play.close();
  writeFileSync(join(folder, "steps.json"), JSON.stringify(passed()));
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
