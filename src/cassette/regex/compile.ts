// Matches a pattern in time proportional to text times pattern: K. Thompson, "Regular Expression Search Algorithm" (CACM 11, 1968).
// The syntax is ECMAScript's with the flag `u`. Back references, look-around and word boundaries are refused, as they need more.
// RegExp itself only tests single characters. docs/internal/dependencies.md says why this is not a library.

import { MAX_PATTERN_STEPS } from "../limits.js";
import { parsePattern, type PatternNode } from "./parse.js";
import { replaceMatches, type Instruction } from "./replace.js";

export type CompiledPattern =
  /** One character takes at most `steps`. */
  | {
      readonly kind: "compiled";
      readonly matches: (text: string) => boolean;
      readonly replace: (text: string, replacement: string) => string;
      readonly steps: number;
    }
  | { readonly kind: "refused"; readonly reason: string };

/** `matches` finds the pattern anywhere in a text, as `RegExp.test` does. `replace` replaces every longest match. */
export function compilePattern(pattern: string): CompiledPattern {
  const parsed = parsePattern(pattern);
  if (parsed.kind === "refused") return parsed;
  const program: Instruction[] = [];
  if (!emit(parsed.node, program)) {
    return { kind: "refused", reason: `its repetitions come to more than ${MAX_PATTERN_STEPS} steps` };
  }
  program.push({ kind: "match" });
  return {
    kind: "compiled",
    matches: (text) => search(program, Array.from(text)),
    replace: (text, replacement) => replaceMatches(program, text, replacement),
    steps: program.length,
  };
}

/** False where the program would become too long. */
function emit(node: PatternNode, program: Instruction[]): boolean {
  if (program.length > MAX_PATTERN_STEPS) return false;
  switch (node.kind) {
    case "atom":
    case "start":
    case "end":
      program.push(node);
      return true;
    case "all":
      return node.nodes.every((inner) => emit(inner, program));
    case "any":
      return emitAny(node.nodes, program);
    case "repeat":
      return emitRepeat(node, program);
  }
}

function emitAny(nodes: readonly PatternNode[], program: Instruction[]): boolean {
  const fork: number[] = [];
  program.push({ kind: "jump", to: fork });
  const leave: number[][] = [];
  for (const inner of nodes) {
    fork.push(program.length);
    if (!emit(inner, program)) return false;
    const to: number[] = [];
    leave.push(to);
    program.push({ kind: "jump", to });
  }
  for (const to of leave) to.push(program.length);
  return true;
}

function emitRepeat({ node, min, max }: Extract<PatternNode, { kind: "repeat" }>, program: Instruction[]): boolean {
  for (let time = 0; time < min; time++) {
    const before = program.length;
    if (!emit(node, program)) return false;
    if (program.length === before) return true;
  }
  const leave: number[][] = [];
  const fork = (): void => {
    const to = [program.length + 1];
    leave.push(to);
    program.push({ kind: "jump", to });
  };
  if (max === Infinity) {
    const again = program.length;
    fork();
    if (!emit(node, program)) return false;
    program.push({ kind: "jump", to: [again] });
  } else {
    for (let time = min; time < max; time++) {
      fork();
      if (!emit(node, program)) return false;
    }
  }
  for (const to of leave) to.push(program.length);
  return true;
}

/** Walks the text once, with the set of all places that the program may have reached. */
function search(program: readonly Instruction[], text: readonly string[]): boolean {
  let reached: number[] = [];
  for (let index = 0; ; index++) {
    const places = follow(program, [...reached, 0], index === 0, index === text.length);
    if (places === "match") return true;
    const character = text[index];
    if (character === undefined) return false;
    reached = places.filter((place) => {
      const step = program[place];
      return step?.kind === "atom" && step.fits(character);
    });
    reached = reached.map((place) => place + 1);
  }
}

/** The places that can be reached without reading a character. */
function follow(program: readonly Instruction[], from: number[], isStart: boolean, isEnd: boolean): number[] | "match" {
  const seen = new Set<number>();
  for (let place = from.pop(); place !== undefined; place = from.pop()) {
    if (seen.has(place)) continue;
    seen.add(place);
    const step = program[place];
    if (step?.kind === "match") return "match";
    if (step?.kind === "jump") from.push(...step.to);
    else if ((step?.kind === "start" && isStart) || (step?.kind === "end" && isEnd)) from.push(place + 1);
  }
  return [...seen];
}
