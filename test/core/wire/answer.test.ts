import { expect, it } from "vitest";
import { decodeOpenAi } from "../../../src/core/providers/openai-decode.js";
import { openAiStream } from "../../../src/core/providers/openai-fold.js";
import { readAnswer } from "../../../src/core/wire/answer.js";
import { sse } from "../../support/exchanges.js";
import { chunk, DONE } from "../../support/quirks.js";
import { agentErrorOf } from "../../support/wire.js";

const read = (text: string, isCut = false) =>
  readAnswer({ bytes: new TextEncoder().encode(text), isStream: true, isCut }, openAiStream, decodeOpenAi);

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
