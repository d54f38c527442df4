import { open } from "../../channels/ntfy.ts";
import type { Config } from "../../src/app/config.ts";
import { aConfig, aTools } from "../builders.ts";
import { conversing } from "../conversing.ts";
import { aHome, aService, until } from "../homes.ts";
import { aNtfy, ask, buttonOf, press, shownOn, someSettings } from "./phone.ts";
import type { NtfyOptions } from "./server.ts";

export type Evening = Awaited<ReturnType<typeof anEvening>>;

/**
 * The real service with the real adapter against the strict ntfy server, driven by who taps, and read back from the phone.
 * The clock stands still until it is moved.
 */
export async function anEvening(
  server: NtfyOptions = {},
  changes: Partial<Config> = {},
  given: Parameters<typeof someSettings>[1] = {},
  timing: Parameters<typeof open>[2] = {},
) {
  const ntfy = await aNtfy(server);
  const { clock, front } = ntfy;
  const home = aHome();
  const settings = someSettings(front.url, given);
  const start = async () => {
    const channel = await open(settings, aTools({ now: clock.now }), {
      waitMs: 300,
      silenceMs: 5_000,
      callMs: 5_000,
      ...timing,
    });
    return aService({
      home,
      now: clock.now,
      config: aConfig({
        deliver: ["ntfy"],
        channels: { inbox: { port: 0 }, ntfy: settings },
        ...changes,
      }),
      channels: new Map([["ntfy", channel]]),
    });
  };
  let service = await start();
  // A joiner that nobody sees keeps the app from making a link of what stands in a sentence.
  const phone = () =>
    shownOn(ntfy.server.kept(ask)).map((each) => ({
      ...each,
      message: (each.message ?? "").replaceAll("\u2060", ""),
    }));

  return {
    ...conversing(() => service, clock),
    ...ntfy,
    home,
    /** What stands on the phone, the oldest first. */
    phone,
    /** The texts on it. */
    texts: () => phone().map(({ message = "" }) => message),
    get service() {
      return service;
    },
    /** The service ends, `meanwhile` happens, and it starts again. */
    async sleeps(meanwhile: () => void | Promise<void>): Promise<void> {
      await service.close();
      await meanwhile();
      service = await start();
    },
    /** Somebody taps the latest button of that option, verb or label, once it is there. */
    async taps(said: string): Promise<void> {
      const button = await until(
        () => {
          try {
            return buttonOf(phone(), said);
          } catch {
            return undefined;
          }
        },
        (found) => found !== undefined,
      );
      if (button) await press(button);
    },
    /** A message that holds every part stands on the phone, now or soon. */
    async sees(...parts: readonly (string | RegExp)[]) {
      const holds = (text: string) =>
        parts.every((part) => (typeof part === "string" ? text.includes(part) : part.test(text)));
      const found = await until(phone, (all) => all.some(({ message = "" }) => holds(message))).catch(() => {
        throw new Error(
          `nobody sees ${parts.join(" + ")}; there stands:\n${phone()
            .map(({ message }) => message)
            .join("\n---\n")}`,
        );
      });
      const message = found.find(({ message = "" }) => holds(message));
      if (!message) throw new Error("gone again");
      return message;
    },
    async settles(): Promise<void> {
      await service.settle();
    },
    /** Everything that came in was decided. */
    async heard(key: string): Promise<void> {
      await until(
        async () => (await service.store.cursor("ntfy")) ?? "",
        (cursor) => cursor.includes(`:${key}:`),
      );
    },
  };
}
