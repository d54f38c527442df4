import { runInNewContext } from "node:vm";
import { redact } from "../core/redact.ts";

/** A document's text as a value, or a sentence that names the place where it cannot be read. */
export type Document =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

/** YAML of this length is read in a few milliseconds, however it is made. */
const quicklyReadLength = 8 * 1024;
/**
 * The longest that reading a longer one may hold up the process. Some documents cost the square of their length (every
 * key of a map is compared with every other), and one of them must not stop the service.
 */
const readMs = 1_000;

/** How much text one document may hold. */
export const mostDocumentBytes = 1024 * 1024;

/**
 * Reads YAML 1.2 or JSON. JSON is tried first, since it needs no YAML library; aliases are bounded, and one text holds one document.
 *
 * @param origin a file's name or `standard input`, for the message
 * @param what the document is, for the message
 */
export async function readDocument(text: string, origin: string, what = "question"): Promise<Document> {
  if (Buffer.byteLength(text) > mostDocumentBytes) {
    return { ok: false, message: `${origin}: larger than ${mostDocumentBytes} bytes; shorten it` };
  }
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  if (source.trim() === "")
    return { ok: false, message: `${origin}: empty; write a ${what} as YAML or JSON` };
  if (source.trimStart().startsWith("{")) {
    try {
      return { ok: true, value: JSON.parse(source) };
    } catch {
      // YAML allows flow maps that JSON does not, and its messages name line and column.
    }
  }
  const yaml = await import("yaml");
  const parse = (): ReturnType<typeof yaml.parseAllDocuments> =>
    yaml.parseAllDocuments(source, { prettyErrors: true, uniqueKeys: true, version: "1.2" });
  const documents = source.length <= quicklyReadLength ? parse() : within(readMs, parse);
  if (!documents) {
    return {
      ok: false,
      message: `${origin}: takes too long to read as YAML; make it simpler, or write it as JSON`,
    };
  }
  if (!Array.isArray(documents) || documents.length === 0) {
    return { ok: false, message: `${origin}: empty; write a ${what} as YAML or JSON` };
  }
  if (documents.length > 1) {
    return { ok: false, message: `${origin}: holds ${documents.length} documents; write one ${what} a file` };
  }
  const document = documents[0];
  const error = document?.errors[0];
  if (!document || error) {
    const place = error?.linePos?.[0];
    const where = place ? `${origin}:${place.line}:${place.col}` : origin;
    return { ok: false, message: `${where}: ${redact(firstLine(error?.message ?? "not readable")).text}` };
  }
  try {
    return { ok: true, value: document.toJS({ maxAliasCount: 100 }) };
  } catch (error) {
    return {
      ok: false,
      message: `${origin}: ${redact(firstLine(error instanceof Error ? error.message : String(error))).text}`,
    };
  }
}

function firstLine(message: string): string {
  return message.split("\n", 1)[0]?.replace(/:$/, "") ?? message;
}

/** What `work` gives, or undefined when it takes longer: then it is stopped where it stands. */
function within<Value>(ms: number, work: () => Value): Value | undefined {
  try {
    return runInNewContext("work()", { work }, { timeout: ms }) as Value;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return undefined;
    throw error;
  }
}
