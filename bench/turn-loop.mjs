// Microseconds per turn of a whole run, compared with the hand-written floors of bench/floor. All lengths are sampled
// in turn, so that the cost of a turn late in a long run can be compared with its cost in a short run.

import { fileURLToPath } from "node:url";
import { sampleField } from "./field.mjs";
import { contestants } from "./turn-loop-ways.mjs";

const file = fileURLToPath(new URL("turn-loop-ways.mjs", import.meta.url));

/** The contestants of these names, or all of them. */
export function ownLoops(names = Object.keys(contestants)) {
  return names.map((name) => ({ name, file, part: name }));
}

export async function* turnLoop({ turns = [10, 100, 1000, 10_000], calls = [1, 3], names, ...options } = {}) {
  const field = ownLoops(names);
  for (const perTurn of calls) {
    const works = turns.map((length) => ({ kind: "loop", turns: length, calls: perTurn }));
    const rows = await sampleField(field, works, options);
    for (const [index, work] of works.entries()) yield toTable("turn loop", work, rows[index]);
  }
}

export function toTable(name, { turns, calls }, rows) {
  const title = `${name}, ${turns} turns, ${calls === 1 ? "one call" : `${calls} calls`} a turn`;
  return { key: `${turns}x${calls}`, title, unit: "µs a turn", rows };
}
