import { type Block, type BlockButton, type Fields, kept, viewFault } from "./blocks.ts";
import { typed } from "./mrkdwn.ts";
import type { Envelope, SocketMode } from "./socket-mode.ts";
import type { Modal, Trigger, WebApi } from "./web-api.ts";
import { app, botUser, type Message, team, type Workspace } from "./workspace.ts";

/** A tap, a form or a command, and what its person saw of it. */
export type Interaction = {
  readonly user: string;
  readonly what: string;
  readonly envelope: Envelope;
  readonly url?: string;
};
/** The small sign that Slack shows where nobody took what somebody did. */
export type Sign = { readonly user: string; readonly what: string; readonly reason: string };

/** Where an app may answer for half an hour: at most five times. */
export type ResponseUrl = {
  readonly user: string;
  readonly channel: string;
  readonly message?: string;
  readonly thread?: string;
  readonly at: number;
  uses: number;
};

export type People = ReturnType<typeof openPeople>;

/** What people do in that team, and what they see of it. */
export function openPeople(given: {
  readonly workspace: Workspace;
  readonly sockets: SocketMode;
  readonly api: WebApi;
  readonly triggers: Map<string, Trigger>;
  readonly now: () => number;
  readonly mintResponseUrl: (kind: "actions" | "commands", to: Omit<ResponseUrl, "uses">) => string;
}) {
  const { workspace, sockets, api, triggers, now, mintResponseUrl } = given;
  const signs: Sign[] = [];
  const interactions: Interaction[] = [];

  function trigger(user: string): string {
    const id = `${workspace.mintId("123456")}.987654.fa4e`;
    triggers.set(id, { user, at: now(), used: false });
    return id;
  }
  const base = { token: "FAKEverificationtoken000", api_app_id: app };
  const teamOf = (user: string) => ({ id: workspace.person(user).team, domain: "nightjar-fake" });
  function userOf(id: string): Fields {
    const { name, team: of } = workspace.person(id);
    return { id, username: name, name, team_id: of };
  }

  function interact(
    kind: "interactive" | "slash_commands",
    user: string,
    what: string,
    payload: Fields,
    onAck: (response: Fields) => void = () => undefined,
    url?: string,
  ): Interaction {
    const envelope = sockets.deliver(kind, payload, (ended) => {
      if (ended.state === "failed") signs.push({ user, what, reason: ended.reason });
      else onAck(ended.response ?? {});
    });
    const made: Interaction = { user, what, envelope, ...(url === undefined ? {} : { url }) };
    interactions.push(made);
    return made;
  }

  function roomOf(channel: string, user: string) {
    const where = workspace.room(channel);
    if (!where.members.has(user)) throw new Error(`${user} is not in ${channel}`);
    return where;
  }

  function says(
    user: string,
    text: string,
    ways: {
      readonly in?: string;
      readonly thread?: string;
      readonly subtype?: string;
      readonly extra?: Fields;
    } = {},
  ): Message {
    const where = roomOf(ways.in ?? workspace.direct(user).id, user);
    if (/^\/\w/.test(text)) throw new Error(`Slack takes “${text}” for a command of its own: use slash()`);
    const parent = ways.thread === undefined ? undefined : workspace.find(where.id, ways.thread);
    return workspace.say(where, {
      user,
      text: typed(text, workspace.idOf),
      ...(ways.thread === undefined ? {} : { thread: parent?.thread ?? ways.thread }),
      ...(ways.subtype === undefined ? {} : { subtype: ways.subtype }),
      ...(ways.extra ? { extra: ways.extra } : {}),
    });
  }

  function mine(user: string, channel: string, ts: string): Message {
    const message = workspace.find(channel, ts);
    if (message?.user !== user) throw new Error(`${user} wrote no message ${ts} in ${channel}`);
    return message;
  }

  /** On a button that stands, or once stood, on that message. */
  function taps(user: string, message: Message, isMeant: (button: BlockButton) => boolean): Interaction {
    const where = roomOf(message.channel, user);
    const button = message.everyButton.findLast(isMeant);
    if (!button) throw new Error(`no such button ever stood under “${message.versions.at(-1)}”`);
    const thread = message.thread === undefined ? {} : { thread: message.thread };
    const url = mintResponseUrl("actions", {
      user,
      channel: where.id,
      message: message.ts,
      ...thread,
      at: now(),
    });
    const payload = {
      type: "block_actions",
      ...base,
      user: userOf(user),
      team: teamOf(user),
      container: {
        type: "message",
        message_ts: message.ts,
        channel_id: where.id,
        is_ephemeral: false,
        ...(message.thread === undefined ? {} : { thread_ts: message.thread }),
      },
      trigger_id: trigger(user),
      enterprise: null,
      is_enterprise_install: false,
      channel: { id: where.id, name: where.kind === "im" ? "directmessage" : where.name },
      message: workspace.told(message),
      state: { values: {} },
      response_url: url,
      actions: [
        {
          type: "button",
          action_id: button.action,
          block_id: button.block,
          text: { type: "plain_text", text: button.label, emoji: true },
          value: button.value,
          action_ts: workspace.mintTs(),
        },
      ],
    };
    return interact("interactive", user, `tap “${button.label}”`, payload, undefined, url);
  }

  function slash(user: string, text: string, ways: { readonly in?: string; readonly command?: string } = {}) {
    const where = roomOf(ways.in ?? workspace.direct(user).id, user);
    const command = ways.command ?? "/owlpost";
    const url = mintResponseUrl("commands", { user, channel: where.id, at: now() });
    const payload = {
      ...base,
      team_id: workspace.person(user).team,
      team_domain: "nightjar-fake",
      channel_id: where.id,
      channel_name: where.kind === "im" ? "directmessage" : where.name,
      user_id: user,
      user_name: workspace.person(user).name,
      command,
      text,
      is_enterprise_install: "false",
      response_url: url,
      trigger_id: trigger(user),
    };
    const answer = (response: Fields): void => {
      if (Object.keys(response).length === 0) return;
      const said = api.content(response);
      if ("ok" in said) sockets.misuses.push(`the answer to ${command} is ${String(said.error)}`);
      else if (response.response_type === "in_channel")
        workspace.say(where, { user: botUser, bot: "B0FAKEOWL1", ...said });
      else workspace.whisper(where, user, said);
    };
    return interact("slash_commands", user, `${command} ${text}`, payload, answer, url);
  }

  /** The form that this person has before them. */
  function modal(user: string): Modal | undefined {
    return api.modals.findLast((each) => each.user === user && !closed.has(each.id));
  }
  const closed = new Set<string>();
  const errorsOf = new Map<string, Fields>();

  function formOf(user: string): { readonly open: Modal; readonly view: Fields } {
    const open = modal(user);
    if (!open) throw new Error(`${user} has no form open`);
    const view = {
      ...open.view,
      id: open.id,
      team_id: team,
      blocks: kept(open.view.blocks as Block[], () => "fAkE9"),
      hash: `${workspace.seconds()}.${open.hash}`,
      app_id: app,
      root_view_id: open.id,
      previous_view_id: null,
      external_id: "",
      bot_id: "B0FAKEOWL1",
    };
    return { open, view };
  }

  /** Sends the form; the same text stands in every field. */
  function submits(user: string, text: string): Interaction {
    const { open, view } = formOf(user);
    const inputs = (view.blocks as (Block & { element?: Fields; optional?: boolean })[]).filter(
      ({ type }) => type === "input",
    );
    for (const { element, optional } of inputs) {
      if (text === "" && optional !== true)
        throw new Error("Slack does not send a form whose field is empty");
      const most = Number(element?.max_length ?? 3_000);
      if (text.length > most) throw new Error(`Slack takes no more than ${most} characters there`);
    }
    const values = Object.fromEntries(
      inputs.map(({ block_id, element }) => [
        String(block_id),
        { [String(element?.action_id)]: { type: "plain_text_input", value: text } },
      ]),
    );
    const payload = {
      type: "view_submission",
      ...base,
      team: teamOf(user),
      user: userOf(user),
      view: { ...view, state: { values } },
      is_enterprise_install: false,
      enterprise: null,
      trigger_id: trigger(user),
      response_urls: [],
    };
    const answer = (response: Fields): void => {
      const { response_action: action } = response;
      if (action === undefined || action === "clear") closed.add(open.id);
      else if (action === "errors") {
        const errors = response.errors as Fields;
        for (const id of Object.keys(errors)) {
          if (!(id in values))
            sockets.misuses.push(`an error at the field ${id}, which the form does not have`);
        }
        errorsOf.set(user, errors);
      } else {
        const fault = viewFault(response.view);
        if (fault) sockets.misuses.push(`the next form is refused: ${fault.messages.join("; ")}`);
        else api.modals.push({ ...open, view: response.view as Fields, hash: open.hash + 1 });
      }
    };
    return interact("interactive", user, "send the form", payload, answer);
  }

  function closes(user: string): Interaction | undefined {
    const { open, view } = formOf(user);
    closed.add(open.id);
    if (view.notify_on_close !== true) return undefined;
    const payload = {
      type: "view_closed",
      ...base,
      team: teamOf(user),
      user: userOf(user),
      view: { ...view, state: { values: {} } },
      is_cleared: false,
      is_enterprise_install: false,
      enterprise: null,
    };
    return interact("interactive", user, "close the form", payload);
  }

  return {
    signs,
    interactions,
    says,
    /** Somebody changes what they wrote. */
    edits(user: string, channel: string, ts: string, text: string): Message {
      const message = mine(user, channel, ts);
      workspace.change(message, { text: typed(text, workspace.idOf) }, user);
      return message;
    },
    deletes: (user: string, channel: string, ts: string): void => workspace.remove(mine(user, channel, ts)),
    taps,
    slash,
    modal,
    submits,
    closes,
    /** What the form says at its fields. */
    errors: (user: string): readonly string[] => Object.values(errorsOf.get(user) ?? {}).map(String),
    /** What this person alone is shown, in that room or anywhere. */
    whispers: (user: string, channel?: string): string[] =>
      workspace.ephemerals
        .filter(
          (each) => each.user === user && each.isShown && (channel === undefined || each.channel === channel),
        )
        .map(({ reads }) => reads),
  };
}
