import type { AddressInfo, Socket } from "node:net";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer } from "smtp-server";

/** A mail that was taken. */
export type TakenMail = {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: Buffer;
  readonly mail: Email;
};

/**
 * The next command of that kind fails. A code: refused with these words; `reset`: the line breaks before it is read;
 * `swallow`: it is done, and the line breaks before its answer; `stall`: nothing is answered for ever; `garbage`: what answers is
 * no mail server.
 */
export type SmtpFault = {
  readonly on: "connect" | "auth" | "from" | "to" | "data";
  readonly how: { readonly code: number; readonly text: string } | "reset" | "swallow" | "stall" | "garbage";
  /** Only for that recipient; kept until it is taken back. */
  readonly to?: string;
};

export type PostOffice = {
  readonly port: number;
  /** In the order in which they were taken; a mail that was sent again stands there again. */
  readonly taken: readonly TakenMail[];
  fail(fault: SmtpFault): void;
  shut(): void;
  open(): void;
  close(): Promise<void>;
};

export type PostOfficeOptions = {
  readonly user: string;
  readonly pass: string;
  readonly tokens?: Set<string>;
  /** A longer text is refused, in characters. */
  readonly mostText?: number;
  /** Called with each mail before its sender is told. */
  readonly onMail?: (mail: TakenMail) => void;
};

/** An outgoing server on loopback whose every step can be made to fail. */
export async function startPostOffice(options: PostOfficeOptions): Promise<PostOffice> {
  const taken: TakenMail[] = [];
  const sockets = new Set<Socket>();
  let faults: SmtpFault[] = [];
  let isShut = false;
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };

  type Done = (error?: Error | null) => void;
  /** True where the step has failed already; `swallow` is left to whoever does it. */
  function failed(on: SmtpFault["on"], done: Done, to?: string): boolean {
    const fault = faults.find((each) => each.on === on && (each.to === undefined || each.to === to));
    if (!fault || (fault.how === "swallow" && on === "data")) return false;
    if (fault.to === undefined) faults = faults.filter((each) => each !== fault);
    if (fault.how === "stall") return true;
    if (typeof fault.how === "object") {
      done(Object.assign(new Error(fault.how.text), { responseCode: fault.how.code }));
      return true;
    }
    if (fault.how === "garbage")
      for (const socket of sockets) socket.write("HTTP/1.1 502 Bad Gateway\r\n\r\n");
    cut();
    return true;
  }

  const server = new SMTPServer({
    authMethods: ["PLAIN", "LOGIN", "XOAUTH2"],
    allowInsecureAuth: true,
    disabledCommands: ["STARTTLS"],
    disableReverseLookup: true,
    logger: false,
    onConnect(_session, done) {
      if (isShut) return cut();
      if (!failed("connect", done)) done();
    },
    onAuth({ username, password, accessToken }, _session, done) {
      if (failed("auth", done)) return;
      const isRight =
        accessToken === undefined
          ? username === options.user && password === options.pass
          : options.tokens?.has(accessToken);
      if (isRight) done(null, { user: username });
      else done(Object.assign(new Error("5.7.8 wrong user or password"), { responseCode: 535 }));
    },
    onMailFrom(_address, _session, done) {
      if (!failed("from", done)) done();
    },
    onRcptTo({ address }, _session, done) {
      if (!failed("to", done, address)) done();
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const raw = Buffer.concat(chunks);
        PostalMime.parse(raw).then((mail) => {
          if (failed("data", done)) return;
          if (options.mostText !== undefined && withoutDelimiter(mail.text).length > options.mostText) {
            return done(Object.assign(new Error("5.3.4 larger than is taken here"), { responseCode: 552 }));
          }
          const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
          const one = { from, to: envelope.rcptTo.map(({ address }) => address), raw, mail };
          taken.push(one);
          options.onMail?.(one);
          const swallowed = faults.find(({ on, how }) => on === "data" && how === "swallow");
          faults = faults.filter((each) => each !== swallowed);
          if (swallowed) cut();
          else done();
        }, done);
      });
    },
  });
  server.on("error", () => undefined);
  server.server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.server.address() as AddressInfo;

  return {
    port,
    taken,
    fail: (fault) => faults.push(fault),
    shut() {
      isShut = true;
      cut();
    },
    open() {
      isShut = false;
      faults = [];
    },
    close: () =>
      new Promise<void>((closed) => {
        cut();
        server.close(() => closed());
      }),
  };
}

/** What a person reads below our first line. */
export function withoutDelimiter(text = ""): string {
  return text.replace(/^##- Reply above this line -##\s*/, "").trimEnd();
}
