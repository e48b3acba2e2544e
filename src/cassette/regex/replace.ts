// Replaces the matches of a compiled pattern in one walk over the text: the leftmost match, and of those the longest. Each reached step
// keeps the earliest start that led to it, so a character costs at most the steps of the pattern.

import { MAX_REPLACE_WORK } from "../limits.js";

export type Instruction =
  | { kind: "atom"; fits: (character: string) => boolean }
  | { kind: "start" | "end" | "match" }
  /** Goes on at each of these. */
  | { kind: "jump"; to: number[] };

/** The earliest start of a match by the steps that it has reached. */
type Reached = Map<number, number>;

/**
 * The text with every match replaced; empty matches stay. After {@link MAX_REPLACE_WORK} steps the rest of the text stays as it is. The
 * result depends on the text and the pattern alone.
 */
export function replaceMatches(program: readonly Instruction[], text: string, replacement: string): string {
  const characters = Array.from(text);
  const budget = { left: MAX_REPLACE_WORK };
  let replaced = "";
  let from = 0;
  for (;;) {
    const found = findLongest(program, characters, from, budget);
    if (found === undefined) return replaced + characters.slice(from).join("");
    replaced += characters.slice(from, found.start).join("") + replacement;
    from = found.end;
  }
}

function findLongest(
  program: readonly Instruction[],
  text: readonly string[],
  from: number,
  budget: { left: number },
): { start: number; end: number } | undefined {
  let reached: Reached = new Map();
  let best: { start: number; end: number } | undefined;
  for (let index = from; budget.left > 0; index++) {
    if (best === undefined && !reached.has(0)) reached.set(0, index);
    const places: Reached = new Map();
    // By start, so that the first to reach a step is the earliest.
    for (const [place, start] of [...reached].sort((a, b) => a[1] - b[1])) {
      if (best === undefined || start <= best.start)
        follow(program, place, start, places, index === 0, index === text.length);
    }
    budget.left -= places.size + 1;
    const character = text[index];
    reached = new Map();
    for (const [place, start] of places) {
      const step = program[place];
      if (step?.kind === "match" && start < index && (best === undefined || start <= best.start))
        best = { start, end: index };
      else if (step?.kind === "atom" && character !== undefined && step.fits(character)) {
        const known = reached.get(place + 1);
        if (known === undefined || start < known) reached.set(place + 1, start);
      }
    }
    if (character === undefined || (best !== undefined && reached.size === 0)) return best;
  }
  return undefined;
}

/** Adds the places that can be reached from one without reading a character. */
function follow(
  program: readonly Instruction[],
  from: number,
  start: number,
  places: Reached,
  isStart: boolean,
  isEnd: boolean,
): void {
  const next = [from];
  for (let place = next.pop(); place !== undefined; place = next.pop()) {
    if (places.has(place)) continue;
    places.set(place, start);
    const step = program[place];
    if (step?.kind === "jump") next.push(...step.to);
    else if ((step?.kind === "start" && isStart) || (step?.kind === "end" && isEnd)) next.push(place + 1);
  }
}
