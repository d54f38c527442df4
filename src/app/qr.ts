/** Light modules around the code, without which a camera does not find it. */
const quiet = 4;

/** A QR code as one SVG path: `size` modules a side with the quiet zone, the dark ones drawn in units of one module. */
export type QrPath = { readonly size: number; readonly path: string };

export async function qrPath(text: string): Promise<QrPath> {
  const { create } = await import("qrcode");
  const { size, data } = create(text, { errorCorrectionLevel: "M" }).modules;
  const rows: string[] = [];
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      if (!data[y * size + x]) continue;
      const from = x;
      while (x + 1 < size && data[y * size + x + 1]) x += 1;
      const width = x - from + 1;
      rows.push(`M${from + quiet} ${y + quiet}h${width}v1h-${width}z`);
    }
  }
  return { size: size + 2 * quiet, path: rows.join("") };
}

/** A QR code in half blocks, two modules a character, for a terminal; the dark ones are drawn. */
export async function qrText(text: string): Promise<string> {
  const { toString: draw } = await import("qrcode");
  return draw(text, { type: "utf8", errorCorrectionLevel: "M", margin: quiet });
}
