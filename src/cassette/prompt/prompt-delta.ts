// The prompts of a run in order: the hash of each, and its delta to the one before. A conversation mostly grows, so the SHA-256 state
// over `[m0,m1,…` is kept and forked each turn. After a change inside the prefix, hashing starts at the last state that still holds.
// Only a sealed message is recognised by identity. Any other may have been changed in place, and is canonicalised again.

import { canonicalize, copyJson, createSha256, seal, type LlmMessage, type Sha256 } from "../../core/index.js";
import { assertFiltered } from "./request.js";

/** Rewrites volatile text before it is hashed and stored. Recorder and replay need the same function. */
export type HashFilter = (messages: LlmMessage[]) => readonly LlmMessage[];

export interface PromptStep {
  /** `H(messages)` of the whole prompt. */
  promptHash: string;
  /** Leading messages equal to those of the prompt before. */
  keep: number;
}

/** The prompts of one run, taken in their order; made by {@link createPromptTracker}. */
export interface PromptTracker {
  /**
   * Takes the next prompt of the run. Its first `known` messages (default 0) are known to be those of the prompt before. If it throws,
   * the prompt before stays: `NotJsonError` for a message that is not plain JSON, `CassetteError` `invalid-options` for a filter that
   * did not return messages, or the error of `check`.
   */
  next(messages: readonly LlmMessage[], known?: number): PromptStep;
  /** The current prompt's messages from index `from` on, filtered and sealed. */
  since(from: number): LlmMessage[];
}

/** `filter` rewrites every prompt first. `check` gets each message that the prompt before did not have, and its index. */
export function createPromptTracker(
  filter?: HashFilter,
  check: (message: LlmMessage, index: number) => void = () => undefined,
): PromptTracker {
  const chain = createPromptChain();
  return {
    next(messages, known = 0) {
      const prompt = filter === undefined ? messages : applyFilter(filter, messages);
      const keep = countEqual(chain.messages, prompt, filter === undefined ? known : 0);
      const added: LlmMessage[] = [];
      // By index, since the caller's list may override `slice`.
      for (let index = keep; index < prompt.length; index++) {
        const message = seal(prompt[index] as LlmMessage);
        check(message, index);
        added.push(message);
      }
      return { keep, promptHash: chain.advance(keep, added) };
    },
    since: (from) => chain.messages.slice(from),
  };
}

/** Gives the filter a copy. Throws `invalid-options` if it does not return messages. */
export function applyFilter(filter: HashFilter, messages: readonly LlmMessage[]): readonly LlmMessage[] {
  const result: unknown = filter(copyJson(Array.from(messages)));
  assertFiltered(result);
  return result;
}

export interface PromptChain {
  readonly messages: readonly LlmMessage[];
  /** Keeps the first `keep` messages, appends `added`, and returns the hash of the result. */
  advance(keep: number, added: readonly LlmMessage[]): string;
}

/** A prompt that grows, shrinks to a prefix and grows again, with the hash of each state. */
export function createPromptChain(): PromptChain {
  const messages: LlmMessage[] = [];
  // States over a prefix of `length` messages, shortest first, beginning with the empty list. While the prompt has only grown, there
  // are only the first and the last.
  const states: { length: number; state: Sha256 }[] = [{ length: 0, state: createSha256().update("[") }];

  let wasCut = false;

  function shrink(keep: number): void {
    wasCut = true;
    messages.length = keep;
    while ((states.at(-1)?.length ?? 0) > keep) states.pop();
    // After a cut, states are kept at every message, so that a hostile order of cuts cannot cause hashing over and over.
    for (let at = states.at(-1)?.length ?? 0; at < keep; at++) grow(at, [messages[at] as LlmMessage]);
  }

  function grow(from: number, added: readonly LlmMessage[]): void {
    const last = states.at(-1) as { length: number; state: Sha256 };
    let text = "";
    for (const message of added) text += text === "" ? canonicalize(message) : "," + canonicalize(message);
    const isOnlyState = !wasCut && states.length > 1;
    const state = (isOnlyState ? last.state : last.state.copy()).update(from === 0 ? text : "," + text);
    if (isOnlyState) last.length = from + added.length;
    else states.push({ length: from + added.length, state });
  }

  return {
    messages,
    advance(keep, added) {
      if (keep < messages.length) shrink(keep);
      if (added.length > 0) {
        const own = Array.from(added, (message) => seal(message));
        grow(keep, own);
        for (const message of own) messages.push(message);
      }
      return (states.at(-1) as { state: Sha256 }).state.copy().update("]").digest();
    },
  };
}

/** The hash of a single prompt as 64 hex digits: `H(messages)` of docs/cassette-format.md. */
export function hashPrompt(messages: readonly LlmMessage[]): string {
  return createPromptChain().advance(0, messages);
}

/** Counts the equal leading messages, from `from` on, by identity or by canonical text. */
function countEqual(before: readonly LlmMessage[], now: readonly LlmMessage[], from: number): number {
  let count = from;
  const length = Math.min(before.length, now.length);
  // Messages of a chain are sealed.
  while (count < length && (before[count] === now[count] || isAlike(before[count], now[count]))) count++;
  return count;
}

function isAlike(before: LlmMessage | undefined, now: LlmMessage | undefined): boolean {
  if (before === undefined || now === undefined) return false;
  // Most differences are in the text, which is compared first.
  if (typeof now.content === "string" && now.content !== before.content) return false;
  return canonicalize(before) === canonicalize(seal(now));
}
