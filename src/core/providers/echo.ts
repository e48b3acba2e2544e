// The smallest provider: it repeats the user, for smoke runs and tests of the code around a provider.

import { textOf, type LlmMessage } from "../model/message.js";
import type { LlmProviderAdapter } from "../model/provider.js";
import { abortedError } from "../http/deadline.js";

/** Replies `received: <last user prompt>` to every turn, without usage and cost. Rejects only with `AgentError` `aborted`. */
export function echoProvider(): LlmProviderAdapter {
  return {
    name: "echo",
    async turn({ messages, signal }) {
      if (signal?.aborted === true) throw abortedError("echo", signal);
      const content = `received: ${lastPrompt(messages)}`;
      return { message: { role: "assistant", content }, finalAnswer: content, stopReason: "stop" };
    },
  };
}

function lastPrompt(messages: readonly LlmMessage[]): string {
  const last = messages.findLast((message) => message.role === "user");
  return last === undefined ? "" : textOf(last.content);
}
