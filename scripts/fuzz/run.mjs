// Makes, judges and counts one mutation after the other. Mutation `index` of a seed is always the same.

import { CassetteError } from "../../.playhead/modules/cassette/index.js";
import { mutateBytes } from "./mutate-bytes.mjs";
import { mutateStructure } from "./mutate-structure.mjs";
import { mutateTokens } from "./mutate-tokens.mjs";
import { createRandom } from "./random.mjs";

export const LEVELS = ["bytes", "tokens", "structure"];

/** The mutation `index` of a seed: its bytes, its changes, and the reader it is for. */
export function makeMutation(readers, seed, index) {
  const random = createRandom(seed, index);
  const reader = choose(readers, random);
  const all = reader.seeds();
  const [from, other] = [random.pick(all), random.pick(all)];
  const levels = reader.levels ?? LEVELS;
  const level = levels[index % levels.length];
  return { index, reader, from, level, ...mutate(level, from, other, random) };
}

/** The outcome of a mutation. `outcome` is a code or a word of the reader. `broken` describes an outcome that must never happen. */
export async function judgeMutation({ reader, bytes, from }) {
  try {
    return { outcome: await reader.judge(bytes, from) };
  } catch (error) {
    if (error instanceof CassetteError) return { outcome: `refused: ${error.code}` };
    return { outcome: "BROKEN", broken: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
}

function choose(readers, random) {
  let left = random.below(1000) / 1000;
  return readers.find(({ share }) => (left -= share) < 0) ?? readers[0];
}

function mutate(level, from, other, random) {
  const text = (bytes) => new TextDecoder().decode(bytes);
  switch (level) {
    case "bytes":
      return mutateBytes(from.bytes, random, other.bytes);
    case "tokens":
      return mutateTokens(text(from.bytes), random, text(other.bytes));
    default:
      return mutateValues(text(from.bytes), text(other.bytes), random);
  }
}

/** Mutates one line of JSON Lines. */
function mutateValues(text, other, random) {
  const values = readValues(text);
  const at = random.below(values.length);
  const { bytes, what } = mutateStructure(values[at], random, random.pick(readValues(other)));
  if (values.length === 1) return { bytes, what };
  const lines = values.map((value, index) => {
    return index === at ? new TextDecoder().decode(bytes).replaceAll(/\n\s*/g, "") : JSON.stringify(value);
  });
  return { bytes: new TextEncoder().encode(lines.join("\n") + "\n"), what };
}

function readValues(text) {
  try {
    return [JSON.parse(text)];
  } catch {
    return text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  }
}
