// The hash of each prompt of a growing conversation: the same value as `promptHash` in a cassette without a filter. The SHA-256 state
// over `[m0,m1,…` is kept and forked, so that a turn hashes only its new messages.

import { isSealed } from "../canon/copy.js";
import { createSha256, type Sha256 } from "../canon/digest.js";
import { canonicalize } from "../canon/json.js";
import type { LlmMessage } from "../model/message.js";

/** The hashed part of one conversation. Without `state` it holds a message that is not plain JSON. */
interface Hashed {
  length: number;
  state: Sha256 | undefined;
}

export interface PromptHashes {
  /** The hash of the first `length` messages of `conversation`, or null if one of them is not sealed. */
  of(conversation: readonly LlmMessage[], length: number): string | null;
}

/**
 * Remembers conversations by identity as long as they live. The prompts of one must come in order. A list that begins with the
 * messages of the last one, such as a later copy of a conversation, goes on from its state.
 */
export function createPromptHashes(): PromptHashes {
  const known = new WeakMap<readonly LlmMessage[], Hashed>();
  let last: { readonly conversation: readonly LlmMessage[]; readonly hashed: Hashed } | undefined;
  const begin = (conversation: readonly LlmMessage[], length: number): Hashed => {
    const from = last?.hashed.length ?? 0;
    const isSame = (index: number) => last?.conversation[index] === conversation[index];
    if (last === undefined || from > length || !Array.from({ length: from }, (_, index) => index).every(isSame))
      return { length: 0, state: createSha256().update("[") };
    return { length: from, state: last.hashed.state?.copy() };
  };
  return {
    of(conversation, length) {
      let hashed = known.get(conversation);
      if (hashed === undefined || hashed.length > length) {
        hashed = begin(conversation, length);
        known.set(conversation, hashed);
      }
      last = { conversation, hashed };
      for (; hashed.length < length; hashed.length++) {
        const message = conversation[hashed.length];
        // A message that is not sealed may have changed since it was sent.
        if (message === undefined || !isSealed(message)) hashed.state = undefined;
        else hashed.state?.update(hashed.length === 0 ? canonicalize(message) : `,${canonicalize(message)}`);
      }
      return hashed.state?.copy().update("]").digest() ?? null;
    },
  };
}
