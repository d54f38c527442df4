import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export type Door = { readonly url: string; close(): Promise<void> };

/**
 * The door through which the child plays the people and the platform, in the process that survives every kill. `act` is given the
 * path and the JSON that came, and what it gives goes back as JSON; whatever it throws is a 500 with its words.
 */
export async function openDoor(act: (path: string, body: unknown) => unknown): Promise<Door> {
  const door = createServer((request, response) => {
    const answer = async (): Promise<unknown> => act(request.url ?? "", await bodyOf(request));
    answer().then(
      (value) => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((listening) => door.listen(0, "127.0.0.1", listening));
  const { port } = door.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      door.closeAllConnections();
      await new Promise((closed) => door.close(closed));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  return text === "" ? undefined : JSON.parse(text);
}
