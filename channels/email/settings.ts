import { z } from "zod";

const addressWords = "must be a mail address such as owl@example.org";
/** ASCII alone: no server on the way has to know SMTPUTF8. No quotes and no comments either. */
const addressForm = /^[a-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@(?:[a-z0-9-]{1,63}\.)*[a-z0-9-]{1,63}$/;
/** Leaves room for a `+` and a token of 80 bits in the 64 bytes that a local part may have. */
const mostOwnLocal = 40;

/** A mail address, in lower case: it is compared so everywhere. */
const address = z
  .string({ error: addressWords })
  .transform((text) => text.trim().toLowerCase())
  .refine((text) => addressForm.test(text), { error: addressWords });

const port = z.int({ error: "must be a port such as 993" }).min(1).max(65_535);
const secret = (what: string) => z.string({ error: `must be ${what}` }).min(1, { error: `must be ${what}` });

const server = {
  host: z.string({ error: "must be the server's name" }).min(1, { error: "must be the server's name" }),
  port: port.optional(),
  user: z.string().min(1).optional().describe("Default: `from`"),
  pass: secret("the password").optional().describe("The password or app password, as `${MAIL_PASSWORD}`"),
  secure: z
    .boolean()
    .optional()
    .describe("TLS from the first byte on. Default: on its usual port alone; elsewhere STARTTLS is demanded"),
  insecure: z
    .boolean()
    .optional()
    .describe("No TLS at all: for a line that nobody else reads, such as this machine's own. Default: false"),
  ca: z.string().min(1).optional().describe("File with the certificate of a server that signed its own"),
};

export const settings = z
  .strictObject({
    from: address.describe("The address that questions come from and answers go to: a mailbox of its own"),
    name: z.string().min(1).max(60).default("owlpost").describe("The name beside that address"),
    to: z
      .array(address)
      .default([])
      .transform((list) => [...new Set(list)])
      .describe("Addresses of owners, who need no pairing"),
    smtp: z.strictObject(server).describe("Where mail goes out. Default port: 587"),
    imap: z
      .strictObject({
        ...server,
        mailbox: z.string().min(1).default("INBOX").describe("The folder that answers arrive in"),
      })
      .describe("Where mail comes in. Default port: 993"),
    authserv_id: z
      .string()
      .regex(/^[A-Za-z0-9._-]{1,253}$/, { error: "must be a server's name such as mx.example.org" })
      .transform((text) => text.toLowerCase())
      .optional()
      .describe(
        "The name under which the receiving server writes Authentication-Results; owlpost doctor finds it. Default: none is believed, and DKIM is checked here alone",
      ),
    oauth: z
      .strictObject({
        access_token: secret("an access token").optional(),
        client_id: secret("the client's id").optional(),
        client_secret: secret("the client's secret").optional(),
        refresh_token: secret("a refresh token").optional(),
        token_url: z.url({ error: "must be a URL such as https://oauth2.googleapis.com/token" }).optional(),
      })
      .refine(
        (one) =>
          one.access_token !== undefined ||
          (one.client_id !== undefined && one.refresh_token !== undefined && one.token_url !== undefined),
        { error: "needs either access_token, or client_id, refresh_token and token_url" },
      )
      .optional()
      .describe("OAuth2 for both servers, in place of a password"),
    dkim: z
      .strictObject({
        selector: z.string().regex(/^[A-Za-z0-9._-]{1,63}$/),
        key: z.string().min(1).describe("File with the private key, PEM"),
        domain: z.string().min(1).optional().describe("Default: the domain of `from`"),
      })
      .optional()
      .describe("Sign outgoing mail here, where the outgoing server does not"),
  })
  .superRefine((given, context) => {
    if (given.from.indexOf("@") > mostOwnLocal) {
      context.addIssue({
        code: "custom",
        path: ["from"],
        message: `must have at most ${mostOwnLocal} characters before the @: each question adds its own`,
      });
    }
    if (given.to.includes(given.from)) {
      context.addIssue({
        code: "custom",
        path: ["to"],
        message: "holds the address of from: owlpost never obeys its own mail. Give it a mailbox of its own",
      });
    }
    if (given.oauth === undefined && given.imap.pass === undefined) {
      context.addIssue({ code: "custom", path: ["imap", "pass"], message: "is missing, and so is oauth" });
    }
    if (given.oauth === undefined && given.smtp.user !== undefined && given.smtp.pass === undefined) {
      context.addIssue({ code: "custom", path: ["smtp", "pass"], message: "is missing: smtp.user is there" });
    }
  });

export type Settings = z.infer<typeof settings>;
export type Server = Settings["smtp"];

/** Why that is no address that mail goes to; undefined where it is. */
export function addressTrouble(text: string): string | undefined {
  const read = address.safeParse(text);
  return read.success ? undefined : `the address ${addressWords}`;
}

/** Every text that no error, log or message may hold. */
export function secretsOf({ smtp, imap, oauth }: Settings): readonly string[] {
  const plain = [smtp.pass, imap.pass, oauth?.access_token, oauth?.client_secret, oauth?.refresh_token];
  return plain.filter((each) => each !== undefined);
}
