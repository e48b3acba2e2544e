import { describe, expect, it } from "vitest";
import { detectFormat } from "../../../../src/cassette/import/record/detect.js";

const user = { role: "user", content: "hi" };
const toolUse = { role: "assistant", content: [{ type: "tool_use", id: "1", name: "a", input: {} }] };
const toolCall = { role: "assistant", content: [{ type: "tool-call", toolCallId: "1", toolName: "a", input: {} }] };

describe("a record's format", () => {
  it.each([
    ["openai-messages", [user]],
    ["openai-messages", { model: "m", messages: [user] }],
    ["openai-messages", { messages: [] }],
    ["openai-messages", { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "u" } }] }] }],
    ["openai-messages", { messages: [user], tools: [{ type: "function", function: { name: "a", parameters: {} } }] }],
    ["openai-messages", { messages: [user], system: null }],
    ["openai-messages", { format: "openai-messages", messages: [toolUse] }],
    ["anthropic-messages", [user, toolUse]],
    ["anthropic-messages", { messages: [{ role: "user", content: [{ type: "image", source: {} }] }] }],
    ["anthropic-messages", { messages: [user], system: "be kind" }],
    ["anthropic-messages", { messages: [user], tools: [{ name: "a", input_schema: {} }] }],
    ["anthropic-messages", { format: "anthropic-messages", messages: [user] }],
    ["ai-sdk-messages", [user, toolCall]],
    ["ai-sdk-messages", { messages: [user], tools: [{ type: "function", name: "a", inputSchema: {} }] }],
    ["ai-sdk-messages", { messages: [{ role: "user", content: [{ type: "image", image: "A", mediaType: "a/b" }] }] }],
    [
      "ai-sdk-messages",
      { messages: [{ role: "tool", content: [{ type: "tool-result", toolCallId: "1" }] }], system: "s" },
    ],
    ["agentdojo", { suite_name: "s", user_task_id: "u", messages: [] }],
    ["agentdojo", { model: "m", data: { suite_name: "s", user_task_id: "u", messages: [] } }],
    ["inspect", { version: 2, status: "success", eval: { task: "t", model: "m" }, samples: [] }],
    ["otlp", { resourceSpans: [] }],
    ["otel-spans", { name: "a", spanContext: { traceId: "t", spanId: "s" }, attributes: {} }],
    ["langfuse", { trace: {}, observations: [] }],
    ["tau-bench", { task_id: 0, reward: 1, info: {}, traj: [], trial: 0 }],
  ])("is %s", (format, record) => {
    expect(detectFormat(record)).toEqual({ kind: "known", format });
  });

  it.each([
    [null, "null"],
    [7, "a number"],
    [[], "an empty list"],
    [[1], "a list of something other than messages"],
    [{}, "an empty object"],
    [{ simulations: [], info: 1 }, 'an object with "simulations", "info"'],
    [
      { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1, i: 1 },
      'an object with "a", "b", "c", "d", "e", "f", "g", "h", …',
    ],
    [{ messages: "none" }, 'an object with "messages"'],
    [{ traj: [] }, 'an object with "traj"'],
  ])("of %j is unknown, and it says what it saw", (record, saw) => {
    expect(detectFormat(record)).toEqual({ kind: "unknown", saw });
  });
});
