/** A day that there is: no 31st of June. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

/** ISO 8601 with `T` and a zone, as epoch milliseconds. */
export function instantOf(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) || !isDay(text.slice(0, 10)) ? undefined : at;
}
