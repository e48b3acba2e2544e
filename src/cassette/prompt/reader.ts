// The prompts of a run as a recorder or a replay reads them. A run sends its whole conversation each turn, so the last prompt is
// remembered: as it was handed over, without its secrets, and as it was hashed. Checks, redaction and hashing begin where the
// part that is known by identity ends.

import { isSealed, type LlmMessage } from "../../core/index.js";
import { keepMessages, type Redactor } from "../redact/redactor.js";
import { createPromptTracker, type HashFilter, type PromptStep } from "./prompt-delta.js";
import { assertMessages } from "./request.js";

export interface PromptReader {
  /** Reads a prompt, each message once: a list of the caller's own kind may give another one the next time. Throws `invalid-options`. */
  begin(messages: readonly unknown[]): void;
  /** Hashes the prompt that was begun. If it throws, nothing is known of the next one. Called twice, it scrubs and hashes again. */
  next(): PromptStep;
  /** The messages of the last prompt from index `from` on, scrubbed, filtered and sealed. */
  readonly since: (from: number) => LlmMessage[];
}

interface PromptReaderOptions {
  readonly scrub?: Redactor["messages"];
  readonly filter?: HashFilter;
  readonly check?: (message: LlmMessage, index: number) => void;
}

export function createPromptReader({ scrub = keepMessages, filter, check }: PromptReaderOptions = {}): PromptReader {
  const tracker = createPromptTracker(filter, check);
  const given: unknown[] = [];
  let clean: LlmMessage[] = [];
  /** Leading messages that are, by identity, those of the prompt before. */
  let known = 0;
  /** Leading messages of the last prompt that are sealed. Any other may have changed since. */
  let trusted = 0;

  return {
    begin(messages) {
      const { length } = messages;
      known = countSame(given, messages, Math.min(trusted, length));
      trusted = 0;
      given.length = known;
      for (let index = known; index < length; index++) {
        const message = messages[index];
        given.push(message);
        if (typeof message !== "object" || message === null) break;
      }
      assertMessages(given, known);
    },
    next() {
      clean.length = Math.min(clean.length, known);
      const scrubbed = scrub(given as LlmMessage[], clean);
      const step = tracker.next(scrubbed, scrubbed === clean ? known : 0);
      clean = scrubbed;
      trusted = known;
      while (trusted < given.length && isSealed(given[trusted] as object)) trusted++;
      return step;
    },
    since: (from) => tracker.since(from),
  };
}

/**
 * Counts the leading items that are the same, of at most `most`. With thousands of messages, this loop is half of a turn. A variable of
 * the closure would be stored at each step, and `===` would read every message from memory.
 */
function countSame(before: readonly unknown[], now: readonly unknown[], most: number): number {
  let count = 0;
  while (count < most && Object.is(before[count], now[count])) count++;
  return count;
}
