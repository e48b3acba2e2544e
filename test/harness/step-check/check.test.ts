import { describe, expect, it } from "vitest";
import * as ai6 from "ai";
import { buildCassette } from "../../../src/cassette/file/build.js";
import { recordingProvider } from "../../../src/cassette/record/recording-provider.js";
import { openaiProvider } from "../../../src/core/vendors/providers.js";
import { VENDORS } from "../../../src/core/vendors/vendors.js";
import { fromAiSdk } from "../../../src/harness/adapters/ai-sdk/from-ai-sdk.js";
import { toAiSdk } from "../../../src/harness/adapters/ai-sdk/to-ai-sdk.js";
import { startVendor } from "../../support/vendor.js";
import { LlmProviderHttpError } from "../../../src/core/errors.js";
import type { CassetteV2 } from "../../../src/cassette/file/format.js";
import { HarnessError } from "../../../src/harness/errors.js";
import { stepCheck } from "../../../src/harness/step-check/check.js";
import { createStepGate } from "../../../src/harness/step-check/gate.js";
import { firstDisagreement, summariseSteps } from "../../../src/harness/step-check/summary.js";
import { draft, fixedPorts, prompt, recordTurns } from "../../support/recording.js";
import { ask, say } from "../../support/script.js";
import { model, promptsOf, recorded, RECORDED, TOOLS } from "./recorded.js";

/** Waits end at once. */
const timer = (_ms: number, fire: () => void) => (fire(), () => undefined);
const ports = { ...fixedPorts(50), timer, warn: () => undefined };
const agreeing = () => model((turn) => RECORDED[turn] ?? say("?"));

async function refusal(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

function http(status: number, kind: "auth" | "overloaded"): LlmProviderHttpError {
  const retryable = kind === "overloaded";
  return new LlmProviderHttpError({ status, bodySnippet: "no", providerName: "new", hint: "?", retryable, kind });
}

/** A run through the AI SDK with a model that gives its answers ids, as that of OpenAI's Responses API does. */
async function recordedByAiSdk(): Promise<CassetteV2> {
  const itemId = (id: string) => ({ providerMetadata: { openai: { itemId: id } } });
  const usage = { inputTokens: { total: 3 }, outputTokens: { total: 2 } };
  const calls = [{ type: "tool-call", toolCallId: "c1", toolName: "search", input: '{"q":"rain"}', ...itemId("fc_1") }];
  const answers = [calls, [{ type: "text", text: "Sent.", ...itemId("msg_1") }]];
  let asked = 0;
  const live = fromAiSdk({
    ...{ specificationVersion: "v3", provider: "openai.responses", modelId: "gpt-9", supportedUrls: {} },
    doGenerate: () => {
      const content = answers[asked++] ?? [];
      const unified = asked === 1 ? "tool-calls" : "stop";
      return Promise.resolve({ content, finishReason: { unified, raw: unified }, usage, warnings: [] });
    },
    doStream: () => Promise.reject(new Error("is not streamed")),
  } as never);
  const recorder = recordingProvider(live, { ports: fixedPorts(50) });
  const inputSchema = ai6.jsonSchema<{ q: string }>({ type: "object", properties: { q: { type: "string" } } });
  await ai6.generateText({
    model: toAiSdk(recorder),
    prompt: "Rain?",
    providerOptions: { openai: { reasoningEffort: "low" } },
    tools: { search: ai6.tool({ description: "Does search.", inputSchema, execute: ({ q }) => `${q}: none` }) },
    stopWhen: ai6.stepCountIs(2),
    maxRetries: 0,
  });
  return recorder.toCassette();
}

describe("stepCheck", () => {
  it.each([null, "openai:gpt-4o", {}])("names what is not a provider: %j", async (provider) => {
    const cassette = await recordTurns([prompt("a")], [say("b")]);
    await expect(stepCheck(cassette, provider as never)).rejects.toMatchObject({ code: "invalid-options" });
  });

  it("asks a vendor's model what was recorded by the AI SDK, and notes what that alone understands", async () => {
    const vendor = await startVendor((_, index) => (index === 0 ? say("No.") : say("Sent.")));
    try {
      const options = { apiKey: "k", model: "gpt-9", baseURL: `${vendor.url}/v1` };
      const cassette = await recordedByAiSdk();
      expect(cassette.extensions?.contexts?.at(-1)?.settings).toHaveProperty("aiSdk");
      const gate = createStepGate({ concurrency: 1 });
      const check = await stepCheck(cassette, openaiProvider(options), { gate });
      expect(check.turns.map((turn) => (turn.state === "compared" ? turn.verdict : turn))).toEqual([
        "answered",
        "same",
      ]);
      expect(check.notes).toEqual(["not sent, because only the recorded client understands it: aiSdk.providerOptions"]);
      expect(vendor.asked).toHaveLength(2);
    } finally {
      await vendor.close();
    }
  });

  it("asks without the fields that came over a vendor's wire, also the same model, and offers no tool of the vendor", async () => {
    const { request } = VENDORS.openai.parse({
      ...{ model: "m", reasoning_effort: "low", temperature: 0 },
      messages: [{ role: "user", content: "Rain?" }],
    });
    const recorder = recordingProvider({ name: "new", turn: () => Promise.resolve(say("No.")) });
    const hosted = { name: "web_search", description: "", schema: {}, aiSdk: { id: "openai.web_search", args: {} } };
    await recorder.turn({ ...request, tools: [...TOOLS, hosted] });
    const provider = model(() => say("No."));
    const check = await stepCheck(recorder.toCassette(), provider, { ports });
    expect(provider.asked[0]?.settings).toEqual({ temperature: 0 });
    expect(check.notes).toEqual(["not sent, because only the recorded client understands it: openai.reasoning_effort"]);
    const other = model(() => say("No."), "other");
    const { notes } = await stepCheck(recorder.toCassette(), other, { ports });
    expect(other.asked[0]?.tools).toEqual(TOOLS);
    expect(notes).toContain("tools that the recorded vendor ran were not offered: web_search");
  });

  it("asks at each recorded prompt, with the recorded tools and settings, and nothing carried over", async () => {
    const provider = model(() => say("I will not."));
    const check = await stepCheck(await recorded(), provider, { gate: createStepGate({ concurrency: 1 }), ports });
    expect(provider.asked.map(({ messages }) => messages)).toEqual(promptsOf("Rain?"));
    for (const { tools, settings } of provider.asked) {
      expect(tools).toEqual(TOOLS);
      expect(settings).toEqual({ temperature: 0 });
    }
    expect(check.turns.map((turn) => turn.state === "compared" && turn.verdict)).toEqual([
      "answered",
      "answered",
      "same",
    ]);
    expect(check).toMatchObject({ provider: "new", recordedProvider: "old", asked: 3, notes: [] });
  });

  it("adds up what was found: verdicts, the interval, the tools that were confused, tokens and cost", async () => {
    const usage = { inputTokens: 10, outputTokens: 2 };
    const provider = model((turn) =>
      turn === 1
        ? ask([{ name: "read", arguments: { page: 2 } }], { usage, costUsd: 0.01 })
        : { ...(RECORDED[turn] ?? say("?")), usage, costUsd: 0.01 },
    );
    const check = await stepCheck(await recorded(), provider, { ports });
    const summary = summariseSteps([check]);
    expect(summary).toMatchObject({
      cassettes: 1,
      turns: 3,
      compared: 3,
      verdicts: { same: 2, "other-tools": 1, "other-arguments": 0, answered: 0, called: 0 },
      failed: 0,
      notAsked: 0,
      confusion: [
        { recorded: "(answer)", chosen: "(answer)", count: 1 },
        { recorded: "read", chosen: "read", count: 1 },
        { recorded: "search", chosen: "search", count: 1 },
        { recorded: "send", chosen: "read", count: 1 },
      ],
      usage: { turns: 3, inputTokens: 30, outputTokens: 6, costUsd: 0.03 },
    });
    // Of the textbook: Wilson's interval for 2 of 3.
    expect(summary.agreement?.low).toBeCloseTo(0.2077, 4);
    expect(summary.agreement?.high).toBeCloseTo(0.9385, 4);
  });

  it("tells the first disagreement, where it is, and nothing that acts on a terminal", async () => {
    const provider = model((turn) =>
      turn === 1
        ? ask([{ name: "send", arguments: { to: "ann", text: "\u001b[2Jsun" } }])
        : (RECORDED[turn] ?? say("?")),
    );
    const check = await stepCheck(await recorded(), provider, { ports });
    expect(firstDisagreement(check)).toEqual({
      turn: 1,
      verdict: "other-arguments",
      recorded: 'send({"text":"rain","to":"ann"})',
      chosen: 'send({"text":"\\u001b[2Jsun","to":"ann"})',
      at: { tool: "send", pointer: "/text", recorded: '"rain"', chosen: '"\\u001b[2Jsun"' },
    });
    expect(firstDisagreement(await stepCheck(await recorded(), agreeing(), { ports }))).toBeUndefined();
  });

  it("gives the same report from the kept answers, and asks for nothing", async () => {
    const source = await recorded();
    const live = await stepCheck(
      source,
      model(() => say("No.")),
      { ports },
    );
    const kept = JSON.parse(JSON.stringify(live.answers)) as CassetteV2;
    for (const provider of [undefined, model(() => say("another"))]) {
      const again = await stepCheck(source, provider, { answers: kept, ports: fixedPorts(7) });
      expect(again).toEqual({ ...live, asked: 0 });
    }
  });

  it("keeps the answers as they come, in the order of the recording, and goes on from them", async () => {
    const source = await recorded();
    const kept: CassetteV2[] = [];
    const broken = model((turn) => {
      if (turn === 0) throw new Error("down");
      return RECORDED[turn] ?? say("?");
    });
    const first = await stepCheck(source, broken, { keep: (answers) => void kept.push(answers), ports });
    expect(first.turns[0]).toMatchObject({ state: "failed", reason: expect.stringContaining("down") as string });
    expect(kept.at(-1)?.extensions?.["stepCheck"]).toMatchObject({ turns: [1, 2] });

    const rest = agreeing();
    const second = await stepCheck(source, rest, { answers: draft(kept.at(-1) as CassetteV2), ports: fixedPorts(9) });
    expect(rest.asked).toHaveLength(1);
    expect(second.answers?.cassetteId).toBe(first.answers?.cassetteId);
    expect(second.answers?.extensions?.["stepCheck"]).toMatchObject({ turns: [0, 1, 2] });
    expect(summariseSteps([second]).agreement?.rate).toBe(1);
  });

  it("takes secrets out of the answers before they are kept and compared", async () => {
    const secret = ["sk", "ant", "api03", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4"].join("-");
    const check = await stepCheck(
      await recorded(),
      model(() => say(`Use ${secret}.`)),
      { ports },
    );
    expect(JSON.stringify(check)).not.toContain(secret);
    expect(JSON.stringify(check.answers)).toContain("<redacted:");
  });

  it("never keeps a failure as an answer, tries again what may pass, and stops at what lasts", async () => {
    let calls = 0;
    const passing = model((turn) => {
      if (calls++ === 0) throw http(529, "overloaded");
      return RECORDED[turn] ?? say("?");
    });
    expect(summariseSteps([await stepCheck(await recorded(), passing, { ports })])).toMatchObject({ compared: 3 });

    const rejected = model(() => {
      throw http(401, "auth");
    });
    const check = await stepCheck(await recorded(), rejected, { gate: createStepGate({ concurrency: 1 }), ports });
    expect(check.turns).toEqual([
      { turn: 0, state: "failed", reason: expect.stringContaining("401") as string },
      { turn: 1, state: "not-asked", reason: "stopped" },
      { turn: 2, state: "not-asked", reason: "stopped" },
    ]);
    expect([check.answers, check.asked, rejected.asked.length]).toEqual([undefined, 1, 1]);
  });

  it("counts a value that is not an answer as a failure", async () => {
    const odd = model(() => ({ message: { role: "assistant" }, stopReason: "stop" }) as never);
    const { turns } = await stepCheck(await recorded(), odd, { ports });
    expect(turns[0]).toMatchObject({ state: "failed", reason: expect.stringContaining("/message/content") as string });
  });

  it("ends with what keeping the answers threw, and asks for no more", async () => {
    const provider = agreeing();
    const keep = () => Promise.reject(new Error("disk full"));
    const gate = createStepGate({ concurrency: 1 });
    expect(await refusal(stepCheck(await recorded(), provider, { keep, gate, ports }))).toMatchObject({
      message: "disk full",
    });
    expect(provider.asked.length).toBeLessThan(3);
  });

  it("leaves the recorded model's thoughts out for another one, and says so", async () => {
    const [first, ...others] = RECORDED;
    const thoughtful = {
      ...first,
      message: { ...first?.message, reasoning: [{ type: "text", text: "Hm." }] },
    } as never;
    const source = await recorded({ turns: [thoughtful, ...others] });
    const another = agreeing();
    const check = await stepCheck(source, another, { ports });
    expect(JSON.stringify(another.asked)).not.toContain("Hm.");
    expect(check.notes).toEqual(["the recorded model's reasoning is left out of the prompts"]);
    const same = model((turn) => RECORDED[turn] ?? say("?"), "old");
    await stepCheck(source, same, { ports });
    expect(JSON.stringify(same.asked)).toContain("Hm.");
  });

  it("says that a recording is redacted", async () => {
    const source = await recorded();
    const { entries, extensions, envelopeHash, ...head } = source;
    const redacted = buildCassette({ ...head, extensions: { ...extensions, redacted: ["aws-key"] } }, entries);
    const { notes, answers } = await stepCheck(redacted, agreeing(), { ports });
    expect(notes).toEqual([
      "the recording is redacted (aws-key): the model sees placeholders instead of the original text",
    ]);
    expect(answers?.extensions?.redacted).toEqual(["aws-key"]);
  });
});

describe("what cannot be checked", () => {
  const code = async (work: Promise<unknown>): Promise<unknown> => {
    const error = await refusal(work);
    expect(error).toBeInstanceOf(HarnessError);
    return (error as HarnessError).code;
  };

  it("is a recording of version 1, of hashes alone, without tools, or of answers", async () => {
    const source = await recorded();
    const bare = source.entries.map(({ turnIndex, promptHash, response }) => ({ turnIndex, promptHash, response }));
    const first = { version: 1, recordedAt: source.recordedAt, recordedProvider: "old", entries: bare };
    const { entries, extensions, envelopeHash, ...head } = source;
    const toolless = buildCassette(head, entries);
    const { answers } = await stepCheck(source, agreeing(), { ports });
    for (const cassette of [first, await recorded({ prompts: false }), toolless, answers]) {
      expect(await code(stepCheck(cassette, agreeing(), { ports }))).toBe("not-checkable");
    }
    const given = await stepCheck(toolless, agreeing(), { tools: TOOLS, ports });
    expect(summariseSteps([given]).agreement?.rate).toBe(1);
    expect(given.notes).toContain("the given tools replace the recorded ones");
  });

  it("is answered by no answers of another recording, of another model, or of no check", async () => {
    const source = await recorded();
    const { answers } = await stepCheck(source, agreeing(), { ports });
    const other = await recorded({ goal: "Sun?" });
    expect(await code(stepCheck(other, agreeing(), { answers: answers as CassetteV2, ports }))).toBe("answers-unfit");
    const renamed = model(() => say("?"), "third");
    expect(await code(stepCheck(source, renamed, { answers: answers as CassetteV2, ports }))).toBe("answers-unfit");
    expect(await code(stepCheck(source, agreeing(), { answers: other, ports }))).toBe("answers-unfit");
  });
});
