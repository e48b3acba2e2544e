// Which of several cassettes comes nearest to a request that none answers, by the nearest turn of each.

/** How near one recorded turn is to a request. */
export interface Likeness {
  /** Leading messages of the two prompts that are the same. */
  readonly length: number;
  readonly isUsed: boolean;
  /** The request holds the whole recorded prompt, and goes on. */
  readonly isContinued: boolean;
  /** From 0 to 1: how much of the first messages that differ is the same. Asked only on a tie. */
  readonly likeness: () => number;
}

/**
 * True where `one` comes nearer than `other`. A used turn is passed over unless the run went on from it; then the longest common
 * beginning wins, then an unused turn, then the likeness of the messages that differ. False on a tie.
 */
export function isNearer(one: Likeness, other: Likeness): boolean {
  const isOpen = ({ isUsed, isContinued }: Likeness): boolean => !isUsed || isContinued;
  if (isOpen(one) !== isOpen(other)) return isOpen(one);
  if (one.length !== other.length) return one.length > other.length;
  if (one.isUsed !== other.isUsed) return other.isUsed;
  return one.likeness() > other.likeness();
}

/** The share of two values, as JSON, that is the same at their beginnings and their ends. */
export function likenessOf(a: unknown, b: unknown): number {
  if (a === undefined || b === undefined) return 0;
  const [left, right] = [JSON.stringify(a), JSON.stringify(b)];
  const [shorter, longer] = [Math.min(left.length, right.length), Math.max(left.length, right.length)];
  let start = 0;
  while (start < shorter && left[start] === right[start]) start++;
  let end = 0;
  while (end < shorter - start && left[left.length - 1 - end] === right[right.length - 1 - end]) end++;
  return (start + end) / longer;
}
