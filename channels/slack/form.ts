import type { ModalView } from "@slack/types";
import { questionId } from "../../src/domain/ids.ts";
import { fitting, plainText, unescaped } from "./blocks.ts";
import type { View } from "./frames.ts";

/** The names of the form and of its one field. */
export const formId = "o1|answer";
export const inputBlock = "o1|answer";
export const inputAction = "o1|text";

/** Where the button was that opened it. */
export type FormOrigin = { readonly chat: string; readonly message: string; readonly thread?: string };

export type OpenedForm = {
  readonly trigger: string;
  readonly question: string;
  readonly origin: FormOrigin;
  /** The line that stands above the field, as Slack escapes it. */
  readonly title: string;
};

/** What an envelope is acked with. */
export type Answered = Readonly<Record<string, unknown>>;

const mostTitleBytes = 600;
const mostError = 500;

/** What a form carries through: the question, and where it was opened. */
export function formMeta(question: string, origin?: FormOrigin): string {
  const where = origin ? [origin.chat, origin.message, ...(origin.thread ? [origin.thread] : [])] : [];
  return ["o1", question, ...where].join("|");
}

export function formView({ question, origin, title }: OpenedForm): ModalView {
  const line = fitting(unescaped(title).trim(), mostTitleBytes);
  return {
    type: "modal",
    callback_id: formId,
    private_metadata: formMeta(question, origin),
    title: plainText("Write an answer"),
    submit: plainText("Send"),
    close: plainText("Cancel"),
    blocks: [
      ...(line === "" ? [] : [{ type: "section" as const, text: plainText(line) }]),
      {
        type: "input",
        block_id: inputBlock,
        label: plainText("Your answer"),
        element: {
          type: "plain_text_input",
          action_id: inputAction,
          multiline: true,
          focus_on_load: true,
        },
      },
    ],
  };
}

export function readForm(
  view: View,
): { readonly question: string; readonly text: string; readonly origin?: FormOrigin } | undefined {
  if (view.callback_id !== formId) return undefined;
  const [mark, question = "", chat, message, thread] = (view.private_metadata ?? "").split("|");
  if (mark !== "o1" || !questionId(question)) return undefined;
  const text = view.state?.values?.[inputBlock]?.[inputAction]?.value ?? "";
  const origin =
    chat === undefined || message === undefined
      ? undefined
      : { chat, message, ...(thread === undefined ? {} : { thread }) };
  return { question, text, ...(origin ? { origin } : {}) };
}

/** The form stays open, with this line at its field. */
export function formError(text: string): Answered {
  return { response_action: "errors", errors: { [inputBlock]: fitting(text, mostError) } };
}
