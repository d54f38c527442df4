import type { NightMark, NightStage } from "../domain/store.ts";
import type { Sql } from "./statements.ts";

type MarkRow = {
  phase: NightMark["phase"];
  stage: NightStage;
  rules: string;
  begun_at: number;
  until_at: number | null;
  night_event: number;
  ended_event: number;
  open_question: number;
};

const columns = "phase, stage, rules, begun_at, until_at, night_event, ended_event, open_question";

export function readMark(sql: Sql): NightMark | undefined {
  const row = sql<MarkRow>(`SELECT ${columns} FROM nights`).get();
  return (
    row && {
      phase: row.phase,
      stage: row.stage,
      rules: row.rules,
      begunAt: row.begun_at,
      ...(row.until_at === null ? {} : { untilAt: row.until_at }),
      nightEvent: row.night_event,
      endedEvent: row.ended_event,
      openQuestion: row.open_question,
    }
  );
}

export function putMark(sql: Sql, mark: NightMark | null): void {
  if (!mark) {
    sql("DELETE FROM nights").run();
    return;
  }
  sql(`INSERT OR REPLACE INTO nights (n, ${columns}) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
    mark.phase,
    mark.stage,
    mark.rules,
    mark.begunAt,
    mark.untilAt ?? null,
    mark.nightEvent,
    mark.endedEvent,
    mark.openQuestion,
  );
}
