import { Agent, retryPolicies, Runner, Usage } from "@openai/agents";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { cassetteProvider } from "../../../../src/cassette/replay/replay.js";
import { recordingProvider } from "../../../../src/cassette/record/recording-provider.js";
import { AgentError, LlmProviderHttpError } from "../../../../src/core/errors.js";
import type { LlmProviderAdapter, LlmTurnRequest } from "../../../../src/core/model/provider.js";
import { openaiProvider } from "../../../../src/core/vendors/providers.js";
import { scriptedProvider } from "../../../../src/core/providers/scripted.js";
import { fromAgentsModel, toAgentsModel } from "../../../../src/harness/adapters/openai-agents/model.js";
import { agentsModel, PLAIN, RICH } from "../../../support/openai-agents.js";
import { rejection } from "../../../support/refusal.js";

const runner = new Runner({ tracingDisabled: true });
const ask: LlmTurnRequest = { messages: [{ role: "user", content: "Weather?" }] };
const ASKED = { input: "Weather?", modelSettings: {}, tools: [], handoffs: [], outputType: "text", tracing: false };

async function eventsOf<T>(events: AsyncIterable<T> | undefined): Promise<T[]> {
  const all: T[] = [];
  for await (const event of events ?? []) all.push(event);
  return all;
}

describe("fromAgentsModel", () => {
  const usage = { inputTokens: 12, outputTokens: 7, totalTokens: 19 };
  const done = { id: "r", usage, output: [] };
  it.each([
    ["its last event", [{ type: "response_done", response: { ...done, providerData: { model: "gpt-4o" } } }]],
    [
      "an earlier event",
      [
        { type: "model", event: { model: "gpt-4o" } },
        { type: "response_done", response: done },
      ],
    ],
  ])("keeps the name of the model, so that the turn has a price: %s", async (_where, events) => {
    const model = {
      getResponse: () => Promise.resolve({ usage, output: [], providerData: { model: "gpt-4o" } }),
      async *getStreamedResponse() {
        yield* events;
      },
    };
    const provider = fromAgentsModel(model as never);
    expect((await provider.turn(ask)).model).toBe("gpt-4o");
    const streamed = await eventsOf(provider.stream?.(ask));
    expect(streamed.at(-1)).toMatchObject({ type: "response", response: { model: "gpt-4o" } });
  });

  it("asks the model in its own words and reads its answer", async () => {
    const { model, asked } = agentsModel(PLAIN);
    const response = await fromAgentsModel(model, "acme").turn({
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: [{ type: "image", mediaType: "image/png", data: "aGk=" }] },
      ],
      tools: [{ name: "weather", description: "Sky.", schema: { type: "object" } }],
      settings: { maxTokens: 5, toolChoice: { name: "weather" }, responseFormat: { name: "w", schema: {} } },
    });
    expect(response).toEqual({
      message: {
        role: "assistant",
        content: "Let me look.",
        toolCalls: [
          { id: "call-1", name: "weather", arguments: { city: "Oslo" } },
          { id: "call-2", name: "clock", arguments: { zone: "CET" } },
        ],
      },
      stopReason: "toolUse",
      usage: { inputTokens: 12, outputTokens: 7, cacheReadTokens: 4, reasoningTokens: 3 },
      openaiAgents: { id: "resp-1" },
    });
    expect(asked).toEqual([
      {
        systemInstructions: "Be brief.",
        input: [
          { type: "message", role: "user", content: [{ type: "input_image", image: "data:image/png;base64,aGk=" }] },
        ],
        modelSettings: { maxTokens: 5, toolChoice: "weather" },
        tools: [
          { type: "function", name: "weather", description: "Sky.", parameters: { type: "object" }, strict: false },
        ],
        handoffs: [],
        outputType: { type: "json_schema", name: "w", schema: {}, strict: true },
        tracing: false,
      },
    ]);
  });

  it("streams the text and ends with the response that a turn gives", async () => {
    const events = await eventsOf(fromAgentsModel(agentsModel(RICH).model).stream?.(ask));
    const response = await fromAgentsModel(agentsModel(RICH).model).turn(ask);
    expect(events).toEqual([
      ...["Let ", "me ", "look."].map((text) => ({ type: "text-delta", text })),
      { type: "response", response },
    ]);
  });

  it.each([
    [Object.assign(new Error("slow down"), { status: 429 }), "provider-http", "rate-limit", true],
    [Object.assign(new Error("no key"), { status: 401 }), "provider-http", "auth", false],
    [new Error("socket hang up"), "provider-response", "unknown", false],
  ])("makes %s an error of ours, and of the SDK again", async (thrown, code, kind, retryable) => {
    const provider = fromAgentsModel(agentsModel([thrown, thrown, thrown]).model);
    const error = await rejection(provider.turn(ask));
    expect(error).toBeInstanceOf(AgentError);
    expect(error).toMatchObject({ code, kind, retryable });
    expect(await rejection(toAgentsModel(provider).getResponse(ASKED))).toBe(thrown);
    expect(await rejection(eventsOf(toAgentsModel(provider).getStreamedResponse(ASKED)))).toBe(thrown);
  });

  it("refuses a stream that ends without saying so", async () => {
    const model = { ...agentsModel([]).model, async *getStreamedResponse() {} };
    expect(await rejection(eventsOf(fromAgentsModel(model).stream?.(ask)))).toMatchObject({
      code: "provider-response",
    });
  });

  it("calls a stream aborted that ends in silence after an abort, as that of OpenAI's client does", async () => {
    const controller = new AbortController();
    const gone = new Error("gone");
    const model = {
      ...agentsModel([]).model,
      async *getStreamedResponse() {
        yield { type: "output_text_delta", delta: "Ra" } as never;
        controller.abort(gone);
      },
    };
    const { signal } = controller;
    const answer = toAgentsModel(fromAgentsModel(model)).getStreamedResponse({ ...ASKED, signal });
    expect(await rejection(eventsOf(answer))).toBe(gone);
  });

  it("ends on the caller's signal and on timeoutMs", async () => {
    const waits = ({ signal }: { signal: AbortSignal }) =>
      new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    const provider = fromAgentsModel({ ...agentsModel([]).model, getResponse: waits as never });
    expect(await rejection(provider.turn({ ...ask, timeoutMs: 5 }))).toMatchObject({
      code: "timeout",
      retryable: true,
    });
    expect(await rejection(provider.turn({ ...ask, signal: AbortSignal.abort() }))).toMatchObject({ code: "aborted" });
    const controller = new AbortController();
    const gone = new Error("gone");
    const answer = toAgentsModel(provider).getResponse({ ...ASKED, signal: controller.signal });
    controller.abort(gone);
    expect(await rejection(answer)).toBe(gone);
  });

  it.each([null, "gpt-5", {}])("refuses %j, which is not a model", (model) => {
    expect(() => fromAgentsModel(model as never)).toThrow("needs a model, not");
  });

  it.each([{ model: "other" }, { seed: 1 }, { stop: ["x"] }, { tempo: 1 } as never])(
    "refuses the settings %j, which the SDK has no words for",
    async (settings) => {
      const error = await rejection(fromAgentsModel(agentsModel(PLAIN).model).turn({ ...ask, settings }));
      expect(error).toMatchObject({ code: "invalid-options" });
    },
  );
});

describe("a request of the runner", () => {
  const spy = () => {
    const seen: LlmTurnRequest[] = [];
    const script = scriptedProvider([{ message: { role: "assistant", content: "ok" }, stopReason: "stop" }]);
    return { seen, model: toAgentsModel({ turn: (request) => (seen.push(request), script.turn(request)) }) };
  };

  it("keeps what has no field of ours, and nothing of retries and tracing", async () => {
    const { seen, model } = spy();
    await model.getResponse({
      ...ASKED,
      systemInstructions: "Be brief.",
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: "Read this." },
            { type: "input_file", file: { id: "file-1" } },
            { type: "input_image", image: "https://example.com/a.png", detail: "low" },
          ],
        },
        { type: "function_call", callId: "c", name: "look", arguments: "{}", status: "completed" },
        {
          type: "function_call_result",
          callId: "c",
          name: "look",
          status: "completed",
          output: { type: "text", text: "1" },
        },
      ],
      modelSettings: { store: false, retry: { maxRetries: 2 }, timeoutMs: 5, toolChoice: "auto" },
      tools: [
        { type: "function", name: "look", description: "", parameters: {}, strict: true },
        { type: "hosted_tool", name: "web_search", providerData: { type: "web_search" } },
      ],
      handoffs: [
        { toolName: "transfer_to_clerk", toolDescription: "To.", inputJsonSchema: {}, strictJsonSchema: true },
      ],
    });
    expect(seen.map(({ messages, tools, settings }) => ({ messages, tools, settings }))).toEqual([
      {
        messages: [
          { role: "system", content: "Be brief." },
          {
            role: "user",
            content: [
              { type: "text", text: "Read this." },
              {
                type: "text",
                text: "[input_file]",
                openaiAgents: { part: { type: "input_file", file: { id: "file-1" } } },
              },
              { type: "image", url: "https://example.com/a.png", openaiAgents: { detail: "low" } },
            ],
          },
          { role: "assistant", content: "", toolCalls: [{ id: "c", name: "look", arguments: {} }] },
          { role: "tool", toolCallId: "c", name: "look", content: "1" },
        ],
        tools: [
          { name: "look", description: "", schema: {}, openaiAgents: { strict: true } },
          {
            name: "web_search",
            description: "",
            schema: {},
            openaiAgents: {
              hosted: { type: "hosted_tool", name: "web_search", providerData: { type: "web_search" } },
            },
          },
          {
            name: "transfer_to_clerk",
            description: "To.",
            schema: {},
            openaiAgents: { handoff: true, strict: true },
          },
        ],
        settings: { openaiAgents: { store: false } },
      },
    ]);
  });

  it("is refused by a provider of ours that has no words for it, before anything is sent", async () => {
    const fetch = () => Promise.reject(new Error("sent"));
    const model = toAgentsModel(openaiProvider({ apiKey: "none", model: "m", fetch: fetch as never }));
    const error = await rejection(model.getResponse({ ...ASKED, modelSettings: { store: false } }));
    expect(error).toMatchObject({
      code: "invalid-options",
      message: expect.stringContaining("openaiAgents") as string,
    });
  });

  it.each([
    [{ previousResponseId: "resp-1" }, "previousResponseId"],
    [{ conversationId: "conv-1" }, "conversationId"],
    [{ prompt: { promptId: "p" } }, "prompt"],
    [
      { modelSettings: { providerData: { previous_response_id: "resp-1" } } },
      "modelSettings.providerData.previous_response_id",
    ],
    [{ modelSettings: { providerData: { conversation: "conv-1" } } }, "modelSettings.providerData.conversation"],
    [{ input: [{ type: "computer_call_result", callId: "c" }] }, "computer_call_result"],
    [{ input: [{ role: "critic", content: "no" }] }, '"critic"'],
    [{ input: [{ role: "user", content: [{ type: "video" }] }] }, '"video"'],
  ])("is refused with %j, by name", async (given, named) => {
    const { model, seen } = spy();
    const error = await rejection(model.getResponse({ ...ASKED, ...given }));
    expect(error).toMatchObject({ code: "invalid-options", message: expect.stringContaining(named) as string });
    expect(seen).toEqual([]);
  });

  it("reaches the model behind fromAgentsModel just as it was", async () => {
    const { model, asked } = agentsModel(PLAIN);
    const request = { ...ASKED, modelSettings: { store: false }, mine: Symbol("internal") };
    await toAgentsModel(recordingProvider(fromAgentsModel(model))).getResponse(request);
    expect(asked).toEqual([request]);
  });
});

describe("toAgentsModel over a provider of ours", () => {
  const answers = [
    {
      message: {
        role: "assistant",
        content: "",
        reasoning: [{ type: "text", text: "Hm.", signature: "c2ln" }],
        toolCalls: [{ id: "c", name: "look", arguments: {} }],
      },
      stopReason: "toolUse",
    },
    { message: { role: "assistant", content: '{"sky":"rain"}' }, finalAnswer: '{"sky":"rain"}', stopReason: "stop" },
  ] as const;

  it("runs an agent with structured output, and the next prompt holds what was said", async () => {
    const recorder = recordingProvider(scriptedProvider(structuredClone(answers) as never));
    const agentOf = (provider: LlmProviderAdapter) =>
      new Agent({
        name: "guide",
        model: toAgentsModel(provider),
        outputType: z.object({ sky: z.string() }),
        tools: [],
        handoffs: [],
      });
    const looked = agentOf(recorder);
    looked.tools.push(LOOK);
    expect((await runner.run(looked, "Weather?")).finalOutput).toEqual({ sky: "rain" });
    const cassette = recorder.toCassette();
    expect(cassette.entries[1]?.prompt?.messages[0]).toEqual(answers[0].message);
    const tape = cassetteProvider(cassette);
    const replayed = agentOf(tape);
    replayed.tools.push(LOOK);
    const stream = await runner.run(replayed, "Weather?", { stream: true });
    await stream.completed;
    expect(stream.finalOutput).toEqual({ sky: "rain" });
    tape.assertConsumed();
  });

  it("advises the runner's retry policy", async () => {
    const busy = new LlmProviderHttpError({
      status: 503,
      bodySnippet: "busy",
      providerName: "acme",
      hint: "wait",
      retryable: true,
      retryAfterMs: 1,
    });
    let asked = 0;
    const failing: LlmProviderAdapter = {
      turn() {
        if (asked++ === 0) throw busy;
        return Promise.resolve({ message: { role: "assistant", content: "ok" }, stopReason: "stop" });
      },
    };
    const modelSettings = { retry: { maxRetries: 1, policy: retryPolicies.providerSuggested() } };
    const agent = new Agent({ name: "guide", model: toAgentsModel(failing), modelSettings });
    expect((await runner.run(agent, "Hi")).finalOutput).toBe("ok");
    expect(asked).toBe(2);
    expect(toAgentsModel(failing).getRetryAdvice({ error: new Error("not ours") })).toBeUndefined();
  });

  it("counts tokens that add up", async () => {
    const usage = { inputTokens: 5, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 1, reasoningTokens: 1 };
    const turn = async () => ({ message: { role: "assistant", content: "ok" }, stopReason: "stop", usage }) as const;
    const response = await toAgentsModel({ turn }).getResponse(ASKED);
    const sum = new Usage();
    sum.add(response.usage as never);
    expect(sum).toMatchObject({ requests: 1, inputTokens: 5, outputTokens: 2, totalTokens: 7 });
    response.usage.add(sum);
    expect(response.usage).toMatchObject({ requests: 2, inputTokens: 10, outputTokens: 4, totalTokens: 14 });
    expect(response.usage.inputTokensDetails).toEqual([{ cached_tokens: 3, cache_write_tokens: 1 }]);
    expect(response.usage.outputTokensDetails).toEqual([{ reasoning_tokens: 1 }]);
  });
});

const LOOK = {
  type: "function",
  name: "look",
  description: "",
  parameters: { type: "object", properties: {}, required: [], additionalProperties: false },
  strict: true,
  invoke: async () => "rain",
  needsApproval: async () => false,
  isEnabled: async () => true,
} as never;
