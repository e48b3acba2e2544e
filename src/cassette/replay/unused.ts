// The unused turns of a recording by prompt, tools and settings. Each list is walked once in a replay, so many turns stay fast.

import type { TurnContext } from "../offer/context.js";
import type { CassetteEntry, ContextExtension } from "../file/format.js";

export interface UnusedTurns {
  /** Counts the unused turns. */
  left(): number;
  /** Whether each turn was given out, by its index. */
  readonly used: readonly boolean[];
  /** The first unused turn with this prompt and the same tools and settings, else the first with this prompt. */
  find(promptHash: string, now: TurnContext | undefined): number | undefined;
  /** The first unused turn, or the number of turns if all were used. */
  next(): number;
  /** The last turn with this prompt, used or not. */
  lastWith(promptHash: string): number | undefined;
  take(turnIndex: number): void;
}

/** Turns in order. Those before index `at` are used. */
interface Queue {
  turns: number[];
  at: number;
}

type Entry = Pick<CassetteEntry, "turnIndex" | "promptHash">;

/** All turns of a recording, unused; `contexts` has the context in force at each turn. */
export function createUnusedTurns(
  entries: readonly Entry[],
  contexts: readonly (ContextExtension | undefined)[],
): UnusedTurns {
  const used: boolean[] = entries.map(() => false);
  const all: Queue = { turns: [], at: 0 };
  const byPrompt = new Map<string, Queue>();
  const byContext = new Map<string, Queue>();
  for (const { turnIndex, promptHash } of entries) {
    all.turns.push(turnIndex);
    put(byPrompt, promptHash, turnIndex);
    put(byContext, keyOf(promptHash, contexts[turnIndex]), turnIndex);
  }
  let left = entries.length;

  function front(queue: Queue | undefined): number | undefined {
    if (queue === undefined) return undefined;
    while (used[queue.turns[queue.at] ?? -1] === true) queue.at++;
    return queue.turns[queue.at];
  }

  return {
    left: () => left,
    used,
    find(promptHash, now) {
      const first = front(byPrompt.get(promptHash));
      if (first === undefined || now === undefined) return first;
      // A turn without a recorded context fits any.
      const unknown = front(byContext.get(keyOf(promptHash, undefined))) ?? Infinity;
      const same = front(byContext.get(keyOf(promptHash, now))) ?? Infinity;
      const nearest = Math.min(unknown, same);
      return nearest === Infinity ? first : nearest;
    },
    next: () => front(all) ?? entries.length,
    lastWith: (promptHash) => byPrompt.get(promptHash)?.turns.at(-1),
    take(turnIndex) {
      if (used[turnIndex] !== true) left--;
      used[turnIndex] = true;
    },
  };
}

function put(queues: Map<string, Queue>, key: string, turnIndex: number): void {
  const queue = queues.get(key);
  if (queue === undefined) queues.set(key, { turns: [turnIndex], at: 0 });
  else queue.turns.push(turnIndex);
}

function keyOf(promptHash: string, context: Pick<TurnContext, "toolsHash" | "settingsHash"> | undefined): string {
  return context === undefined ? promptHash : `${promptHash} ${context.toolsHash} ${context.settingsHash}`;
}
