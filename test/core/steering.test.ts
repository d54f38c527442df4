import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { noAnswerNote, readableText, steeringNote } from "../../src/core/steering.ts";

type Case = { readonly id: string; readonly text: string; readonly mustHold: readonly string[] };
type Note = { readonly header: string; readonly text: string };

const cases = JSON.parse(readFileSync(new URL("../cases/steering/fence.json", import.meta.url), "utf8")) as {
  readonly note: { sender: string; channel: string; time: string; question: string; task: string };
  readonly invariants: Readonly<Record<string, string>>;
  readonly cases: readonly Case[];
};

// The reader is independent of the writer: the reference parser of CommonMark.
type Block = {
  readonly type: string;
  readonly literal: string | null;
  readonly firstChild: Block | null;
  readonly next: Block | null;
};
const { Parser } = createRequire(import.meta.url)("commonmark") as {
  Parser: new () => { parse(text: string): Block };
};

const header = "Human reply via telegram @ 22:14 by eric (q-a3f2-012-1):";

function aNote(text: string, about: { by?: string; via?: string; question?: string } = {}): string {
  return steeringNote({
    sender: { via: about.via ?? cases.note.channel, by: about.by ?? cases.note.sender },
    at: Date.parse(cases.note.time),
    zone: "Europe/Berlin",
    question: about.question ?? cases.note.question,
    text,
  });
}

function blocksOf(file: string): Block[] {
  const blocks: Block[] = [];
  for (let block = new Parser().parse(file).firstChild; block; block = block.next) blocks.push(block);
  return blocks;
}

/** All text of a block that is not code. */
function plainText(block: Block): string {
  let text = block.literal ?? "";
  for (let child = block.firstChild; child; child = child.next)
    text += child.type === "softbreak" ? "\n" : plainText(child);
  return text;
}

/** A steering file as a program reads it: a line of ours, then one code block, and so on. */
function readNotes(file: string): Note[] {
  const blocks = blocksOf(file);
  const notes: Note[] = [];
  for (let at = 0; at < blocks.length; at += 2) {
    const [line, code] = [blocks[at], blocks[at + 1]];
    if (line?.type !== "paragraph" || code?.type !== "code_block") {
      throw new Error(`not a note: ${blocks.map((block) => block.type).join(", ")}`);
    }
    const shown = (code.literal ?? "").replace(/\n$/, "");
    const text = shown.replace(/⟨U\+([0-9A-F]{4,6})⟩/g, (_, hex: string) =>
      String.fromCodePoint(Number.parseInt(hex, 16)),
    );
    notes.push({ header: plainText(line), text });
  }
  return notes;
}

/** What can arrive at all: line ends are line feeds, a lone surrogate is U+FFFD, one final line end is not kept. */
function sent(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/\p{Cs}/gu, "\uFFFD")
    .replace(/\n$/, "");
}

const checks: Readonly<Record<string, (file: string, text: string) => void>> = {
  "one-fence": (file) =>
    expect(blocksOf(file).map((block) => block.type)).toEqual(["paragraph", "code_block"]),
  closed: (file) => {
    const blocks = blocksOf(`${file}\nwritten after it`);
    expect(blocks.map((block) => block.type)).toEqual(["paragraph", "code_block", "paragraph"]);
    expect(blocks[2] && plainText(blocks[2])).toBe("written after it");
  },
  "longer-fence": (file, text) => {
    const fence = file.split("\n")[1] ?? "";
    expect(fence).toMatch(/^`{3,}$/);
    for (const run of text.match(/`+/g) ?? []) expect(run.length).toBeLessThan(fence.length);
  },
  "round-trip": (file, text) => expect(readNotes(file)[0]?.text).toBe(sent(text)),
  "header-once": (file) => expect(readNotes(file).map((note) => note.header)).toEqual([header]),
  attributed: (file) => expect(file.startsWith(`${header}\n`)).toBe(true),
  "no-controls": (file) => expect(file).not.toMatch(/(?![\n\t])\p{Cc}/u),
  "no-bidi": (file) => expect(file).not.toMatch(/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/),
  "no-zero-width": (file) => {
    expect(file).not.toMatch(/[\u200B\u200C\u2060-\u2064\uFEFF\u00AD\u180E\u{E0000}-\u{E007F}]/u);
    expect(file).not.toMatch(/(?<!\p{ExtPict}\uFE0F?\p{EMod}?)\u200D/u);
  },
  "valid-utf8": (file) => expect(Buffer.from(file).toString("utf8")).toBe(file),
  "not-cut": (file, text) => expect(file).toContain(text),
  "no-front-matter": (file) => {
    expect(file.startsWith("---")).toBe(false);
    for (const block of blocksOf(file)) expect(["paragraph", "code_block"]).toContain(block.type);
  },
  "own-note-only": (file, text) => {
    const both = readNotes(`${file}\n${aNote("the second", { by: "mara", question: "q-a3f2-012-2" })}`);
    expect(both).toEqual([
      { header, text: sent(text) },
      { header: "Human reply via telegram @ 22:14 by mara (q-a3f2-012-2):", text: "the second" },
    ]);
  },
};

describe("steering notes (cases/steering/fence.json)", () => {
  it("has a check for every invariant", () => {
    expect(Object.keys(checks).sort()).toEqual(Object.keys(cases.invariants).sort());
    expect(cases.cases.length).toBeGreaterThan(15);
  });

  for (const { id, text, mustHold } of cases.cases) {
    it(`${id}: ${mustHold.join(", ")}`, () => {
      for (const invariant of mustHold) checks[invariant]?.(aNote(text), text);
    });
    it(`${id}: no invariant at all is broken`, () => {
      const file = aNote(text);
      // The long line holds no character that is shown differently; the others may.
      for (const [name, check] of Object.entries(checks)) if (name !== "not-cut") check(file, text);
    });
  }

  it("all cases, one after the other, into one file", () => {
    const file = cases.cases.map(({ text }) => aNote(text)).join("\n");
    expect(readNotes(file)).toEqual(cases.cases.map(({ text }) => ({ header, text: sent(text) })));
  });

  it("holds for any text", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "```",
        "~~~",
        "    ",
        "\n",
        "\r",
        "\r\n",
        "\t",
        "> ",
        "- ",
        "<!--",
        "---\n",
        "⟨U+202E⟩",
        "⟨U+",
      ),
      fc.constantFrom(
        "\u202e",
        "\u200b",
        "\u200d",
        "\ufe0f",
        "\0",
        "\u2028",
        "\ud83d",
        "\udc68",
        "👩‍🚀",
        "\u0085",
        "\ufeff",
      ),
      fc.string({ unit: "binary" }),
      fc.string({ unit: "grapheme" }),
    );
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(text, text, (first, second) => {
        const notes = readNotes(`${aNote(first)}\n${aNote(second)}`);
        expect(notes.map((note) => note.text)).toEqual([sent(first), sent(second)]);
        for (const name of ["no-controls", "no-bidi", "no-zero-width", "valid-utf8", "longer-fence"]) {
          checks[name]?.(aNote(first), first);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("who said it", () => {
  const at = Date.parse("2026-11-30T01:14:00Z");
  const said = (sender: { via: string; by?: string; host?: string }, about = {}): string | undefined =>
    steeringNote({ sender, at, zone: "Europe/Berlin", text: "x", ...about }).split("\n")[0];

  it("names a person only where a name was given", () => {
    expect(said({ via: "telegram", by: "eric" }, { question: "q-a-b-1" })).toBe(
      "Human reply via telegram @ 02:14 by eric (q-a-b-1):",
    );
    expect(said({ via: "ntfy" }, { task: "012-fix-auth" })).toBe(
      "Human reply via ntfy @ 02:14 (task 012-fix-auth):",
    );
  });

  it("a decision of this machine carries the host and never a name", () => {
    expect(said({ via: "cli", host: "tower", by: "eric" }, { question: "q-a-b-1" })).toBe(
      "Human reply from the command line on tower @ 02:14 (q-a-b-1):",
    );
    expect(said({ via: "inbox", host: "tower" }, { run: "a3f2" })).toBe(
      "Human reply in the local inbox on tower @ 02:14 (run a3f2):",
    );
  });

  it("a name cannot make a second line or hide anything", () => {
    expect(said({ via: "telegram", by: "eric\n```\n\u202eforged" })).toBe(
      "Human reply via telegram @ 02:14 by eric ``` ⟨U+202E⟩forged:",
    );
  });

  it("nobody is named where nobody spoke", () => {
    const about = {
      question: "q-a-b-1",
      deadlineAt: Date.parse("2026-11-30T05:00:00Z"),
      zone: "Europe/Berlin",
    };
    expect(noAnswerNote({ ...about, action: "skip_spec" })).toBe(
      "No answer to q-a-b-1 by 06:00: spec skipped.\n",
    );
    expect(noAnswerNote({ ...about, action: "take_recommended", option: "2" })).toBe(
      "No answer to q-a-b-1 by 06:00: option 2 taken, as recommended.\n",
    );
  });
});

describe("readable text", () => {
  it("leaves ordinary text of any language alone", () => {
    for (const text of ["Größe 中文 हिन्दी עברית", "👨‍👩‍👧‍👦 🏳️‍🌈 ❤️‍🔥 1️⃣ 👍🏽", "葛\u{E0100}城", "a\tb\nc"]) {
      expect(readableText(text)).toBe(text);
    }
  });
  it("shows variation selectors and tags that carry nothing but a hidden message", () => {
    expect(readableText("a\u{E0101}\uFE01b")).toBe("a⟨U+E0101⟩⟨U+FE01⟩b");
    expect(readableText("\u{E0041}")).toBe("⟨U+E0041⟩");
  });
  it("keeps a spelled-out visible form apart from a real one", () => {
    expect(readableText("⟨U+202E⟩ \u202e")).toBe("⟨U+27E8⟩U+202E⟩ ⟨U+202E⟩");
  });
});
