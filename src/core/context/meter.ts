// Estimates the tokens of a conversation that grows. Each message is measured once, by its text alone: no clock and no figure of a
// vendor, so that a replay compacts where the recorded run did.

import { estimateText } from "../loop/estimate.js";
import type { LlmMessage } from "../model/message.js";

/** Estimated tokens of one message. */
export function tokensOf(message: LlmMessage): number {
  return estimateText([message], 0, []);
}

export interface ContextMeter {
  /** Estimated tokens of all measured messages. */
  readonly total: number;
  /** Estimated tokens of each message, in order. */
  readonly sizes: readonly number[];
  /** Measures the messages from `sizes.length` on, and returns the new total. */
  measure(messages: readonly LlmMessage[]): number;
  /** Replaces the first `count` messages by `replacement`, which is measured. */
  replace(count: number, replacement: readonly LlmMessage[]): void;
}

export function createContextMeter(): ContextMeter {
  let sizes: number[] = [];
  let total = 0;
  return {
    get total() {
      return total;
    },
    get sizes() {
      return sizes;
    },
    measure(messages) {
      for (let index = sizes.length; index < messages.length; index++) {
        const size = tokensOf(messages[index] as LlmMessage);
        sizes.push(size);
        total += size;
      }
      return total;
    },
    replace(count, replacement) {
      sizes = [...replacement.map(tokensOf), ...sizes.slice(count)];
      total = sizes.reduce((sum, size) => sum + size, 0);
    },
  };
}
