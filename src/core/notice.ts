import type { Effect } from "../domain/store.ts";
import type { Route } from "./people.ts";

/** A plain notice on each route; its event is what the local inbox shows. */
export function notice(kind: string, text: string, routes: readonly Route[]): readonly Effect[] {
  return [
    { type: "log", event: { kind: "notice.queued", data: { kind, text } } },
    ...routes.map(
      (route): Effect => ({ type: "send", job: { ...route, kind: "notice", notice: { kind, text } } }),
    ),
  ];
}
