import type { Row } from "./measure.ts";
import { phonesService } from "./phone.ts";
import { ask, askUnderStrace } from "./rows/ask.ts";
import { board, boardWriter } from "./rows/board.ts";
import { cold } from "./rows/cold.ts";
import { deadlineLoop, deadlines, idleLoop } from "./rows/deadlines.ts";
import { growth } from "./rows/growth.ts";
import { guesses } from "./rows/guesses.ts";
import { hook } from "./rows/hook.ts";
import { idle } from "./rows/idle.ts";
import { inFlight } from "./rows/in-flight.ts";
import { mcp } from "./rows/mcp.ts";
import { memory } from "./rows/memory.ts";
import { next } from "./rows/next.ts";
import { notice, noticeCommand } from "./rows/notice.ts";
import { outage, outageService } from "./rows/outage.ts";
import { queue } from "./rows/queue.ts";
import { render } from "./rows/render.ts";
import { batch, reply } from "./rows/reply.ts";
import { slack, slackService } from "./rows/slack.ts";
import { stale, staleCommand } from "./rows/stale.ts";
import { telegram, telegramBot, telegramService } from "./rows/telegram.ts";

const rows: readonly Row[] = [
  ask,
  inFlight,
  cold,
  reply,
  batch,
  outage,
  notice,
  idle,
  deadlines,
  growth,
  telegram,
  slack,
  stale,
  guesses,
  render,
  memory,
  mcp,
  hook,
  board,
  next,
  queue,
];

/** What a row starts in a process of its own. */
const roles: Readonly<Record<string, (argument: string) => Promise<void>>> = {
  askUnderStrace,
  boardWriter,
  deadlineLoop,
  idleLoop,
  noticeCommand,
  outageService,
  phonesService,
  slackService,
  staleCommand,
  telegramBot,
  telegramService,
};

const [name = "", ...rest] = process.argv.slice(2);
const role = roles[name];
const row = rows.find((each) => each.name === name);
if (role) await role(rest[0] ?? "");
else if (row) {
  const figures = await row.run({ idle: rest.includes("--idle") });
  await new Promise((sent) => process.send?.(figures, sent));
  process.exit(0);
} else throw new Error(`nothing is called ${name}`);
