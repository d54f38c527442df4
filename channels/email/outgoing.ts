import { createHash } from "node:crypto";
import type { SMTPSentMessageInfo, SMTPTransportOptions, Transporter } from "nodemailer";
import type { Letter } from "./letter.ts";
import { smtpOptions } from "./servers.ts";
import { type Settings, secretsOf } from "./settings.ts";
import { smtpFailure } from "./smtp-errors.ts";
import type { Tokens } from "./tokens.ts";

export type Outgoing = {
  /** Resolves once the outgoing server has taken the mail. Rejects with a `ChannelError`. */
  send(letter: Letter, signal: AbortSignal): Promise<void>;
  /** Makes the line and logs in, and sends nothing. Rejects with a `ChannelError`. */
  verify(signal: AbortSignal): Promise<void>;
};

type Transport = Transporter<SMTPSentMessageInfo, SMTPTransportOptions>;

/** The line to the outgoing server, made anew for each mail. nodemailer is loaded with the first one. */
export function openOutgoing(given: Settings, tokens: Tokens | undefined): Outgoing {
  const secrets = secretsOf(given);

  async function withTransport<Value>(
    signal: AbortSignal,
    work: (transport: Transport) => Promise<Value>,
  ): Promise<Value> {
    let token: string | undefined;
    try {
      signal.throwIfAborted();
      const { createTransport } = await import("nodemailer");
      token = await tokens?.current(signal);
      const transport = createTransport(await smtpOptions(given, tokens, signal));
      try {
        return await work(transport);
      } finally {
        transport.close();
      }
    } catch (error) {
      const failure = smtpFailure(error, signal.aborted, [...secrets, ...(token ? [token] : [])]);
      if (failure.reason === "login-refused" && token !== undefined) tokens?.refused(token);
      throw failure;
    }
  }

  return {
    send: (letter, signal) =>
      withTransport(signal, async (transport) => {
        const { references, headers, ...rest } = letter;
        await transport.sendMail({
          ...rest,
          references: [...references],
          headers: { ...headers },
          xMailer: false,
          // The same mail again has the same bytes but for its date; and no text of an agent's can hold what nobody knows.
          baseBoundary: createHash("sha256").update(letter.messageId).digest("hex").slice(0, 24),
          signal,
        });
      }),
    verify: (signal) =>
      withTransport(signal, async (transport) => {
        await transport.verify();
      }),
  };
}
