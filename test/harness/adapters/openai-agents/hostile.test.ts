// What a run of the Agents SDK may do apart from one agent in a row: agents as tools, answers with a schema, retries by the model's own
// advice, odd counts; and what must not replay an old answer.

import { Agent, retryPolicies, Runner, tool, type Model } from "@openai/agents";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { parseCassette } from "../../../../src/cassette/trust/load-cassette.js";
import { recordingProvider } from "../../../../src/cassette/record/recording-provider.js";
import { cassetteProvider } from "../../../../src/cassette/replay/replay.js";
import { formatCassette } from "../../../../src/cassette/trust/cassette-store.js";
import type { LlmProviderAdapter } from "../../../../src/core/model/provider.js";
import { fromAgentsModel, toAgentsModel } from "../../../../src/harness/adapters/openai-agents/model.js";
import { agentsModel } from "../../../support/openai-agents.js";
import { rejection } from "../../../support/refusal.js";

const runner = new Runner({ tracingDisabled: true });
const said = (text: string) => ({
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text }],
});
const called = (callId: string, name: string, given: string) => ({
  type: "function_call",
  callId,
  name,
  arguments: given,
  status: "completed",
});
const saved = (recorder: ReturnType<typeof recordingProvider>) => parseCassette(formatCassette(recorder.toCassette()));

describe("an answer with a schema", () => {
  const run = (provider: LlmProviderAdapter, outputType: z.ZodObject) =>
    runner.run(new Agent({ name: "a", model: toAgentsModel(provider), outputType }), "Where?");

  it("is recorded, replayed, and missed under another schema", async () => {
    const recorder = recordingProvider(fromAgentsModel(agentsModel([[said('{"city":"Oslo"}')]]).model));
    const shape = z.object({ city: z.string() });
    expect((await run(recorder, shape)).finalOutput).toEqual({ city: "Oslo" });
    const tape = cassetteProvider(saved(recorder));
    expect((await run(tape, shape)).finalOutput).toEqual({ city: "Oslo" });
    tape.assertConsumed();
    const other = z.object({ city: z.string().describe("In capitals.") });
    expect(await rejection(run(cassetteProvider(saved(recorder)), other))).toMatchObject({ code: "settings-changed" });
  });
});

it("agents that are tools, asked at once, are kept apart", async () => {
  const slow = (name: string): Model => ({
    getResponse: async (request) => {
      const asked = JSON.stringify(request.input);
      if (name === "helper") await new Promise((resolve) => setTimeout(resolve, asked.includes("one") ? 5 : 0));
      const isDone = name === "helper" || asked.includes("function_call_result");
      const text = name === "helper" ? `heard ${asked.includes("one") ? "one" : "two"}` : "Done.";
      const calls = [called("c1", "helper", '{"input":"one"}'), called("c2", "helper", '{"input":"two"}')];
      return { usage: { requests: 1 } as never, output: (isDone ? [said(text)] : calls) as never };
    },
    getStreamedResponse: () => {
      throw new Error("not streamed");
    },
  });
  const run = async (provider: (name: string) => LlmProviderAdapter) => {
    const helper = new Agent({ name: "helper", model: toAgentsModel(provider("helper")) });
    const asTool = helper.asTool({
      toolName: "helper",
      toolDescription: "Hears.",
      runConfig: { tracingDisabled: true },
    });
    const agent = new Agent({ name: "boss", model: toAgentsModel(provider("boss")), tools: [asTool] });
    return JSON.stringify((await runner.run(agent, "Go.")).history);
  };
  const recorders = {
    helper: recordingProvider(fromAgentsModel(slow("helper"))),
    boss: recordingProvider(fromAgentsModel(slow("boss"))),
  };
  const recorded = await run((name) => recorders[name as "helper"]);
  expect(recorded).toContain("heard one");
  const tapes = { helper: cassetteProvider(saved(recorders.helper)), boss: cassetteProvider(saved(recorders.boss)) };
  expect(await run((name) => tapes[name as "helper"])).toBe(recorded);
  tapes.helper.assertConsumed();
  tapes.boss.assertConsumed();
});

it("has a call tried again where the model that failed advises it, and records the answer once", async () => {
  const busy = new Error("busy");
  const { model, asked } = agentsModel([busy, [said("Hello.")]]);
  const advising: Model = {
    getResponse: (request) => model.getResponse(request),
    getStreamedResponse: (request) => model.getStreamedResponse(request),
    getRetryAdvice: async ({ error }) => ({ suggested: error === busy, retryAfterMs: 1, replaySafety: "safe" }),
  };
  const recorder = recordingProvider(fromAgentsModel(advising));
  const agent = new Agent({
    name: "a",
    model: toAgentsModel(recorder),
    modelSettings: { retry: { maxRetries: 1, policy: retryPolicies.providerSuggested() } },
  });
  expect((await runner.run(agent, "Hi")).finalOutput).toBe("Hello.");
  expect([asked.length, recorder.turns]).toEqual([2, 1]);
});

it.each([
  [
    "a total with more in it",
    { requests: 1, inputTokens: 10, outputTokens: 5, totalTokens: 20, inputTokensDetails: [], outputTokensDetails: [] },
  ],
  [
    "several requests, and sound",
    {
      requests: 2,
      inputTokens: 10,
      outputTokens: 5,
      totalTokens: 15,
      inputTokensDetails: [{ cached_tokens: 1 }, { cached_tokens: 2 }],
      outputTokensDetails: [{ audio_tokens: 4 }],
    },
  ],
])("keeps the tokens it counted: %s", async (_what, usage) => {
  const model: Model = {
    getResponse: async () => ({ usage: usage as never, output: [said("ok")] as never }),
    getStreamedResponse: () => {
      throw new Error("not streamed");
    },
  };
  const recorder = recordingProvider(fromAgentsModel(model));
  await recorder.turn({ messages: [{ role: "user", content: "Hi" }] });
  const served = toAgentsModel(cassetteProvider(saved(recorder)));
  expect((await served.getResponse({ input: "Hi" })).usage).toMatchObject(usage);
});

describe("what changes the behaviour of a model is another question", () => {
  const weather = (more: object = {}) =>
    tool({
      name: "weather",
      description: "The weather.",
      parameters: z.object({ city: z.string() }),
      execute: () => "rain",
      ...more,
    });
  const run = (provider: LlmProviderAdapter, given: object = {}) =>
    runner.run(new Agent({ name: "a", model: toAgentsModel(provider), tools: [weather()], ...given }), "Hi");

  it.each([
    [{ modelSettings: { reasoning: { effort: "high" } } }, "settings-changed"],
    [{ modelSettings: { parallelToolCalls: false } }, "settings-changed"],
    [{ modelSettings: { toolChoice: "required" } }, "settings-changed"],
    [{ modelSettings: { providerData: { service_tier: "flex" } } }, "settings-changed"],
    [{ tools: [weather({ description: "The sky." })] }, "tools-changed"],
    [
      {
        tools: [
          weather({
            parameters: { type: "object", properties: {}, required: [], additionalProperties: true },
            strict: false,
          }),
        ],
      },
      "tools-changed",
    ],
    [{ handoffs: [new Agent({ name: "other" })] }, "tools-changed"],
    [{ instructions: "Be brief." }, "prompt-changed"],
  ])("%j", async (given, code) => {
    const recorder = recordingProvider(fromAgentsModel(agentsModel([[said("ok")]]).model));
    await run(recorder);
    expect(await rejection(run(cassetteProvider(saved(recorder)), given))).toMatchObject({ code });
  });
});

it("toAgentsModel names a value that is not a provider", () => {
  expect(() => toAgentsModel({ provider: { turn() {} } } as never)).toThrow("the handle of useCassette");
});
