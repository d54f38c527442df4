import { fstatSync, writeSync } from "node:fs";
import type { Writable } from "node:stream";
import type { Sink } from "./verb.ts";

type Terminal = Writable & { readonly isTTY?: boolean };

/**
 * A sink over a file descriptor. It writes straight to it, since Node's own stream costs a command milliseconds to open;
 * the stream takes over where the descriptor would block.
 */
export function openSink(descriptor: number, stream: () => Terminal): Sink {
  let opened: Terminal | undefined;
  const open = (): Terminal => {
    if (!opened) {
      opened = stream();
      // A reader that closes its end early is an error of that write, not a crash.
      opened.on("error", () => undefined);
    }
    return opened;
  };
  return {
    async write(text: string): Promise<void> {
      const rest = opened ? Buffer.from(text) : writeNow(descriptor, Buffer.from(text));
      if (rest.length > 0) await writeTo(open(), rest);
    },
    get tty(): boolean {
      return isDevice(descriptor) && open().isTTY === true;
    },
  };
}

/** Writes what the descriptor takes at once, and gives back the rest. */
function writeNow(descriptor: number, bytes: Buffer): Buffer {
  let rest = bytes;
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EAGAIN") return rest;
      throw error;
    }
  }
  return rest;
}

function writeTo(stream: Writable, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

function isDevice(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice();
  } catch {
    return false;
  }
}
