// Keeping one model's thoughts from another. Signed and encrypted reasoning means nothing to a provider that did not write
// it, and some refuse it. What stood in the history when the chain changed to another entry stays stripped from then on;
// what the new one thinks afterwards is its own and goes back to it.

import type { AssistantMessage, LlmMessage } from "../../model/message.js";

export interface ReasoningLatch {
  /** The messages as entry `speaker` may see them; the very list where nothing has to go. */
  view(speaker: number, messages: readonly LlmMessage[]): readonly LlmMessage[];
  /** Told who answered these messages. */
  settle(speaker: number, messages: readonly LlmMessage[]): void;
}

/** For one conversation at a time; one without an answer yet begins afresh. Reasoning of unknown origin is `first`'s. */
export function createReasoningLatch(first: number): ReasoningLatch {
  let last = first;
  /** So many messages from the start hold nothing that `last` thought. */
  let foreign = 0;
  const foreignTo = (speaker: number, messages: readonly LlmMessage[]) => {
    if (!messages.some(({ role }) => role === "assistant")) return 0;
    return speaker === last ? foreign : messages.length;
  };
  return {
    view: (speaker, messages) => strip(messages, foreignTo(speaker, messages)),
    settle(speaker, messages) {
      foreign = foreignTo(speaker, messages);
      last = speaker;
    },
  };
}

function strip(messages: readonly LlmMessage[], count: number): readonly LlmMessage[] {
  const hasReasoning = (message: LlmMessage, index: number): message is AssistantMessage =>
    index < count && message.role === "assistant" && message.reasoning !== undefined;
  if (!messages.some(hasReasoning)) return messages;
  return messages.map((message, index) => {
    if (!hasReasoning(message, index)) return message;
    const { reasoning, ...kept } = message;
    return kept;
  });
}
