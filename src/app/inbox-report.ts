import type { Context, Hono } from "hono";
import { reportStyle } from "../../renderers/report-style.ts";
import type { Owlpost } from "./api.ts";
import { refuse } from "./inbox-guard.ts";
import type { ReportPage } from "./report-page.ts";
import { type ReportShown, reportShown } from "./report-shown.ts";

type SignedIn = (c: Context) => Promise<Response | undefined>;

/**
 * The morning report in the inbox: for the page as data that it builds elements of, and whole as a file. Its style is a
 * file of ours, as the page's policy wants it. Both only look; `?since=` takes what `owlpost report --since` takes.
 */
export function addReport(app: Hono, owlpost: Pick<Owlpost, "report">, signedIn: SignedIn): void {
  const shown = async (c: Context, show: (report: ReportShown) => Response): Promise<Response> => {
    const refused = await signedIn(c);
    if (refused) return refused;
    const since = c.req.query("since");
    const outcome = await owlpost.report(since === undefined ? {} : { since });
    if (outcome.ok) return show(reportShown(outcome.report));
    return refuse(c, 400, "bad-since", "A report begins in the past: 22:00, 12h or an instant.");
  };

  app.get("/report.css", (c) => c.body(reportStyle, 200, { "content-type": "text/css; charset=utf-8" }));
  app.get("/api/report", (c) => shown(c, (report) => c.json({ tree: report.tree() } satisfies ReportPage)));
  app.get("/api/report.html", (c) =>
    shown(c, (report) =>
      c.body(report.html(), 200, {
        "content-type": "text/html; charset=utf-8",
        "content-disposition": 'attachment; filename="owlpost-report.html"',
      }),
    ),
  );
}
