import { describe, expect, it } from "vitest";
import type { LlmMessage } from "../../../src/core/model/message.js";
import { encodeAlternating } from "../../../src/core/providers/alternating.js";

const encode = (messages: LlmMessage[]) =>
  encodeAlternating(messages, {
    user: (content) => content as string,
    assistant: (message, ids) => (message.toolCalls ?? []).map((call) => ({ call: ids.add(call.id) })),
    result: (message, id) => ({ id, text: message.content }),
  });

const calls = (...ids: string[]): LlmMessage => ({
  role: "assistant",
  content: "",
  toolCalls: ids.map((id) => ({ id, name: "t", arguments: {} })),
});
const result = (toolCallId: string): LlmMessage => ({
  role: "tool",
  toolCallId,
  name: "t",
  content: `of ${toolCallId}`,
});

describe("encodeAlternating", () => {
  it("puts results that follow each other into one message of the user", () => {
    expect(encode([{ role: "user", content: "hi" }, calls("a", "b"), result("a"), result("b")])).toEqual([
      { role: "user", content: "hi" },
      { role: "assistant", content: [{ call: "a" }, { call: "b" }] },
      {
        role: "user",
        content: [
          { id: "a", text: "of a" },
          { id: "b", text: "of b" },
        ],
      },
    ]);
  });

  it("starts another message for results after anything else", () => {
    const messages: LlmMessage[] = [calls("a"), result("a"), { role: "user", content: "and" }, calls("b"), result("b")];
    expect(encode(messages).map((message) => message["role"])).toEqual([
      "assistant",
      "user",
      "user",
      "assistant",
      "user",
    ]);
  });

  it("leaves out messages of the system and empty messages of the assistant", () => {
    expect(encode([{ role: "system", content: "s" }, calls(), { role: "user", content: "hi" }])).toEqual([
      { role: "user", content: "hi" },
    ]);
  });

  it("writes ids with the characters that the wire allows, each once, and refers results to the latest call", () => {
    expect(encode([calls("a b"), result("a b"), calls("a b", ""), result("a b"), result("unknown")])).toEqual([
      { role: "assistant", content: [{ call: "a_b" }] },
      { role: "user", content: [{ id: "a_b", text: "of a b" }] },
      { role: "assistant", content: [{ call: "a_b_2" }, { call: "call" }] },
      {
        role: "user",
        content: [
          { id: "a_b_2", text: "of a b" },
          { id: "unknown", text: "of unknown" },
        ],
      },
    ]);
  });
});
