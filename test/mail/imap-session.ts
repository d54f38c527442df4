import type { Socket } from "node:net";
import { type Fetched, fetchItems, fetchLine } from "./imap-fetch.ts";
import { fieldOf, type StoredMail, searchDay } from "./imap-text.ts";
import { CommandReader, type Token, words } from "./imap-words.ts";

export type Box = { validity: number; next: number; mails: StoredMail[] };
export type Boxes = Map<string, Box>;

/**
 * The next command that begins so fails. `reset`: the line breaks before it is done; `swallow`: it is done, and the line
 * breaks before its answer; `stall`: nothing is answered for ever; `no` and `bad`: it is refused; `garbage`: what comes back is
 * no IMAP.
 */
export type ImapFault = {
  readonly on: string;
  readonly how: "reset" | "swallow" | "stall" | "no" | "bad" | "busy" | "garbage";
};

export type SessionOptions = {
  readonly user: string;
  readonly pass: string;
  readonly tokens?: Set<string>;
  readonly idle?: boolean;
  readonly boxes: Boxes;
  note(command: string): void;
  asked(uid: number): void;
  fault(command: string): ImapFault | undefined;
};

type Selected = { readonly name: string; readonly box: Box; readonly readOnly: boolean };

/** One line of one client. */
export class ImapSession {
  readonly #socket: Socket;
  readonly #options: SessionOptions;
  readonly #reader: CommandReader;
  #known = false;
  #selected: Selected | undefined;
  #idleTag: string | undefined;
  /** The exchange whose next line is awaited. */
  #asking: { readonly tag: string; readonly how: string } | undefined;
  #seen = 0;

  constructor(socket: Socket, options: SessionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#reader = new CommandReader(
      (line) => this.#command(line),
      () => this.#say("+ go on"),
    );
    socket.setNoDelay(true);
    socket.on("error", () => socket.destroy());
    socket.on("data", (chunk: Buffer) => this.#reader.push(chunk));
    this.#say(`* OK [CAPABILITY ${this.#capabilities()}] a loopback server is ready`);
  }

  isIdling(): boolean {
    return this.#idleTag !== undefined;
  }

  end(how: "bye" | "reset"): void {
    if (how === "bye") this.#socket.end("* BYE the line is closed\r\n");
    else this.#socket.destroy();
  }

  changed(box: Box): void {
    if (this.#selected?.box === box && this.isIdling()) this.#tell();
  }

  expunged(box: Box, place: number): void {
    if (this.#selected?.box !== box) return;
    this.#seen -= 1;
    if (this.isIdling()) this.#say(`* ${place} EXPUNGE`);
  }

  #tell(): void {
    const exists = this.#selected?.box.mails.length ?? 0;
    if (exists === this.#seen) return;
    this.#seen = exists;
    this.#say(`* ${exists} EXISTS`);
  }

  #say(line: string): void {
    if (!this.#socket.destroyed) this.#socket.write(`${line}\r\n`, "latin1");
  }

  #capabilities(): string {
    const idle = this.#options.idle === false ? "" : " IDLE";
    return `IMAP4rev1${idle} ID UIDPLUS SPECIAL-USE SASL-IR AUTH=PLAIN AUTH=XOAUTH2`;
  }

  #command(line: Buffer): void {
    if (this.#idleTag !== undefined) {
      const tag = this.#idleTag;
      this.#idleTag = undefined;
      this.#say(/^DONE$/i.test(line.toString()) ? `${tag} OK IDLE ended` : `${tag} BAD only DONE ends it`);
      return;
    }
    if (this.#asking) {
      const { tag, how } = this.#asking;
      this.#asking = undefined;
      this.#say(`${tag} ${this.#authenticate(how, line.toString())}`);
      return;
    }
    const [tag = "*", ...rest] = words(line);
    const name = rest[0]?.toString().toUpperCase() ?? "";
    const isUid = name === "UID";
    const verb = isUid ? `UID ${rest[1]?.toString().toUpperCase()}` : name;
    const given = rest.slice(isUid ? 2 : 1);
    const isSecret = verb === "LOGIN" || verb === "AUTHENTICATE";
    this.#options.note(isSecret ? `${verb} ***` : `${verb}${given.length > 0 ? ` ${given.join(" ")}` : ""}`);
    const fault = this.#options.fault([verb, ...given].join(" "));
    if (fault && fault.how !== "swallow") {
      this.#fail(fault.how, tag);
      return;
    }
    const said: string[] = [];
    const end = this.#obey(verb, given, (each) => said.push(each));
    if (fault) {
      this.end("reset");
      return;
    }
    for (const each of said) this.#say(each);
    if (end !== undefined) this.#say(`${tag} ${end}`);
    if (verb === "IDLE" && end === undefined) this.#idleTag = tag.toString();
    if (verb === "AUTHENTICATE" && end === undefined) {
      this.#asking = { tag: tag.toString(), how: given[0]?.toString() ?? "" };
    }
    if (verb === "IDLE") this.#tell();
    if (verb === "LOGOUT") this.#socket.end();
  }

  #fail(how: Exclude<ImapFault["how"], "swallow">, tag: Token): void {
    const answers = {
      no: `${tag} NO not now`,
      bad: `${tag} BAD not understood`,
      busy: `${tag} NO [UNAVAILABLE] out of order for a while`,
      garbage: "HTTP/1.1 502 Bad Gateway\r\n\r\n<html>",
    };
    if (how === "reset") this.end("reset");
    else if (how !== "stall") this.#say(answers[how]);
  }

  /** What is answered at the end; undefined where that comes later. */
  #obey(verb: string, given: readonly Token[], say: (line: string) => void): string | undefined {
    switch (verb) {
      case "CAPABILITY":
        say(`* CAPABILITY ${this.#capabilities()}`);
        return "OK done";
      case "NOOP":
        this.#tell();
        return "OK done";
      case "LOGOUT":
        say("* BYE farewell");
        return "OK done";
      case "ID":
        say('* ID ("name" "loopback")');
        return "OK done";
      case "LOGIN":
        return this.#login(given[0]?.toString() ?? "", given[1]?.toString() ?? "");
      case "AUTHENTICATE":
        if (given[1] !== undefined) {
          return this.#authenticate(given[0]?.toString() ?? "", given[1].toString());
        }
        say("+ ");
        return undefined;
    }
    if (!this.#known) return "BAD log in first";
    switch (verb) {
      case "LIST":
        return this.#list(given, say);
      case "LSUB":
        return "OK done";
      case "SELECT":
      case "EXAMINE":
        return this.#select(given[0]?.toString() ?? "", verb === "EXAMINE", say);
      case "ENABLE":
        return "OK nothing";
    }
    const selected = this.#selected;
    if (!selected) return "BAD select a mailbox first";
    switch (verb) {
      case "IDLE":
        if (this.#options.idle === false) return "BAD unknown command";
        this.#say("+ idling");
        return undefined;
      case "UID SEARCH":
      case "SEARCH":
        return this.#search(selected, given, verb === "UID SEARCH", say);
      case "UID FETCH":
      case "FETCH":
        return this.#fetch(selected, given, verb === "UID FETCH", say);
      case "UID STORE":
        return this.#store(selected, given, say);
      case "UID EXPUNGE":
        return this.#expunge(selected, given[0]?.toString() ?? "", say);
      case "CLOSE":
      case "UNSELECT":
        this.#selected = undefined;
        return "OK done";
      default:
        return "BAD unknown command";
    }
  }

  #login(user: string, pass: string): string {
    this.#known = user === this.#options.user && pass === this.#options.pass;
    return this.#known
      ? `OK [CAPABILITY ${this.#capabilities()}] welcome`
      : "NO [AUTHENTICATIONFAILED] wrong user or password";
  }

  #authenticate(how: string, initial: string): string {
    const said = Buffer.from(initial, "base64").toString();
    if (how.toUpperCase() === "PLAIN") {
      const [, user = "", pass = ""] = said.split("\0");
      return this.#login(user, pass);
    }
    if (how.toUpperCase() !== "XOAUTH2") return "NO no such mechanism";
    const [user, bearer = ""] = said.split("\u0001");
    const isKnown = this.#options.tokens?.has(bearer.replace(/^auth=Bearer /, "")) === true;
    this.#known = user === `user=${this.#options.user}` && isKnown;
    return this.#known ? "OK welcome" : "NO [AUTHENTICATIONFAILED] the token is refused";
  }

  #list(given: readonly Token[], say: (line: string) => void): string {
    const pattern = given.map(String).at(-1) ?? "*";
    for (const name of this.#options.boxes.keys()) {
      if (pattern !== "*" && pattern !== "%" && pattern !== name && !pattern.includes("*")) continue;
      say(`* LIST (\\HasNoChildren${name === "Junk" ? " \\Junk" : ""}) "/" "${name}"`);
    }
    return "OK done";
  }

  #select(name: string, readOnly: boolean, say: (line: string) => void): string {
    const box = this.#options.boxes.get(/^inbox$/i.test(name) ? "INBOX" : name);
    this.#selected = undefined;
    if (!box) return "NO [NONEXISTENT] no such mailbox";
    this.#selected = { name, box, readOnly };
    this.#seen = box.mails.length;
    say("* FLAGS (\\Answered \\Flagged \\Deleted \\Seen \\Draft)");
    say(`* OK [PERMANENTFLAGS (${readOnly ? "" : "\\Deleted \\Seen \\*"})] flags`);
    say(`* ${box.mails.length} EXISTS`);
    say("* 0 RECENT");
    say(`* OK [UIDVALIDITY ${box.validity}] counted so`);
    say(`* OK [UIDNEXT ${box.next}] the next one`);
    return readOnly ? "OK [READ-ONLY] done" : "OK [READ-WRITE] done";
  }

  #search({ box }: Selected, given: readonly Token[], isUid: boolean, say: (line: string) => void): string {
    const terms = [...given].map(String);
    let found = box.mails;
    while (terms.length > 0) {
      const key = terms.shift()?.toUpperCase() ?? "";
      if (key === "ALL") continue;
      if (key === "UID") {
        const range = terms.shift() ?? "";
        this.#options.asked(Number.parseInt(range, 10));
        found = found.filter(({ uid }) => isIn(uid, range, box.mails.at(-1)?.uid ?? 0));
      } else if (key === "SINCE") {
        const from = searchDay(terms.shift() ?? "");
        found = found.filter(({ at }) => at >= from);
      } else if (key === "HEADER") {
        const [name = "", value = ""] = [terms.shift(), terms.shift()];
        found = found.filter(({ raw }) => fieldOf(raw, name)?.toLowerCase().includes(value.toLowerCase()));
      } else return `BAD no such search key: ${key}`;
    }
    const numbers = found.map((mail) => (isUid ? mail.uid : box.mails.indexOf(mail) + 1));
    say(`* SEARCH${numbers.map((number) => ` ${number}`).join("")}`);
    this.#tell();
    return "OK done";
  }

  #fetch({ box }: Selected, given: readonly Token[], isUid: boolean, say: (line: string) => void): string {
    const items: readonly Fetched[] | undefined = fetchItems(given.slice(1).map(String).join(" "));
    if (!items) return `BAD no such item: ${given.slice(1).join(" ")}`;
    const range = given[0]?.toString() ?? "";
    box.mails.forEach((mail, index) => {
      const number = isUid ? mail.uid : index + 1;
      const highest = isUid ? (box.mails.at(-1)?.uid ?? 0) : box.mails.length;
      if (isIn(number, range, highest)) say(fetchLine(index + 1, mail, items, isUid));
    });
    return "OK done";
  }

  #store({ box, readOnly }: Selected, given: readonly Token[], say: (line: string) => void): string {
    if (readOnly) return "NO [READ-ONLY] opened for reading alone";
    const [range = "", how = "", ...flags] = given.map(String);
    if (!/^\+FLAGS(?:\.SILENT)?$/i.test(how)) return "BAD only +FLAGS here";
    box.mails.forEach((mail, index) => {
      if (!isIn(mail.uid, range, box.mails.at(-1)?.uid ?? 0)) return;
      mail.flags.push(...flags.map((flag) => flag.replace(/[()]/g, "")));
      say(`* ${index + 1} FETCH (UID ${mail.uid} FLAGS (${mail.flags.join(" ")}))`);
    });
    return "OK done";
  }

  #expunge({ box, readOnly }: Selected, range: string, say: (line: string) => void): string {
    if (readOnly) return "NO [READ-ONLY] opened for reading alone";
    for (let index = box.mails.length - 1; index >= 0; index -= 1) {
      const mail = box.mails[index];
      if (!mail?.flags.includes("\\Deleted") || !isIn(mail.uid, range, box.mails.at(-1)?.uid ?? 0)) continue;
      box.mails.splice(index, 1);
      this.#seen -= 1;
      say(`* ${index + 1} EXPUNGE`);
    }
    return "OK done";
  }
}

/** RFC 3501, sequence sets: `*` is the highest there is, and a range runs either way. */
function isIn(number: number, range: string, highest: number): boolean {
  return range.split(",").some((part) => {
    const [from = 0, to = from] = part.split(":").map((end) => (end === "*" ? highest : Number(end)));
    return number >= Math.min(from, to) && number <= Math.max(from, to);
  });
}
