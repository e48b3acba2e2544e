// Delta debugging: the algorithm `ddmin` of A. Zeller and R. Hildebrandt, "Simplifying and Isolating Failure-Inducing Input" (IEEE TSE
// 28, 2002). The result passes the test, and fails it without any one of its items.

export interface Minimum<T> {
  items: T[];
  /** False if the limit of tests was reached, so fewer items might still pass. */
  isMinimal: boolean;
}

/** The smallest part of `items` that ddmin finds for which `holds` is true. `holds` must be true for all items. */
export function ddmin<T>(items: readonly T[], holds: (part: readonly T[]) => boolean, maxTests: number): Minimum<T> {
  let tests = 0;
  const test = (part: readonly T[]): boolean => ++tests <= maxTests && holds(part);
  let left = [...items];
  let pieces = 2;
  while (left.length > 0 && tests < maxTests) {
    const smaller = findSmaller(left, Math.min(pieces, left.length), test);
    if (smaller !== undefined) {
      pieces = smaller.isPiece ? 2 : Math.max(pieces - 1, 2);
      left = smaller.part;
    } else if (pieces < left.length) {
      pieces = Math.min(2 * pieces, left.length);
    } else {
      return { items: left, isMinimal: tests <= maxTests };
    }
  }
  return { items: left, isMinimal: left.length === 0 };
}

/** Tries each piece alone, then all pieces but one. A single item is tried against an empty list. */
function findSmaller<T>(
  items: readonly T[],
  pieces: number,
  test: (part: readonly T[]) => boolean,
): { part: T[]; isPiece: boolean } | undefined {
  const size = items.length / pieces;
  const bounds = Array.from({ length: pieces }, (_, index) => [
    Math.floor(index * size),
    Math.floor((index + 1) * size),
  ]);
  if (pieces > 1) {
    for (const [from, to] of bounds) {
      const part = items.slice(from, to);
      if (part.length < items.length && test(part)) return { part, isPiece: true };
    }
  }
  for (const [from = 0, to = 0] of bounds) {
    const part = [...items.slice(0, from), ...items.slice(to)];
    if (part.length < items.length && test(part)) return { part, isPiece: false };
  }
  return undefined;
}
