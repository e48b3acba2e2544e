import { describe, expect, it } from "vitest";
import { createStreamDecoder } from "../../../src/core/providers/stream.js";
import { openAiStream } from "../../../src/core/vendors/openai/fold.js";
import { plainDecoding } from "../../../src/core/http/json-readers.js";
import { decodePieces, namedSse, sse, streamWires, type WireName } from "../../support/exchanges.js";
import { chunk, DONE, readStream } from "../../support/quirks.js";
import { agentErrorOf } from "../../support/wire.js";

const list = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index));
const choice = (index: number, content: string, finish_reason: unknown = null) => ({
  ...{ index, delta: { content } },
  finish_reason,
});

describe("choices of a streamed chat completion", () => {
  it("beyond the lowest are not kept, however many there are", () => {
    const notes: string[] = [];
    const fold = openAiStream.createFold({ ...plainDecoding, note: (what) => void notes.push(what) });
    fold.take({ choices: list(200_000, (index) => choice(index, "x", "stop")) });
    const body = fold.body();
    expect(body["choices"]).toHaveLength(2);
    expect(openAiStream.decode(body, { ...plainDecoding, note: (what) => void notes.push(what) }).finalAnswer).toBe(
      "x",
    );
    expect(notes).toEqual(["more than one choice"]);
  });

  it("give the one of the lowest index, whenever it begins", () => {
    const stream = sse({ choices: [choice(2, "c", "stop"), choice(1, "b", "stop")] }, { choices: [choice(2, "C")] });
    expect(readStream("openai", stream).finalAnswer).toBe("b");
    const later = sse(
      { choices: [choice(0, "a")] },
      { choices: [choice(1, "B")] },
      { choices: [choice(0, "A", "stop")] },
    );
    expect(readStream("openai", stream + later).finalAnswer).toBe("aA");
  });

  it("are whole when that one is", async () => {
    const stream = sse({ choices: [choice(0, "a"), choice(1, "b", "stop")] });
    expect((await agentErrorOf(() => readStream("openai", stream))).message).toContain(
      "ended before its answer was whole",
    );
  });

  it("fail for an error in any of them", async () => {
    const stream = sse({ choices: [choice(0, "a", "stop"), { index: 1, error: { code: 502, message: "down" } }] });
    expect(await agentErrorOf(() => readStream("openai", stream))).toMatchObject({ retryable: true });
  });
});

const call = (index: number) => ({ index, function: { name: "f", arguments: "{}" } });
const detail = (index: number) => ({ type: "reasoning.text", index, text: "t" });
const part = (index: number) => (index % 2 === 0 ? { type: "text", text: "t" } : { type: "refusal", refusal: "r" });
const start = { type: "message_start", message: { content: [] } };
const block = (index: number) => ({ type: "content_block_start", index, content_block: { type: "text", text: "t" } });
const stop = { type: "message_stop" };

describe("an answer of 10,000 items is read, and one more is refused", () => {
  it.each<[string, WireName, (count: number) => string]>([
    ["tool calls", "openai", (count) => sse(chunk({ tool_calls: list(count, call) }, "tool_calls"), DONE)],
    [
      "reasoning details",
      "openai",
      (count) => sse(chunk({ content: "", reasoning_details: list(count, detail) }, "stop"), DONE),
    ],
    ["content parts", "openai", (count) => sse(chunk({ content: list(count, part) }, "stop"), DONE)],
    ["content blocks", "anthropic", (count) => namedSse(start, ...list(count, block), stop)],
    [
      "tool calls",
      "ollama",
      (count) => `${JSON.stringify({ message: { tool_calls: list(count, call) }, done: true })}\n`,
    ],
  ])("%s of %s", async (what, wire, write) => {
    expect(decodePieces(streamWires[wire], [write(10_000)]).response.message.role).toBe("assistant");
    const error = await agentErrorOf(() => decodePieces(streamWires[wire], [write(10_001)]));
    expect(error).toMatchObject({ code: "provider-response", retryable: false });
    expect(error.message).toBe(`the vendor streamed more than 10000 ${what} in one answer`);
  });
});

it("a last event without its blank line may hold more deltas than a call has arguments", () => {
  const decoder = createStreamDecoder(openAiStream, plainDecoding);
  const event = { choices: list(200_000, () => choice(0, "x", "stop")) };
  decoder.feed(new TextEncoder().encode(`data: ${JSON.stringify(event)}`));
  const { deltas, response } = decoder.end();
  expect(deltas).toHaveLength(200_000);
  expect(response.finalAnswer).toHaveLength(200_000);
});
