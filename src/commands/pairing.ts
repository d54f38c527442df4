import type { PeopleReport } from "../app/api.ts";
import type { Binding } from "../domain/person.ts";
import { agentRefused, printAck } from "./decide.ts";
import { localTime } from "./local-time.ts";
import { withOwlpost } from "./open.ts";
import { fail, plain, printJson, printResult, say } from "./print.ts";
import { iso } from "./shapes.ts";
import { argument, type Call, type Exit, isAgent, type Verb } from "./verb.ts";

export const verb: Verb = {
  usage: "<list|revoke> [id]",
  description:
    "Who may speak on the channels. list: people, their bindings, and the codes that can still be used. revoke ID: takes away a binding, or a code that nobody has used yet.",
  examples: [
    ["owlpost pairing list", "everybody, with the number of each binding"],
    ["owlpost pairing revoke 3", "binding 3 is not known any more, from now on"],
  ],
  async run(call) {
    if (isAgent(call.io)) return printAck(call, agentRefused);
    const action = argument(call, 0);
    const id = call.args[1];
    if (action === "list" && id === undefined) return list(call);
    if (action === "revoke" && id !== undefined && /^[1-9]\d{0,14}$/.test(id))
      return revoke(call, Number(id));
    const message =
      action === "revoke"
        ? "revoke needs the number of a binding or a code; owlpost pairing list shows them"
        : "give either list, or revoke and a number";
    return fail(call, 2, "bad-usage", message);
  },
};

function list(call: Call): Promise<Exit> {
  return withOwlpost(call, async (owlpost, config) => {
    const report = await owlpost.people();
    if (call.json) await printJson(call, reportShape(report));
    else for (const line of reportLines(report, config.zone)) await printResult(call, line);
    return 0;
  });
}

function revoke(call: Call, id: number): Promise<Exit> {
  return withOwlpost(call, async (owlpost) => {
    const revoked = await owlpost.revoke(id, "cli");
    if (!revoked.ok) {
      const message = `there is no binding and no live code ${id}; owlpost pairing list shows them`;
      return fail(call, 3, "no-such-binding", message);
    }
    const { was, person, channel, lastOwner, stillAllowed } = revoked;
    if (call.json) {
      await printJson(call, {
        revoked: id,
        was,
        ...person,
        channel,
        last_owner: lastOwner,
        still_allowed: stillAllowed,
      });
      return 0;
    }
    const name = plain(person.name);
    await say(
      call,
      was === "code"
        ? `Revoked: the code for ${name} on ${channel} can no longer be used.`
        : `Revoked: ${name} is not known on ${channel} any more.`,
    );
    if (stillAllowed) {
      await say(call, `That id still stands in channels.${channel}.allow, and so remains an owner.`);
    }
    if (lastOwner) {
      await say(
        call,
        "That was the last owner: from now on no channel has anybody who may decide everything. Pair another: owlpost pair --name NAME --role owner --channel telegram",
      );
    }
    return 0;
  });
}

/** Every person once, in the order of pairing, with all bindings. */
function byPerson(bindings: readonly Binding[]): readonly (readonly [Binding, ...Binding[]])[] {
  const found = new Map<string, [Binding, ...Binding[]]>();
  for (const each of bindings) {
    const known = found.get(each.person.name);
    if (known) known.push(each);
    else found.set(each.person.name, [each]);
  }
  return [...found.values()];
}

function reportShape({ bindings, codes, allowed }: PeopleReport): object {
  return {
    people: byPerson(bindings).map(([first, ...more]) => ({
      ...first.person,
      bindings: [first, ...more].map(({ id, channel, address, createdAt }) => ({
        id,
        channel,
        address,
        since: iso(createdAt),
      })),
    })),
    codes: codes.map(({ id, person, channel, address, expiresAt }) => ({
      id,
      ...person,
      channel,
      address,
      expires_at: iso(expiresAt),
    })),
    allowed,
  };
}

function reportLines({ bindings, codes, allowed }: PeopleReport, zone: string): string[] {
  const people = byPerson(bindings).flatMap(([first, ...more]) => [
    `${plain(first.person.name)}, ${first.person.role}`,
    ...[first, ...more].map(
      ({ id, channel, address, createdAt }) =>
        `  ${id}  ${channel} ${plain(address)}, since ${localTime(createdAt, zone)}`,
    ),
  ]);
  const owners = allowed.map(({ channel, address }) => `  ${channel} ${plain(address)}, owner`);
  const open = codes.map(
    ({ id, person, channel, address, expiresAt }) =>
      `  ${id}  ${plain(person.name)}, ${person.role}, on ${channel}${address === undefined ? "" : ` for ${plain(address)} alone`}, until ${localTime(expiresAt, zone)}`,
  );
  const nobody = people.length + owners.length === 0;
  return [
    ...(nobody ? ["Nobody is paired and no id is allowed: nobody may answer from a channel."] : people),
    ...(owners.length > 0 ? ["Allowed by the configuration:", ...owners] : []),
    ...(open.length > 0 ? ["Codes that can still be used:", ...open] : []),
  ];
}
