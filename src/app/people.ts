import { decideCode, decideRevoke } from "../core/pairing.ts";
import type { Pairing } from "../domain/channel.ts";
import type { ChannelId } from "../domain/ids.ts";
import { roles } from "../domain/person.ts";
import type { LocalSurface, PairOutcome, PairRequest, PeopleReport, RevokeOutcome } from "./api.ts";
import { channelIds } from "./channel-files.ts";
import { checkChannel, pairingOf } from "./channels.ts";
import type { Desk } from "./desk.ts";
import { makeCode } from "./pairing.ts";
import { placesOf } from "./route.ts";
import { isServiceAlive } from "./service-lock.ts";

/** How long the name of the bot is waited for: the code alone is enough. */
const botMs = 6_000;

/** Who may speak: making codes, listing and revoking. For the owner on this machine, never for an agent. */
export function pairing(desk: Desk) {
  const { config, store, now, committed } = desk;
  const places = placesOf(config);

  async function pair(request: PairRequest): Promise<PairOutcome> {
    const { name, channel } = request;
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
    if (way.by === "login") return refused("no-pairing", `nobody can be paired on ${channel} yet`);
    // Mail is for whoever an address belongs to, however that is spelled.
    const address = way.by === "mail" ? request.address?.trim().toLowerCase() : request.address;
    const unfit = way.by === "mail" ? addressTrouble(channel, way, address) : undefined;
    if (unfit) return unfit;
    // Asked for meanwhile; a refusal of the code does not wait for it.
    const asked = way.by === "code" ? botOf(channel) : undefined;
    const made = await makeCode();
    const value = await store.pair(
      (snapshot) =>
        decideCode(
          snapshot,
          {
            person: { name, role },
            channel,
            ...(address === undefined ? {} : { address }),
            ...(way.by === "mail" ? { invite: true as const } : {}),
            ...made.stored,
          },
          now(),
        ),
      now(),
    );
    if (!value.ok) return refused(value.error, value.message);
    committed();
    const bot = await asked;
    const holder = await store.service();
    return {
      ok: true,
      code: made.code,
      say: way.say(made.code),
      ...(way.by === "code" ? linkOf(way, channel, bot, made.token) : {}),
      ...(way.by === "mail" && address !== undefined ? { mailedTo: address } : {}),
      expiresAt: value.expiresAt,
      ...value.person,
      channel,
      heard: holder !== undefined && isServiceAlive(holder),
    };
  }

  function addressTrouble(
    channel: ChannelId,
    way: Extract<Pairing, { readonly by: "mail" }>,
    address: string | undefined,
  ): PairOutcome | undefined {
    if (address === undefined) {
      return refused("bad-usage", `${channel} needs an address: --address somebody@example.org`);
    }
    const trouble = way.trouble(address);
    return trouble === undefined ? undefined : refused("bad-usage", trouble);
  }

  function linkOf(
    way: Extract<Pairing, { readonly by: "code" }>,
    channel: ChannelId,
    bot: Bot | undefined,
    token: string,
  ) {
    if (!bot?.ok) return { noLink: `the bot's name could not be asked for (${bot?.why ?? "no answer"})` };
    return way.link
      ? { bot: bot.name, link: way.link(bot.name, token) }
      : { bot: bot.name, noLink: `${channel} has no link that carries a code` };
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
    const pairable: ChannelId[] = [];
    // Where an address is needed as well, it is the command line that asks for it.
    for (const channel of config.deliver) {
      if ((await pairingOf(channel))?.by === "code") pairable.push(channel);
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
