// Keeps one model's reasoning from another. Signed and encrypted reasoning means nothing to another provider, and some refuse it.
// When the chain changes to another entry, the reasoning in the history until then stays stripped. The new entry gets its own back.

import type { AssistantMessage, LlmMessage } from "../../model/message.js";

export interface ReasoningLatch {
  /** The messages that entry `speaker` may see: the same list if nothing has to go. */
  view(speaker: number, messages: readonly LlmMessage[]): readonly LlmMessage[];
  /** To be called with the entry that answered these messages. */
  answered(speaker: number, messages: readonly LlmMessage[]): void;
}

/** For one conversation at a time. One without an answer starts over. Reasoning of unknown origin counts as `first`'s. */
export function createReasoningLatch(first: number): ReasoningLatch {
  let last = first;
  /** The number of messages from the start without reasoning of `last`. */
  let foreign = 0;
  const foreignTo = (speaker: number, messages: readonly LlmMessage[]) => {
    if (!messages.some(({ role }) => role === "assistant")) return 0;
    return speaker === last ? foreign : messages.length;
  };
  return {
    view: (speaker, messages) => strip(messages, foreignTo(speaker, messages)),
    answered(speaker, messages) {
      foreign = foreignTo(speaker, messages);
      last = speaker;
    },
  };
}

function strip(messages: readonly LlmMessage[], count: number): readonly LlmMessage[] {
  if (count === 0) return messages;
  const hasReasoning = (message: LlmMessage, index: number): message is AssistantMessage =>
    index < count && message.role === "assistant" && message.reasoning !== undefined;
  if (!messages.some(hasReasoning)) return messages;
  return messages.map((message, index) => {
    if (!hasReasoning(message, index)) return message;
    const { reasoning, ...kept } = message;
    return kept;
  });
}
