import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redact, redactDeep } from "../../src/core/redact.ts";

/** Made-up credentials, put together here so that no scanner takes this file for a leak. */
const fake = (prefix: string, length: number): string => prefix + "FAKEfake0000".repeat(20).slice(0, length);
const hex = (length: number): string => "0f1e2d3c".repeat(10).slice(0, length);

const shapes: Readonly<Record<string, string>> = {
  "GitHub, classic": fake("ghp_", 36),
  "GitHub, app": fake("ghs_", 36),
  "GitHub, fine-grained": fake("github_pat_", 40),
  GitLab: fake("glpat-", 20),
  "GitLab, runner": fake("glrt-", 20),
  "Slack, bot": `xoxb-000000000000-000000000000-${fake("", 24)}`,
  "Slack, app": `xapp-1-A000-000-${fake("", 24)}`,
  "AWS key id": ["AKIA", "IOSFODNN7EXAMPLE"].join(""),
  "AWS session key id": ["ASIA", "IOSFODNN7EXAMPLE"].join(""),
  "AWS bearer id": ["ABIA", "IOSFODNN7EXAMPLE"].join(""),
  "AWS context id": ["ACCA", "IOSFODNN7EXAMPLE"].join(""),
  Atlassian: fake("ATCTT", 40),
  Google: fake("AIza", 35),
  "Google, OAuth secret": fake("GOCSPX-", 28),
  "Google, access token": fake("ya29.", 60),
  Stripe: fake("sk_live_", 24),
  "Stripe, restricted": fake("rk_test_", 24),
  "Stripe, webhook": fake("whsec_", 32),
  npm: fake("npm_", 36),
  PyPI: fake("pypi-", 60),
  OpenAI: fake("sk-", 48),
  "OpenAI, project": fake("sk-proj-", 48),
  Anthropic: fake("sk-ant-api03-", 80),
  "Telegram bot": `123456789:${fake("AA", 33)}`,
  SendGrid: `${fake("SG.", 22)}.${fake("", 43)}`,
  Twilio: `SK${hex(32)}`,
  Mailgun: `key-${hex(32)}`,
  "Hugging Face": fake("hf_", 34),
  DigitalOcean: `dop_v1_${hex(64)}`,
  Shopify: `shpat_${hex(32)}`,
  Databricks: `dapi${hex(32)}`,
  Vault: fake("hvs.", 24),
  ntfy: `tk_${"a1b2c3".repeat(5).slice(0, 29)}`,
  "Discord bot": `${fake("M", 25)}.${fake("", 6)}.${fake("", 38)}`,
  "signed JWT": ["eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxIn0", "c2lnbmF0dXJlc2lnbmF0dXJl"].join("."),
  "unsigned JWT": ["eyJhbGciOiJub25lIn0", "eyJzdWIiOiIxIn0", ""].join("."),
};

describe("known shapes", () => {
  it.each(Object.entries(shapes))("%s", (_service, secret) => {
    const frames = [
      (text: string) => text,
      (text: string) => `before ${text} after`,
      (text: string) => `(${text})`,
      (text: string) => `"${text}",`,
      (text: string) => `\`${text}\``,
      (text: string) => `run:${text}\n`,
      (text: string) => `中${text}文`,
    ];
    for (const frame of frames) {
      const { text, found } = redact(frame(secret));
      expect(found).toBe(1);
      expect(text).toBe(frame("[redacted]"));
    }
  });

  it("takes the bot token out of an address and leaves the rest", () => {
    const url = `https://api.telegram.org/bot${shapes["Telegram bot"]}/getMe`;
    expect(redact(url).text).toBe("https://api.telegram.org/bot[redacted]/getMe");
  });

  it.each([
    "https://hooks.slack.com/services/T0000/B0000/FAKEfake0000",
    "https://discord.com/api/webhooks/12345/FAKEfake0000",
    "https://open.feishu.cn/open-apis/bot/v2/hook/6f1c2d3e-4a5b-4c6d-8e7f-901a2b3c4d5e",
  ])("takes the secret part out of %s", (url) => {
    const { text, found } = redact(`posts to ${url} now`);
    expect(found).toBe(1);
    expect(text).toMatch(/^posts to https:\/\/[a-z0-9./-]+\/\[redacted\] now$/);
  });
});

describe("private keys", () => {
  const begin = (kind: string): string => `-----BEGIN ${kind}PRIVATE KEY-----`;
  const end = (kind: string): string => `-----END ${kind}PRIVATE KEY-----`;
  const body = "RkFLRWZha2VGQUtFZmFrZUZBS0VmYWtl\nRkFLRWZha2VGQUtFZmFrZUZBS0VmYWtl";

  it.each(["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])("%sblock", (kind) => {
    const text = `a.pem:\n${begin(kind)}\n${body}\n${end(kind)}\nthen more`;
    expect(redact(text)).toEqual({ text: "a.pem:\n[redacted]\nthen more", found: 1 });
  });

  it("a block that was cut off at its end goes to the end", () => {
    expect(redact(`a\n${begin("RSA ")}\n${body}\nx`)).toEqual({ text: "a\n[redacted]", found: 1 });
  });

  it("a block that was cut off at its beginning loses its lines", () => {
    const { text } = redact(`see keys/dev.pem.\n${body}\n${end("")}\nok`);
    expect(text).not.toContain("RkFLRWZha2VG");
    expect(text).toContain("keys/dev.pem");
    expect(text).toContain("ok");
  });

  it("a PGP block, one with its line breaks written out, and two in a row", () => {
    const pgp = "-----BEGIN PGP PRIVATE KEY BLOCK-----\nFAKE\n-----END PGP PRIVATE KEY BLOCK-----";
    expect(redact(pgp).text).toBe("[redacted]");
    expect(redact(`"${begin("")}\\nRkFLRWZha2U\\n${end("")}"`).text).toBe('"[redacted]"');
    expect(redact(`${begin("")}A${end("")} and ${begin("EC ")}B${end("EC ")}`)).toEqual({
      text: "[redacted] and [redacted]",
      found: 2,
    });
  });

  it("a block in a list of lines", () => {
    const lines = ["cat dev.pem", begin(""), "FAKEfake", end(""), "exit 1"];
    expect(redactDeep({ output_tail: lines })).toEqual({
      value: { output_tail: ["cat dev.pem", "[redacted]", "exit 1"] },
      found: 1,
    });
  });

  it("a public key stays", () => {
    const text = "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQ\n-----END PUBLIC KEY-----";
    expect(redact(text)).toEqual({ text, found: 0 });
  });
});

describe("pairs, headers and addresses", () => {
  it.each([
    ["password=hunter2 fails", "password=[redacted] fails"],
    ["password=not-a-real-one and", "password=[redacted] and"],
    ["DB_PASSWORD=letmein", "DB_PASSWORD=[redacted]"],
    ["export GITHUB_TOKEN='abc'", "export GITHUB_TOKEN='[redacted]'"],
    ['"api_key": "abc",', '"api_key": "[redacted]",'],
    ["{'client_secret': 'abc'}", "{'client_secret': '[redacted]'}"],
    ['{\\"password\\": \\"abc\\"}', '{\\"password\\": \\"[redacted]\\"}'],
    ["db:\n  password: hunter\n  host: db1", "db:\n  password: [redacted]\n  host: db1"],
    ["password: hunter2 # old", "password: [redacted] # old"],
    ["passphrase: 'correct horse battery staple'", "passphrase: '[redacted]'"],
    ["apiKey: abc123def", "apiKey: [redacted]"],
    ["secret_key = abc123def", "secret_key = [redacted]"],
    ["deploy --token x --force", "deploy --token [redacted] --force"],
    ["deploy --api-key=x --force", "deploy --api-key=[redacted] --force"],
    ["https://a/b?access_token=abc&x=1", "https://a/b?access_token=[redacted]&x=1"],
    ["//registry/:_authToken=abc", "//registry/:_authToken=[redacted]"],
    ["AccountKey=abc+/def==;Endpoint=x", "AccountKey=[redacted];Endpoint=x"],
    ["password=abc, user=x", "password=[redacted], user=x"],
    ["It says password=abc.", "It says password=[redacted]."],
    ["token=a1 token=b2", "token=[redacted] token=[redacted]"],
    ["X-Api-Key: a1b2c3d4", "X-Api-Key: [redacted]"],
    ["Authorization: Bearer fake-bearer-0123456789", "Authorization: Bearer [redacted]"],
    ["authorization: basic ZmFrZTpmYWtl", "authorization: basic [redacted]"],
    ["'Authorization': 'token abc123'", "'Authorization': 'token [redacted]'"],
    ["Authorization: abc123", "Authorization: [redacted]"],
    ["sent bearer FAKEfake0000FAKE", "sent bearer [redacted]"],
    ["postgres://app:p@ss@db:5432/x", "postgres://app:[redacted]@db:5432/x"],
    ["postgres://app:s3cret@db:5432/x", "postgres://app:[redacted]@db:5432/x"],
    ["redis://:abc@cache", "redis://:[redacted]@cache"],
    ["https://x-access-token:abc@github.com/o/r", "https://x-access-token:[redacted]@github.com/o/r"],
    ["https://0123456789abcdef0123@github.com/o/r", "https://[redacted]@github.com/o/r"],
  ])("%j", (text, gone) => {
    expect(redact(text).text).toBe(gone);
  });

  it.each([
    "Reverted 3f2a9c1e5b7d8f0a1c2e3d4f5a6b7c8d9e0f1a2b in src/auth.ts",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "Row 6f1c2d3e-4a5b-4c6d-8e7f-901a2b3c4d5e is the odd one",
    "The run used 120000 tokens; max_tokens: 4096, token: 120000",
    "password policy, token refresh, secret manager, key rotation",
    "password=",
    "password= and nothing behind it",
    "The field `password=` is empty",
    'password: ""',
    "Which token: refresh or access?",
    "password: string;",
    "function login(password: string, token: Token)",
    "const token = await getToken()",
    "token = process.env.TOKEN",
    "password=$DB_PASSWORD token=${TOKEN} secret=<your-secret> key=***",
    "password=[redacted]",
    "Pass --token to the command, or --password with a file",
    "The Authorization header is missing",
    "Authorization: Bearer <token>",
    "Authorization: header missing",
    "PWD=/home/eric",
    "ssh://git@github.com/o/r and git@github.com:o/r.git",
    "https://example.org/@user/post and https://user@example.org/",
    "http://localhost:8080/a@b",
    "sk-learn-something-long-kebab-case-name",
    "task-012-fix-auth-for-the-middleware",
    "npm_config_registry and npm_lifecycle_event_name_is_set",
    "12:30:45 took 1234567:89 ms",
    "glass-half-full-of-water-and-more",
    "integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
  ])("%j stays", (text) => {
    expect(redact(text)).toEqual({ text, found: 0 });
  });
});

describe("values", () => {
  it("reads every text of a value, keys and what stands under telling keys", () => {
    const { value, found } = redactDeep({
      command: "deploy --token abc",
      env: { DB_PASSWORD: "letmein", HOME: "/root", token: 120000 },
      tail: ["ok", "password=abc", { api_key: "abc" }],
      n: 1,
      nothing: null,
    });
    expect(value).toEqual({
      command: "deploy --token [redacted]",
      env: { DB_PASSWORD: "[redacted]", HOME: "/root", token: 120000 },
      tail: ["ok", "password=[redacted]", { api_key: "[redacted]" }],
      n: 1,
      nothing: null,
    });
    expect(found).toBe(4);
  });

  it("keeps a key named __proto__ a key", () => {
    const value = JSON.parse('{"__proto__":{"a":"password=abc"}}') as unknown;
    expect(JSON.stringify(redactDeep(value).value)).toBe('{"__proto__":{"a":"password=[redacted]"}}');
  });

  it("ends on a value that holds itself", () => {
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    expect(redactDeep(loop).found).toBe(0);
  });
});

describe("promises", () => {
  const words = fc.constantFrom(
    "password",
    "token",
    "secret",
    "=",
    ":",
    ": ",
    " ",
    "\n",
    '"',
    "'",
    "--",
    "-",
    "://",
    "@",
    "a",
    "1",
    "x9Y",
    "eyJ",
    ".",
    "sk-",
    "ghp_",
    "bearer ",
    "Authorization: ",
    "[redacted]",
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
    "\\",
    "$",
    "{",
    "é",
    "😀",
    ...Object.values(shapes),
  );
  const hostile = fc.array(words, { maxLength: 40 }).map((parts) => parts.join(""));

  it("what is redacted once has nothing left to redact", () => {
    fc.assert(
      fc.property(fc.oneof(hostile, fc.string()), (text) => {
        const once = redact(text);
        expect(redact(once.text)).toEqual({ text: once.text, found: 0 });
      }),
      { numRuns: 2000 },
    );
  });

  it("no known shape survives, whatever stands around it", () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.constantFrom(...Object.values(shapes)),
        fc.string(),
        (before, secret, after) => {
          const text = `${before} ${secret} ${after}`;
          expect(redact(text).text).not.toContain(secret);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it("text without a credential is the same string", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const result = redact(text);
        if (result.found === 0) expect(result.text).toBe(text);
      }),
    );
  });

  /** Every loop of a pattern is over one class of characters or bounded: 64 KiB of anything ends at once, or this test does not. */
  it.each([
    "password=",
    "token: ",
    'token "',
    "password='\"",
    "://",
    "://a:",
    "://@",
    "eyJ",
    "-eyJ",
    "eyJaaaaaaaaaaaa.",
    "-sk-",
    "ghp_",
    "SG.",
    "-SG.aaaaaaaaaaaaaaaaaaaa",
    "1234567:",
    "M",
    "bearer ",
    "authorization: ",
    "--token -",
    "--",
    "\\",
    "secret secret_key ",
    "key\n",
    "-----BEGIN ",
    "-----END PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----",
    "a",
    " ",
    "_",
    "x@",
  ])(
    "64 KiB of %j",
    (part) => {
      const text = part.repeat(Math.ceil(65_536 / part.length));
      const first = redact(`${text}-----END PRIVATE KEY-----`);
      expect(redact(first.text).found).toBe(0);
    },
    2_000,
  );
});
