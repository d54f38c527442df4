import { agentRefused, printAck } from "./decide.ts";
import { checkHome, readConfig } from "./open.ts";
import { fail, printJson, printResult } from "./print.ts";
import { isAgent, type Verb } from "./verb.ts";

const address = /https?:\/\/\S+/;

export const verb: Verb = {
  usage: "",
  description:
    "Run the service: the local inbox, the channels, the deadlines. Stops cleanly on Ctrl-C. A changed config.yaml is taken up by itself, and at once on SIGHUP; one with a mistake changes nothing.",
  options: [
    {
      flags: "--sample",
      text: "ask a sample question when nothing is configured and nothing was ever asked",
    },
    { flags: "--once", text: "one pass of sweep, send and receive, then stop" },
    { flags: "--take-over", text: "take the place of a service on a machine that is gone or was renamed" },
  ],
  examples: [
    ["owlpost serve --sample", "try it: no account, no configuration"],
    ["owlpost serve --once", "one pass, for a timer"],
  ],
  async run(call) {
    // Whoever serves gets the link to the inbox, and with it the owner's say.
    if (isAgent(call.io)) return printAck(call, agentRefused);
    const refused = await checkHome(call);
    if (refused !== undefined) return refused;
    const config = await readConfig(call);
    if (typeof config === "number") return config;
    let told = false;
    const print = (line: string): void => {
      const link = address.exec(line)?.[0];
      if (link === undefined) {
        if (!call.json) void call.io.stderr.write(`${line}\n`).catch(ignore);
      } else if (!call.json) void printResult(call, line.trim()).catch(ignore);
      else if (!told) {
        told = true;
        void printJson(call, { home: call.home, pid: process.pid, inbox: link }).catch(ignore);
      }
    };
    const { runService } = await import("../app/run-service.ts");
    try {
      await runService({
        home: call.home,
        config,
        sample: call.options.sample === true,
        once: call.options.once === true,
        takeOver: call.options.takeOver === true,
        env: call.io.env,
        print,
      });
    } catch (error) {
      if (error instanceof Error && error.name === "HomeTakenError") {
        return fail(call, 3, "home-taken", error.message);
      }
      if (isPortTaken(error)) return fail(call, 3, "port-taken", error.message);
      throw error;
    }
    if (call.json && !told) await printJson(call, { home: call.home, pid: process.pid, inbox: null });
    return 0;
  },
};

/** A terminal that went away does not stop the service. */
function ignore(): void {}

function isPortTaken(error: unknown): error is Error {
  return error instanceof Error && (error.cause as NodeJS.ErrnoException | undefined)?.code === "EADDRINUSE";
}
