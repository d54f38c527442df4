import type { ChannelHealth, ServiceRecord, Store } from "../domain/store.ts";
import type { Commit } from "./group-commit.ts";
import { type Sql, scalar } from "./statements.ts";

type ServiceRow = {
  pid: number;
  start_time: string;
  token: string;
  host: string;
  socket: string;
  port: number | null;
  since_at: number;
};
type HealthRow = {
  channel: string;
  up: number;
  since_at: number;
  last_receive_at: number | null;
  detail: string | null;
  refused: string | null;
  away_from_at: number | null;
  away_to_at: number | null;
};

const healthColumns = "channel, up, since_at, last_receive_at, detail, refused, away_from_at, away_to_at";

/** What the one service of a home keeps: its place, the health of its channels, the tokens of its inbox. */
export function serving(
  sql: Sql,
  commit: Commit,
): Pick<
  Store,
  | "acquireService"
  | "service"
  | "releaseService"
  | "setHealth"
  | "health"
  | "addToken"
  | "useLink"
  | "hasSession"
> {
  return {
    acquireService: (record, isAlive) =>
      commit(() => {
        const holder = holderOf(sql);
        if (holder && holder.token !== record.token && isAlive(holder)) return holder;
        sql(
          `INSERT OR REPLACE INTO services (n, pid, start_time, token, host, socket, port, since_at)
          VALUES (1, ?, ?, ?, ?, ?, ?, ?)`,
        ).run(
          record.pid,
          record.startedAt,
          record.token,
          record.host,
          record.socket,
          record.port ?? null,
          record.sinceAt,
        );
        return undefined;
      }),
    service: async () => holderOf(sql),
    releaseService: (token) =>
      commit(() => {
        sql("DELETE FROM services WHERE token = ?").run(token);
      }),

    setHealth: (health) =>
      commit(() => {
        sql(`INSERT OR REPLACE INTO channel_health (${healthColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`).run(
          health.channel,
          health.up ? 1 : 0,
          health.since,
          health.lastReceiveAt ?? null,
          health.detail ?? null,
          health.refused && health.refused.length > 0 ? JSON.stringify(health.refused) : null,
          health.outage?.from ?? null,
          health.outage?.to ?? null,
        );
      }),
    health: async () =>
      sql<HealthRow>(`SELECT ${healthColumns} FROM channel_health ORDER BY channel`).all().map(healthOf),

    addToken: (hash, kind, expiresAt) =>
      commit(() => {
        sql("INSERT OR REPLACE INTO tokens (hash, kind, expires_at) VALUES (?, ?, ?)").run(
          hash,
          kind,
          expiresAt,
        );
      }),
    useLink: (hash, now) =>
      commit(() => {
        const used = sql("DELETE FROM tokens WHERE hash = ? AND kind = 'link' AND expires_at > ?").run(
          hash,
          now,
        );
        if (used.changes === 1) sql("DELETE FROM tokens WHERE expires_at <= ?").run(now);
        return used.changes === 1;
      }),
    hasSession: async (hash, now) =>
      scalar<number>(
        sql,
        "SELECT 1 FROM tokens WHERE hash = ? AND kind = 'session' AND expires_at > ?",
        hash,
        now,
      ) === 1,
  };
}

function holderOf(sql: Sql): ServiceRecord | undefined {
  const row = sql<ServiceRow>(
    "SELECT pid, start_time, token, host, socket, port, since_at FROM services",
  ).get();
  return (
    row && {
      pid: row.pid,
      startedAt: row.start_time,
      token: row.token,
      host: row.host,
      socket: row.socket,
      port: row.port ?? undefined,
      sinceAt: row.since_at,
    }
  );
}

function healthOf(row: HealthRow): ChannelHealth {
  return {
    channel: row.channel,
    up: row.up === 1,
    since: row.since_at,
    ...(row.last_receive_at === null ? {} : { lastReceiveAt: row.last_receive_at }),
    ...(row.detail === null ? {} : { detail: row.detail }),
    ...(row.refused === null ? {} : { refused: JSON.parse(row.refused) }),
    ...(row.away_from_at === null || row.away_to_at === null
      ? {}
      : { outage: { from: row.away_from_at, to: row.away_to_at } }),
  };
}
