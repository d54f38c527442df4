/** `2026-12-01 06:00` in a zone. */
export function localTime(at: number, zone: string): string {
  return new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "short", timeZone: zone }).format(
    at,
  );
}
