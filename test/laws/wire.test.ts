// Laws of the serving side of the wires: reading a request is the inverse of writing it, and so it is with answers, whole
// and streamed. What a wire cannot carry is left out of the arbitraries, and each such loss has a test of its own.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ContentPart, LlmMessage, LlmToolCall, Reasoning } from "../../src/core/model/message.js";
import type { LlmSettings, LlmTurnRequest, LlmTurnResponse } from "../../src/core/model/provider.js";
import type { Usage } from "../../src/core/model/usage.js";
import { defined } from "../../src/core/defined.js";
import type { Wire } from "../../src/core/vendors/vendor.js";
import { WIRE_NAMES, type WireName } from "../../src/core/vendors/table.js";
import { throughWire } from "../../src/core/vendors/through-wire.js";
import { VENDORS } from "../../src/core/vendors/vendors.js";
import { toPieces } from "../../src/core/wire/pieces.js";
import { jsonObject, text } from "../support/arbitraries.js";
import { bodyBytes } from "../support/wire.js";

/** Fields that may be undefined. */
type Loose<T> = { [K in keyof T]: T[K] | undefined };

const names = WIRE_NAMES;
const said = text.filter((value) => value !== "");
const word = fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/);
const base64 = fc.base64String({ maxLength: 16 }).map((data) => `iVBORw0KGgo${data}`);

const textPart: fc.Arbitrary<ContentPart> = fc.record({ type: fc.constant("text" as const), text: said });
const inlineImage: fc.Arbitrary<ContentPart> = fc.record({
  type: fc.constant("image" as const),
  mediaType: fc.constant("image/png"),
  data: base64,
});
const linkedImage: fc.Arbitrary<ContentPart> = fc.record({ type: fc.constant("image" as const), url: fc.webUrl() });

const content: Record<WireName, fc.Arbitrary<string | ContentPart[]>> = {
  openai: fc.oneof(text, fc.array(fc.oneof(textPart, inlineImage, linkedImage), { maxLength: 3 })),
  responses: fc.oneof(text, fc.array(fc.oneof(textPart, inlineImage, linkedImage), { maxLength: 3 })),
  anthropic: fc.oneof(text, fc.array(fc.oneof(textPart, inlineImage, linkedImage), { maxLength: 3 })),
  // A list of one text is a text.
  gemini: fc.oneof(
    text,
    fc
      .array(fc.oneof(textPart, inlineImage, linkedImage), { maxLength: 3 })
      .filter(([first, ...more]) => first?.type !== "text" || more.length > 0),
  ),
  // A list of one text is the same as a text.
  bedrock: fc.oneof(
    text,
    fc
      .array(fc.oneof(textPart, inlineImage), { maxLength: 3 })
      .filter(({ length, 0: first }) => length !== 1 || first?.type !== "text"),
  ),
  cohere: fc.oneof(text, fc.array(fc.oneof(textPart, inlineImage, linkedImage), { maxLength: 3 })),
  // One text, then the images: that is all there is to this wire.
  ollama: fc.oneof(
    text,
    fc
      .tuple(fc.option(textPart, { nil: undefined }), fc.array(inlineImage, { minLength: 1, maxLength: 2 }))
      .map(([first, images]) => (first === undefined ? images : [first, ...images])),
  ),
};

const signed: fc.Arbitrary<Reasoning[] | undefined> = fc.option(
  fc.array(
    fc.oneof(
      fc.record({ type: fc.constant("text" as const), text, signature: said }),
      fc.record({ type: fc.constant("redacted" as const), data: text }),
    ),
    { minLength: 1, maxLength: 2 },
  ),
  { nil: undefined },
);

const reasoning: Record<WireName, fc.Arbitrary<Reasoning[] | undefined>> = {
  openai: fc.constant(undefined),
  anthropic: signed,
  responses: fc.option(
    fc.array(
      fc.oneof(
        fc.record({ type: fc.constant("text" as const), text }),
        fc.record({ type: fc.constant("text" as const), text: said, signature: said }),
        fc.record({ type: fc.constant("redacted" as const), data: said }),
      ),
      { minLength: 1, maxLength: 2 },
    ),
    { nil: undefined },
  ),
  gemini: fc.option(
    said.map((thought) => [{ type: "text" as const, text: thought }]),
    { nil: undefined },
  ),
  bedrock: signed,
  cohere: fc.option(
    fc.array(fc.record({ type: fc.constant("text" as const), text: said }), { minLength: 1, maxLength: 2 }),
    { nil: undefined },
  ),
  ollama: fc.option(
    said.map((thought) => [{ type: "text" as const, text: thought }]),
    { nil: undefined },
  ),
};

/** What is said in a conversation, before calls have their ids. */
type Part =
  | { kind: "user"; content: string | ContentPart[] }
  | { kind: "answer"; content: string; reasoning: Reasoning[] | undefined }
  | { kind: "calls"; content: string; calls: { name: string; arguments: LlmToolCall["arguments"]; result: string }[] };

function conversation(wire: WireName): fc.Arbitrary<LlmMessage[]> {
  const part: fc.Arbitrary<Part> = fc.oneof(
    fc.record({ kind: fc.constant("user" as const), content: content[wire] }),
    fc.record({ kind: fc.constant("answer" as const), content: said, reasoning: reasoning[wire] }),
    fc.record({
      kind: fc.constant("calls" as const),
      content: text,
      calls: fc.array(fc.record({ name: word, arguments: jsonObject, result: text }), { minLength: 1, maxLength: 3 }),
    }),
  );
  const system = fc.option(said, { nil: undefined });
  return fc
    .tuple(system, fc.array(part, { maxLength: 5 }))
    .map(([prompt, parts]) => [
      ...(prompt === undefined ? [] : [{ role: "system" as const, content: prompt }]),
      ...(wire === "responses" ? parts.reduce(withoutRows, []) : parts).flatMap(toMessages),
    ]);
}

/** The Responses API has a list of items: what the model says in a row is one message. */
function withoutRows(parts: Part[], next: Part): Part[] {
  return next.kind === "user" || parts.at(-1)?.kind !== "answer" ? [...parts, next] : parts;
}

function toMessages(part: Part, at: number): LlmMessage[] {
  switch (part.kind) {
    case "user":
      return [{ role: "user", content: part.content }];
    case "answer":
      return [{ role: "assistant", content: part.content, ...defined({ reasoning: part.reasoning }) }];
    case "calls": {
      const toolCalls = part.calls.map((call, index) => ({
        id: `call_${at}_${index}`,
        name: call.name,
        arguments: call.arguments,
      }));
      return [
        { role: "assistant", content: part.content, toolCalls },
        ...part.calls.map(({ name, result }, index) => ({
          role: "tool" as const,
          toolCallId: `call_${at}_${index}`,
          name,
          content: result,
        })),
      ];
    }
  }
}

const number = fc.double({ min: 0, max: 2, noNaN: true }).map((value) => value + 0);
const toolList = fc.array(fc.record({ name: word, description: text, schema: jsonObject }), {
  minLength: 1,
  maxLength: 2,
});
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const common = {
  model: fc.constant("m"),
  temperature: maybe(number),
  topP: maybe(number),
  stop: maybe(fc.array(said, { minLength: 1, maxLength: 2 })),
};
const { stop: _stop, ...unstopped } = common;
const choice = maybe(
  fc.oneof(fc.constantFrom("auto" as const, "none" as const, "required" as const), fc.record({ name: word })),
);
const count = fc.integer({ min: 1, max: 1e6 });

const settings: Record<WireName, fc.Arbitrary<Loose<LlmSettings>>> = {
  openai: fc.record({
    ...common,
    maxTokens: maybe(count),
    seed: maybe(count),
    toolChoice: choice,
    responseFormat: maybe(fc.record({ name: word, schema: jsonObject })),
  }) as fc.Arbitrary<Loose<LlmSettings>>,
  anthropic: fc.record({
    ...common,
    maxTokens: count,
    toolChoice: choice,
    responseFormat: maybe(fc.record({ name: fc.constant("response"), schema: jsonObject })),
  }) as fc.Arbitrary<Loose<LlmSettings>>,
  responses: fc.record({
    ...unstopped,
    maxTokens: maybe(count),
    toolChoice: choice,
    responseFormat: maybe(fc.record({ name: word, schema: jsonObject })),
  }) as fc.Arbitrary<Loose<LlmSettings>>,
  gemini: fc.record({
    ...common,
    maxTokens: maybe(count),
    seed: maybe(count),
    toolChoice: choice,
    responseFormat: maybe(fc.record({ name: fc.constant("response"), schema: jsonObject })),
  }) as fc.Arbitrary<Loose<LlmSettings>>,
  bedrock: fc.record({
    ...common,
    maxTokens: maybe(count),
    // There is no word for "none".
    toolChoice: choice.filter((chosen) => chosen !== "none"),
    responseFormat: maybe(fc.record({ name: word, schema: jsonObject })),
  }) as fc.Arbitrary<Loose<LlmSettings>>,
  // No choice means auto, and one tool cannot be chosen.
  cohere: fc.record({
    ...common,
    maxTokens: maybe(count),
    seed: maybe(count),
    toolChoice: maybe(fc.constantFrom("none" as const, "required" as const)),
    responseFormat: maybe(fc.record({ name: fc.constant("response"), schema: jsonObject })),
  }) as fc.Arbitrary<Loose<LlmSettings>>,
  ollama: fc.record({
    ...common,
    maxTokens: maybe(count),
    seed: maybe(count),
    responseFormat: maybe(fc.record({ name: fc.constant("response"), schema: jsonObject })),
  }) as fc.Arbitrary<Loose<LlmSettings>>,
};

function turnRequest(wire: WireName): fc.Arbitrary<LlmTurnRequest> {
  return fc
    .record({ messages: conversation(wire), tools: maybe(toolList), settings: settings[wire] })
    .map(({ messages, tools, settings: own }) => {
      // No tool, no choice among them.
      const { toolChoice, ...rest } = own as Partial<Loose<LlmSettings>>;
      const kept = tools === undefined ? rest : { ...rest, toolChoice };
      return {
        messages,
        ...(tools === undefined ? {} : { tools }),
        settings: defined(kept) as LlmSettings,
      };
    });
}

/** The bodies of Gemini and Bedrock do not name the model. */
const PATHS: Readonly<Partial<Record<WireName, string>>> = {
  gemini: "/v1beta/models/m:generateContent",
  bedrock: "/model/m/converse",
};
const overWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown;

describe.each(names)("laws of %s requests", (name) => {
  const wire = VENDORS[name];

  it("reading gives back what was written", () => {
    fc.assert(
      fc.property(turnRequest(name), (request) => {
        const { request: read, isStream } = wire.parse(overWire(wire.encode(request, "m", 4096)), PATHS[name]);
        // The API would change the schema of a tool without `strict: false`.
        const own = name === "responses" ? { tools: expect.anything() as object } : {};
        const fields = request.tools === undefined ? {} : own;
        // A request that was read holds the fields that no setting stands for, here none.
        expect(read).toEqual({ ...request, settings: { ...request.settings, [name]: fields } });
        expect(isStream).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  it("what went through the wire once goes through it unchanged", () => {
    fc.assert(
      fc.property(fc.constantFrom(...names).chain(turnRequest), (request) => {
        const like = { messages: [], settings: { model: "m", maxTokens: 7 } };
        const once = throughWire(request, wire, like);
        fc.pre(once !== undefined);
        expect(throughWire(once as LlmTurnRequest, wire, like)).toEqual(once);
      }),
      { numRuns: 200 },
    );
  });
});

/** The counts of a wire that counts the tokens of the cache apart. */
const counted = fc
  .record({
    fresh: fc.nat(1e6),
    outputTokens: fc.nat(),
    cacheReadTokens: maybe(fc.nat(1e6)),
    cacheWriteTokens: maybe(fc.nat(1e6)),
  })
  .map(({ fresh, ...counts }) => {
    const inputTokens = fresh + (counts.cacheReadTokens ?? 0) + (counts.cacheWriteTokens ?? 0);
    return defined({ inputTokens, ...counts }) as Usage;
  });

const usage: Record<WireName, fc.Arbitrary<Usage>> = {
  responses: fc
    .record({
      inputTokens: fc.nat(),
      outputTokens: fc.nat(),
      // Clients read both, so they are always there.
      cacheReadTokens: fc.nat(),
      cacheWriteTokens: maybe(fc.nat()),
      reasoningTokens: fc.nat(),
    })
    .map((counts) => defined(counts) as Usage),
  gemini: fc
    .record({
      inputTokens: fc.nat(),
      said: fc.nat(),
      cacheReadTokens: maybe(fc.nat()),
      reasoningTokens: maybe(fc.nat()),
    })
    .map(({ said: spoken, ...counts }) => {
      const outputTokens = spoken + (counts.reasoningTokens ?? 0);
      return defined({ ...counts, outputTokens }) as Usage;
    }),
  openai: fc
    .record({
      inputTokens: fc.nat(),
      outputTokens: fc.nat(),
      cacheReadTokens: maybe(fc.nat()),
      cacheWriteTokens: maybe(fc.nat()),
      reasoningTokens: maybe(fc.nat()),
    })
    .map((counts) => defined(counts) as Usage),
  anthropic: fc
    .tuple(counted, maybe(fc.nat()))
    .map(([counts, reasoningTokens]) => ({ ...counts, ...defined({ reasoningTokens }) })),
  bedrock: counted,
  cohere: fc
    .record({
      inputTokens: fc.nat(),
      outputTokens: fc.nat(),
      cacheReadTokens: maybe(fc.nat()),
      reasoningTokens: maybe(fc.nat()),
    })
    .map((counts) => defined(counts) as Usage),
  ollama: fc.record({ inputTokens: fc.nat(), outputTokens: fc.nat() }),
};

const anyThoughts: fc.Arbitrary<Reasoning[]> = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant("text" as const), text: said }),
    fc.record({ type: fc.constant("text" as const), text, signature: said }),
    fc.record({ type: fc.constant("redacted" as const), data: said }),
  ),
  { maxLength: 3 },
);

const thoughts: Record<WireName, fc.Arbitrary<Reasoning[]>> = {
  responses: fc.array(
    fc.oneof(
      fc.record({ type: fc.constant("text" as const), text }),
      fc.record({ type: fc.constant("text" as const), text: said, signature: said }),
      fc.record({ type: fc.constant("redacted" as const), data: said }),
    ),
    { maxLength: 3 },
  ),
  gemini: fc.array(fc.record({ type: fc.constant("text" as const), text: said }), { maxLength: 1 }),
  openai: fc.array(fc.record({ type: fc.constant("text" as const), text: said }), { maxLength: 2 }),
  anthropic: anyThoughts,
  bedrock: anyThoughts,
  cohere: fc.array(fc.record({ type: fc.constant("text" as const), text: said }), { maxLength: 2 }),
  ollama: fc.array(fc.record({ type: fc.constant("text" as const), text: said }), { maxLength: 1 }),
};

const stops: Record<WireName, { plain: LlmTurnResponse["stopReason"][]; calls: LlmTurnResponse["stopReason"][] }> = {
  openai: { plain: ["stop", "length", "contentFilter", "error"], calls: ["toolUse", "length"] },
  anthropic: { plain: ["stop", "length", "contentFilter"], calls: ["toolUse", "length"] },
  responses: { plain: ["stop", "length", "contentFilter"], calls: ["toolUse", "length"] },
  gemini: { plain: ["stop", "length", "contentFilter", "error"], calls: ["toolUse", "length"] },
  bedrock: { plain: ["stop", "length", "contentFilter", "error"], calls: ["toolUse", "length"] },
  cohere: { plain: ["stop", "length", "contentFilter", "error"], calls: ["toolUse", "length"] },
  ollama: { plain: ["stop", "length"], calls: ["toolUse", "length"] },
};

/** Any text that is not a JSON object, and is not taken for "no arguments". */
const malformed = fc.constantFrom('{"city":', "[1,2]", "Oslo", '"𝄞', "7");
const call = fc.oneof(
  { weight: 4, arbitrary: fc.record({ name: word, arguments: jsonObject }) },
  malformed.map((malformedArguments) => ({ name: "odd", arguments: {}, malformedArguments })),
);

function turnResponse(wire: WireName, options: { malformed: boolean; usage: boolean }): fc.Arbitrary<LlmTurnResponse> {
  const calls = fc.array(options.malformed ? call : fc.record({ name: word, arguments: jsonObject }), { maxLength: 3 });
  return fc
    .record({
      content: text,
      calls,
      thoughts: thoughts[wire],
      stop: fc.nat(),
      usage: options.usage ? usage[wire] : maybe(usage[wire]),
      model: said,
      refuses: fc.boolean(),
    })
    .map(({ content: own, calls: asked, thoughts: thought, stop, usage: counts, model, refuses }) => {
      const toolCalls = asked.map((one, index) => ({ id: `call_${index}`, ...one }));
      const hasCalls = toolCalls.length > 0;
      const reasons = stops[wire][hasCalls ? "calls" : "plain"];
      const stopReason = reasons[stop % reasons.length] ?? "stop";
      // Both wires of OpenAI have a field for it, and no other wire has one.
      const refusable = wire === "openai" || wire === "responses";
      const isRefusal = refusable && refuses && !hasCalls && own !== "" && stopReason === "contentFilter";
      return {
        message: {
          role: "assistant" as const,
          content: own,
          ...(hasCalls ? { toolCalls } : {}),
          ...(thought.length > 0 ? { reasoning: thought } : {}),
        },
        ...(hasCalls ? {} : { finalAnswer: own }),
        stopReason,
        ...(isRefusal ? { isRefusal } : {}),
        ...(counts === undefined ? {} : { usage: counts }),
        // The answers of Bedrock and Cohere do not name it.
        ...(wire === "bedrock" || wire === "cohere" ? {} : { model }),
      };
    });
}

const stamp = { id: "x", createdAt: Date.UTC(2026, 10, 20), model: "asked", wantsUsage: true };
const bytesOf = (value: string): Uint8Array => new TextEncoder().encode(value);

function readStream(wire: Wire, response: LlmTurnResponse): LlmTurnResponse {
  const bytes = bodyBytes(wire.stream(response, stamp));
  // Only the end of the connection ends a stream of Gemini.
  return wire.read({ bytes, isStream: true, isCut: wire.name !== "gemini" });
}

describe.each(names)("laws of %s answers", (name) => {
  const wire = VENDORS[name];
  // These always tell their counts.
  const always = name === "anthropic" || name === "bedrock";

  it("reading gives back what was written", () => {
    fc.assert(
      fc.property(turnResponse(name, { malformed: true, usage: always }), (response) => {
        const bytes = bytesOf(JSON.stringify(wire.write(response, stamp)));
        expect(wire.read({ bytes, isStream: false, isCut: false })).toEqual(response);
      }),
      { numRuns: 300 },
    );
  });

  it("streamed and not streamed are one answer", () => {
    fc.assert(
      fc.property(turnResponse(name, { malformed: true, usage: always }), (response) => {
        expect(readStream(wire, response)).toEqual(response);
      }),
      { numRuns: 300 },
    );
  });

  it("a stream that was cut before its end is not an answer", () => {
    fc.assert(
      fc.property(turnResponse(name, { malformed: false, usage: true }), fc.nat(), (response, at) => {
        const parts = wire.stream(response, stamp);
        const bytes = bodyBytes(parts.slice(0, at % parts.length));
        expect(() => wire.read({ bytes, isStream: true, isCut: name !== "gemini" })).toThrow();
      }),
    );
  });
});

it("pieces join to the text, and each is well-formed", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 3000 }), (whole) => {
      const pieces = toPieces(whole);
      expect(pieces.join("")).toBe(whole);
      expect(pieces.every((piece) => piece !== "" && piece.isWellFormed())).toBe(true);
      expect(pieces.length).toBeLessThanOrEqual(64);
    }),
  );
});
