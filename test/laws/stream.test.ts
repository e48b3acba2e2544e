import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LlmTurnResponse } from "../../src/core/model/provider.js";
import { plainDecoding } from "../../src/core/http/json-readers.js";
import {
  decodePieces,
  namedSse,
  recordedStreams,
  sse,
  streamWires,
  textOfDeltas,
  type Decoded,
  type RecordedStream,
  type WireName,
} from "../support/exchanges.js";
import { hasShared } from "../support/shared.js";

/** `bytes` cut at the given places, whatever they fall into. */
function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  let start = 0;
  return ends.map((end) => bytes.subarray(start, (start = end)));
}

/** What decoding comes to; an error is one, too. */
function outcomeOf(wire: WireName, pieces: Iterable<Uint8Array>): Decoded | string {
  try {
    return decodePieces(streamWires[wire], pieces);
  } catch (error) {
    return String(error);
  }
}

const places = fc.array(fc.nat(), { maxLength: 40 });
const encoder = new TextEncoder();

describe.skipIf(!hasShared)("any recorded stream", () => {
  const streams: RecordedStream[] = hasShared ? recordedStreams() : [];

  it("gives the same deltas and the same response wherever its bytes are cut", () => {
    fc.assert(
      fc.property(fc.constantFrom(...streams), places, ({ wire, bytes }, cuts) => {
        expect(outcomeOf(wire, cutAt(bytes, cuts))).toEqual(outcomeOf(wire, [bytes]));
      }),
      { numRuns: 300 },
    );
  });

  it("gives the same byte by byte", () => {
    const short = streams.filter(
      ({ bytes }) => bytes.length < 6000 || (bytes.length < 40_000 && bytes.some((byte) => byte > 0x7f)),
    );
    expect(short.length).toBeGreaterThan(150);
    for (const { id, wire, bytes } of short) {
      const single = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
      expect(outcomeOf(wire, single), id).toEqual(outcomeOf(wire, [bytes]));
    }
  });

  it("cut short anywhere is a response or a typed error, and never another answer's tool call", () => {
    fc.assert(
      fc.property(fc.constantFrom(...streams), fc.double({ min: 0, max: 1, noNaN: true }), ({ wire, bytes }, part) => {
        const cut = outcomeOf(wire, [bytes.subarray(0, Math.floor(bytes.length * part))]);
        const whole = outcomeOf(wire, [bytes]);
        if (typeof cut === "string") expect(cut).toMatch(/^AgentError/);
        else if (typeof whole !== "string") {
          const { toolCalls = [] } = cut.response.message;
          expect(toolCalls).toEqual((whole.response.message.toolCalls ?? []).slice(0, toolCalls.length));
        }
      }),
      { numRuns: 300 },
    );
  });
});

/** An answer before it is put on a wire, and the places where its texts are cut into deltas. */
interface Answer {
  content: string;
  thought: string;
  calls: { name: string; args: Record<string, string> }[];
  length: number;
}

const word = fc.string({ unit: "grapheme", maxLength: 12 });
const answer: fc.Arbitrary<Answer> = fc.record({
  content: word,
  thought: word,
  calls: fc.array(
    fc.record({ name: fc.stringMatching(/^[a-z]{1,8}$/), args: fc.dictionary(word, word, { maxKeys: 3 }) }),
    {
      maxLength: 3,
    },
  ),
  length: fc.integer({ min: 1, max: 5 }),
});

/** In code units, so that surrogate pairs are cut, too. */
function slices(text: string, length: number): string[] {
  return Array.from({ length: Math.ceil(text.length / length) }, (_, index) =>
    text.slice(index * length, (index + 1) * length),
  );
}

interface Written {
  streamed: string;
  whole: object;
}

function writeOpenAi({ content, thought, calls, length }: Answer): Written {
  const chunk = (delta: object) => ({ model: "m", choices: [{ index: 0, delta, finish_reason: null }] });
  const finish_reason = calls.length > 0 ? "tool_calls" : "stop";
  const usage = { prompt_tokens: 3, completion_tokens: 5 };
  const tool_calls = calls.map(({ name, args }, index) => ({
    index,
    id: `call_${index}`,
    function: { name, arguments: JSON.stringify(args) },
  }));
  const callDeltas = tool_calls.flatMap(({ index, id, function: { name, arguments: text } }) => [
    { index, id, function: { name, arguments: "" } },
    ...slices(text, length).map((piece) => ({ index, function: { arguments: piece } })),
  ]);
  const message = { role: "assistant", content, reasoning_content: thought, tool_calls };
  return {
    streamed: sse(
      chunk({ role: "assistant", content: "" }),
      ...slices(thought, length).map((reasoning_content) => chunk({ reasoning_content })),
      ...slices(content, length).map((piece) => chunk({ content: piece })),
      ...callDeltas.map((delta) => chunk({ tool_calls: [delta] })),
      { model: "m", choices: [{ index: 0, delta: {}, finish_reason }] },
      { model: "m", choices: [], usage },
      "[DONE]",
    ),
    whole: { model: "m", choices: [{ index: 0, message, finish_reason }], usage },
  };
}

function writeAnthropic({ content, thought, calls, length }: Answer): Written {
  const blocks = [
    ...(thought === "" ? [] : [{ type: "thinking", thinking: thought, signature: "c2ln" }]),
    ...(content === "" ? [] : [{ type: "text", text: content }]),
    ...calls.map(({ name, args }, index) => ({ type: "tool_use", id: `call_${index}`, name, input: args })),
  ];
  const stop_reason = calls.length > 0 ? "tool_use" : "end_turn";
  const started = { input_tokens: 3, output_tokens: 1 };
  const delta = (index: number, fields: object) => ({ type: "content_block_delta", index, delta: fields });
  const events = blocks.flatMap((block, index) => {
    const begin = (content_block: object) => ({ type: "content_block_start", index, content_block });
    const end = { type: "content_block_stop", index };
    if ("thinking" in block) {
      const pieces = slices(block.thinking, length).map((thinking) =>
        delta(index, { type: "thinking_delta", thinking }),
      );
      const signature = delta(index, { type: "signature_delta", signature: block.signature });
      return [begin({ type: "thinking", thinking: "", signature: "" }), ...pieces, signature, end];
    }
    if ("text" in block) {
      const pieces = slices(block.text, length).map((text) => delta(index, { type: "text_delta", text }));
      return [begin({ type: "text", text: "" }), { type: "ping" }, ...pieces, end];
    }
    const text = Object.keys(block.input).length === 0 ? "" : JSON.stringify(block.input);
    const pieces = slices(text, length).map((partial_json) => delta(index, { type: "input_json_delta", partial_json }));
    return [begin({ ...block, input: {} }), ...pieces, end];
  });
  const usage = { input_tokens: 3, output_tokens: 5 };
  return {
    streamed: namedSse(
      { type: "message_start", message: { model: "m", content: [], stop_reason: null, usage: started } } as {
        type: string;
      },
      ...events,
      { type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 5 } } as { type: string },
      { type: "message_stop" },
    ),
    whole: { type: "message", model: "m", content: blocks, stop_reason, usage },
  };
}

function writeOllama({ content, thought, calls, length }: Answer): Written {
  const tool_calls = calls.map(({ name, args }, index) => ({
    id: `call_${index}`,
    function: { name, arguments: args },
  }));
  const line = (message: object) => ({
    model: "m",
    message: { role: "assistant", content: "", ...message },
    done: false,
  });
  const end = { model: "m", done: true, done_reason: "stop", prompt_eval_count: 3, eval_count: 5 };
  const lines = [
    ...slices(thought, length).map((thinking) => line({ thinking })),
    ...slices(content, length).map((piece) => line({ content: piece })),
    ...tool_calls.map((call) => line({ tool_calls: [call] })),
    { ...end, message: { role: "assistant", content: "" } },
  ];
  return {
    streamed: lines.map((item) => `${JSON.stringify(item)}\n`).join(""),
    whole: { ...end, message: { role: "assistant", content, thinking: thought, tool_calls } },
  };
}

/** Written by hand, apart from the writers of the product. */
const writers: Partial<Record<WireName, (answer: Answer) => Written>> = {
  openai: writeOpenAi,
  anthropic: writeAnthropic,
  ollama: writeOllama,
};

describe.each(Object.entries(writers) as [WireName, (answer: Answer) => Written][])("any %s answer", (name, write) => {
  it("PLK-31 is the same response streamed or not, whatever its deltas and wherever its bytes are cut", () => {
    fc.assert(
      fc.property(answer, places, (said, cuts) => {
        const { streamed, whole } = write(said);
        const expected: LlmTurnResponse = streamWires[name].decode(whole, plainDecoding);
        const { deltas, response } = decodePieces(streamWires[name], cutAt(encoder.encode(streamed), cuts));
        expect(response).toStrictEqual(expected);
        expect(textOfDeltas(deltas, "text-delta")).toBe(said.content);
        expect(textOfDeltas(deltas, "reasoning-delta")).toBe(said.thought);
      }),
    );
  });

  it("is read the same where the vendor does not stream although it was asked to", () => {
    fc.assert(
      fc.property(answer, places, (said, cuts) => {
        const { whole } = write(said);
        const expected: LlmTurnResponse = streamWires[name].decode(whole, plainDecoding);
        const bytes = encoder.encode(`\n ${JSON.stringify(whole)}`);
        expect(decodePieces(streamWires[name], cutAt(bytes, cuts)).response).toStrictEqual(expected);
      }),
    );
  });
});
