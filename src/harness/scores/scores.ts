// The scores of one run, as a test gives them and a recording keeps them in `extensions.scores`: a number, or the list of numbers that
// repeated grading gave.

import { extensionsOf, type Cassette, type CassetteError } from "../../cassette/index.js";
import { isPlainObject } from "../../core/index.js";
import { invalid } from "../cassette/options.js";
import { MAX_GRADES, MAX_SCORE, MAX_SCORE_NAME_CHARACTERS, MAX_SCORES } from "../limits.js";
import { describeValue } from "../text/describe.js";

/** Scores by name, as a recording keeps them. */
export type RecordedScores = Record<string, number | number[]>;

/**
 * Adds a score to the run. More is better. `value` is a number, or a list with the grades of the same answer, whose mean is the score.
 * Throws `invalid-options` for a name or value that is not one, for a name used before, and for more than 50 names.
 */
export type AddScore = (name: string, value: number | readonly number[]) => void;

export interface ScoreSheet {
  readonly add: AddScore;
  /** Undefined if there are none. */
  all(): RecordedScores | undefined;
  /** Later scores are refused, because they would be lost. */
  close(): void;
}

export function createScoreSheet(): ScoreSheet {
  const scores = new Map<string, number | number[]>();
  let isClosed = false;
  return {
    add(name, value) {
      const checked = checkScore(name, value);
      if (isClosed) throw scoredTooLate(name);
      if (scores.has(name)) {
        throw invalid(
          `this run already has the score ${name}`,
          "Give each score its own name, or pass repeated grades of one answer as a list.",
        );
      }
      if (scores.size >= MAX_SCORES) {
        throw invalid(`a run has more than ${MAX_SCORES} scores`, "Combine some of them into one number.");
      }
      scores.set(name, checked);
    },
    all: () => (scores.size === 0 ? undefined : Object.fromEntries(scores)),
    close: () => void (isClosed = true),
  };
}

export function scoredTooLate(name: string): CassetteError {
  return invalid(
    `the score ${isScoreName(name) ? name : describeValue(name)} came after the run was over`,
    "Call score() before done().",
  );
}

const NAME = /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u;

export function isScoreName(name: unknown): name is string {
  return typeof name === "string" && NAME.test(name) && Array.from(name).length <= MAX_SCORE_NAME_CHARACTERS;
}

export const SCORE_NAME_HINT = `Use up to ${MAX_SCORE_NAME_CHARACTERS} letters, digits, dots, hyphens and underscores, a letter or digit first.`;

function checkScore(name: unknown, value: unknown): number | number[] {
  if (!isScoreName(name)) throw invalid(`the name of a score is ${describeValue(name)}`, SCORE_NAME_HINT);
  if (isGrade(value)) return value;
  const hint = `Pass a number from -${MAX_SCORE} to ${MAX_SCORE}, or a list of the grades that one answer got.`;
  if (!Array.isArray(value)) throw invalid(`the score ${name} is ${describeValue(value)}`, hint);
  if (value.length === 0 || value.length > MAX_GRADES) {
    throw invalid(`the score ${name} has ${value.length} grades`, `Pass 1 to ${MAX_GRADES}.`);
  }
  const wrong: unknown = value.find((grade) => !isGrade(grade));
  if (wrong !== undefined || value.includes(undefined)) {
    throw invalid(
      `a grade of the score ${name} is ${describeValue(wrong)}`,
      `Every grade must be a number from -${MAX_SCORE} to ${MAX_SCORE}.`,
    );
  }
  return [...(value as number[])];
}

function isGrade(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && Math.abs(value) <= MAX_SCORE;
}

/** The grades of each score of a recording. An entry that `score()` would refuse does not count as a score. */
export function scoresOf(cassette: Cassette): ReadonlyMap<string, readonly number[]> {
  const { scores } = extensionsOf(cassette);
  const found = new Map<string, readonly number[]>();
  if (!isPlainObject(scores)) return found;
  for (const name of Object.keys(scores).sort()) {
    const value: unknown = scores[name];
    const grades: unknown[] = Array.isArray(value) ? value : [value];
    const isFit = isScoreName(name) && grades.length > 0 && grades.length <= MAX_GRADES && grades.every(isGrade);
    if (isFit && found.size < MAX_SCORES) found.set(name, grades);
  }
  return found;
}
