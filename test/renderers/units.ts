import type { SizeUnit } from "../../src/domain/capabilities.ts";

export const sizeUnits: readonly SizeUnit[] = ["utf16", "utf8", "codepoint"];
