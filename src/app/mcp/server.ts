import type { Readable } from "node:stream";
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { type McpOptions, mcpDesk, type Told } from "./desk.ts";
import { answerSchema, askInput, cancelSchema, descriptions, noneSchema } from "./tools.ts";

type Message = Parameters<StdioServerTransport["send"]>[0];

export type McpIo = {
  readonly stdin: Readable;
  /** Resolves when the system has taken the text. */
  write(text: string): Promise<void>;
  /** Tells whoever looks after it, beside the pipe. */
  tell(text: string): Promise<void>;
};

const instructions =
  "owlpost asks the owner of this machine questions on their phone while they sleep or are away. ask_human asks one structured question and waits at most 45 seconds; then get_answer finds the answer by id, at any later time. No answer is never a yes.";

/** Serves the tools over a pipe, to clients of either generation of the protocol, until the client closes it. */
export async function serveMcp(options: McpOptions, io: McpIo, version: string): Promise<void> {
  /** What was taken for a request that is not answered yet. */
  const taken = new Map<string | number, () => Promise<unknown>>();

  let isEnding = false;
  let end: () => void = () => undefined;
  const ended = new Promise<void>((done) => {
    end = () => done();
    io.stdin.once("end", end);
    io.stdin.once("close", end);
  });

  /** An answer counts as delivered once the client's pipe has it; until then the claim lapses, and whoever asks next gets it. */
  class Delivering extends StdioServerTransport {
    override async send(message: Message): Promise<void> {
      try {
        await io.write(`${JSON.stringify(message)}\n`);
      } catch (error) {
        // Nobody reads any more.
        end();
        throw error;
      }
      if (!("id" in message) || message.id === undefined) return;
      const delivered = taken.get(message.id);
      taken.delete(message.id);
      if ("result" in message) await delivered?.();
    }

    /** It closes itself where it cannot go on: a server that stayed would hear nothing any more, and its client wait in vain. */
    override async close(): Promise<void> {
      const isDeaf = !io.stdin.readableEnded && !io.stdin.destroyed && !isEnding;
      await super.close();
      end();
      if (isDeaf)
        await io.tell(
          "what came over the pipe cannot be read, such as a message of more than 10 MiB: owlpost mcp ends",
        );
    }
  }

  const desk = mcpDesk(options);
  const transport = new Delivering(io.stdin);
  const handle = serveStdio(
    () => {
      const server = new McpServer({ name: "owlpost", version }, { instructions });
      const tell = (id: string | number, { text, content, isError, delivered }: Told) => {
        if (delivered) taken.set(id, delivered);
        return {
          content: [{ type: "text" as const, text }],
          structuredContent: { ...content },
          ...(isError ? { isError } : {}),
        };
      };
      server.registerTool(
        "ask_human",
        { title: "Ask the owner", description: descriptions.ask_human, inputSchema: askInput },
        async (input, { mcpReq }) => tell(mcpReq.id, await desk.ask(input, mcpReq.signal)),
      );
      server.registerTool(
        "get_answer",
        { title: "Get an answer", description: descriptions.get_answer, inputSchema: answerSchema },
        async ({ id, wait_seconds: wait }, { mcpReq }) =>
          tell(mcpReq.id, await desk.answer(id, wait, mcpReq.signal)),
      );
      server.registerTool(
        "list_pending",
        {
          title: "List open questions",
          description: descriptions.list_pending,
          inputSchema: noneSchema,
          annotations: { readOnlyHint: true },
        },
        async (_none, { mcpReq }) => tell(mcpReq.id, await desk.pending()),
      );
      server.registerTool(
        "cancel_question",
        {
          title: "Take a question back",
          description: descriptions.cancel_question,
          inputSchema: cancelSchema,
        },
        async ({ id, why }, { mcpReq }) => tell(mcpReq.id, await desk.cancel(id, why)),
      );
      server.registerTool(
        "reachable",
        {
          title: "Can the owner be reached?",
          description: descriptions.reachable,
          inputSchema: noneSchema,
          annotations: { readOnlyHint: true },
        },
        async (_none, { mcpReq }) => tell(mcpReq.id, await desk.reachable()),
      );
      return server;
    },
    { transport },
  );
  await ended;
  isEnding = true;
  await handle.close();
  // A client that closed only the end at which it listens keeps the other one open.
  io.stdin.destroy();
}
