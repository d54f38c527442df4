import { decideCode, decideLogin, decideRevoke } from "../core/pairing.ts";
import { ChannelError, type Pairing } from "../domain/channel.ts";
import type { ChannelId } from "../domain/ids.ts";
import { type Role, roles } from "../domain/person.ts";
import type { LocalSurface, Pairable, PairOutcome, PairRequest, PeopleReport, RevokeOutcome } from "./api.ts";
import { channelIds } from "./channel-files.ts";
import { checkChannel, pairingOf } from "./channels.ts";
import type { Desk } from "./desk.ts";
import { makeCode } from "./pairing.ts";
import { placesOf } from "./route.ts";
import { isServiceAlive } from "./service-lock.ts";

/** How long the name of the bot is waited for: the code alone is enough. */
const botMs = 6_000;

type By<Kind extends Pairing["by"]> = Extract<Pairing, { readonly by: Kind }>;

/** Who may speak: making codes, listing and revoking. For the owner on this machine, never for an agent. */
export function pairing(desk: Desk) {
  const { config, store, now, committed } = desk;
  const places = placesOf(config);

  async function pair(request: PairRequest): Promise<PairOutcome> {
    const { channel } = request;
    const role = roles.find((each) => each === request.role);
    if (!role) return refused("bad-usage", `the role must be one of ${roles.join(", ")}`);
    const trouble = channelTrouble(channel);
    if (trouble) return trouble;
    const way = await pairingOf(channel);
    if (!way) {
      const why =
        places.find((place) => place.channel === channel)?.chats === "page"
          ? "it belongs to whoever has this account on this machine"
          : "it knows no people of its own";
      return refused("no-pairing", `nobody is paired on ${channel}: ${why}`);
    }
    switch (way.by) {
      case "code":
        return byCode(way, request, role);
      case "login":
        return byLogin(way, request, role);
      case "mail":
        return byMail(way, request, role);
    }
  }

  async function byCode(way: By<"code">, request: PairRequest, role: Role): Promise<PairOutcome> {
    // Asked for meanwhile; a refusal of the code does not wait for it.
    const asked = botOf(request.channel);
    const made = await codeFor(request, role);
    if (!made.ok) return made;
    const { code, token, outcome } = made;
    const bot = await asked;
    const linkOf = (name: string) =>
      way.link
        ? { link: way.link(name, token) }
        : { noLink: `${request.channel} has no link that carries a code` };
    return {
      ...outcome,
      say: way.say(code),
      ...(bot.ok
        ? { bot: bot.name, ...linkOf(bot.name) }
        : { noLink: `the bot's name could not be asked for (${bot.why})` }),
    };
  }

  /** Mail is for whoever an address belongs to, however that is spelled; only they can reply to what goes there. */
  async function byMail(way: By<"mail">, request: PairRequest, role: Role): Promise<PairOutcome> {
    const address = request.address?.trim().toLowerCase() ?? "";
    if (address === "") {
      return refused(
        "bad-usage",
        `on ${request.channel} people are paired by their address: give it (--address somebody@example.org)`,
      );
    }
    const trouble = way.trouble(address);
    if (trouble !== undefined) return refused("bad-usage", trouble);
    const made = await codeFor({ ...request, address }, role, { invite: true });
    return made.ok ? { ...made.outcome, say: way.say(made.code), mailedTo: address } : made;
  }

  async function codeFor(
    { name, channel, address }: PairRequest,
    role: Role,
    more: { readonly invite?: true } = {},
  ) {
    const made = await makeCode();
    const person = { name, role };
    const where = address === undefined ? { channel } : { channel, address };
    const value = await store.pair(
      (snapshot) => decideCode(snapshot, { person, ...where, ...more, ...made.stored }, now()),
      now(),
    );
    if (!value.ok) return refused(value.error, value.message);
    committed();
    const holder = await store.service();
    const outcome = {
      ok: true,
      by: "code",
      code: made.code,
      expiresAt: value.expiresAt,
      ...value.person,
      channel,
      heard: holder !== undefined && isServiceAlive(holder),
    } as const;
    return { ok: true as const, code: made.code, token: made.token, outcome };
  }

  /** The platform says whose login that is, so nothing has to be proved by a code. */
  async function byLogin(
    way: By<"login">,
    { name, channel, address: typed }: PairRequest,
    role: Role,
  ): Promise<PairOutcome> {
    if (typed === undefined || typed.trim() === "") {
      return refused(
        "bad-usage",
        `on ${channel} people are paired by their login: give it (--address LOGIN)`,
      );
    }
    const found = await whoseLogin(way, channel, typed);
    if (!found.ok) return found;
    const { address, login } = found;
    const value = await store.pair(
      (snapshot, nextId) =>
        decideLogin(snapshot, { person: { name, role }, channel, address, login }, nextId, now(), places),
      now(),
    );
    if (!value.ok) return refused(value.error, value.message);
    committed();
    return { ok: true, by: "login", ...value.person, channel, address, login, binding: value.binding };
  }

  async function whoseLogin(way: By<"login">, channel: ChannelId, typed: string) {
    try {
      return { ok: true as const, ...(await way.resolve(config.channels[channel] ?? {}, typed)) };
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
      return refused(error.permanent ? "no-such-person" : "unreachable", error.message);
    }
  }

  function channelTrouble(channel: ChannelId): PairOutcome | undefined {
    const known = channelIds();
    if (!known.includes(channel)) {
      return refused("no-such-channel", `there is no channel ${channel}; there are ${known.join(", ")}`);
    }
    if (config.channels[channel] === undefined) {
      return refused(
        "not-configured",
        `${channel} is not configured: write channels.${channel} into config.yaml first`,
      );
    }
    if (!config.deliver.includes(channel)) {
      return refused("not-configured", `${channel} is not in deliver, so nobody would hear the code there`);
    }
    return undefined;
  }

  type Bot = { readonly ok: true; readonly name: string } | { readonly ok: false; readonly why: string };

  async function botOf(channel: ChannelId): Promise<Bot> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Bot>((tell) => {
      timer = setTimeout(() => tell({ ok: false, why: "no answer in time" }), botMs);
    });
    const asked = checkChannel(config, channel)
      .then((checks): Bot => {
        const name = checks.find(({ bot }) => bot !== undefined)?.bot;
        const why = checks.find(({ ok }) => !ok)?.text ?? "the platform did not say it";
        return name === undefined ? { ok: false, why } : { ok: true, name };
      })
      // Nobody knows what the error holds.
      .catch((): Bot => ({ ok: false, why: "an unexpected error; see owlpost doctor" }));
    return Promise.race([asked, late]).finally(() => clearTimeout(timer));
  }

  async function people(): Promise<PeopleReport> {
    const [bindings, codes] = await Promise.all([store.bindings(), store.codes(now())]);
    const pairable: Pairable[] = [];
    for (const channel of config.deliver) {
      const way = await pairingOf(channel);
      if (way) pairable.push({ channel, by: way.by });
    }
    return {
      bindings,
      codes: codes.map(({ id, person, channel, address, expiresAt }) => ({
        id,
        person,
        channel,
        ...(address === undefined ? {} : { address }),
        expiresAt,
      })),
      allowed: places.flatMap(({ channel, allow }) => allow.map((address) => ({ channel, address }))),
      pairable,
    };
  }

  async function revoke(id: number, via: LocalSurface): Promise<RevokeOutcome> {
    const value = await store.pair((snapshot) => decideRevoke(snapshot, id, places, via), now());
    if (value.ok) committed();
    return value;
  }

  return { pair, people, revoke };
}

function refused(
  error: Extract<PairOutcome, { readonly ok: false }>["error"],
  message: string,
): Extract<PairOutcome, { readonly ok: false }> {
  return { ok: false, error, message };
}
