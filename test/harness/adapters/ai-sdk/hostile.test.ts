// What a model or a caller of the AI SDK does that a recording must come through: readers who leave, models that fall silent, odd
// counts, odd orders, and whatever is handed in by mistake.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cassetteProvider } from "../../../../src/cassette/replay/replay.js";
import { recordingProvider } from "../../../../src/cassette/record/recording-provider.js";
import { parseCassette } from "../../../../src/cassette/trust/load-cassette.js";
import { formatCassette } from "../../../../src/cassette/trust/cassette-store.js";
import type { LlmProviderAdapter, LlmStreamEvent, LlmTurnResponse } from "../../../../src/core/model/provider.js";
import { fromAiSdk } from "../../../../src/harness/adapters/ai-sdk/from-ai-sdk.js";
import { cassetteMiddleware, wrappedModel } from "../../../../src/harness/adapters/ai-sdk/middleware.js";
import { toAiSdk } from "../../../../src/harness/adapters/ai-sdk/to-ai-sdk.js";
import { scriptedModel, SDKS, tools, toStream, type Part, type Step } from "../../../support/ai-sdk.js";
import { rejection } from "../../../support/refusal.js";

const USER = { role: "user", content: [{ type: "text", text: "Weather?" }] };

/** What was recorded, as it comes back from a file. */
const saved = (recorder: ReturnType<typeof recordingProvider>) => parseCassette(formatCassette(recorder.toCassette()));

describe("a reader who leaves", () => {
  /** A model that begins and then says nothing more; `signal` is what it was called with. */
  const silent = () => {
    let isCancelled = false;
    const model = {
      ...scriptedModel([]),
      doStream: () =>
        Promise.resolve({
          stream: new ReadableStream({
            start: (controller) => {
              controller.enqueue({ type: "text-start", id: "0" });
              controller.enqueue({ type: "text-delta", id: "0", delta: "It" });
            },
            cancel: () => {
              isCancelled = true;
            },
          }),
        } as never),
    };
    return { model, isCancelled: () => isCancelled };
  };

  it("ends a call that waits for a silent model, and nothing is recorded", async () => {
    const { model, isCancelled } = silent();
    const recorder = recordingProvider(fromAiSdk(model));
    const { stream } = await toAiSdk(recorder).doStream({ prompt: [USER] });
    const reader = stream.getReader();
    while ((await reader.read()).value?.type !== "text-delta");
    await reader.cancel();
    expect(isCancelled()).toBe(true);
    expect(recorder.toCassette().entries).toEqual([]);
  });

  it.each(SDKS)("is served by middleware as well, by the abort of %s", async (_name, sdk, version) => {
    const { model, isCancelled } = silent();
    const recorder = recordingProvider(wrappedModel());
    const controller = new AbortController();
    const result = sdk.streamText({
      model: sdk.wrapLanguageModel({
        model: { ...model, specificationVersion: version as "v3" },
        middleware: cassetteMiddleware({ provider: recorder }),
      }),
      prompt: "Hi",
      abortSignal: controller.signal,
    });
    const kinds: string[] = [];
    for await (const { type } of result.fullStream) {
      kinds.push(type);
      if (type === "text-delta") controller.abort();
    }
    expect(kinds.at(-1)).toBe("abort");
    await expect.poll(isCancelled).toBe(true);
    await expect.poll(() => recorder.toCassette().entries).toEqual([]);
  });
});

describe("an answer", () => {
  const usages: [string, "v2" | "v3", unknown][] = [
    [
      "a total with thoughts in addition to both",
      "v2",
      { inputTokens: 10, outputTokens: 5, totalTokens: 22, reasoningTokens: 7 },
    ],
    ["one count of several", "v2", { inputTokens: undefined, outputTokens: 5, totalTokens: undefined }],
    [
      "counts that do not add up",
      "v3",
      {
        inputTokens: { total: 10, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
        outputTokens: { total: 5, text: 5, reasoning: 7 },
      },
    ],
  ];
  it.each(usages)("keeps the tokens it counted: %s", async (_what, version, usage) => {
    const answer = { content: [{ type: "text", text: "ok" }], finishReason: version === "v2" ? "stop" : {}, usage };
    const model = { ...scriptedModel([], version), doGenerate: async () => answer as never };
    const recorder = recordingProvider(fromAiSdk(model));
    await recorder.turn({ messages: [{ role: "user", content: "Weather?" }] });
    const served = toAiSdk(cassetteProvider(saved(recorder)), { specificationVersion: version });
    expect((await served.doGenerate({ prompt: [USER] })).usage).toEqual(usage);
  });

  it("of version 2 that ended in no known way is an other one later", async () => {
    const model = scriptedModel([{ content: [], finish: "unknown" }], "v2");
    const response = await fromAiSdk(model).turn({ messages: [] });
    const provider = { turn: () => Promise.resolve(structuredClone(response)) };
    const [v2, v3] = [toAiSdk(provider, { specificationVersion: "v2" }), toAiSdk(provider)];
    expect((await v2.doGenerate({ prompt: [USER] })).finishReason).toBe("unknown");
    expect((await v3.doGenerate({ prompt: [USER] })).finishReason.unified).toBe("other");
  });

  it("keeps an error that is not an object", async () => {
    const model = {
      ...scriptedModel([]),
      doStream: async () => ({ stream: toStream([{ type: "error", error: "overloaded" }]) }) as never,
    };
    expect(await rejection(toAiSdk(fromAiSdk(model)).doStream({ prompt: [USER] }))).toBe("overloaded");
  });
});

describe("what is handed in by mistake", () => {
  it.each([
    ["an embedding model", { specificationVersion: "v3", doEmbed() {} }, "an embedding model"],
    ["an image model", { specificationVersion: "v3", doGenerate() {} }, "without doStream"],
    ["a provider of ours", { turn() {} }, "a Playhead provider"],
    ["a vendor", () => undefined, "a vendor instead of one of its models"],
  ])("is named: %s", (_what, model, said) => {
    expect(() => fromAiSdk(model as never)).toThrow(said);
  });

  it("is found before the first call: no provider, and another version", () => {
    expect(() => toAiSdk({ provider: { turn() {} } } as never)).toThrow("the handle of useCassette");
    for (const handle of [undefined, { provider: undefined }])
      expect(() => cassetteMiddleware(handle as never)).toThrow("cassetteMiddleware needs the handle of useCassette");
    expect(() => cassetteMiddleware(fromAiSdk(scriptedModel([])) as never)).toThrow("not its provider");
    expect(() => toAiSdk(fromAiSdk(scriptedModel([])), { specificationVersion: "v5" } as never)).toThrow('"v5"');
  });
});

type Sdk = (typeof SDKS)[number][1];

/** Two steps and one further prompt that holds all of them: whatever the SDK makes of an answer is asked again. */
async function talk(sdk: Sdk, model: never, isStreamed: boolean): Promise<unknown> {
  const given = { model, tools: { clock: tools(sdk).clock }, maxRetries: 0, stopWhen: sdk.stepCountIs(2) };
  const failures: unknown[] = [];
  const ask = async (messages: never) => {
    if (!isStreamed) return sdk.generateText({ ...given, messages });
    const result = sdk.streamText({ ...given, messages, onError: ({ error }) => void failures.push(error) });
    await result.consumeStream();
    if (failures.length > 0) throw failures[0];
    return { response: await result.response, steps: await result.steps };
  };
  const first = { role: "user", content: "Weather?" };
  const { response, steps } = await ask([first] as never);
  await ask([first, ...response.messages, { role: "user", content: "And now?" }] as never);
  // Sources and blocks have ids that the SDK or the stream gives them.
  return JSON.parse(
    JSON.stringify(
      steps.map(({ content }) => content),
      (key, value: unknown) => (key === "id" ? 0 : value),
    ),
  );
}

const metadata = fc.constantFrom(undefined, { acme: { id: "m" } }, { anthropic: { signature: "s" } });
const livePart: fc.Arbitrary<Part> = fc.oneof(
  fc.record({
    type: fc.constantFrom("text", "reasoning"),
    text: fc.constantFrom("", "a", "bcd"),
    providerMetadata: metadata,
  }),
  fc.record({
    type: fc.constant("tool-call"),
    input: fc.constantFrom('{"zone":"CET"}', '{ "zone": "UTC" }', '{"zone":', '{"city":"Oslo"}', "[1]", '"x"'),
    toolName: fc.constantFrom("clock", "unknown"),
    providerMetadata: metadata,
  }),
  fc.constant({ type: "source", sourceType: "url", id: "s", url: "https://example.com/" }),
  fc.constant({ type: "file", mediaType: "image/png", data: "aGk=" }),
);

describe.each(SDKS)("any order of parts under %s", (_name, sdk, specificationVersion) => {
  it("is told as the model told it, and replayed", async () => {
    const playing = fc.record({ isStreamed: fc.boolean(), streaming: fc.constantFrom("whole", "chunked") });
    await fc.assert(
      fc.asyncProperty(fc.array(livePart, { maxLength: 5 }), playing, async (parts, { isStreamed, streaming }) => {
        const content = parts.map((part, index): Part => {
          if (part["type"] === "file" && specificationVersion === "v4")
            return { ...part, data: { type: "data", data: part["data"] } };
          return part["type"] === "tool-call" ? { ...part, toolCallId: `c${index}` } : part;
        });
        const done: Step = { content: [{ type: "text", text: "Done." }] };
        const model = () => scriptedModel([{ content }, done, done], specificationVersion);
        const told = await talk(sdk, model() as never, isStreamed).catch(() => undefined);
        // The SDK may take offence itself, and has then not asked for all.
        fc.pre(told !== undefined);
        const recorder = recordingProvider(fromAiSdk(model()));
        expect(await talk(sdk, toAiSdk(recorder, { specificationVersion }) as never, isStreamed)).toEqual(told);
        const tape = cassetteProvider(saved(recorder), { streaming });
        expect(await talk(sdk, toAiSdk(tape, { specificationVersion }) as never, isStreamed)).toEqual(told);
        tape.assertConsumed();
      }),
      { numRuns: 20 },
    );
  });
});

it("any order of pieces from a provider of ours, empty ones too, is replayed whole and streamed", async () => {
  const [, sdk] = SDKS[0] ?? [];
  if (sdk === undefined) throw new Error("no SDK");
  const piece = fc.tuple(fc.constantFrom("text-delta", "reasoning-delta", "call"), fc.constantFrom("", "a", "bc"));
  const isStreamed = fc.boolean();
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 6 }), isStreamed, isStreamed, async (pieces, isLive, isReplay) => {
      const textOf = (kind: string) => pieces.map(([type, text]) => (type === kind ? text : "")).join("");
      const toolCalls = pieces
        .filter(([type]) => type === "call")
        .map((_, index) => ({ id: `c${index}`, name: "clock", arguments: { zone: String(index) } }));
      const thought = textOf("reasoning-delta");
      const answer: LlmTurnResponse = {
        message: {
          role: "assistant",
          content: textOf("text-delta"),
          ...(toolCalls.length === 0 ? {} : { toolCalls }),
          ...(thought === "" ? {} : { reasoning: [{ type: "text", text: thought, signature: "s" }] }),
        },
        stopReason: toolCalls.length === 0 ? "stop" : "toolUse",
      };
      let asked = 0;
      let called = 0;
      const done: LlmTurnResponse = { message: { role: "assistant", content: "Done." }, stopReason: "stop" };
      const next = () => structuredClone(asked++ === 0 ? answer : done);
      const live: LlmProviderAdapter = {
        turn: async () => next(),
        async *stream(): AsyncGenerator<LlmStreamEvent> {
          const response = next();
          for (const [type, text] of asked === 1 ? pieces : []) {
            if (type !== "call") yield { type: type as "text-delta", text };
            else {
              const { id, name, arguments: given } = toolCalls[called] as (typeof toolCalls)[number];
              yield { type: "tool-call-delta", index: called++, id, name, argumentsText: JSON.stringify(given) };
            }
          }
          yield { type: "response", response };
        },
      };
      const recorder = recordingProvider(live);
      await talk(sdk, toAiSdk(recorder) as never, isLive);
      const tape = cassetteProvider(saved(recorder));
      await talk(sdk, toAiSdk(tape) as never, isReplay);
      tape.assertConsumed();
    }),
    { numRuns: 25 },
  );
});
