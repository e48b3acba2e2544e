// Compares a prompt that came over a vendor's wire with recorded ones. Wires lose fields (the name of a tool result, thoughts) and
// clients rename calls, so both sides are compared as the wire leaves them, with ids by order. See docs/serve.md.

export function countAlike(a: readonly string[], b: readonly string[]): number {
  const parting = a.findIndex((digest, index) => digest !== b[index]);
  return parting < 0 ? a.length : parting;
}

export interface Likeness {
  /** Leading messages of the two prompts that are the same. */
  readonly length: number;
  readonly isUsed: boolean;
  /** The request continues the whole recorded prompt. */
  readonly isContinued: boolean;
  /** From 0 to 1: similarity of the first messages that differ. Computed only on a tie. */
  readonly likeness: () => number;
}

/**
 * True if `one` is nearer than `other`. A used turn counts only if the request continues it. Then the longest common beginning wins,
 * then an unused turn, then the likeness of the messages that differ. False on a tie.
 */
export function isNearer(one: Likeness, other: Likeness): boolean {
  const isOpen = ({ isUsed, isContinued }: Likeness): boolean => !isUsed || isContinued;
  if (isOpen(one) !== isOpen(other)) return isOpen(one);
  if (one.length !== other.length) return one.length > other.length;
  if (one.isUsed !== other.isUsed) return other.isUsed;
  return one.likeness() > other.likeness();
}
