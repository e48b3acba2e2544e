import { describe, expect, it } from "vitest";
import { importOne, readConversation, repairsOf } from "../verify.js";

const call = { type: "tool-call", toolCallId: "c1", toolName: "look", input: { at: "it" } };
const result = (output: unknown) => ({ type: "tool-result", toolCallId: "c1", toolName: "look", output });
const run = (output: unknown) => [
  { role: "system", content: "Be brief." },
  { role: "user", content: [{ type: "text", text: "What is it?" }] },
  { role: "assistant", content: [{ type: "reasoning", text: "hm" }, { type: "text", text: "I look." }, call] },
  { role: "tool", content: [result(output)] },
  { role: "assistant", content: "Seen." },
];

describe("messages of the AI SDK", () => {
  it("are recognised, and read without a repair", () => {
    const { cassette } = importOne({ model: "m", messages: run({ type: "text", value: "a tower" }) });
    expect(cassette.entries).toHaveLength(2);
    expect(repairsOf({ messages: run({ type: "text", value: "a tower" }) })).toEqual({});
    expect(readConversation(run({ type: "text", value: "a tower" }))).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "What is it?" },
      {
        role: "assistant",
        content: "I look.",
        toolCalls: [{ id: "c1", name: "look", arguments: { at: "it" } }],
        reasoning: [{ type: "text", text: "hm" }],
      },
      { role: "tool", toolCallId: "c1", name: "look", content: "a tower" },
      { role: "assistant", content: "Seen." },
    ]);
  });

  it.each([
    [{ type: "json", value: { b: 1, a: [2] } }, '{"a":[2],"b":1}', undefined],
    [{ type: "error-text", value: "gone" }, "gone", true],
    [{ type: "error-json", value: 7 }, "7", true],
    [{ type: "execution-denied", reason: "no" }, "no", true],
    [{ type: "content", value: [{ type: "text", text: "one" }] }, "one", undefined],
    [{ type: "later", value: 1 }, '{"type":"later","value":1}', undefined],
  ])("have the output %j", (output, content, isError) => {
    expect(readConversation(run(output))[3]).toEqual({
      role: "tool",
      toolCallId: "c1",
      name: "look",
      content,
      ...(isError === undefined ? {} : { isError }),
    });
  });

  it("may have images, results within an answer, and the words of version 4", () => {
    const image = { type: "image", image: "QUJD", mediaType: "image/png" };
    const file = { type: "file", data: "https://example.com/a.png", mediaType: "image/png" };
    const old = { type: "tool-call", toolCallId: "c2", toolName: "look", args: { at: "her" } };
    const answered = { type: "tool-result", toolCallId: "c2", toolName: "look", result: { ok: true } };
    const log = [
      { role: "user", content: [image, file] },
      { role: "assistant", content: [old, answered, { type: "text", text: "Both." }] },
    ];
    expect(readConversation(log)).toEqual([
      {
        role: "user",
        content: [
          { type: "image", mediaType: "image/png", data: "QUJD" },
          { type: "image", url: "https://example.com/a.png" },
        ],
      },
      { role: "assistant", content: "Both.", toolCalls: [{ id: "c2", name: "look", arguments: { at: "her" } }] },
      { role: "tool", toolCallId: "c2", name: "look", content: '{"ok":true}' },
    ]);
    expect(repairsOf(log)).toEqual({ "text-order-lost": 1 });
  });

  it("are kept whole where they have no place in ours", () => {
    const file = { type: "file", data: "QUJD", mediaType: "application/pdf" };
    const log = [
      { role: "user", content: [file] },
      { role: "assistant", content: "Read.", name: "x" },
    ];
    expect(readConversation(log)[0]).toEqual({
      role: "user",
      content: '{"data":"QUJD","mediaType":"application/pdf","type":"file"}',
    });
    expect(repairsOf(log)).toEqual({ "part-unsupported": 1, "field-dropped": 1 });
  });
});
