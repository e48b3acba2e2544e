// Messages as clients send them over a vendor's wire: some rename calls, and some send a text as a list.

import { sha256Hex, canonicalize, type LlmMessage, type UserMessage } from "../../core/index.js";

/** One digest per message. Two prompts are alike exactly if these lists are equal. */
export function digestAlike(messages: readonly LlmMessage[]): string[] {
  const latest = new Map<string, string>();
  let count = 0;
  return messages.map((message) => sha256Hex(canonicalize(neutral(message))));

  function neutral(message: LlmMessage): LlmMessage {
    switch (message.role) {
      case "system":
        return message;
      case "user":
        return { ...message, content: neutralContent(message.content) };
      case "assistant": {
        const toolCalls = (message.toolCalls ?? []).map((call) => {
          const id = `call ${count++}`;
          latest.set(call.id, id);
          return { ...call, id };
        });
        return toolCalls.length === 0 ? message : { ...message, toolCalls };
      }
      case "tool":
        return { ...message, toolCallId: latest.get(message.toolCallId) ?? message.toolCallId };
    }
  }
}

/** Many clients send a text as a list of one text. */
function neutralContent(content: UserMessage["content"]): UserMessage["content"] {
  const only = typeof content === "string" || content.length !== 1 ? undefined : content[0];
  return only?.type === "text" ? only.text : content;
}
