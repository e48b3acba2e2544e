// The prompt before this one, by identity: what of a prompt is known already. A run sends its whole conversation each turn, so
// this is asked once a turn, and redaction, hashing and checks begin where it ends.

import { isSealed } from "../../core/index.js";

/** A prompt, each message of which was read once: a list of a caller's own kind may give another one the next time. */
export interface ReadPrompt {
  /** Good until the next prompt. It ends with the first item that is no object. */
  readonly list: readonly unknown[];
  /** How many leading messages are, by identity, the sealed ones of the prompt that was taken last. */
  readonly known: number;
}

export interface SeenPrompt {
  begin(messages: readonly unknown[]): ReadPrompt;
  /** Takes the prompt that was begun. Without it nothing is known next time. */
  take(): void;
}

export function createSeenPrompt(): SeenPrompt {
  const list: unknown[] = [];
  let known = 0;
  /** Leading messages that are sealed, and of a prompt that was taken. Any other may have changed since. */
  let trusted = 0;
  return {
    begin(messages) {
      const { length } = messages;
      const most = Math.min(trusted, length);
      known = 0;
      trusted = 0;
      while (known < most && list[known] === messages[known]) known++;
      list.length = known;
      for (let index = known; index < length; index++) {
        const message = messages[index];
        list.push(message);
        if (typeof message !== "object" || message === null) break;
      }
      return { list, known };
    },
    take() {
      trusted = known;
      while (trusted < list.length && isSealed(list[trusted] as object)) trusted++;
    },
  };
}
