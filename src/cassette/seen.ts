// The prompt before this one, by identity: what of a prompt is known already. A run sends its whole conversation each turn, so
// this is asked once a turn, and redaction, hashing and checks begin where it ends.

import { isSealed, type LlmMessage } from "../core/index.js";

export interface SeenPrompt {
  /** How many leading messages are, by identity, the sealed ones of the prompt that was taken last. */
  begin(messages: readonly unknown[]): number;
  /** Takes the prompt of `begin`, whose first `known` messages are as they were. Without it nothing is known next time. */
  take(messages: readonly LlmMessage[], known: number): void;
}

export function createSeenPrompt(): SeenPrompt {
  // In the place of a message that is not sealed stands nothing: it may have changed since.
  const seen: (LlmMessage | undefined)[] = [];
  let isTaken = false;
  return {
    begin(messages) {
      if (!isTaken) seen.length = 0;
      isTaken = false;
      const length = Math.min(seen.length, messages.length);
      let known = 0;
      while (known < length && seen[known] === messages[known] && seen[known] !== undefined) known++;
      return known;
    },
    take(messages, known) {
      seen.length = known;
      for (let index = known; index < messages.length; index++) {
        const message = messages[index] as LlmMessage;
        seen.push(isSealed(message) ? message : undefined);
      }
      isTaken = true;
    },
  };
}
