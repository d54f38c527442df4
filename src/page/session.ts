const place = "owlpost.session";

export function session(): string | undefined {
  return read() ?? undefined;
}

function read(): string | null {
  try {
    return localStorage.getItem(place);
  } catch {
    return null;
  }
}

export function forgetSession(): void {
  try {
    localStorage.removeItem(place);
  } catch {
    // Storage is switched off: there was nothing to forget.
  }
}

/** The link's token. It leaves the address bar, and so the history, before anything else happens. */
export function linkToken(): string | undefined {
  const token = /^#token=(.+)$/.exec(location.hash)?.[1];
  if (token !== undefined) history.replaceState(null, "", location.pathname);
  return token;
}

export type SignedIn = { readonly ok: true } | { readonly ok: false; readonly message: string };

/** Turns the link's token into a session that stays in this browser. */
export async function signIn(token: string): Promise<SignedIn> {
  const response = await fetch("/api/session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
  const body: unknown = await response.json().catch(() => undefined);
  const text = (name: string): string | undefined => {
    const value = typeof body === "object" && body !== null ? Reflect.get(body, name) : undefined;
    return typeof value === "string" ? value : undefined;
  };
  const fresh = text("session");
  if (!response.ok || fresh === undefined) {
    return { ok: false, message: text("message") ?? "This link does not work." };
  }
  localStorage.setItem(place, fresh);
  return { ok: true };
}

export function authorization(): Record<string, string> {
  return { authorization: `Bearer ${session() ?? ""}` };
}
