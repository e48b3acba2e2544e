// The contract of LlmProviderAdapter (see its comment) as cases for any test runner, so that a provider of one's own can be held
// to it:
//
//   for (const { name, run } of providerConformance(() => myProvider())) test(name, run);
//
// What it does not see: whether an answer is a good one, and what a provider sends to its vendor.

import { assertKnownOptions, seal, type LlmProviderAdapter } from "../../core/index.js";
import { failureCases, silenceCases } from "./provider-failures.js";
import { streamCases } from "./provider-streams.js";
import { turnCases } from "./provider-turns.js";
import {
  assertSame,
  fail,
  within,
  type ConformanceCase,
  type ProviderCheck,
  type ProviderRequests,
} from "./verdict.js";

/** A new provider at each call. */
export type MakeProvider = () => LlmProviderAdapter | Promise<LlmProviderAdapter>;

/** The options of `providerConformance`. */
export interface ProviderConformanceOptions {
  /** A provider of which every call fails. With it there are cases about failures. */
  readonly failing?: MakeProvider;
  /** A provider that never answers, and heeds `signal` and `timeoutMs`. With it there are cases about waiting. */
  readonly silent?: MakeProvider;
  /** How long a call may take before a case takes it for one that never ends. Default 10,000 milliseconds. */
  readonly patienceMs?: number;
}

const OPTIONS = ["failing", "silent", "patienceMs"];
const DEFAULT_PATIENCE_MS = 10_000;

const words = { role: "user", content: "Which is larger, 9.11 or 9.9?" } as const;
const rules = { role: "system", content: "Answer in one sentence." } as const;
const weather = {
  name: "weather",
  description: "The weather in a city.",
  schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

/**
 * All that is ever asked, each at most {@link MAX_ASKED} times of one provider. A provider that answers only what it knows (a
 * cassette, a script) has to know these. The one with tools is best answered with a call: else the cases about calls have
 * nothing to look at.
 */
export const PROVIDER_REQUESTS: ProviderRequests = {
  plain: seal({ messages: [rules, words] }),
  tools: seal({ messages: [rules, { role: "user", content: "How is the weather in Oslo?" }], tools: [weather] }),
  settings: seal({ messages: [rules, words], settings: { temperature: 0, maxTokens: 256, stop: ["END"] } }),
  conversation: seal({
    messages: [
      rules,
      { role: "user", content: "How is the weather in Oslo?" },
      {
        role: "assistant",
        content: "",
        toolCalls: [{ id: "call_1", name: "weather", arguments: { city: "Oslo" } }],
      },
      { role: "tool", toolCallId: "call_1", name: "weather", content: "rain" },
    ],
    tools: [weather],
  }),
};

/** How often one provider is asked one of {@link PROVIDER_REQUESTS} at most. */
export const MAX_ASKED = 4;

/**
 * The cases for the provider that `make` gives. Each asks a provider of its own and ends it. The names of the cases are part of
 * no promise, and later versions may add some. Throws `invalid-options` for an option that is none.
 */
export function providerConformance(make: MakeProvider, options: ProviderConformanceOptions = {}): ConformanceCase[] {
  assertKnownOptions("providerConformance", options, OPTIONS);
  const { failing, silent, patienceMs = DEFAULT_PATIENCE_MS } = options;
  const toCases = (maker: MakeProvider, checks: Readonly<Record<string, ProviderCheck>>): ConformanceCase[] =>
    Object.entries(checks).map(([name, check]) => ({ name, run: () => runCase(maker, check, patienceMs) }));
  return [
    ...toCases(make, { ...turnCases, ...streamCases }),
    { name: "ends without an error, whether it was asked anything or not", run: () => checkEnd(make, patienceMs) },
    ...(failing === undefined ? [] : toCases(failing, failureCases)),
    ...(silent === undefined ? [] : toCases(silent, silenceCases)),
  ];
}

async function runCase(make: MakeProvider, check: ProviderCheck, patienceMs: number): Promise<void> {
  const provider = await make();
  try {
    // Copies that may be written into: what a provider must not do is the matter of one case alone.
    const requests = structuredClone(PROVIDER_REQUESTS);
    await check({ provider, requests, frozen: PROVIDER_REQUESTS, patienceMs });
  } finally {
    // What goes wrong here is the matter of the case about the end.
    const ended = Promise.resolve().then(() => provider.destroy?.());
    await within(patienceMs, "the end", ended).catch(() => undefined);
  }
}

async function checkEnd(make: MakeProvider, patienceMs: number): Promise<void> {
  for (const isAsked of [false, true]) {
    const provider = await make();
    if (isAsked) await within(patienceMs, "the answer", provider.turn(PROVIDER_REQUESTS.plain));
    try {
      const given = await within(patienceMs, "the end", Promise.resolve(provider.destroy?.()));
      assertSame("what destroy gives", given, undefined);
    } catch (error) {
      fail("destroy", error instanceof Error ? error.message : error, "no error");
    }
  }
}
