import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { cli } from "../app/process.ts";

export type ToolResult = {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: Record<string, unknown>;
};

/** An agent's client over a real pipe. */
export type Piped = {
  readonly generation: string;
  call(name: string, args?: Record<string, unknown>, signal?: AbortSignal): Promise<ToolResult>;
  tools(): Promise<
    readonly {
      readonly name: string;
      readonly description?: string | undefined;
      readonly inputSchema: object;
    }[]
  >;
  close(): Promise<void>;
};

const who = { name: "a test", version: "1" };

/** Starts `owlpost mcp` as an agent's client does. `2026`: the official client of today; `2025`: the one before it. */
export async function pipe(
  generation: "2026" | "2025",
  home: string,
  flags: readonly string[] = [],
): Promise<Piped> {
  const server = {
    command: process.execPath,
    args: [cli, "mcp", "--home", home, ...flags],
    env: { PATH: process.env.PATH ?? "", OWLPOST_AS: "agent" },
    stderr: "pipe" as const,
  };
  const requests = { timeout: 60_000 };
  if (generation === "2025") {
    const client = new OldClient(who);
    await client.connect(new OldTransport(server));
    return {
      generation,
      call: async (name, args = {}, signal) =>
        (await client.callTool({ name, arguments: args }, undefined, {
          ...requests,
          ...(signal ? { signal } : {}),
        })) as ToolResult,
      tools: async () => (await client.listTools()).tools,
      close: () => client.close(),
    };
  }
  const client = new Client(who);
  await client.connect(new StdioClientTransport(server));
  return {
    generation,
    call: async (name, args = {}, signal) =>
      (await client.callTool(
        { name, arguments: args },
        { ...requests, ...(signal ? { signal } : {}) },
      )) as ToolResult,
    tools: async () => (await client.listTools()).tools,
    close: () => client.close(),
  };
}
