// Laws of the conversion between our conversations and the items of the OpenAI Agents SDK.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AssistantMessage, LlmMessage } from "../../src/core/model/message.js";
import { readAssistant, writeAssistant } from "../../src/harness/adapters/openai-agents/assistant.js";
import { readInput, writeInput } from "../../src/harness/adapters/openai-agents/input.js";
import { json, jsonObject, text } from "../support/arbitraries.js";
import { conversation } from "../../src/harness/arbitraries/messages.js";

/** What the SDK has no words for. Two answers in a row would be one: a user stands between them here. */
function listedLosses(message: LlmMessage): LlmMessage[] {
  if (message.role === "system" && message.content === "") return [];
  // A result is not marked as an error there.
  if (message.role === "tool") {
    const { isError: _, ...rest } = message;
    return [rest];
  }
  if (message.role !== "assistant") return [message];
  const { content, toolCalls, reasoning } = message;
  const isEmpty = content === "" && toolCalls === undefined && reasoning === undefined;
  return isEmpty ? [] : [message];
}

describe("a conversation of ours", () => {
  it("comes back from the items of an input", () => {
    fc.assert(
      fc.property(conversation(), (messages) => {
        const { instructions, input } = writeInput(messages);
        const [first, ...rest] = messages;
        // An empty instruction does not count; another empty system message stays one.
        const expected = [...(first === undefined ? [] : listedLosses(first)), ...rest.flatMap(keep)];
        expect(readInput(instructions, input)).toEqual(expected);
      }),
    );
  });
});

function keep(message: LlmMessage): LlmMessage[] {
  return message.role === "system" ? [message] : listedLosses(message);
}

const told = fc.record(
  { id: text, status: fc.constantFrom("completed", "incomplete"), providerData: jsonObject },
  { requiredKeys: [] },
);
const item = fc.oneof(
  fc.tuple(told, fc.array(text, { maxLength: 2 })).map(([more, texts]) => ({
    ...more,
    type: "message",
    role: "assistant",
    content: texts.map((said) => ({ type: "output_text", text: said })),
  })),
  fc.tuple(told, text, jsonObject).map(([more, name, given]) => ({
    ...more,
    type: "function_call",
    callId: "c",
    name,
    arguments: JSON.stringify(given),
  })),
  fc.tuple(told, text).map(([more, said]) => ({
    ...more,
    type: "reasoning",
    content: [{ type: "input_text", text: said }],
  })),
  fc.tuple(told, json).map(([more, output]) => ({ ...more, type: "hosted_tool_call", name: "search", output })),
);

describe("an answer of the SDK", () => {
  it("comes back item by item, in its order, also from a file", () => {
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 5 }), (items) => {
        const clean = JSON.parse(JSON.stringify(items)) as Record<string, unknown>[];
        const message = readAssistant(clean);
        expect(writeAssistant(message)).toEqual(clean);
        expect(writeAssistant(JSON.parse(JSON.stringify(message)) as AssistantMessage)).toEqual(clean);
      }),
    );
  });

  it("follows its message where that was changed by hand", () => {
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 5 }), text, (items, content) => {
        const changed = { ...readAssistant(items), content };
        expect(readAssistant(writeAssistant(changed)).content).toBe(content);
      }),
    );
  });
});
