import { run } from "./commands/run.ts";
import { openSink } from "./commands/sink.ts";

const io = {
  get stdin() {
    return process.stdin;
  },
  stdout: openSink(1, () => process.stdout),
  stderr: openSink(2, () => process.stderr),
  env: process.env,
  cwd: process.cwd(),
};

// Everything was written when the code comes, so nothing is cut off here.
void run(process.argv.slice(2), io).then((exit) => process.exit(exit));
