import type Database from "better-sqlite3";

export type Bindable = string | number | null;

/** Gives the prepared statement of an SQL text: made at its first use, the same one ever after. */
export type Sql = <Row>(text: string) => Database.Statement<Bindable[], Row>;

export function statements(db: Database.Database): Sql {
  const prepared = new Map<string, Database.Statement<Bindable[], unknown>>();
  return <Row>(text: string) => {
    let statement = prepared.get(text);
    if (!statement) {
      statement = db.prepare<Bindable[], unknown>(text);
      prepared.set(text, statement);
    }
    return statement as Database.Statement<Bindable[], Row>;
  };
}

/** The first column of the only row, for `count`, `max` and the like. */
export function scalar<Value>(sql: Sql, text: string, ...values: Bindable[]): Value | undefined {
  return sql<Value>(text)
    .pluck()
    .get(...values);
}
