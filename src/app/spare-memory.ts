import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/**
 * The next collection is one of the whole heap. The compiled form of what has run goes, and what is left is moved
 * together: half-empty pages would stay for good.
 */
const thoroughly = ["gc-global", "stress-flush-code", "compact-on-every-full-gc"];
/** In slots of 8 bytes: large, so that few are needed. What runs often is optimized, and V8's optimizer takes 3 MB. */
const fillerSlots = 12_000;
/** 32 MB: more than a young heap ever is. */
const mostFillers = 400;

/**
 * Gives back what only the start of a service has used: the young heap that grew meanwhile, and the compiled form of
 * what runs once, such as the reading of the configuration. V8 does the first of these by itself, but only after a full
 * collection, and a service that has nothing to do may not come to one for hours. Takes about 60 ms, once.
 */
export function spareMemory(): void {
  for (const flag of thoroughly) setFlagsFromString(`--${flag}`);
  // The first empties the young heap, which only then is made small again.
  fillYoungHeap();
  fillYoungHeap();
  for (const flag of thoroughly) setFlagsFromString(`--no-${flag}`);
}

/**
 * Until a collection comes. V8's own `gc` is there in a new context alone, and one context is half a MB, which the
 * collection that is called from it cannot give back.
 */
function fillYoungHeap(): void {
  let used = usedYoungBytes();
  for (let count = 0; count < mostFillers; count += 1) {
    new Array(fillerSlots).fill(count);
    const now = usedYoungBytes();
    if (now < used) return;
    used = now;
  }
}

function usedYoungBytes(): number {
  return getHeapSpaceStatistics().find((space) => space.space_name === "new_space")?.space_used_size ?? 0;
}
