/** How the report looks: in a file, in the inbox and on paper. It names no font, picture or address of others. */
export const reportStyle = `
.report {
  --r-ground: #f4f2ec; --r-card: #ffffff; --r-sunk: #f0eee7; --r-line: #dcd8cc; --r-ink: #1f2430; --r-soft: #5a6072;
  --r-accent: #3d4b86; --r-good: #1d6b45; --r-warn: #8a4b00; --r-bad: #a3282c; --r-quiet: #e3e5f2; --r-on: #ffffff;
  color: var(--r-ink); max-width: 880px; margin: 0 auto; overflow-wrap: anywhere;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
}
.report *, .report-page { box-sizing: border-box; }
.report-page { margin: 0; padding: 20px 16px 48px; background: #f4f2ec; }
@media (prefers-color-scheme: dark) {
  .report {
    --r-ground: #12151d; --r-card: #1b1f2a; --r-sunk: #141822; --r-line: #333a4b; --r-ink: #e8e9ee; --r-soft: #a5acbd;
    --r-accent: #a9b7f5; --r-good: #7fd0a3; --r-warn: #f0bd6a; --r-bad: #f29a94; --r-quiet: #232945; --r-on: #12151d;
  }
  .report-page { background: #12151d; }
}
.report h1, .report h2, .report h3, .report h4, .report p, .report ul, .report dl, .report dd, .report blockquote { margin: 0; padding: 0; }
.report h1, .report h2, .report h3, .report h4 { color: var(--r-ink); letter-spacing: normal; text-transform: none; }
.report h1, .report .report-head h2 { font-size: 26px; line-height: 1.2; letter-spacing: -0.01em; }
.report-period { color: var(--r-soft); font-size: 14px; }
.report .report-summary { font-size: 18px; margin-top: 10px; }
.report-section, .report-timeline { margin-top: 28px; }
.report-section > h2, .report-section > h3, .report-timeline > h2, .report-timeline > h3 { font-size: 18px; margin-bottom: 10px; }
.report-count { color: var(--r-soft); font-weight: 400; font-size: 15px; }
.report-figures { background: var(--r-card); border: 1px solid var(--r-line); border-radius: 12px; padding: 4px 16px !important; }
.report-figures div { display: flex; justify-content: space-between; gap: 16px; padding: 6px 0; border-top: 1px solid var(--r-line); font-size: 15px; }
.report-figures div:first-child { border-top: 0; }
.report-figures dt { color: var(--r-soft); }
.report-figures dd { font-weight: 650; text-align: end; }
.report code { font: 12px/1.4 ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; color: var(--r-soft); font-weight: 400; }
.report-entry { background: var(--r-card); border: 1px solid var(--r-line); border-radius: 12px; padding: 12px 16px; margin-top: 8px; }
.report-entry h3, .report-entry h4 { font-size: 16px; line-height: 1.35; }
.report-entry ul { list-style: none; margin-top: 6px; font-size: 14px; color: var(--r-soft); }
.report-entry li { margin-top: 2px; }
.report a { color: var(--r-accent); }
.report a code { color: inherit; }
.report-label { font-weight: 650; color: var(--r-ink); }
.report-label::after { content: ":"; }
.report-again .report-entry, .report-waiting .report-entry { border-left: 4px solid var(--r-warn); }
.report-answered .report-entry { border-left: 4px solid var(--r-good); }
.report-entry blockquote { white-space: pre-wrap; border-left: 3px solid var(--r-line); margin-top: 8px; padding: 6px 12px; background: var(--r-sunk); }
.report-hint { color: var(--r-soft); font-size: 14px; }
.report-timeline svg.timeline { display: block; width: 100%; height: auto; background: var(--r-card); border: 1px solid var(--r-line); border-radius: 12px; }
.report-timeline svg.timeline-narrow { display: none; }
.report-table { margin-top: 10px; font-size: 14px; }
.report-table summary { cursor: pointer; color: var(--r-accent); padding: 8px 0; }
.report-table summary:focus-visible, .report-scroll:focus-visible { outline: 3px solid var(--r-accent); outline-offset: 2px; border-radius: 6px; }
.report-scroll { overflow-x: auto; }
.report table { border-collapse: collapse; min-width: 640px; width: 100%; }
.report th, .report td { text-align: start; vertical-align: top; padding: 5px 8px; border-top: 1px solid var(--r-line); font-weight: 400; }
.report thead th { color: var(--r-soft); border-top: 0; }
.timeline text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; fill: var(--r-ink); }
.timeline .t-hour, .timeline .t-outcome, .timeline .t-sign-name, .timeline .t-none, .timeline .t-quiet-name { fill: var(--r-soft); }
.timeline .t-hour, .timeline .t-outcome, .timeline .t-quiet-name { font-size: 11px; }
.timeline .t-outage-name { fill: var(--r-bad); }
.timeline .t-group .t-name { font-style: italic; }
.t-quiet { fill: var(--r-quiet); }
.t-quiet-edge { fill: var(--r-accent); }
.t-axis { stroke: var(--r-soft); stroke-width: 1; }
.t-grid { stroke: var(--r-line); stroke-width: 1; }
.t-midnight { stroke: var(--r-soft); stroke-dasharray: 3 3; }
.t-rule { stroke: var(--r-line); stroke-width: .6; }
.t-track { stroke: var(--r-line); stroke-width: 1.5; }
.t-wait { stroke: var(--r-soft); stroke-width: 3; }
.t-outage { stroke: var(--r-bad); stroke-width: 1; }
.t-hatch { fill: var(--r-bad); }
.t-hatch-ground { fill: var(--r-card); }
.t-hollow { fill: var(--r-card); stroke: var(--r-ink); stroke-width: 1.8; }
.t-soft { fill: var(--r-soft); }
.t-good { fill: var(--r-good); }
.t-check { fill: none; stroke: var(--r-on); stroke-width: 1.8; }
.t-accent { fill: var(--r-accent); }
.t-hollow-warn { fill: var(--r-card); stroke: var(--r-warn); stroke-width: 2; }
.t-warn { fill: var(--r-warn); }
.t-cross { fill: none; stroke: var(--r-bad); stroke-width: 2.4; }
.report-timeline { container-type: inline-size; }
@container (max-width: 560px) {
  .report-timeline svg.timeline-wide { display: none; }
  .report-timeline svg.timeline-narrow { display: block; }
}
@media print {
  @page { size: A4; margin: 14mm; }
  .report {
    --r-ground: #fff; --r-card: #fff; --r-sunk: #fff; --r-line: #bbb; --r-ink: #000; --r-soft: #333; --r-accent: #000;
    --r-good: #000; --r-warn: #000; --r-bad: #000; --r-quiet: #ececec; --r-on: #fff; font-size: 11pt; max-width: none;
  }
  .report-page { background: #fff; padding: 0; }
  .report-entry, .report-figures { break-inside: avoid; border-radius: 0; }
  .report h1, .report h2, .report h3, .report h4 { break-after: avoid; }
  .report-timeline svg.timeline { break-inside: avoid; border-radius: 0; }
  .report-timeline svg.timeline, .report-timeline svg.timeline * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  .report-timeline svg.timeline-wide { display: block; }
  .report-timeline svg.timeline-narrow, .report-table:not([open]) { display: none; }
}
`;
