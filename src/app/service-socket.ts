import { createHash } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { StoreError } from "../domain/store.ts";
import type { AskRequest, Owlpost } from "./api.ts";
import type { Log } from "./log.ts";

export type ServiceSocket = { readonly path: string; close(): Promise<void> };

export type SocketOptions = {
  readonly home: string;
  readonly owlpost: Owlpost;
  readonly log: Log;
  /** Somebody else committed. */
  readonly onNudge: () => void;
};

/** The kernel's limit for the path of a socket is 107 bytes on Linux and 103 on macOS. */
const longestPathBytes = 100;
const mostLineBytes = 4 * 1024 * 1024;

/** `<home>/owlpost.sock`; where that path is too long for a socket, one in the temporary folder that `<home>/socket-path` names. */
export function listenPath(home: string): string {
  const usual = join(home, "owlpost.sock");
  if (Buffer.byteLength(usual) <= longestPathBytes) return usual;
  const name = createHash("sha256").update(home).digest("hex").slice(0, 16);
  return join(tmpdir(), `owlpost-${process.getuid?.() ?? 0}-${name}`, "owlpost.sock");
}

/**
 * The home's own door for commands on this machine: one JSON line in, one JSON line out.
 * It lies in a folder that only its owner may enter, so whoever can connect may do what the owner may.
 */
export async function openServiceSocket(options: SocketOptions): Promise<ServiceSocket> {
  const path = listenPath(options.home);
  const pointer = join(options.home, "socket-path");
  if (dirname(path) !== options.home) {
    ownFolder(dirname(path));
    writeFileSync(pointer, path, { mode: 0o600 });
  }
  // A socket file that a killed service left behind; this service holds the home's only place, so nobody listens there.
  rmSync(path, { force: true });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    serve(socket, options);
  });
  await new Promise<void>((listening, failed) => {
    server.once("error", failed);
    server.listen(path, listening);
  });
  chmodSync(path, 0o600);
  return {
    path,
    async close(): Promise<void> {
      const closed = new Promise<void>((done) => {
        server.close(() => done());
      });
      for (const socket of sockets) socket.end();
      // An answer that is being written may still leave; nobody is waited for longer than this.
      const force = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, 500);
      await closed;
      clearTimeout(force);
      rmSync(path, { force: true });
      rmSync(pointer, { force: true });
    },
  };
}

/** The temporary folder belongs to everybody: a folder that somebody else prepared there is not entered. */
function ownFolder(path: string): void {
  mkdirSync(path, { mode: 0o700, recursive: true });
  const stat = lstatSync(path);
  if (!stat.isDirectory() || stat.uid !== process.getuid?.() || (stat.mode & 0o077) !== 0) {
    throw new Error(`${path} is not ours alone: remove it, or use a home with a shorter path`);
  }
}

function serve(socket: Socket, options: SocketOptions): void {
  let buffer = "";
  socket.setEncoding("utf8");
  socket.on("data", (chunk: string) => {
    buffer += chunk;
    if (buffer.length > mostLineBytes) {
      socket.end(
        `${JSON.stringify({ ok: false, code: "too-large", message: "the request is too large" })}\n`,
      );
      return;
    }
    let end = buffer.indexOf("\n");
    while (end >= 0) {
      const line = buffer.slice(0, end);
      buffer = buffer.slice(end + 1);
      void respond(line, options).then((reply) => {
        if (socket.writable) socket.write(`${JSON.stringify(reply)}\n`);
      });
      end = buffer.indexOf("\n");
    }
  });
}

/** Any process of the owner may write here, in any language: types are checked, content is the contract's. */
function isAskRequest(value: unknown): value is AskRequest {
  if (typeof value !== "object" || value === null) return false;
  const request = value as Record<string, unknown>;
  const texts = ["text", "origin", "key", "task", "run", "project", "cwd"];
  if (texts.some((name) => request[name] !== undefined && typeof request[name] !== "string")) return false;
  if (typeof request.key === "string" && (request.key === "" || request.key.length > 200)) return false;
  if (request.agentsWords !== undefined && !isDroppedList(request.agentsWords)) return false;
  if (request.facts !== undefined && (typeof request.facts !== "object" || request.facts === null))
    return false;
  return request.asAgent === undefined || typeof request.asAgent === "boolean";
}

function isDroppedList(value: unknown): value is AskRequest["agentsWords"] {
  if (typeof value !== "object" || value === null || !("dropped" in value)) return false;
  return Array.isArray(value.dropped) && value.dropped.every((name) => typeof name === "string");
}

type SocketReply =
  | { readonly ok: true; readonly value?: unknown }
  | { readonly ok: false; readonly code: string; readonly message: string };

async function respond(line: string, options: SocketOptions): Promise<SocketReply> {
  try {
    const request: unknown = JSON.parse(line);
    if (typeof request !== "object" || request === null || !("op" in request)) return badRequest;
    switch (request.op) {
      case "nudge":
        options.onNudge();
        return { ok: true };
      case "ask":
        if (!("request" in request) || !isAskRequest(request.request)) return badRequest;
        return { ok: true, value: await options.owlpost.ask(request.request) };
      case "inbox":
        return { ok: true, value: await options.owlpost.inboxLink() };
      default:
        return badRequest;
    }
  } catch (error) {
    if (error instanceof SyntaxError) return badRequest;
    options.log.error({ err: error }, "a request on the socket failed");
    const code = error instanceof StoreError ? error.code : "fault";
    return { ok: false, code, message: error instanceof Error ? error.message : "unexpected error" };
  }
}

const badRequest: SocketReply = {
  ok: false,
  code: "bad-request",
  message: "expected one JSON object a line with an op: nudge, ask or inbox",
};
