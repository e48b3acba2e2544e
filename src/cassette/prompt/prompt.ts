// The prompts of a run as they follow one another: the hash of each, and what it adds to the one before. A conversation is
// append-only, so the SHA-256 state over `[m0,m1,…` is kept and forked each turn; only a change inside the prefix hashes
// again, from the last state that still holds. A message is recognised by identity only if it is sealed; every other one is
// canonicalised again, because it may have been changed in place since.

import { canonicalize, copyJson, createSha256, seal, type LlmMessage, type Sha256 } from "../../core/index.js";
import { assertFiltered } from "./request.js";

/** A user's rewriting of volatile text before it is hashed and stored. The same function goes to recorder and replayer. */
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
   * Takes the next prompt of the run, whose first `known` messages are the very ones of the last that was taken (default 0: they
   * are compared). Or leaves the one before in place and throws: `NotJsonError` for a message that is not
   * plain JSON, `CassetteError` `invalid-options` for a filter that returned no messages, or what `check` throws.
   */
  next(messages: readonly LlmMessage[], known?: number): PromptStep;
  /** The current prompt's messages from index `from` on, filtered and sealed. */
  since(from: number): LlmMessage[];
}

/**
 * A tracker for one run; `filter` rewrites every prompt before it is compared, hashed or kept. `check` sees each message that
 * the prompt before did not have, and its place.
 */
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
      // By index: a caller's own kind of list may have a `slice` of its own.
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

function applyFilter(filter: HashFilter, messages: readonly LlmMessage[]): readonly LlmMessage[] {
  const result: unknown = filter(copyJson(Array.from(messages)));
  assertFiltered(result);
  return result;
}

export interface PromptChain {
  readonly messages: readonly LlmMessage[];
  /** Keeps the first `keep` messages, appends `added`, and gives the hash of the result. */
  advance(keep: number, added: readonly LlmMessage[]): string;
}

/** A prompt that grows, shrinks to a prefix and grows again, with the hash of each state. */
export function createPromptChain(): PromptChain {
  const messages: LlmMessage[] = [];
  // States over a prefix of `length` messages, shortest first; the first is the empty list. While the prompt has only ever
  // grown, the first and the last are all there is.
  const states: { length: number; state: Sha256 }[] = [{ length: 0, state: createSha256().update("[") }];

  let wasCut = false;

  function shrink(keep: number): void {
    wasCut = true;
    messages.length = keep;
    while ((states.at(-1)?.length ?? 0) > keep) states.pop();
    // Once a prefix was cut, states are kept at every message, so that a hostile order of cuts cannot hash it over and over.
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

/** The hash of a prompt that follows none, as 64 hex digits: `H(messages)` of docs/cassette-format.md. */
export function hashPrompt(messages: readonly LlmMessage[]): string {
  return createPromptChain().advance(0, messages);
}

/** How many leading messages are the same, of which `from` are known to be: by identity where sealed, else by canonical text. */
function countEqual(before: readonly LlmMessage[], now: readonly LlmMessage[], from: number): number {
  let count = from;
  const length = Math.min(before.length, now.length);
  // What a chain has is sealed.
  while (count < length && (before[count] === now[count] || isAlike(before[count], now[count]))) count++;
  return count;
}

function isAlike(before: LlmMessage | undefined, now: LlmMessage | undefined): boolean {
  if (before === undefined || now === undefined) return false;
  // Most that differ differ in their text, which is seen without writing them out.
  if (typeof now.content === "string" && now.content !== before.content) return false;
  return canonicalize(before) === canonicalize(seal(now));
}
