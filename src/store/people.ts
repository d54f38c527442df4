import type { ChannelId, Instant } from "../domain/ids.ts";
import type { Binding, NewPairingCode, PairingCode, Role } from "../domain/person.ts";
import { type Effect, type PeopleSnapshot, StoreError } from "../domain/store.ts";
import type { Sql } from "./statements.ts";

type Bind = Extract<Effect, { type: "bind" }>;

type BindingRow = [
  id: number,
  name: string,
  role: Role,
  channel: ChannelId,
  address: string,
  createdAt: Instant,
];

const selectBindings = `SELECT b.n, p.name, p.role, b.channel, b.address, b.created_at
  FROM bindings b JOIN people p ON p.n = b.person`;
const allBindings = `${selectBindings} ORDER BY b.created_at, b.n`;
const oneBinding = `${selectBindings} WHERE b.channel = ? AND b.address = ?`;

/** In the order of pairing. */
export function listBindings(sql: Sql): Binding[] {
  return (sql<unknown>(allBindings).raw().all() as BindingRow[]).map(bindingOf);
}

export function findBinding(sql: Sql, channel: ChannelId, address: string): Binding | undefined {
  const row = sql<unknown>(oneBinding).raw().get(channel, address) as BindingRow | undefined;
  return row && bindingOf(row);
}

function bindingOf([id, name, role, channel, address, createdAt]: BindingRow): Binding {
  return { id, person: { name, role }, channel, address, createdAt };
}

type CodeRow = {
  n: number;
  name: string;
  role: Role;
  channel: ChannelId;
  address: string | null;
  salt: string;
  code_hash: string;
  link_hash: string;
  failures: number;
  created_at: Instant;
  expires_at: Instant;
};

const isLive = "expires_at > ?";

export function liveCodes(sql: Sql, now: Instant): PairingCode[] {
  return sql<CodeRow>(
    `SELECT n, name, role, channel, address, salt, code_hash, link_hash, failures, created_at, expires_at
    FROM pairing_codes WHERE ${isLive} ORDER BY n`,
  )
    .all(now)
    .map((row) => ({
      id: row.n,
      person: { name: row.name, role: row.role },
      channel: row.channel,
      ...(row.address === null ? {} : { address: row.address }),
      salt: row.salt,
      codeHash: row.code_hash,
      linkHash: row.link_hash,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      failures: row.failures,
    }));
}

export function peopleAt(sql: Sql, now: Instant): PeopleSnapshot {
  return { bindings: listBindings(sql), codes: liveCodes(sql, now) };
}

/** The ids of bindings and codes: one row of numbers, so that an id means one thing for ever. */
function nextId(sql: Sql): number {
  const id = sql<number>("UPDATE counters SET value = value + 1 WHERE name = 'pairing' RETURNING value")
    .pluck()
    .get();
  if (id === undefined) throw new StoreError("corrupt", "the store has lost count of its pairings");
  return id;
}

/** The id that the next of them gets. */
export function upcomingId(sql: Sql): number {
  return 1 + (sql<number>("SELECT value FROM counters WHERE name = 'pairing'").pluck().get() ?? 0);
}

/** Those whose time is over leave at this occasion. */
export function insertCode(sql: Sql, code: NewPairingCode, now: Instant): void {
  sql("DELETE FROM pairing_codes WHERE expires_at <= ?").run(now);
  sql(
    `INSERT INTO pairing_codes (n, name, role, channel, address, salt, code_hash, link_hash, created_at, expires_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    nextId(sql),
    code.person.name,
    code.person.role,
    code.channel,
    code.address ?? null,
    code.salt,
    code.codeHash,
    code.linkHash,
    now,
    code.expiresAt,
  );
}

export function revokeCodes(sql: Sql, codes: readonly number[]): void {
  for (const code of codes) sql("DELETE FROM pairing_codes WHERE n = ?").run(code);
}

export function failCodes(sql: Sql, channel: ChannelId, now: Instant): void {
  sql(`UPDATE pairing_codes SET failures = failures + 1 WHERE ${isLive} AND channel = ?`).run(now, channel);
}

/**
 * Someone who is known keeps their role. The binding takes the number of its code, so that the line which revokes it can be
 * written before it is there. A code that is gone, and an address that is bound already, are a `conflict`.
 */
export function bind(sql: Sql, { person, channel, address, code }: Bind, now: Instant): void {
  if (code !== undefined) {
    const used = sql(`DELETE FROM pairing_codes WHERE n = ? AND channel = ? AND ${isLive}`).run(
      code,
      channel,
      now,
    );
    if (used.changes !== 1) {
      throw new StoreError(
        "conflict",
        `pairing code ${code} was used, revoked or ran out, so it binds nobody: make a new one with owlpost pair`,
      );
    }
  }
  sql("INSERT INTO people (name, role, created_at) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING").run(
    person.name,
    person.role,
    now,
  );
  sql(
    `INSERT INTO bindings (n, person, channel, address, created_at)
    VALUES (?, (SELECT n FROM people WHERE name = ?), ?, ?, ?)`,
  ).run(code ?? nextId(sql), person.name, channel, address, now);
}

/** One that is gone already changes nothing. */
export function unbind(sql: Sql, binding: number): void {
  const person = sql<number>("DELETE FROM bindings WHERE n = ? RETURNING person").pluck().get(binding);
  if (person === undefined) return;
  sql("DELETE FROM people WHERE n = ? AND NOT EXISTS (SELECT 1 FROM bindings WHERE person = people.n)").run(
    person,
  );
}
