import { describe, expect, it } from "vitest";
import { createPromptEstimate, estimateText, TOKENS_PER_IMAGE } from "../../../src/core/loop/estimate.js";
import type { AssistantMessage, LlmMessage } from "../../../src/core/model/message.js";
import type { LlmToolDefinition } from "../../../src/core/model/provider.js";
import { say } from "../../support/script.js";

const user = (content: string): LlmMessage => ({ role: "user", content });
const assistant = (part: Partial<AssistantMessage> = {}): LlmMessage => ({ role: "assistant", content: "", ...part });
const result = (content: string): LlmMessage => ({ role: "tool", toolCallId: "c", name: "", content });

describe("the text of a prompt", () => {
  it.each<[string, LlmMessage, number]>([
    ["a system message", { role: "system", content: "12345678" }, 2],
    ["a part of a token", user("12345"), 2],
    ["nothing", user(""), 0],
    ["parts of text", { role: "user", content: [{ type: "text", text: "1234" }] }, 1],
    ["a tool's answer with its name", { role: "tool", toolCallId: "x", name: "look", content: "1234" }, 2],
    ["calls by name and arguments", assistant({ toolCalls: [{ id: "x", name: "t", arguments: { a: 1 } }] }), 2],
    [
      "arguments that were no JSON",
      assistant({ toolCalls: [{ id: "x", name: "t", arguments: {}, malformedArguments: "{torn 7" }] }),
      2,
    ],
    [
      "thoughts, and none that are hidden",
      assistant({
        reasoning: [
          { type: "text", text: "1234" },
          { type: "redacted", data: "12345678" },
        ],
      }),
      1,
    ],
  ])("counts %s", (_name, message, tokens) => {
    expect(estimateText([message], 0, [])).toBe(tokens);
  });

  it("counts every image the same, as data and as a URL", () => {
    const content = [
      { type: "image", mediaType: "image/png", data: "A".repeat(9_000) } as const,
      { type: "image", url: "https://example.com/a.png" } as const,
    ];
    expect(estimateText([{ role: "user", content }], 0, [])).toBe(2 * TOKENS_PER_IMAGE);
  });

  it("counts a tool by its name, its description and its schema", () => {
    const tool: LlmToolDefinition = { name: "look", description: "Looks.", schema: { type: "object" } };
    expect(estimateText([], 0, [tool])).toBe(Math.ceil((4 + 6 + '{"type":"object"}'.length) / 4));
  });

  it("counts nothing for arguments that have no text", () => {
    const args = { toJSON: () => refuse() } as never;
    expect(estimateText([assistant({ toolCalls: [{ id: "x", name: "t234", arguments: args }] })], 0, [])).toBe(1);
  });
});

describe("the next prompt", () => {
  const used = (inputTokens: number, outputTokens: number, reasoningTokens?: number) =>
    say("x", { usage: { inputTokens, outputTokens, ...(reasoningTokens === undefined ? {} : { reasoningTokens }) } });
  const tools: LlmToolDefinition[] = [{ name: "1234", description: "", schema: {} }];
  const one = [user("12345678")];
  const two = [...one, assistant(), result("12345678")];

  it("of a conversation's first turn is its text and its tools", () => {
    expect(createPromptEstimate().tokens(one, tools)).toBe(4);
  });

  it("is what the last turn reported, without its thoughts, and the text that came since", () => {
    const estimate = createPromptEstimate();
    estimate.tokens(one, tools);
    estimate.learn(used(100, 20, 15));
    expect(estimate.tokens(two, tools)).toBe(107);
  });

  it("takes off no more thoughts than there was output", () => {
    const estimate = createPromptEstimate();
    estimate.tokens(one, tools);
    estimate.learn(used(100, 20, 500));
    expect(estimate.tokens(two, tools)).toBe(102);
  });

  it("goes back to the last turn that reported, where one did not", () => {
    const estimate = createPromptEstimate();
    estimate.tokens(one, tools);
    estimate.learn(used(100, 20));
    estimate.tokens(two, tools);
    estimate.learn(say("x"));
    expect(estimate.tokens([...two, assistant({ content: "1234" }), result("1234")], tools)).toBe(124);
  });

  it.each([undefined, { inputTokens: 0, outputTokens: 9 }, { inputTokens: NaN, outputTokens: 9 }])(
    "is not known of a provider that reported %j",
    (usage) => {
      const estimate = createPromptEstimate();
      estimate.tokens(one, tools);
      estimate.learn(say("x", usage === undefined ? {} : { usage }));
      expect(estimate.tokens(two, tools)).toBeUndefined();
      estimate.beginConversation();
      expect(estimate.tokens(one, tools)).toBeUndefined();
    },
  );

  it("is counted again in a further conversation, and in one that was cut back", () => {
    const estimate = createPromptEstimate();
    estimate.tokens(two, tools);
    estimate.learn(used(100, 20));
    expect(estimate.tokens(one, tools)).toBe(4);
    estimate.beginConversation();
    expect(estimate.tokens(two, tools)).toBe(6);
  });

  it("costs what an input token of the last priced turn did, an output token taken for five", () => {
    const estimate = createPromptEstimate();
    expect(estimate.costUsd(10)).toBeUndefined();
    estimate.learn({ ...used(50, 10), costUsd: 1 });
    expect(estimate.costUsd(10)).toBeCloseTo(0.1, 12);
    estimate.learn({ ...used(50, 10), costUsd: 2 });
    estimate.learn(used(50, 10));
    estimate.learn({ ...say("x"), costUsd: 9 });
    estimate.learn({ ...used(50, 10), costUsd: -1 });
    expect(estimate.costUsd(10)).toBeCloseTo(0.2, 12);
  });
});

function refuse(): never {
  throw new Error("no text");
}
