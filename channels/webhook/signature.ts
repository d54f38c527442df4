import { createHmac } from "node:crypto";

/**
 * `t=<Unix seconds>,v1=<hex>`: HMAC-SHA256 with the secret over `<t>.<body>`, the body byte for byte as it is sent. The time is
 * part of what is signed, so that a receiver can refuse what somebody recorded and sends again.
 */
export function signature(secret: string, body: string, now: number): string {
  const t = Math.floor(now / 1_000);
  const v1 = createHmac("sha256", secret).update(`${t}.${body}`).digest("hex");
  return `t=${t},v1=${v1}`;
}
