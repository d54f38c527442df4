// Copy to ~/.config/opencode/plugin/owlpost.ts (or .opencode/plugin/owlpost.ts of a project).
// OpenCode's questions and permission prompts go to the phone as well; whoever answers first, there or at the terminal, has
// answered. Nothing happens on silence but this: a permission that nobody answered is not given.
import { type ChildProcess, spawn } from "node:child_process";

const command = process.env.OWLPOST_COMMAND ?? "owlpost";

type Asked = { readonly type: string; readonly properties: { readonly id: string } };
type Replied = { readonly type: string; readonly properties: { readonly requestID: string } };
type Input = { readonly serverUrl: URL; readonly directory: string };

export const Owlpost = async ({ serverUrl, directory }: Input) => {
  /** What is being asked, by OpenCode's own id. */
  const waiting = new Map<string, ChildProcess>();

  async function send({ path, body }: { path: string; body: unknown }): Promise<void> {
    const url = new URL(path, serverUrl);
    url.searchParams.set("directory", directory);
    const { OPENCODE_SERVER_PASSWORD: password, OPENCODE_SERVER_USERNAME: name = "opencode" } = process.env;
    const authorization = password && `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`;
    await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...(authorization ? { authorization } : {}) },
      body: JSON.stringify(body),
    });
  }

  function ask(event: Asked): void {
    const hook = spawn(command, ["hook", "opencode"], { stdio: ["pipe", "pipe", "inherit"] });
    waiting.set(event.properties.id, hook);
    let output = "";
    hook.stdout.on("data", (chunk) => {
      output += chunk;
    });
    hook.on("error", () => undefined);
    hook.stdin.on("error", () => undefined);
    hook.on("close", () => {
      waiting.delete(event.properties.id);
      // Nothing was said: OpenCode's own prompt stays.
      if (output.trim() !== "") send(JSON.parse(output)).catch(() => undefined);
    });
    hook.stdin.end(JSON.stringify({ ...event, directory }));
  }

  return {
    event: async ({ event }: { event: Asked | Replied }): Promise<void> => {
      if (event.type === "question.asked" || event.type === "permission.asked") ask(event as Asked);
      // It was answered at the terminal: the question on the phone is taken back.
      else if (/^(question|permission)\.(replied|rejected)$/.test(event.type))
        waiting.get((event as Replied).properties.requestID)?.kill("SIGTERM");
    },
  };
};
