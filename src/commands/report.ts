import { resolve } from "node:path";
import { withOwlpost } from "./open.ts";
import { fail, printJson, printResult, say } from "./print.ts";
import { textOption, type Verb } from "./verb.ts";

export const verb: Verb = {
  usage: "",
  description: "The morning report: what was asked in the night, what was decided by whom, and what waits.",
  options: [
    {
      flags: "--since <time>",
      text: "from when on: 22:00, 12h or an instant (default: the start of the last night, else 12 hours ago)",
    },
    { flags: "--html <file>", text: "write it as one HTML file that needs nothing else" },
    { flags: "--send", text: "send its digest to every configured channel" },
  ],
  examples: [
    ["owlpost report", "the last night, as text"],
    ["owlpost report --since 22:00 --html report.html", "with a timeline, to look at or to print"],
    ["owlpost report --send", "a few lines to every channel"],
  ],
  async run(call) {
    const html = textOption(call, "html");
    if (html?.trim() === "") return fail(call, 2, "bad-usage", "--html needs the name of a file");
    return withOwlpost(call, async (owlpost) => {
      const since = textOption(call, "since");
      const outcome = await owlpost.report(since === undefined ? {} : { since });
      if (!outcome.ok) {
        const message = `--since needs a time in the past, such as 22:00, 12h or 2026-07-06T22:00+02:00 (found ${since})`;
        return fail(call, 2, "bad-usage", message);
      }
      const { reportShown } = await import("../app/report-shown.ts");
      const shown = reportShown(outcome.report);
      let file: string | undefined;
      if (html !== undefined) {
        const { writeReport } = await import("../app/report-file.ts");
        file = resolve(call.io.cwd, html);
        const written = await writeReport(file, shown.html());
        if (!written.ok) return fail(call, 2, "bad-file", written.message);
      }
      const sent =
        call.options.send === true
          ? await owlpost.notify(outcome.digest.kind, outcome.digest.text)
          : undefined;
      if (call.json) {
        await printJson(call, { ...shown.json(), html: file, sent: sent?.channels });
        return 0;
      }
      // Whoever wants a file or a message is not also told everything.
      if (file === undefined && !sent) await printResult(call, shown.text().trimEnd());
      if (file !== undefined) await say(call, `The report is in ${file}.`);
      if (sent) {
        const where = sent.channels.length > 0 ? sent.channels.join(", ") : "no channel";
        await say(call, `The digest goes to ${where}.`);
      }
      return 0;
    });
  },
};
