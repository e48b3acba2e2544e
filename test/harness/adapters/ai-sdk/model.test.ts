import { describe, expect, it } from "vitest";
import { cassetteProvider } from "../../../../src/cassette/replay/replay.js";
import { recordingProvider } from "../../../../src/cassette/record/recording-provider.js";
import { AgentError, LlmProviderHttpError } from "../../../../src/core/errors.js";
import type { LlmMessage } from "../../../../src/core/model/message.js";
import type { LlmProviderAdapter, LlmStreamEvent, LlmTurnRequest } from "../../../../src/core/model/provider.js";
import { openaiProvider } from "../../../../src/core/vendors/providers.js";
import { scriptedProvider } from "../../../../src/core/providers/scripted.js";
import { fromAiSdk } from "../../../../src/harness/adapters/ai-sdk/from-ai-sdk.js";
import { cassetteMiddleware, cassetteModel, wrappedModel } from "../../../../src/harness/adapters/ai-sdk/middleware.js";
import { toAiSdk } from "../../../../src/harness/adapters/ai-sdk/to-ai-sdk.js";
import type { SpecVersion } from "../../../../src/harness/adapters/ai-sdk/sdk-types.js";
import { PLAIN, RICH, scriptedModel, SDKS, tools, toStream, type Part, type Step } from "../../../support/ai-sdk.js";
import { rejection } from "../../../support/refusal.js";

const [, ai6] = SDKS[0] ?? [];
const [, ai7] = SDKS[1] ?? [];
const [, ai5] = SDKS[2] ?? [];
if (ai5 === undefined || ai6 === undefined || ai7 === undefined) throw new Error("all majors are installed");

const ask = (content = "Weather?"): LlmTurnRequest => ({ messages: [{ role: "user", content }] });

async function eventsOf(provider: LlmProviderAdapter, request: LlmTurnRequest): Promise<LlmStreamEvent[]> {
  const events: LlmStreamEvent[] = [];
  for await (const event of provider.stream?.(request) ?? []) events.push(event);
  return events;
}

async function partsOf(model: ReturnType<typeof toAiSdk>, prompt: unknown = [USER]): Promise<Part[]> {
  const { stream } = await model.doStream({ prompt } as never);
  const parts: Part[] = [];
  for await (const part of stream) parts.push(part as Part);
  return parts;
}

const USER = { role: "user", content: [{ type: "text", text: "Weather?" }] };

describe("fromAiSdk", () => {
  it.each(["v2", "v3", "v4"] as const)("asks a model of %s and reads its answer", async (version) => {
    const model = scriptedModel(PLAIN, version);
    const provider = fromAiSdk(model);
    expect(provider.name).toBe("acme:acme-1");
    const response = await provider.turn({
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: [{ type: "image", mediaType: "image/png", data: "aGk=" }] },
      ],
      tools: [{ name: "weather", description: "", schema: { type: "object" } }],
      settings: {
        maxTokens: 5,
        stop: ["x"],
        toolChoice: { name: "weather" },
        responseFormat: { name: "w", schema: {} },
      },
    });
    expect(response).toMatchObject({
      message: {
        content: "Let me look.",
        toolCalls: [{ id: "call-1", name: "weather", arguments: { city: "Oslo" } }, {}],
      },
      stopReason: "toolUse",
      model: "acme-1-2026",
      usage: { inputTokens: 12, outputTokens: 7, cacheReadTokens: 4, reasoningTokens: 3 },
    });
    expect(model.calls).toEqual([
      {
        prompt: [
          { role: "system", content: "Be brief." },
          {
            role: "user",
            content: [
              {
                type: "file",
                mediaType: "image/png",
                data: version === "v4" ? { type: "data", data: "aGk=" } : "aGk=",
              },
            ],
          },
        ],
        maxOutputTokens: 5,
        stopSequences: ["x"],
        tools: [{ type: "function", name: "weather", inputSchema: { type: "object" } }],
        toolChoice: { type: "tool", toolName: "weather" },
        responseFormat: { type: "json", name: "w", schema: {} },
      },
    ]);
  });

  it("streams the deltas and ends with the response that a turn gives", async () => {
    const events = await eventsOf(fromAiSdk(scriptedModel(RICH)), ask());
    expect(events.at(-1)).toEqual({ type: "response", response: await fromAiSdk(scriptedModel(RICH)).turn(ask()) });
    expect(
      events
        .slice(0, -1)
        .map((event) => ("text" in event ? event.text : ""))
        .join(""),
    ).toBe("First the weather.Let me look.Both at once.");
    expect(events).toContainEqual({
      type: "tool-call-delta",
      index: 1,
      id: "call-2",
      name: "clock",
      argumentsText: "",
    });
  });

  it.each([
    [
      Object.assign(new Error("slow down"), { statusCode: 429, isRetryable: true }),
      "provider-http",
      "rate-limit",
      true,
    ],
    [Object.assign(new Error("no key"), { statusCode: 401, isRetryable: false }), "provider-http", "auth", false],
    [new Error("socket hang up"), "provider-response", "unknown", false],
  ])("makes %s an error of ours, and of the SDK again", async (thrown, code, kind, retryable) => {
    const provider = fromAiSdk(scriptedModel([thrown, thrown]));
    const error = await rejection(provider.turn(ask()));
    expect(error).toBeInstanceOf(AgentError);
    expect(error).toMatchObject({ code, kind, retryable });
    expect(await rejection(toAiSdk(provider).doGenerate({ prompt: [USER] }))).toBe(thrown);
  });

  it("rejects with an error that comes in the midst of a stream, and hands it on as a part", async () => {
    const broken = new Error("cut off");
    const model = { ...scriptedModel([]), doStream: async () => ({ stream: toStream(TORN) }) as never };
    const TORN = [
      { type: "text-start", id: "0" },
      { type: "text-delta", id: "0", delta: "It" },
      { type: "error", error: broken },
    ];
    const error = await rejection(eventsOf(fromAiSdk(model), ask()));
    expect(error).toMatchObject({ code: "provider-response", responseStarted: true });
    expect((await partsOf(toAiSdk(fromAiSdk(model)))).at(-1)).toEqual({ type: "error", error: broken });
  });

  it("refuses a stream that ends without saying so", async () => {
    const model = { ...scriptedModel([]), doStream: async () => ({ stream: toStream([]) }) as never };
    expect(await rejection(eventsOf(fromAiSdk(model), ask()))).toMatchObject({
      code: "provider-response",
      retryable: true,
    });
  });

  it("ends on the caller's signal and on timeoutMs", async () => {
    const waits = (options: unknown) =>
      new Promise<never>((_, reject) => {
        const { abortSignal } = options as { abortSignal: AbortSignal };
        abortSignal.addEventListener("abort", () => reject(abortSignal.reason as Error));
      });
    const provider = fromAiSdk({ ...scriptedModel([]), doGenerate: waits });
    expect(await rejection(provider.turn({ ...ask(), timeoutMs: 5 }))).toMatchObject({
      code: "timeout",
      retryable: true,
    });
    const controller = new AbortController();
    const turn = provider.turn({ ...ask(), signal: controller.signal });
    controller.abort();
    expect(await rejection(turn)).toMatchObject({ code: "aborted" });
  });

  it.each(["openai/gpt-5", null, { specificationVersion: "v1", doGenerate() {}, doStream() {} }])(
    "refuses %j, which is not a model it knows",
    (model) => {
      expect(() => fromAiSdk(model as never)).toThrow("needs a language model, not");
    },
  );

  it.each([
    [{ settings: { model: "other" } }, 'cannot answer as the model "other"'],
    [{ settings: { tempo: 1 } as never }, "unknown option: tempo"],
  ])("refuses a request with %j", async (given, message) => {
    const error = await rejection(fromAiSdk(scriptedModel(PLAIN)).turn({ ...ask(), ...given }));
    expect(error).toMatchObject({ code: "invalid-options", message: expect.stringContaining(message) as string });
  });
});

describe("a call that the SDK makes", () => {
  it.each([
    [{ openai: { previousResponseId: "resp_1" } }, "providerOptions.openai.previousResponseId"],
    [{ azure: { conversation: "conv_1" } }, "providerOptions.azure.conversation"],
    [{ anthropic: { container: { id: "container_1" } } }, "providerOptions.anthropic.container.id"],
  ])("is refused where it continues a conversation on the vendor's server: %j", async (providerOptions, field) => {
    const call = { prompt: [{ role: "user", content: [{ type: "text", text: "And what else?" }] }], providerOptions };
    const asked: LlmTurnRequest[] = [];
    const model = toAiSdk({ turn: (request) => (asked.push(request), Promise.reject(new Error("asked"))) });
    const error = await rejection(model.doGenerate(call as never) as Promise<unknown>);
    expect(error).toMatchObject({ code: "invalid-options", message: expect.stringContaining(field) as string });
    expect(asked).toEqual([]);
  });

  const spy = () => {
    const seen: LlmTurnRequest[] = [];
    const script = scriptedProvider([{ message: { role: "assistant", content: "ok" }, stopReason: "stop" }]);
    return { seen, model: toAiSdk({ turn: (request) => (seen.push(request), script.turn(request)) }) };
  };

  it("keeps what has no field of ours, and nothing of headers", async () => {
    const { seen, model } = spy();
    await model.doGenerate({
      prompt: [
        {
          role: "system",
          content: "Be brief.",
          providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
        },
        {
          role: "user",
          content: [
            { type: "text", text: "Read this.", providerOptions: undefined },
            { type: "file", mediaType: "application/pdf", filename: "a.pdf", data: new Uint8Array([104, 105]) },
            { type: "file", mediaType: "image/png", data: new URL("https://example.com/a.png") },
          ],
        },
      ],
      headers: { authorization: "Bearer x" },
      topK: 3,
      reasoning: "high",
      providerOptions: { openai: { store: false } },
      tools: [{ type: "provider", name: "search", id: "acme.search", args: { max: 2 } } as never],
    });
    expect(seen).toEqual([
      {
        messages: [
          {
            role: "system",
            content: "Be brief.",
            aiSdk: { options: { anthropic: { cacheControl: { type: "ephemeral" } } } },
          },
          {
            role: "user",
            content: [
              { type: "text", text: "Read this." },
              {
                type: "text",
                text: "[file: application/pdf]",
                aiSdk: { file: { mediaType: "application/pdf", filename: "a.pdf", data: "aGk=" } },
              },
              { type: "image", url: "https://example.com/a.png", aiSdk: { mediaType: "image/png" } },
            ],
          },
        ],
        tools: [{ name: "search", description: "", schema: {}, aiSdk: { id: "acme.search", args: { max: 2 } } }],
        settings: { aiSdk: { topK: 3, reasoning: "high", providerOptions: { openai: { store: false } } } },
      },
    ]);
  });

  it("is refused by a provider of ours that has no words for it, before anything is sent", async () => {
    const fetch = () => Promise.reject(new Error("sent"));
    const model = toAiSdk(openaiProvider({ apiKey: "none", model: "m", fetch: fetch as never }));
    const prompt = [{ ...USER, providerOptions: { openai: { store: false } } }];
    const error = await rejection(model.doGenerate({ prompt }));
    expect(error).toMatchObject({ code: "invalid-options", message: expect.stringContaining("aiSdk") as string });
  });

  it.each([
    [{ includeRawChunks: true }, "includeRawChunks"],
    [{ prompt: [{ role: "tool", content: [{ type: "tool-approval-request", approvalId: "1" }] }] }, "approval"],
    [{ prompt: [{ role: "user", content: [{ type: "video" }] }] }, '"video"'],
    [{ prompt: [{ role: "critic", content: "no" }] }, '"critic"'],
    [{ prompt: [{ role: "user", content: [{ type: "file", mediaType: "image/png", data: 5 }] }] }, "a file"],
    [{ tools: [{ type: "computer", name: "screen" }] }, '"computer"'],
  ])("is refused with %j, by name", async (given, named) => {
    const { model, seen } = spy();
    const error = await rejection(model.doGenerate({ prompt: [USER], ...given } as never));
    expect(error).toMatchObject({ code: "invalid-options", message: expect.stringContaining(named) as string });
    expect(seen).toEqual([]);
  });

  it.each(SDKS)("asks for an object as for any answer: %s", async (_name, sdk, specificationVersion) => {
    const recorder = recordingProvider(
      fromAiSdk(scriptedModel([{ content: [{ type: "text", text: '{"city":"Oslo"}' }] }])),
    );
    const asked = { schema: sdk.jsonSchema<{ city: string }>({ type: "object" }), prompt: "Which city?" };
    const { object } = await sdk.generateObject({
      model: toAiSdk(recorder, { specificationVersion }) as never,
      ...asked,
    });
    const cassette = recorder.toCassette();
    expect(cassette.extensions?.contexts?.[0]?.settings).toEqual({
      responseFormat: { name: "response", schema: { type: "object" } },
    });
    const model = cassetteModel(cassette, { specificationVersion });
    expect((await sdk.generateObject({ model: model as never, ...asked })).object).toEqual(object);
    model.tape.assertConsumed();
  });
});

describe("toAiSdk over a provider of ours", () => {
  const reasoning = [
    { type: "text", text: "One.", signature: "c2ln" },
    { type: "text", text: "Two." },
  ] as const;
  const message = {
    role: "assistant",
    content: "It rains.",
    reasoning: [...reasoning],
    toolCalls: [{ id: "c", name: "weather", arguments: { city: "Oslo" } }],
  } as const;
  const native: LlmProviderAdapter = {
    name: "acme:native",
    turn: async () => ({ message: structuredClone(message) as never, stopReason: "toolUse" }),
    async *stream() {
      for (const text of ["One.", "Two."]) yield { type: "reasoning-delta", text };
      yield { type: "text-delta", text: "It rains." };
      yield { type: "tool-call-delta", index: 0, id: "c", name: "weather", argumentsText: '{"city":' };
      yield { type: "tool-call-delta", index: 0, argumentsText: '"Oslo"}' };
      yield { type: "response", response: await this.turn(ask()) };
    },
  };

  it("is named by vendor and model, the same in a replay", () => {
    expect(toAiSdk(native)).toMatchObject({ provider: "acme", modelId: "native", specificationVersion: "v3" });
    expect(toAiSdk({ ...native, name: "cassette:acme:native" })).toMatchObject({ provider: "acme", modelId: "native" });
    expect(toAiSdk({ turn: native.turn })).toMatchObject({ provider: "playhead", modelId: "unnamed" });
  });

  it("streams as it comes, and the next prompt holds the same message as after a whole answer", async () => {
    const parts = await partsOf(toAiSdk(native));
    expect(parts.map(({ type }) => type)).toEqual([
      ...["stream-start", "reasoning-start", "reasoning-delta", "reasoning-delta", "text-start", "text-delta"],
      ...["tool-input-start", "tool-input-delta", "tool-input-delta", "reasoning-end", "text-end", "tool-input-end"],
      ...["tool-call", "finish"],
    ]);
    const whole = await toAiSdk(native).doGenerate({ prompt: [USER] });
    expect(await echoed(contentOf(parts))).toEqual(message);
    expect(await echoed(whole.content as Part[])).toEqual(message);
  });

  it.each(["chunked", "whole"] as const)("replays %s with the parts of the whole answer", async (streaming) => {
    const recorder = recordingProvider(native);
    await partsOf(toAiSdk(recorder));
    const replay = toAiSdk(cassetteProvider(recorder.toCassette(), { streaming }));
    expect(contentOf(await partsOf(replay))).toEqual((await toAiSdk(native).doGenerate({ prompt: [USER] })).content);
  });

  it.each(SDKS)("has a failure that may pass tried again by %s", async (_name, sdk, specificationVersion) => {
    const http = (status: number) =>
      new LlmProviderHttpError({
        status,
        bodySnippet: "busy",
        providerName: "acme",
        hint: "wait",
        retryable: status === 503,
        retryAfterMs: 1,
      });
    const asked: number[] = [];
    const failing = (status: number): LlmProviderAdapter => ({
      turn() {
        asked.push(status);
        if (asked.length === 1) throw http(status);
        return Promise.resolve({ message: { role: "assistant", content: "ok" }, stopReason: "stop" });
      },
    });
    const { text } = await sdk.generateText({
      model: toAiSdk(failing(503), { specificationVersion }) as never,
      prompt: "Hi",
    });
    expect([text, asked]).toEqual(["ok", [503, 503]]);
    asked.length = 0;
    const error = await rejection(
      sdk.generateText({ model: toAiSdk(failing(400), { specificationVersion }) as never, prompt: "Hi" }),
    );
    expect(error).toBeInstanceOf(LlmProviderHttpError);
    expect(asked).toEqual([400]);
  });

  it("ends the call when the reader leaves", async () => {
    let isOver = false;
    const endless: LlmProviderAdapter = {
      turn: native.turn,
      async *stream() {
        try {
          for (;;) yield { type: "text-delta", text: "la" };
        } finally {
          isOver = true;
        }
      },
    };
    const { stream } = await toAiSdk(endless).doStream({ prompt: [USER] });
    const reader = stream.getReader();
    await reader.read();
    await reader.cancel();
    expect(isOver).toBe(true);
  });
});

/** The message that the SDK's next prompt holds for an answer. */
async function echoed(content: readonly Part[]): Promise<LlmMessage | undefined> {
  let seen: LlmMessage | undefined;
  const model = toAiSdk({
    turn: ({ messages }) => {
      seen = messages[0];
      return Promise.resolve({ message: { role: "assistant", content: "" }, stopReason: "stop" });
    },
  });
  const parts = content.map(({ providerMetadata, input, ...part }) => ({
    ...part,
    ...(providerMetadata === undefined ? {} : { providerOptions: providerMetadata }),
    ...(input === undefined ? {} : { input: JSON.parse(String(input)) as unknown }),
  }));
  await model.doGenerate({ prompt: [{ role: "assistant", content: parts }] });
  return seen;
}

/** Stream parts put together as the SDK does it: by their start, and what an end says last. */
function contentOf(parts: readonly Part[]): Part[] {
  const blocks = new Map<unknown, Part>();
  const content: Part[] = [];
  for (const { type, id, delta, ...rest } of parts) {
    const [kind, step] = String(type).split(/-(?=start|delta|end)/);
    if (kind === "tool-call") content.push({ type, ...rest });
    if (kind !== "text" && kind !== "reasoning") continue;
    const key = `${kind} ${String(id)}`;
    if (step === "start") content.push(blocks.set(key, { type: kind, text: "" }).get(key) as Part);
    const block = blocks.get(key) as Part;
    if (step === "delta") block["text"] = String(block["text"]) + String(delta);
    Object.assign(block, rest);
  }
  return content;
}

describe("one cassette", () => {
  const files: Part[] = [
    { type: "text", text: "A map." },
    { type: "file", mediaType: "image/png", data: "aGk=" },
  ];

  it.each([
    ["recorded under 6, replayed under 7", ai6, ai7],
    ["recorded under 7, replayed under 6", ai7, ai6],
    ["recorded under 5, replayed under 6", ai5, ai6],
    ["recorded under 7, replayed under 5", ai7, ai5],
  ] as const)("serves every major: %s", async (_name, from, to) => {
    const recorder = recordingProvider(wrappedModel());
    const run = (sdk: typeof ai6, provider: LlmProviderAdapter) =>
      sdk.generateText({
        model: sdk.wrapLanguageModel({
          model: scriptedModel([PLAIN[0] as Step, { content: files }], sdk === ai5 ? "v2" : "v3"),
          middleware: cassetteMiddleware({ provider }),
        }),
        messages: [{ role: "user", content: [{ type: "image", image: "https://example.com/a.png" }] }],
        tools: tools(sdk),
        stopWhen: sdk.stepCountIs(3),
      });
    const before = await run(from, recorder);
    const tape = cassetteProvider(recorder.toCassette());
    const after = await run(to, tape);
    expect(after.text).toBe(before.text);
    expect(after.files.map(({ base64, mediaType }) => [base64, mediaType])).toEqual([["aGk=", "image/png"]]);
    tape.assertConsumed();
  });

  it.each(["v2", "v3", "v4"] as const)("is served as a model of %s", async (specificationVersion: SpecVersion) => {
    const recorder = recordingProvider(fromAiSdk(scriptedModel([{ content: files, raw: "end" }])));
    await recorder.turn(ask());
    const model = toAiSdk(cassetteProvider(recorder.toCassette()), { specificationVersion });
    const { files: given, usage } = await ai7.generateText({ model: model as never, prompt: "Weather?" });
    expect(given.map(({ base64 }) => base64)).toEqual(["aGk="]);
    expect([usage.inputTokens, usage.outputTokens]).toEqual([12, 7]);
  });
});

describe("a recording", () => {
  const key = ["sk", "proj", "a1B2c3D4e5F6g7H8i9J0k1L2"].join("-");
  const [first, last] = PLAIN as [Step, Step];
  const leaky: Step[] = [
    {
      content: [
        { type: "text", text: `The key is ${key}.` },
        { type: "text", text: "Wait." },
        ...first.content.slice(1),
      ],
    },
    last,
  ];

  it.each(SDKS)("holds no secret that a rule knows, and replays: %s", async (_name, sdk, specificationVersion) => {
    const run = (provider: LlmProviderAdapter) =>
      sdk.generateText({
        model: toAiSdk(provider, { specificationVersion }) as never,
        prompt: "Weather?",
        tools: tools(sdk),
        stopWhen: sdk.stepCountIs(3),
      });
    const recorder = recordingProvider(fromAiSdk(scriptedModel(leaky)));
    expect((await run(recorder)).steps[0]?.text).toContain(key);
    const cassette = recorder.toCassette();
    expect(JSON.stringify(cassette)).not.toContain(key);
    const tape = cassetteProvider(cassette);
    const { text, steps } = await run(tape);
    expect(text).toBe("It rains in Oslo at noon.");
    expect(steps[0]?.text).toMatch(/^The key is .*Wait\.$/);
    tape.assertConsumed();
  });

  it("keeps calls that were made at once apart, in whatever order they are replayed", async () => {
    const model = {
      ...scriptedModel([]),
      doGenerate: async ({ prompt }: { prompt: { content: { text: string }[] }[] }) => {
        const said = prompt[0]?.content[0]?.text ?? "";
        await new Promise((resolve) => setTimeout(resolve, said === "slow" ? 5 : 0));
        return scriptedModel([{ content: [{ type: "text", text: `${said}!` }] }]).doGenerate({});
      },
    };
    const recorder = recordingProvider(fromAiSdk(model as never));
    const run = (provider: LlmProviderAdapter, prompt: string) =>
      ai6.generateText({ model: toAiSdk(provider), prompt }).then(({ text }) => text);
    expect(await Promise.all(["slow", "fast"].map((prompt) => run(recorder, prompt)))).toEqual(["slow!", "fast!"]);
    const tape = cassetteProvider(recorder.toCassette());
    expect(await Promise.all(["fast", "slow"].map((prompt) => run(tape, prompt)))).toEqual(["fast!", "slow!"]);
    tape.assertConsumed();
  });

  it("of a failed call holds the SDK's second try alone", async () => {
    const busy = Object.assign(new Error("busy"), {
      isRetryable: true,
      statusCode: 503,
      responseHeaders: { "retry-after-ms": "1" },
      [Symbol.for("vercel.ai.error")]: true,
      [Symbol.for("vercel.ai.error.AI_APICallError")]: true,
    });
    const model = scriptedModel([busy, last]);
    const recorder = recordingProvider(fromAiSdk(model));
    const { text } = await ai7.generateText({ model: toAiSdk(recorder) as never, prompt: "Hi" });
    expect([text, model.calls.length, recorder.turns]).toEqual(["It rains in Oslo at noon.", 2, 1]);
  });

  it.each(SDKS)(
    "ends with the caller's signal in the midst of a replayed stream: %s",
    async (_name, sdk, specificationVersion) => {
      const recorder = recordingProvider(fromAiSdk(scriptedModel([last])));
      const controller = new AbortController();
      const run = (provider: LlmProviderAdapter) =>
        sdk.streamText({
          model: toAiSdk(provider, { specificationVersion }) as never,
          prompt: "Hi",
          abortSignal: controller.signal,
        });
      await run(recorder).consumeStream();
      const kinds: string[] = [];
      for await (const { type } of run(cassetteProvider(recorder.toCassette())).fullStream) {
        kinds.push(type);
        if (type === "text-delta") controller.abort();
      }
      expect(kinds.at(-1)).toBe("abort");
    },
  );
});

describe("wrappedModel", () => {
  it("refuses a turn that came by no middleware", async () => {
    expect(await rejection(wrappedModel().turn(ask()))).toMatchObject({
      code: "invalid-options",
      message: expect.stringContaining("cassetteMiddleware") as string,
    });
  });

  it("calls the model with its own call, headers and all", async () => {
    const model = scriptedModel([PLAIN[1] as Step]);
    const wrapped = ai6.wrapLanguageModel({ model, middleware: cassetteMiddleware({ provider: wrappedModel() }) });
    await ai6.generateText({ model: wrapped, prompt: "Hi", headers: { "x-mine": "1" }, topK: 2 });
    expect(model.calls).toMatchObject([{ topK: 2, headers: { "x-mine": "1" } }]);
  });
});

it("toAiSdk is closed to options it does not know", () => {
  expect(() => toAiSdk(scriptedProvider([]), { version: "v2" } as never)).toThrow("unknown option: version");
});
