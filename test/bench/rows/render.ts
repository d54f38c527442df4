import { encode } from "../../../channels/telegram.ts";
import { rowOf } from "../../../renderers/matrix.ts";
import { penFor } from "../../../renderers/pen.ts";
import { render as renderView } from "../../../renderers/render.ts";
import { questionView } from "../../../src/core/view.ts";
import { aStored, evening } from "../../builders.ts";
import { seedQuestion } from "../../renderers/cases.ts";
import { duration, type Figure, median, quantile, type Row, spreadOf } from "../measure.ts";

const blocks = 9;
/** The design's example as it goes over the wire, so many times a block. */
const renders = 4_000;
const cards = 60;
const cuts = 400;

/** The example of the design's first page for Telegram, beside the Chat SDK's card of the same words. */
export const render: Row = {
  name: "render",
  async run() {
    const row = rowOf("telegram");
    const stored = aStored({ question: seedQuestion });
    const owlpost = (): number =>
      JSON.stringify(encode("5550100001", renderView(questionView(stored, evening), row))).length;
    const chat = await chatCard();
    const times: Record<"owlpost" | "chat", number[]> = { owlpost: [], chat: [] };
    for (let block = -2; block < blocks; block += 1) {
      const ours = each(owlpost, renders);
      const theirs = each(chat, cards);
      if (block < 0) continue;
      times.owlpost.push(ours);
      times.chat.push(theirs);
    }
    const rates = times.owlpost.map((ms) => 1_000 / ms);
    const theirs = `Chat SDK ${duration(median(times.chat))}`;
    return [
      {
        name: "the example rendered and encoded",
        spread: spreadOf(rates),
        unit: "/s",
        goal: { least: 50_000 },
        detail: `${(1_000 * median(times.owlpost)).toFixed(1)} us each`,
      },
      {
        name: "the same / the Chat SDK's card",
        spread: spreadOf(times.chat.map((ms, index) => ms / (times.owlpost[index] ?? Number.NaN))),
        unit: "x",
        goal: { least: 50 },
        detail: theirs,
      },
      cutting(),
    ];
  },
};

/** Milliseconds of one call. */
function each(work: () => number, times: number): number {
  let sum = 0;
  const start = performance.now();
  for (let left = times; left > 0; left -= 1) sum += work();
  const ms = performance.now() - start;
  if (sum === 0) throw new Error("nothing was rendered");
  return ms / times;
}

/** The same words and buttons as a card of the Chat SDK, up to the parameters of its sendMessage. */
async function chatCard(): Promise<() => number> {
  const { Actions, Button, Card, Section, CardText: Text } = await import("chat");
  const { cardToFallbackText } = await import("@chat-adapter/shared");
  const { TelegramFormatConverter } = await import("@chat-adapter/telegram");
  const converter = new TelegramFormatConverter();
  const { title, context = "", tried = "", options = [], facts = {} } = seedQuestion;
  return () => {
    const card = Card({
      title,
      children: [
        Text(context),
        Text(tried),
        ...options.map(({ key, label, consequence = "" }) =>
          Section([Text(`**${key}. ${label}**`), Text(consequence)]),
        ),
        ...Object.entries(facts).map(([name, value]) => Text(`${name}: ${String(value)}`)),
        Actions(options.map(({ key, label }) => Button({ id: key, label: `${key} ${label}`, value: key }))),
      ],
    });
    const text = converter.fromMarkdown(cardToFallbackText(card, { boldFormat: "**" }));
    const keyboard = options.map(({ key, label }) => [{ text: `${key} ${label}`, callback_data: key }]);
    return JSON.stringify({
      chat_id: 5550100001,
      text,
      parse_mode: "MarkdownV2",
      reply_markup: { inline_keyboard: keyboard },
    }).length;
  };
}

/** Five times as long as Telegram takes; of Latin, of markup, of families, of Thai marks. */
const longTexts: Readonly<Record<string, string>> = {
  words: "The cookie is read before the token is renewed, so the session is lost. ".repeat(280),
  markup: "if (a < b && c > d) return `<b>${x}</b>`; ".repeat(490),
  families: "👩‍👩‍👧‍👦".repeat(1_860),
  marks: "ก็ที่นี่".repeat(2_500),
};

function cutting(): Figure {
  const pen = penFor(rowOf("telegram"));
  const medians = Object.entries(longTexts).map(([name, text]) => {
    const times: number[] = [];
    for (let cut = -cuts; cut < cuts; cut += 1) {
      // A room that differs, so that nothing can be remembered.
      const ms = each(() => pen.head(text, 4_000 + (cut & 63))?.sent.length ?? 0, 1);
      if (cut >= 0) times.push(1_000 * ms);
    }
    return { name, us: median(times), p99: quantile(times, 0.99) };
  });
  const worst = Math.max(...medians.map(({ us }) => us));
  return {
    name: "an over-long text cut, the slowest kind",
    spread: { value: worst, low: Math.min(...medians.map(({ us }) => us)), high: worst },
    unit: "us",
    goal: { most: 50 },
    detail: medians
      .map(({ name, us, p99 }) => `${name} ${us.toFixed(0)} us (p99 ${p99.toFixed(0)})`)
      .join(", "),
  };
}
