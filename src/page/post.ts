import { authorization } from "./session.ts";

/** What came of a change. `unknown`: nobody answered, so it may have happened or not. */
export type Posted<Body> =
  | { readonly type: "done"; readonly body: Body }
  | { readonly type: "refused" | "unknown" | "signed-out"; readonly text: string };

const answerMs = 20_000;

/** Sends one change, once: what comes of it is told, and the next press is a change of its own. */
export async function post<Body>(path: string, change: object): Promise<Posted<Body>> {
  try {
    const response = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...authorization() },
      body: JSON.stringify(change),
      signal: AbortSignal.timeout(answerMs),
    });
    const body: unknown = await response.json();
    if (response.ok) return { type: "done", body: body as Body };
    const told = typeof body === "object" && body !== null ? Reflect.get(body, "message") : undefined;
    const text = typeof told === "string" ? told : `The inbox refused this (${response.status}).`;
    return { type: response.status === 401 ? "signed-out" : "refused", text };
  } catch {
    return {
      type: "unknown",
      text: "No answer from owlpost: it is not known whether this happened. Look at the list, then try again.",
    };
  }
}
