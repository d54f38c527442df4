/** Size in bytes of UTF-8; a lone surrogate counts as U+FFFD. */
export function utf8Bytes(text: string): number {
  // The engine's own count: several times faster than a loop over texts that were just put together.
  return Buffer.byteLength(text, "utf8");
}

export function isLargerThan(text: string, limitBytes: number): boolean {
  // A unit is at most three bytes.
  return text.length * 3 > limitBytes && (text.length > limitBytes || utf8Bytes(text) > limitBytes);
}
