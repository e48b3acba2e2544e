// Estimates the memory of a JSON text before parsing: a parser that runs out ends the process, and `{},` becomes a whole object.

/** Bytes on the heap, rounded up: the parsed value, its sealed copy and the pieces of its canonical text (measured). */
const CONTAINER_WEIGHT = 240;
const ITEM_WEIGHT = 80;
const UNIT_WEIGHT = 2;
/** The maximum, for a text full of `{},`. */
const MOST_WEIGHT_A_UNIT = UNIT_WEIGHT + (CONTAINER_WEIGHT + ITEM_WEIGHT) / 2;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/** True if `text` is likely to take more than `maxMemory` bytes. A short text is not scanned. */
export function isTooHeavy(text: string, maxMemory: number): boolean {
  return text.length * MOST_WEIGHT_A_UNIT > maxMemory && estimateMemory(text) > maxMemory;
}

function estimateMemory(text: string): number {
  let bytes = text.length * UNIT_WEIGHT;
  let isInString = false;
  for (let offset = 0; offset < text.length; offset++) {
    const unit = text.charCodeAt(offset);
    if (unit === QUOTE) isInString = !isInString;
    else if (isInString) offset += unit === BACKSLASH ? 1 : 0;
    else if (unit === COMMA) bytes += ITEM_WEIGHT;
    else if (unit === 0x5b || unit === 0x7b) bytes += CONTAINER_WEIGHT;
  }
  return bytes;
}
