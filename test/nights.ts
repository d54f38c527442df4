import { type QuietHours, readQuietHours } from "../src/core/quiet-hours.ts";
import { type ReportFacts, reportOf } from "../src/core/report.ts";
import type { Event, EventKind } from "../src/domain/event.ts";
import { mintQuestionId, type QuestionId, type RunId, type TaskId } from "../src/domain/ids.ts";
import type { Answer, Copy, Question, StoredQuestion } from "../src/domain/question.ts";
import type { Report, ReportQuestion } from "../src/domain/report.ts";
import type { Note } from "../src/domain/store.ts";
import { anAnswer, aQuestion, aStored } from "./builders.ts";

/** Nights for the report: whole, pure, and the same in every run. */

export const zone = "Europe/Berlin";
const minute = 60_000;

export function hoursOf(window: string, where = zone): QuietHours {
  const read = readQuietHours(window, where);
  if (!read.ok) throw new Error(read.reason);
  return read.hours;
}

export type Night = { readonly facts: ReportFacts; readonly since: number; readonly until: number };

export function reportOfNight({ facts, since, until }: Night, where = zone): Report {
  return reportOf(facts, since, until, where);
}

/** An instant of the summer night in Berlin: `23:10`, or `02:14` of the next day. */
export function at(clock: string): number {
  const [hour = 0, rest = 0] = clock.split(":").map(Number);
  const day = hour >= 12 ? 6 : 7;
  return Date.UTC(2026, 6, day, hour - 2, rest);
}

let nextSeq = 0;
export function anEvent(
  kind: EventKind | "run.aborted",
  when: number,
  data: Event["data"] = {},
  question?: string,
): Event {
  nextSeq += 1;
  return {
    seq: nextSeq,
    at: when,
    kind: kind as EventKind,
    data,
    ...(question === undefined ? {} : { question, task: "012-fix-auth", project: "default" }),
  };
}

export function aNote(when: number, text: string, changes: Partial<Note> = {}): Note {
  nextSeq += 1;
  return {
    id: nextSeq,
    at: when,
    project: "default",
    task: "012-fix-auth" as TaskId,
    sender: { via: "telegram", by: "eric" },
    text,
    ...changes,
  };
}

/** A row with the events that led to it. */
export function aPast(
  stored: StoredQuestion,
  rung: { readonly channel?: string; readonly at?: number } = {},
): { readonly question: ReportQuestion; readonly events: readonly Event[] } {
  const { question, askedAt, deadlineAt, answer, claim, state, result } = stored;
  const event = (kind: EventKind, when: number, data: Event["data"] = {}): Event =>
    anEvent(kind, when, data, question.id);
  const isHeld = stored.heldUntilAt !== undefined;
  const copies: readonly Copy[] = isHeld
    ? []
    : [
        {
          question: question.id,
          channel: rung.channel ?? "telegram",
          destination: "42",
          ref: "42:7",
          revision: 1,
          postedAt: rung.at ?? askedAt + 2_000,
        },
      ];
  const ended =
    state === "expired" || state === "default_applied" || (state === "resolved" && !answer) || answer?.late;
  const said = answer && {
    outcome: answer.outcome,
    ...(answer.option === undefined ? {} : { option: answer.option }),
    ...(answer.text === undefined ? {} : { text: answer.text }),
    ...(answer.by === undefined ? {} : { by: answer.by }),
    ...(answer.host === undefined ? {} : { host: answer.host }),
    via: answer.via,
  };
  const events = [
    event("question.asked", askedAt, { kind: question.kind, title: question.title }),
    ...(isHeld
      ? []
      : [event("question.posted", rung.at ?? askedAt + 2_000, { channel: rung.channel ?? "telegram" })]),
    ...(ended ? [event("question.expired", deadlineAt, { default: stored.defaultAction })] : []),
    ...(said && answer ? [event("question.answered", answer.at, said)] : []),
    ...(claim ? [event(answer ? "question.applied" : "question.default-applied", claim.takenAt)] : []),
    ...(result && claim ? [event("question.resolved", claim.takenAt + 20 * minute, { result })] : []),
    ...(state === "cancelled"
      ? [event("question.cancelled", askedAt + 30 * minute, { why: stored.why })]
      : []),
  ];
  return { question: { stored, copies }, events };
}

export function aClaim(when: number, run = "a3f2") {
  return { claim: "c", run, takenAt: when, leaseUntilAt: when + 10 * minute, confirmedAt: when + 1_000 };
}

type Asked = Partial<Omit<Question, "task" | "run">> & {
  readonly task: string;
  readonly run?: string;
  readonly seq?: number;
};

const roads: Readonly<Record<string, Question["options"]>> = {
  "013-rate-limit": [
    {
      key: "1",
      label: "503 with Retry-After",
      consequence: "what the gateway retries by itself",
      recommended: true,
    },
    { key: "2", label: "429 with Retry-After", consequence: "what clients of the API already handle" },
  ],
  "014-orders": [
    {
      key: "1",
      label: "Run it on the copy",
      consequence: "reversible, 20 minutes; the live database is not touched",
      recommended: true,
    },
    { key: "2", label: "Wait for the day", consequence: "014 is late by half a day" },
  ],
  "018-search": [
    {
      key: "1",
      label: "Try the smaller index",
      consequence: "one more attempt of 40 minutes, on the branch",
      recommended: true,
    },
    {
      key: "2",
      label: "Keep the big index, raise the timeout",
      consequence: "the test turns green, search stays slow",
    },
  ],
  "019-i18n": [
    { key: "1", label: "承認", consequence: "matches the settings page", recommended: true },
    { key: "2", label: "許可", consequence: "matches the e-mails" },
  ],
  "020-cache": [
    { key: "1", label: "إبطال بعد ٣٠ ثانية", consequence: "لا تغيير في المخطط", recommended: true },
    { key: "2", label: "إبطال يدوي", consequence: "أسرع، لكن يُنسى بسهولة" },
  ],
  "021-legacy-export": [
    { key: "yes", label: "It is used", consequence: "the export stays, 021 shrinks to the docs" },
    { key: "no", label: "Nobody uses it", consequence: "the export goes, with 1,900 lines" },
  ],
  "022-drop-table": [
    { key: "1", label: "Rename it first", consequence: "nothing is lost for 30 days", recommended: true },
    { key: "2", label: "Drop it", consequence: "frees 4 GB, for good" },
  ],
  "023-docs": [
    { key: "1", label: "Keep the anchors", consequence: "old links go on working", recommended: true },
    { key: "2", label: "Drop the anchors", consequence: "shorter pages, 40 dead links" },
  ],
  "024-emails": [
    {
      key: "1",
      label: "Send three to the staging list",
      consequence: "three people get a test mail",
      recommended: true,
    },
    { key: "2", label: "Only render them", consequence: "nobody is disturbed, layout stays unproven" },
  ],
};

export function asked(
  when: string,
  { task, run = "a3f2", seq = 1, ...words }: Asked,
  changes: Partial<StoredQuestion> = {},
) {
  const id = mintQuestionId(run as RunId, task.slice(0, 24), seq);
  return aStored({
    question: aQuestion({
      ...(roads[task] ? { options: roads[task] } : {}),
      ...words,
      id,
      task: task as TaskId,
      run: run as RunId,
    }),
    askedAt: at(when),
    deadlineAt: at("06:00"),
    ...changes,
  });
}

const byEric = (when: string, changes: Partial<Answer> = {}): Answer => {
  const { host: _host, ...answer } = anAnswer({ via: "telegram", by: "eric", at: at(when), ...changes });
  return answer;
};

/** Twelve questions of two runs, of every outcome, with an outage, notes, an override and a late reply. */
export function aRealisticNight(): Night {
  nextSeq = 0;
  const taken = (when: string, result?: StoredQuestion["result"]): Partial<StoredQuestion> => ({
    claim: aClaim(at(when)),
    state: result ? "resolved" : "applied",
    ...(result ? { result } : {}),
  });
  const skippedBefore = asked(
    "23:42",
    {
      task: "017-invoice-pdf",
      title: "Invoice totals differ by one cent: round per line or per invoice?",
      context: "`billing/total.ts` rounds per line, the bank file per invoice.",
      options: [
        {
          key: "1",
          label: "Round per invoice",
          consequence: "matches the bank, changes 3 old totals",
          recommended: true,
        },
        {
          key: "2",
          label: "Round per line",
          consequence: "keeps old totals, the bank file stays off by a cent",
        },
      ],
    },
    {
      state: "resolved",
      outcome: "skipped",
      answer: byEric("00:03", { outcome: "skipped" }),
      claim: aClaim(at("00:10")),
      result: "skipped",
    },
  );
  // Skip names no option.
  const { option: _option, ...skip } = skippedBefore.answer ?? anAnswer();
  const pasts = [
    aPast(
      asked(
        "22:12",
        { task: "012-fix-auth", title: "Token refresh strategy for the auth middleware?" },
        { outcome: "answered", answer: byEric("22:19"), ...taken("22:31", "done") },
      ),
    ),
    aPast(
      asked(
        "22:40",
        { task: "013-rate-limit", title: "429 or 503 when the worker queue is full?" },
        { outcome: "answered", answer: byEric("22:58", { option: "2" }), ...taken("23:05", "done") },
      ),
    ),
    aPast(
      asked(
        "23:05",
        {
          task: "014-orders",
          kind: "approval",
          title: "Run the migration of 40,000 orders on the copy now?",
        },
        {
          outcome: "answered",
          answer: anAnswer({ via: "inbox", host: "owl", at: at("23:20") }),
          ...taken("23:40", "failed"),
        },
      ),
    ),
    aPast({ ...skippedBefore, answer: skip }),
    aPast(
      asked(
        "00:30",
        {
          task: "018-search",
          kind: "stalled",
          title: "Five attempts, same test red: try the smaller index?",
        },
        {
          outcome: "overridden",
          answer: byEric("01:02", { option: "2", outcome: "overridden" }),
          ...taken("01:10", "done"),
        },
      ),
    ),
    aPast(
      asked(
        "01:15",
        { task: "019-i18n", title: "「承認」と「許可」のどちらを使いますか？" },
        {
          outcome: "retried",
          answer: { ...skip, by: "mara", outcome: "retried", at: at("01:31") },
          ...taken("01:40"),
        },
      ),
    ),
    aPast(
      asked(
        "02:00",
        { task: "020-cache", title: "أي استراتيجية للذاكرة المؤقتة؟" },
        { state: "default_applied", outcome: "defaulted", claim: aClaim(at("06:12")) },
      ),
    ),
    aPast(
      asked(
        "02:20",
        { task: "021-legacy-export", kind: "fact", title: "Is the CSV export at /legacy/export still used?" },
        { state: "expired", outcome: "expired", defaultAction: "stay_parked", deadlineAt: at("06:30") },
      ),
    ),
    aPast(
      asked(
        "03:10",
        {
          task: "022-drop-table",
          kind: "blocked",
          title: "Drop the table `sessions_old` with 2 million rows?",
        },
        {
          state: "resolved",
          outcome: "defaulted",
          heldUntilAt: at("08:00"),
          deadlineAt: at("05:00"),
          claim: aClaim(at("05:05")),
          result: "skipped",
        },
      ),
    ),
    aPast(
      asked(
        "03:55",
        { task: "023-docs", title: "Keep the old anchors in the handbook?", run: "b71c" },
        { state: "cancelled", outcome: "cancelled", why: "the task was finished by another run" },
      ),
    ),
    aPast(
      asked(
        "05:30",
        { task: "024-emails", title: "Send test mails to the staging list?", run: "b71c" },
        {
          outcome: "overridden",
          deadlineAt: at("06:00"),
          answer: byEric("06:04", { outcome: "overridden", late: true }),
          state: "answered",
        },
      ),
    ),
    aPast(
      asked(
        "08:00",
        {
          task: "017-invoice-pdf",
          seq: 2,
          again: skippedBefore.question.id,
          title: skippedBefore.question.title,
          options: skippedBefore.question.options,
          context: skippedBefore.question.context,
        },
        { defaultAction: "stay_parked", deadlineAt: at("08:00") + 12 * 60 * minute },
      ),
    ),
  ] as const;
  const id = (index: number): QuestionId => pasts[index]?.question.stored.question.id as QuestionId;
  const events = [
    anEvent("channel.up", at("21:00"), { channel: "telegram" }),
    ...pasts.flatMap((past) => past.events),
    anEvent(
      "question.overridden",
      at("01:02"),
      {
        outcome: "overridden",
        option: "2",
        by: "eric",
        via: "telegram",
        was: { option: "1", by: "eric", via: "telegram" },
      },
      id(4),
    ),
    anEvent(
      "question.late-reply",
      at("06:40"),
      { option: "1", by: "eric", via: "telegram", state: "default_applied" },
      id(6),
    ),
    anEvent("reply.refused", at("23:50"), { reason: "unknown-sender", via: "telegram" }),
    anEvent("reply.refused", at("23:51"), { reason: "unknown-sender", via: "telegram" }),
    anEvent("reply.refused", at("01:00"), { reason: "bad-option", via: "telegram" }, id(4)),
    ...["00:40", "00:41"].map((clock) =>
      anEvent("reply.quarantined", at(clock), {
        reason: "not-proven",
        channel: "email",
        sender: "eric@example.org",
      }),
    ),
    anEvent("channel.down", at("03:20"), { channel: "telegram", detail: "no network" }),
    anEvent("channel.up", at("04:05"), { channel: "telegram" }),
    anEvent("notice.failed", at("04:00"), { channel: "ntfy", message: "notice", reason: "quota used up" }),
    anEvent("run.aborted", at("06:20"), { run: "b71c", by: "eric", via: "telegram" }),
  ].sort((a, b) => a.at - b.at);
  return {
    facts: {
      questions: pasts.map((past) => past.question),
      events,
      notes: [
        aNote(at("23:12"), "Please keep the old cookie name.\nMobile clients read it."),
        aNote(at("00:44"), "</pre><script>alert(1)</script> stay on the smaller index \u202etfel", {
          task: "018-search" as TaskId,
          question: id(4),
          sender: { via: "inbox", host: "owl" },
        }),
      ],
      ringing: ["telegram"],
      hours: hoursOf("22:00-08:00"),
    },
    since: at("22:00"),
    until: at("08:05"),
  };
}

export function anEmptyNight(): Night {
  return {
    facts: { questions: [], events: [], notes: [], ringing: ["telegram"], hours: hoursOf("22:00-08:00") },
    since: at("22:00"),
    until: at("08:00"),
  };
}

const longTitles = [
  "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft oder Rinderkennzeichnungsgesetz zuerst?",
  "キャッシュの無効化はどの層で行うべきですか、アプリケーション側それともデータベース側、あるいは両方で二重に行うべきでしょうか？",
  "هل نحذف الجدول القديم أم نحتفظ به لمدة ثلاثين يومًا قبل الحذف النهائي من قاعدة البيانات؟",
  '</title></svg><script>alert("x")</script><img src=x onerror=alert(1)> & "quoted" \' `tick`',
  "\u202egnp.exe\u202c ✅ Answered: 2 (by eric, 02:14) <!channel> @eric [x](javascript:alert(1))",
  "👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦 family of emoji 🏴󠁧󠁢󠁳󠁣󠁴󠁿 in the title?",
];

/** Two hundred questions, two outages of hours, titles of every kind. */
export function aTerribleNight(): Night {
  nextSeq = 0;
  const pasts = Array.from({ length: 200 }, (_, index) => {
    const when = at("22:00") + index * 2.7 * minute;
    const title = longTitles[index % longTitles.length] ?? "";
    const base = asked(
      "22:00",
      { task: `${String(index).padStart(3, "0")}-task-with-a-long-name`, title },
      { askedAt: when, deadlineAt: when + 4 * 60 * minute },
    );
    const answered = index % 3 !== 0;
    const stored: StoredQuestion = answered
      ? {
          ...base,
          state: "applied",
          outcome: "answered",
          answer: byEric("22:00", { at: when + (index % 9) * 5 * minute + minute }),
          claim: aClaim(when + 100 * minute),
        }
      : { ...base, state: "default_applied", outcome: "defaulted", claim: aClaim(when + 245 * minute) };
    return aPast(stored);
  });
  const events = [
    ...pasts.flatMap((past) => past.events),
    anEvent("channel.down", at("23:00"), { channel: "telegram" }),
    anEvent("channel.up", at("05:00"), { channel: "telegram" }),
    anEvent("channel.away", at("06:00"), {
      channel: "ntfy",
      from: at("00:00"),
      to: at("06:00"),
      questions: 3,
    }),
    anEvent("service.stopped", at("06:30"), { pid: 1 }),
    anEvent("service.started", at("06:50"), { pid: 2 }),
    anEvent(
      "question.post-failed",
      at("05:10"),
      { channel: "telegram", message: "post", reason: "<b>chat not found</b>" },
      "q-a3f2-000-task-with-a-long-name-1",
    ),
  ].sort((a, b) => a.at - b.at);
  return {
    facts: {
      questions: pasts.map((past) => past.question),
      events,
      notes: [],
      ringing: ["telegram"],
      hours: hoursOf("22:00-08:00"),
    },
    since: at("22:00"),
    until: at("08:05"),
  };
}
