import { z } from "zod";
import { type Ping, pingsIn, shown } from "./mrkdwn.ts";

export type Fields = Readonly<Record<string, unknown>>;
export type Block = Fields & { readonly type: string };
/** A button as a person sees it, and what it carries. */
export type BlockButton = {
  readonly label: string;
  readonly action: string;
  readonly block: string;
  readonly value: string;
  readonly style?: string;
};
/** `messages`: what Slack adds to the name of the error. */
export type BlockFault = { readonly error: string; readonly messages: readonly string[] };

/** Near 13,000 characters in all blocks together Slack refuses a message, whatever its single limits allow. */
export const mostBlockUnits = 13_000;
const mostBlocks = { message: 50, modal: 100 };

const id = z.string().min(1).max(255).optional();
const plainText = (most: number) =>
  z.strictObject({
    type: z.literal("plain_text"),
    text: z.string().min(1).max(most),
    emoji: z.boolean().optional(),
  });
const markedText = (most: number) =>
  z.strictObject({
    type: z.literal("mrkdwn"),
    text: z.string().min(1).max(most),
    verbatim: z.boolean().optional(),
  });
const anyText = (most: number) => z.discriminatedUnion("type", [plainText(most), markedText(most)]);

const style = z.enum(["primary", "danger"]).optional();
const confirm = z.strictObject({
  title: plainText(100),
  text: anyText(300),
  confirm: plainText(30),
  deny: plainText(30),
  style,
});
const button = z.strictObject({
  type: z.literal("button"),
  text: plainText(75),
  action_id: id,
  value: z.string().max(2_000).optional(),
  url: z.string().max(3_000).optional(),
  style,
  confirm: confirm.optional(),
  accessibility_label: z.string().max(75).optional(),
});
const choice = z.strictObject({
  text: anyText(75),
  value: z.string().max(150),
  description: plainText(75).optional(),
});
const select = z.strictObject({
  type: z.literal("static_select"),
  action_id: id,
  placeholder: plainText(150).optional(),
  options: z.array(choice).min(1).max(100),
});
const image = z.strictObject({
  type: z.literal("image"),
  image_url: z.url().max(3_000),
  alt_text: z.string().min(1).max(2_000),
});
const input = z.strictObject({
  type: z.literal("plain_text_input"),
  action_id: id,
  placeholder: plainText(150).optional(),
  initial_value: z.string().max(3_000).optional(),
  multiline: z.boolean().optional(),
  min_length: z.int().min(0).max(3_000).optional(),
  max_length: z.int().min(1).max(3_000).optional(),
  focus_on_load: z.boolean().optional(),
  dispatch_action_config: z.looseObject({}).optional(),
});

const block = z.discriminatedUnion("type", [
  z
    .strictObject({
      type: z.literal("section"),
      block_id: id,
      text: anyText(3_000).optional(),
      fields: z.array(anyText(2_000)).min(1).max(10).optional(),
      accessory: z.discriminatedUnion("type", [button, select, image]).optional(),
      expand: z.boolean().optional(),
    })
    .refine((section) => section.text !== undefined || section.fields !== undefined, {
      error: "must have a text or fields",
    }),
  z.strictObject({ type: z.literal("header"), block_id: id, text: plainText(150) }),
  z.strictObject({ type: z.literal("divider"), block_id: id }),
  z.strictObject({
    type: z.literal("context"),
    block_id: id,
    elements: z
      .array(z.discriminatedUnion("type", [plainText(3_000), markedText(3_000), image]))
      .min(1)
      .max(10),
  }),
  z.strictObject({
    type: z.literal("actions"),
    block_id: id,
    elements: z
      .array(z.discriminatedUnion("type", [button, select]))
      .min(1)
      .max(25),
  }),
  z.strictObject({
    type: z.literal("input"),
    block_id: id,
    label: plainText(2_000),
    element: input,
    hint: plainText(2_000).optional(),
    optional: z.boolean().optional(),
    dispatch_action: z.boolean().optional(),
  }),
  z.strictObject({ type: z.literal("markdown"), block_id: id, text: z.string().min(1).max(12_000) }),
  z.strictObject({ type: z.literal("rich_text"), block_id: id, elements: z.array(z.looseObject({})) }),
]);

const view = z.strictObject({
  type: z.literal("modal"),
  title: plainText(24),
  submit: plainText(24).optional(),
  close: plainText(24).optional(),
  blocks: z.array(z.unknown()).min(1),
  callback_id: z.string().max(255).optional(),
  private_metadata: z.string().max(3_000).optional(),
  clear_on_close: z.boolean().optional(),
  notify_on_close: z.boolean().optional(),
  external_id: z.string().max(255).optional(),
});

const pointers = (error: z.ZodError, root: string): string[] =>
  error.issues.map(
    ({ path, message }) => `[ERROR] ${message} [json-pointer:${[root, ...path.map(String)].join("/")}]`,
  );

/** Why Slack would refuse these blocks; undefined where it takes them. */
export function faultOf(
  blocks: unknown,
  surface: keyof typeof mostBlocks = "message",
): BlockFault | undefined {
  const refuse = (messages: readonly string[]): BlockFault => ({ error: "invalid_blocks", messages });
  if (!Array.isArray(blocks)) return { error: "invalid_blocks_format", messages: [] };
  if (blocks.length > mostBlocks[surface]) {
    return refuse([`[ERROR] no more than ${mostBlocks[surface]} items allowed [json-pointer:/blocks]`]);
  }
  const read = z.array(block).safeParse(blocks);
  if (!read.success) return refuse(pointers(read.error, "/blocks"));
  const ids = read.data.map(({ block_id }) => block_id).filter((each) => each !== undefined);
  if (new Set(ids).size < ids.length) return refuse(["[ERROR] `block_id` must be unique"]);
  for (const each of blocks as readonly Block[]) {
    const actions = elementsOf(each).flatMap(({ action_id }) => (action_id === undefined ? [] : [action_id]));
    if (new Set(actions).size < actions.length) return refuse(["[ERROR] `action_id` must be unique"]);
  }
  return unitsIn(blocks) > mostBlockUnits && surface === "message"
    ? { error: "msg_blocks_too_long", messages: [] }
    : undefined;
}

/** Why Slack would not open this modal. */
export function viewFault(given: unknown): BlockFault | undefined {
  const read = view.safeParse(given);
  if (!read.success) return { error: "invalid_arguments", messages: pointers(read.error, "/view") };
  const fault = faultOf(read.data.blocks, "modal");
  if (fault) return { error: "invalid_arguments", messages: fault.messages };
  const asks = (read.data.blocks as readonly Block[]).some(({ type }) => type === "input");
  return asks && !read.data.submit
    ? { error: "invalid_arguments", messages: ["[ERROR] missing required field: submit"] }
    : undefined;
}

/** Every string under `text` and `alt_text`, in UTF-16 units. */
function unitsIn(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + unitsIn(each), 0);
  if (typeof value !== "object" || value === null) return 0;
  return Object.entries(value).reduce((sum, [name, each]) => {
    if (typeof each === "string") return name === "text" || name === "alt_text" ? sum + each.length : sum;
    return sum + unitsIn(each);
  }, 0);
}

type Shape = Fields & { readonly type?: string; readonly text?: unknown; readonly action_id?: string };

function elementsOf(each: Block): readonly Shape[] {
  const { elements, accessory, element } = each as Fields & {
    elements?: Shape[];
    accessory?: Shape;
    element?: Shape;
  };
  return [...(elements ?? []), ...(accessory ? [accessory] : []), ...(element ? [element] : [])];
}

/** Every text object of a block that a person reads as text: no labels of buttons. */
function textsOf(each: Block): readonly Shape[] {
  const { text, fields } = each as Fields & { text?: Shape | string; fields?: Shape[] };
  if (each.type === "markdown") return [{ type: "markdown", text }];
  if (each.type === "rich_text") return [];
  const inline = each.type === "context" ? elementsOf(each).filter(({ type }) => type !== "image") : [];
  return [...(typeof text === "object" ? [text] : []), ...(fields ?? []), ...inline];
}

/** The blocks as a person reads them, block by block. */
export function readBlocks(blocks: readonly Block[], nameOf?: (user: string) => string): string[] {
  return blocks.map((each) =>
    textsOf(each)
      .map(({ type, text }) => (type === "mrkdwn" ? shown(String(text), nameOf) : String(text)))
      .join("\n"),
  );
}

/** Whom the blocks would ring: only mrkdwn can. */
export function pingsInBlocks(blocks: readonly Block[]): Ping[] {
  return blocks.flatMap((each) =>
    textsOf(each).flatMap(({ type, text }) => (type === "mrkdwn" ? pingsIn(String(text)) : [])),
  );
}

/** The buttons that stand in the blocks, with the ids that Slack makes up where none were given. */
export function buttonsIn(blocks: readonly Block[]): BlockButton[] {
  return blocks.flatMap((each) =>
    elementsOf(each).flatMap((element) => {
      if (element.type !== "button") return [];
      const { text, action_id, value, style: look } = element as z.infer<typeof button>;
      return [
        {
          label: text.text,
          action: action_id ?? "",
          block: String(each.block_id ?? ""),
          value: value ?? "",
          ...(look === undefined ? {} : { style: look }),
        },
      ];
    }),
  );
}

/** As Slack keeps them: every block has an id, and every element that can be used has one. */
export function kept(blocks: readonly Block[], mint: () => string): Block[] {
  const withIds = (element: Shape): Shape =>
    element.type === "button" || element.type === "static_select" || element.type === "plain_text_input"
      ? { ...element, action_id: element.action_id ?? mint() }
      : element;
  return blocks.map((each) => {
    const { elements, accessory } = each as Fields & { elements?: Shape[]; accessory?: Shape };
    return {
      ...each,
      block_id: each.block_id ?? mint(),
      ...(elements ? { elements: elements.map(withIds) } : {}),
      ...(accessory ? { accessory: withIds(accessory) } : {}),
    };
  });
}
