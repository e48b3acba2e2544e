// The prompts of a run as they follow one another: the hash of each, and what it adds to the one before. A conversation is
// append-only, so the SHA-256 state over `[m0,m1,…` is kept and forked each turn; any other change falls back to hashing
// the whole list. Only sealed messages are recognised by identity; every other one is canonicalised again, because it may
// have been changed in place since.

import { canonicalize, copyJson, createSha256, isSealed, seal, type LlmMessage, type Sha256 } from "../core/index.js";

/** A user's rewriting of volatile text before it is hashed and stored. The same function goes to recorder and replayer. */
export type HashFilter = (messages: LlmMessage[]) => readonly LlmMessage[];

export interface TrackedPrompt {
  promptHash: string;
  /** Leading messages equal to those of the prompt before. */
  keep: number;
  /** The messages after them, sealed. */
  appended: LlmMessage[];
}

export interface PromptTracker {
  /** Hashes the next prompt of the run. Throws `NotJsonError` if a message is not plain JSON. */
  next(messages: readonly LlmMessage[]): TrackedPrompt;
}

/** A tracker for one run; `filter` is applied to every prompt before anything else. */
export function createPromptTracker(filter?: HashFilter): PromptTracker {
  let previous: LlmMessage[] = [];
  let state = startList();

  return {
    next(messages) {
      const prompt = filter === undefined ? messages : filter(copyJson([...messages]));
      const keep = countEqual(previous, prompt);
      const appended = prompt.slice(keep).map((message) => seal(message));
      if (keep < previous.length) {
        previous = previous.slice(0, keep);
        state = startList();
        absorb(state, previous, 0);
      }
      absorb(state, appended, keep);
      for (const message of appended) previous.push(message);
      return { promptHash: state.copy().update("]").digest(), keep, appended };
    },
  };
}

/** `H(messages)` in one step, for a prompt that follows none. */
export function hashPrompt(messages: readonly LlmMessage[]): string {
  const state = startList();
  absorb(state, messages, 0);
  return state.update("]").digest();
}

function startList(): Sha256 {
  return createSha256().update("[");
}

function absorb(state: Sha256, messages: readonly LlmMessage[], offset: number): void {
  messages.forEach((message, index) => {
    state.update((offset + index === 0 ? "" : ",") + canonicalize(seal(message)));
  });
}

/** How many leading messages are the same: by identity where sealed, else by canonical text. */
function countEqual(before: readonly LlmMessage[], now: readonly LlmMessage[]): number {
  let count = 0;
  while (count < before.length && count < now.length && isSame(before[count], now[count])) count++;
  return count;
}

function isSame(before: LlmMessage | undefined, now: LlmMessage | undefined): boolean {
  if (before === undefined || now === undefined) return false;
  if (before === now && isSealed(now)) return true;
  return canonicalize(before) === canonicalize(seal(now));
}
