import { describe, expect, it } from "vitest";
import { findRate, costOf, type Pricing } from "../../../src/core/model/pricing.js";
import { ANTHROPIC_PRICING } from "../../../src/core/vendors/anthropic/prices.js";
import { OPENAI_PRICING } from "../../../src/core/vendors/openai/prices.js";
import { anthropicProvider, openaiProvider } from "../../../src/core/vendors/providers.js";
import { decodeOpenAi } from "../../../src/core/vendors/openai/decode.js";
import type { OpenAiOptions } from "../../../src/core/vendors/openai/traits.js";
import { playLoop } from "../../support/loop.js";
import { hasShared } from "../../support/shared.js";
import { agentErrorOf, apiKey, hello, readExchanges } from "../../support/wire.js";

const answer = (body: object) => async () => Response.json(body);
const completion = (usage: object | undefined, model?: string) => ({
  choices: [{ message: { content: "hi" }, finish_reason: "stop" }],
  ...(usage === undefined ? {} : { usage }),
  ...(model === undefined ? {} : { model }),
});
const thousand = { prompt_tokens: 1_000, completion_tokens: 1_000 };

/** A provider whose host always answers with `body`, and what it warned of. */
function openai(body: object, options: Partial<OpenAiOptions> = {}) {
  const warnings: string[] = [];
  const ports = { warn: (text: string) => void warnings.push(text) };
  return { warnings, provider: openaiProvider({ apiKey, model: "gpt-4o", fetch: answer(body), ports, ...options }) };
}
const costWith = async (body: object, options: Partial<OpenAiOptions> = {}) =>
  (await openai(body, options).provider.turn(hello)).costUsd;

describe("the price of an answer", () => {
  it("PLK-23 openai: comes from OPENAI_PRICING, a cached token cheaper", async () => {
    expect(await costWith(completion(thousand))).toBe(0.0125);
    const cached = { ...thousand, prompt_tokens_details: { cached_tokens: 400 } };
    expect(await costWith(completion(cached))).toBe(0.012);
  });

  it("PLK-24 anthropic: comes from ANTHROPIC_PRICING, with cache reads and writes in addition to the fresh tokens", async () => {
    const usage = {
      input_tokens: 1_000,
      output_tokens: 1_000,
      cache_read_input_tokens: 1_000,
      cache_creation_input_tokens: 1_000,
    };
    const fetch = answer({ content: [{ type: "text", text: "hi" }], usage });
    const provider = anthropicProvider({ apiKey, model: "claude-sonnet-4-5-20250929", fetch });
    expect((await provider.turn(hello)).costUsd).toBe(0.003 + 0.015 + 0.0003 + 0.00375);
  });

  it("PLK-37 is looked up for the model that was asked for, then for the one that answered", async () => {
    expect(await costWith(completion(thousand, "gpt-4o-mini"))).toBe(0.0125);
    expect(await costWith(completion(thousand, "gpt-4o-2024-11-20"), { model: "my-deployment" })).toBe(0.0125);
    const mini = { ...hello, settings: { model: "gpt-4o-mini-2024-07-18" } };
    expect((await openai(completion(thousand)).provider.turn(mini)).costUsd).toBe(0.00075);
  });

  it("PLK-38 comes from the caller's list alone where there is one", async () => {
    const pricing = { "gpt-4o": { input: 1, output: 1 } };
    expect(await costWith(completion(thousand), { pricing })).toBe(0.002);
    expect(await costWith(completion(thousand), { pricing, model: "o3" })).toBeUndefined();
    expect(await costWith(completion(thousand), { pricing: { "gpt-4o": { input: 0, output: 0 } } })).toBe(0);
  });

  it.each([
    ["a missing figure", { m: { input: 1 } }],
    ["a negative figure", { m: { input: 1, output: -1 } }],
    ["a figure beyond a million", { m: { input: 1, output: 1_000_001 } }],
    ["an endless figure", { m: { input: 1, output: Infinity } }],
    ["no number", { m: { input: 1, output: Number.NaN } }],
    ["a text", { m: { input: "1", output: 1 } }],
    ["null", { m: null }],
    ["no table", []],
  ])("PLK-38 refuses a list with %s at construction", async (_what, pricing) => {
    const error = await agentErrorOf(() => openai({}, { pricing: pricing as unknown as Pricing }));
    expect(error).toMatchObject({ code: "invalid-options" });
    expect(error.message).toContain("pricing");
  });

  it("PLK-38 is by the list as it was at construction", async () => {
    const pricing = { "gpt-4o": { input: 1, output: 1 } };
    const { provider } = openai(completion(thousand), { pricing });
    pricing["gpt-4o"].input = Number.NaN;
    expect((await provider.turn(hello)).costUsd).toBe(0.002);
  });

  it("PLK-38 is by the figures that were looked at, should the list give others later", async () => {
    let reads = 0;
    const rate = {
      output: 1,
      get input() {
        // Once when the options are checked, once when the list is copied.
        return (reads += 1) <= 2 ? 1 : Infinity;
      },
    };
    expect(await costWith(completion(thousand), { pricing: { "gpt-4o": rate } })).toBe(0.002);
  });

  it("PLK-36 is exact to 1e-12 USD, so that a limit is reached by tiny prices", async () => {
    const pricing = { "gpt-4o": { input: 0.000_5, output: 0 } };
    const one = { prompt_tokens: 1, completion_tokens: 0 };
    expect(await costWith(completion(one), { pricing })).toBe(5e-10);
    const body = { choices: [{ message: { tool_calls: [{ function: { name: "missing", arguments: "{}" } }] } }] };
    const { provider } = openai({ ...body, usage: one }, { pricing });
    const played = await playLoop({ provider, limits: { maxCostUsd: 1.5e-9, maxTurns: 9 } });
    expect(played.stop).toMatchObject({ kind: "budget", cap: "costUsd" });
  });

  it("PLK-37 PLK-71 is that of the longest listed name, so that a cost cap applies to a new release", async () => {
    const call = { type: "tool_use", id: "t", name: "missing", input: {} };
    const usage = { input_tokens: 1_000, output_tokens: 1_000 };
    const fetch = answer({ content: [call], stop_reason: "tool_use", usage });
    const provider = anthropicProvider({ apiKey, model: "claude-sonnet-4-6-20260201", fetch });
    expect((await provider.turn(hello)).costUsd).toBe(0.018);
    const played = await playLoop({ provider, limits: { maxCostUsd: 0.03, maxTurns: 9 } });
    expect(played.stop).toMatchObject({ kind: "budget", cap: "costUsd" });
  });

  it("PLK-37 is said to be an estimate, once, where the name is more than a snapshot of the listed one", async () => {
    const { provider, warnings } = openai(completion(thousand), { model: "gpt-4o-audio-preview" });
    for (let turn = 0; turn < 2; turn++) expect((await provider.turn(hello)).costUsd).toBe(0.0125);
    expect(warnings).toEqual([
      'openai:gpt-4o-audio-preview: no price is known for the model "gpt-4o-audio-preview", so the rate of "gpt-4o" is used; ' +
        "pass pricing to set one",
    ]);
    const dated = openai(completion(thousand), { model: "gpt-4o-2024-11-20" });
    await dated.provider.turn(hello);
    expect(dated.warnings).toEqual([]);
  });

  it("PLK-39 PLK-71 is required at construction with requirePrice, and again where a request names another model", async () => {
    const refused = await agentErrorOf(() => openai({}, { model: "my-model", requirePrice: true }));
    expect(refused).toMatchObject({
      code: "invalid-options",
      message: 'openai:my-model: no price is known for the model "my-model", and requirePrice is set',
      hint: expect.stringContaining('"my-model": { input, output }') as string,
    });
    const pricing = { "my-model": { input: 1, output: 1 } };
    const { provider } = openai(completion(thousand), { model: "my-model", requirePrice: true, pricing });
    expect((await provider.turn(hello)).costUsd).toBe(0.002);
    const other = { ...hello, settings: { model: "gpt-4o" } };
    expect(await agentErrorOf(() => provider.turn(other))).toMatchObject({ code: "invalid-options" });
    expect(await agentErrorOf(() => openai({}, { requirePrice: 1 as never }))).toMatchObject({
      message: expect.stringContaining("requirePrice is 1: give true or false") as string,
    });
  });

  it("is finite for the largest counts, and a sum beyond what can be counted is undefined", async () => {
    const most = Number.MAX_SAFE_INTEGER;
    const dear = { "gpt-4o": { input: 1e6, output: 1e6 }, "claude-sonnet-4-5": { input: 1e6, output: 1e6 } };
    const counts = { prompt_tokens: most, completion_tokens: most };
    expect(await costWith(completion(counts), { pricing: dear })).toBeLessThan(1e17);
    const usage = { input_tokens: most, output_tokens: 1, cache_read_input_tokens: most };
    const fetch = answer({ content: [{ type: "text", text: "hi" }], usage });
    const provider = anthropicProvider({ apiKey, model: "claude-sonnet-4-5", fetch, pricing: dear });
    expect(await provider.turn(hello)).toMatchObject({ usage: { inputTokens: 0, outputTokens: 1 }, costUsd: 1 });
  });

  it("PLK-39 is absent without a rate, and that is said once per provider and model", async () => {
    const { provider, warnings } = openai(completion(thousand), { model: "gpt-99" });
    for (let turn = 0; turn < 3; turn++) expect(await provider.turn(hello)).not.toHaveProperty("costUsd");
    expect(warnings).toEqual([
      expect.stringContaining('openai:gpt-99: no price is known for the model "gpt-99", so costUsd is left out'),
    ]);
    await provider.turn({ ...hello, settings: { model: "gpt-98" } });
    expect(warnings).toHaveLength(2);
  });

  it("PLK-39 warns once where many providers of one name share a console", async () => {
    const warnings: string[] = [];
    const ports = { warn: (text: string) => void warnings.push(text) };
    for (let build = 0; build < 3; build++) {
      await openai(completion(thousand), { model: "gpt-99", ports }).provider.turn(hello);
    }
    expect(warnings).toHaveLength(1);
    await openai(completion(thousand), { model: "gpt-99", ports, name: "other" }).provider.turn(hello);
    expect(warnings).toHaveLength(2);
  });

  it("warns about twenty models and no more", async () => {
    const { provider, warnings } = openai(completion(thousand), { model: "x" });
    for (let index = 0; index < 30; index++) await provider.turn({ ...hello, settings: { model: `x${index}` } });
    expect(warnings).toHaveLength(20);
  });

  it("PLK-39 an unknown price never reaches maxCostUsd, a known one does", async () => {
    const call = { function: { name: "missing", arguments: "{}" } };
    const body = { choices: [{ message: { tool_calls: [call] } }], usage: thousand };
    const limits = { maxCostUsd: 0.001, maxTurns: 3 };
    const unknown = await playLoop({ provider: openai(body, { model: "gpt-99" }).provider, limits });
    expect(unknown.stop).toMatchObject({ kind: "budget", cap: "turns" });
    const known = await playLoop({ provider: openai(body).provider, limits });
    expect(known.stop).toMatchObject({ kind: "budget", cap: "costUsd" });
  });

  it("says nothing where the vendor counted no tokens", async () => {
    const { provider, warnings } = openai(completion(undefined), { model: "gpt-99" });
    expect(await provider.turn(hello)).not.toHaveProperty("costUsd");
    expect(warnings).toEqual([]);
  });
});

describe("a price the vendor names itself", () => {
  const named = (extra: object) => completion({ ...thousand, cost: 0.5, cost_details: {}, ...extra });

  it("is taken before the list of this package, and after the caller's", async () => {
    expect(await costWith(named({}))).toBe(0.5);
    expect(await costWith(named({}), { pricing: { "gpt-4o": { input: 1, output: 1 } } })).toBe(0.002);
    const { provider, warnings } = openai(named({}), { pricing: {} });
    expect((await provider.turn(hello)).costUsd).toBe(0.5);
    expect(warnings).toEqual([]);
  });

  it("is kept to 1e-12 USD", async () => {
    expect(await costWith(named({ cost: 3e-9 }))).toBe(3e-9);
    expect(await costWith(named({ cost: 0.1 + 0.2 }))).toBe(0.3);
  });

  it("is the gateway's fee with the vendor's bill on top where the key is the caller's own", async () => {
    const own = { is_byok: true, cost: 0.25, cost_details: { upstream_inference_cost: 0.5 } };
    expect(await costWith(named(own))).toBe(0.75);
    expect(await costWith(named({ ...own, is_byok: false }))).toBe(0.25);
  });

  it.each([
    [{ cost: -1 }],
    [{ cost: 1e301 }],
    [{ cost: 1e8 }],
    [{ is_byok: true, cost_details: { upstream_inference_cost: 1e301 } }],
    [{ is_byok: true, cost_details: { upstream_inference_cost: "much" } }],
    [{ cost: "0.5" }],
    [{ cost: { total_cost: 1 } }],
    [{ cost_details: null }],
    [{ cost: null }],
  ])("is not read from %j", async (odd) => expect(await costWith(named(odd))).toBe(0.0125));
});

/** What a recorded gateway charged for a turn, and what the lists say it costs. */
function charges(file: string) {
  return readExchanges(file)
    .filter(
      ({ request, response }) => /openrouter|vercel/.test(request.url) && !response.body.includes("server_tool_use"),
    )
    .flatMap(({ response }) => {
      const body = JSON.parse(response.body) as { error?: unknown; choices?: unknown };
      if (body.error !== undefined || !Array.isArray(body.choices)) return [];
      const { model = "", usage, costUsd = 0 } = decodeOpenAi(body);
      const [vendor, name = ""] = model.split("/");
      const isOpenAi = vendor === "openai";
      const rate = isOpenAi
        ? findRate(OPENAI_PRICING, name)
        : findRate(ANTHROPIC_PRICING, name.replace(/(\d)\.(\d)/, "$1-$2"));
      if (rate === undefined || usage === undefined || costUsd === 0) return [];
      const thoughtsTwice = { ...usage, outputTokens: usage.outputTokens + (usage.reasoningTokens ?? 0) };
      return [{ model, costUsd, listed: costOf(usage, rate), thoughtsTwice: costOf(thoughtsTwice, rate) }];
    });
}

describe.skipIf(!hasShared)("the lists against what gateways charged", () => {
  it("PLK-36 give the figure of the gateway for every recorded model they know", () => {
    const all = ["openai-compatible", "cross-model-req_llm"].flatMap(charges);
    const off = all.filter(({ costUsd, listed }) => Math.abs(costUsd - listed) > 1e-7);
    // OpenRouter once charged the reasoning of gpt-5 in addition to a completion that held it.
    expect(off.map(({ model }) => model)).toEqual(["openai/gpt-5", "openai/gpt-5", "openai/gpt-5"]);
    for (const { costUsd, thoughtsTwice } of off) expect(thoughtsTwice).toBeCloseTo(costUsd, 9);
    expect(all.length).toBe(31);
  });
});
