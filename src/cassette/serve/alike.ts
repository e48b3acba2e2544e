// Is a prompt that came over a vendor's wire a recorded one? Wires lose fields (the name on a tool result, thoughts) and
// clients rename calls, so both sides are compared as the wire leaves them, with ids by their order. See docs/serve.md.

import { sha256Hex, canonicalize, type LlmMessage, type UserMessage } from "../../core/index.js";

/** One digest a message; two prompts are alike exactly when these lists are equal. */
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

/** Many clients send a text as a list with that text in it. */
function neutralContent(content: UserMessage["content"]): UserMessage["content"] {
  const only = typeof content === "string" || content.length !== 1 ? undefined : content[0];
  return only?.type === "text" ? only.text : content;
}

/** How many leading digests are the same. */
export function countAlike(a: readonly string[], b: readonly string[]): number {
  const parting = a.findIndex((digest, index) => digest !== b[index]);
  return parting < 0 ? a.length : parting;
}
