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
  /** The same turns by their contexts. Made when several turns have one prompt. */
  byContext: Map<string, Queue> | undefined;
}

type Entry = Pick<CassetteEntry, "turnIndex" | "promptHash">;

/** All turns of a recording, unused; `contexts` has the context in force at each turn. */
export function createUnusedTurns(
  entries: readonly Entry[],
  contexts: readonly (ContextExtension | undefined)[],
): UnusedTurns {
  const used: boolean[] = entries.map(() => false);
  const byPrompt = new Map<string, Queue>();
  for (const { turnIndex, promptHash } of entries) put(byPrompt, promptHash, turnIndex);
  let left = entries.length;
  let next = 0;

  function front(queue: Queue | undefined): number | undefined {
    if (queue === undefined) return undefined;
    while (used[queue.turns[queue.at] ?? -1] === true) queue.at++;
    return queue.turns[queue.at];
  }

  function groupByContext(turns: readonly number[]): Map<string, Queue> {
    const queues = new Map<string, Queue>();
    for (const turnIndex of turns) put(queues, keyOf(contexts[turnIndex]), turnIndex);
    return queues;
  }

  return {
    left: () => left,
    used,
    find(promptHash, now) {
      const queue = byPrompt.get(promptHash);
      const first = front(queue);
      if (queue === undefined || first === undefined || now === undefined || queue.turns.length === 1) return first;
      queue.byContext ??= groupByContext(queue.turns);
      // A turn without a recorded context fits any.
      const unknown = front(queue.byContext.get(NO_CONTEXT)) ?? Infinity;
      const same = front(queue.byContext.get(keyOf(now))) ?? Infinity;
      const nearest = Math.min(unknown, same);
      return nearest === Infinity ? first : nearest;
    },
    next() {
      while (used[next] === true) next++;
      return next;
    },
    lastWith: (promptHash) => byPrompt.get(promptHash)?.turns.at(-1),
    take(turnIndex) {
      if (used[turnIndex] !== true) left--;
      used[turnIndex] = true;
    },
  };
}

function put(queues: Map<string, Queue>, key: string, turnIndex: number): void {
  const queue = queues.get(key);
  if (queue === undefined) queues.set(key, { turns: [turnIndex], at: 0, byContext: undefined });
  else queue.turns.push(turnIndex);
}

const NO_CONTEXT = "";

function keyOf(context: Pick<TurnContext, "toolsHash" | "settingsHash"> | undefined): string {
  return context === undefined ? NO_CONTEXT : `${context.toolsHash} ${context.settingsHash}`;
}
