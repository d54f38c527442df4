import { createServer } from "node:net";
import { createEmulator } from "emulate";
import { expect, test } from "vitest";
import { checks, open, pairing, settings } from "../../channels/github.ts";
import { aQuestionId, aTools } from "../builders.ts";
import { aMessage, never, quick, shown } from "../github/desk.ts";
import { afterwards } from "../homes.ts";

/** It takes a fixed port only, so a free one is looked for first. */
async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((listening) => probe.listen(0, "127.0.0.1", listening));
  const address = probe.address();
  await new Promise((closed) => probe.close(closed));
  return typeof address === "object" && address ? address.port : 0;
}

test("a GitHub that somebody else wrote understands the adapter", async () => {
  const github = await createEmulator({
    service: "github",
    port: await freePort(),
    seed: {
      tokens: {
        ghp_owlpost: { login: "owlpost-bot", scopes: ["repo"] },
        ghp_eric: { login: "eric-gh", scopes: ["repo"] },
      },
      github: {
        users: [{ login: "owlpost-bot" }, { login: "eric-gh" }],
        repos: [{ owner: "eric-gh", name: "nightjar", private: true }],
      },
    },
  });
  afterwards(() => github.close());
  const call = async <Data>(path: string, body?: unknown, method = body === undefined ? "GET" : "POST") => {
    const response = await fetch(`${github.url}${path}`, {
      method,
      headers: { authorization: "Bearer ghp_eric", "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return (response.status === 204 ? undefined : await response.json()) as Data;
  };
  const repository = "/repos/eric-gh/nightjar";
  await call(`${repository}/collaborators/owlpost-bot`, { permission: "push" }, "PUT");
  const made = await call<{ number: number }>(`${repository}/issues`, { title: "What the agents ask" });
  const given = settings.parse({
    token: "ghp_owlpost",
    repository: "eric-gh/nightjar",
    issue: made.number,
    api_url: github.url,
  });
  const { address } = await pairing.resolve(given, "eric-gh");
  const channel = await open(given, aTools({ now: Date.now }), { ...quick, holdMs: 60 });
  afterwards(() => channel.close());

  const body = `<!-- owlpost:question:${aQuestionId} -->\n**Which way?**`;
  const ref = await channel.post("default", aMessage({ question: aQuestionId, body }), "k1", never);
  expect(await channel.post("default", aMessage(), "k1", never)).toBe(ref);
  const said = await call<{ id: number; html_url: string }>(`${repository}/issues/${made.number}/comments`, {
    body: `${aQuestionId} 2`,
  });
  let batch = await channel.poll?.(undefined, never);
  // A look that takes longer than a poll holds comes back without anything.
  for (let tries = 0; tries < 20 && batch?.replies.length === 0; tries += 1)
    batch = await channel.poll?.(batch.cursor, never);
  expect(batch?.replies).toMatchObject([
    {
      sender: address,
      name: "eric-gh",
      text: `${aQuestionId} 2`,
      about: aQuestionId,
      to: ref,
      message: String(said.id),
    },
  ]);
  // It knows no ETag: nothing new is nothing new all the same.
  expect(await channel.poll?.(batch?.cursor, never)).toEqual({ replies: [] });

  await channel.edit?.("default", ref, aMessage({ question: aQuestionId, body: "**Answered: 2**" }), never);
  await channel.post("default", aMessage({ body: "Answered: 2", replyTo: String(said.id) }), "k2", never);
  const all = await call<{ body: string }[]>(`${repository}/issues/${made.number}/comments`);
  expect(all.map((each) => shown(each.body))).toEqual([
    "**Answered: 2**",
    `${aQuestionId} 2`,
    `[↪ eric-gh](${said.html_url})\n\nAnswered: 2`,
  ]);
  const found = await checks({ ...given, allow: [] });
  expect(found.slice(0, 3)).toMatchObject([
    { name: "token", ok: true },
    { name: "repository", ok: true },
    { name: "issue", ok: true },
  ]);
});
