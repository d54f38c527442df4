import { identity, type Markup, same } from "./markup.ts";

/** No markup at all: every character is shown as it is. */
export const plain: Markup = {
  calm: identity,
  escape: identity,
  growth: () => 0,
  signs: "",
  strong: identity,
  code: same,
  block: same,
  newline: "\n",
  keycaps: false,
  isBare: true,
};
