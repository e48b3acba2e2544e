import { expect, it } from "vitest";
import { openAiStream } from "../../../src/core/vendors/openai/fold.js";
import { readAnswer } from "../../../src/core/vendors/answer.js";
import { VENDORS } from "../../../src/core/vendors/vendors.js";
import { sse } from "../../support/exchanges.js";
import { chunk, DONE } from "../../support/quirks.js";
import { agentErrorOf } from "../../support/wire.js";

const read = (text: string, isCut = false) =>
  readAnswer({ bytes: new TextEncoder().encode(text), isStream: true, isCut }, openAiStream);

it("reads a stream of millions of lines that begins with a CR, in one pass", () => {
  const stream = `:\r${":\n".repeat(2_000_000)}${sse(chunk({ content: "hi" }, "stop"), DONE)}`;
  expect(read(stream)).toMatchObject({ finalAnswer: "hi" });
});

it("reads characters that its own slices cut", () => {
  const content = "é😀".repeat(50_000);
  expect(read(sse(chunk({ content }, "stop"), DONE)).finalAnswer).toBe(content);
});

it("reads nothing after the end of a stream, and takes a cut behind it for none", async () => {
  const whole = sse(chunk({ content: "hi" }, "stop"), DONE);
  expect(read(whole + "data: {", true)).toMatchObject({ finalAnswer: "hi" });
  expect(await agentErrorOf(() => read(sse(chunk({ content: "hi" }, "stop")), true))).toMatchObject({
    code: "provider-response",
  });
});

it.each([
  ["anthropic", '{"content":[{"type":"tool_use","id":"t","name":"f","input":{"id":1234567890123456789}}]}'],
  [
    "ollama",
    '{"message":{"tool_calls":[{"function":{"name":"f","arguments":{"id":1234567890123456789}}}]},"done":true}',
  ],
] as const)("a call over %s with a number that would be rounded is refused", (wire, text) => {
  const bytes = new TextEncoder().encode(text);
  expect(() => VENDORS[wire].read({ bytes, isStream: false, isCut: false })).toThrow("1234567890123456789");
});

it("a call over OpenAI keeps such a number in its text, which is served as it was", () => {
  const written = '{"id":1234567890123456789}';
  const message = { tool_calls: [{ id: "k", type: "function", function: { name: "f", arguments: written } }] };
  const bytes = new TextEncoder().encode(JSON.stringify({ choices: [{ message }] }));
  const response = VENDORS.openai.read({ bytes, isStream: false, isCut: false });
  const served = VENDORS.openai.write(response, { id: "x", createdAt: 0, model: "m" });
  expect(served).toMatchObject({ choices: [{ message: { tool_calls: [{ function: { arguments: written } }] } }] });
});

it.each([
  [
    "anthropic",
    '{"content":[{"type":"compaction","content":"s"},{"type":"text","text":"a"}]}',
    'a block of type "compaction"',
  ],
  [
    "anthropic",
    '{"content":[{"type":"odd"},{"type":"text","text":"a","citations":[{}]}],"stop_reason":"new"}',
    'a block of type "odd", the stop reason "new"',
  ],
  ["openai", '{"choices":[{"message":{"content":"a","images":[{}]}}]}', "images"],
  ["ollama", '{"message":{"content":"a","images":["AAAA"]},"done":true}', "images"],
] as const)("what a response of %s has no place for is named", (wire, text, what) => {
  const notes: string[] = [];
  const bytes = new TextEncoder().encode(text);
  VENDORS[wire].read({ bytes, isStream: false, isCut: false }, undefined, (note) => notes.push(note));
  expect(notes.join(", ")).toBe(what);
});
