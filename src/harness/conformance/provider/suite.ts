// The contract of LlmProviderAdapter (see its comment) as cases for any test runner, so that a provider of one's own can be held
// to it:
//
//   for (const { name, run } of providerConformance(() => myProvider())) test(name, run);
//
// What it does not see: whether an answer is a good one, and what a provider sends to its vendor.

import { copyJson, seal, type LlmProviderAdapter } from "../../../core/index.js";
import { assertOptionsObject, assertWait } from "../../contract/given.js";
import { PROVIDER_ADVICE } from "./advice.js";
import { apartCases } from "./apart.js";
import { ask } from "./ask.js";
import { failureCases, silenceCases } from "./failures.js";
import { mannersCases } from "./manners.js";
import { streamCases } from "./streams.js";
import { turnCases } from "./turns.js";
import { assertFactory, checkedFactory, DEFAULT_PATIENCE_MS, MAX_END_MS } from "../subject.js";
import {
  advised,
  assertSame,
  fail,
  within,
  type ConformanceCase,
  type ProviderCheck,
  type ProviderRequests,
} from "../case.js";

/** A new provider at each call. */
export type MakeProvider = () => LlmProviderAdapter | Promise<LlmProviderAdapter>;

/** The options of `providerConformance`. */
export interface ProviderConformanceOptions {
  /** A provider of which every call fails. With it there are cases about failures. */
  readonly failing?: MakeProvider;
  /** A provider that never answers, and heeds `signal` and `timeoutMs`. With it there are cases about waiting. */
  readonly silent?: MakeProvider;
  /**
   * Milliseconds that a call may take before a case takes it for one that never ends. Default 4,000, which is less than the five
   * seconds that Vitest and Jest give a test: give both more for a provider that is slow.
   */
  readonly patienceMs?: number;
}

const OPTIONS = ["failing", "silent", "patienceMs"];

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
 * no promise, and later versions may add some. Throws `AgentError` `invalid-options` for what is no function that makes one, and
 * for an option that is none.
 */
export function providerConformance(make: MakeProvider, options: ProviderConformanceOptions = {}): ConformanceCase[] {
  assertOptionsObject(OWNER, options, OPTIONS);
  const { failing, silent, patienceMs = DEFAULT_PATIENCE_MS } = options;
  assertWait(OWNER, "patienceMs", patienceMs);
  const made = new WeakSet<object>();
  const open = (name: string, maker: MakeProvider): Make => {
    const owner = `${name} of ${OWNER}`;
    assertFactory(owner, maker, KIND, METHODS);
    return checkedFactory({ owner, kind: KIND, methods: METHODS, patienceMs, made }, maker);
  };
  const asked = open("make", make);
  const ended = { name: END, run: () => advised(END_ADVICE, () => checkEnd(asked, patienceMs)) };
  return [
    ...toCases(asked, { ...turnCases, ...mannersCases, ...streamCases, ...apartCases }, patienceMs),
    ended,
    ...(failing === undefined ? [] : toCases(open("failing", failing), failureCases, patienceMs)),
    ...(silent === undefined ? [] : toCases(open("silent", silent), silenceCases, patienceMs)),
  ];
}

const OWNER = "providerConformance";
const KIND = "provider";
const METHODS = ["turn"];
const END = "ends without an error, whether it was asked anything or not";
const END_ADVICE =
  "Let destroy give nothing back but a promise of its end, and let it end when there is nothing to end.";

type Make = () => Promise<LlmProviderAdapter>;

function toCases(
  make: Make,
  checks: Readonly<Partial<Record<keyof typeof PROVIDER_ADVICE, ProviderCheck>>>,
  patienceMs: number,
): ConformanceCase[] {
  return (Object.entries(checks) as [keyof typeof PROVIDER_ADVICE, ProviderCheck][]).map(([name, check]) => ({
    name,
    run: () => runCase(make, check, PROVIDER_ADVICE[name], patienceMs),
  }));
}

async function runCase(make: Make, check: ProviderCheck, advice: string, patienceMs: number): Promise<void> {
  const provider = await make();
  try {
    // Copies that may be written into: what a provider must not do is the matter of one case alone.
    const requests = copyJson(PROVIDER_REQUESTS);
    await advised(advice, () => check({ provider, requests, frozen: PROVIDER_REQUESTS, patienceMs }));
  } finally {
    // What goes wrong here is the matter of the case about the end.
    const ended = Promise.resolve().then(() => provider.destroy?.());
    await within(Math.min(patienceMs, MAX_END_MS), "the end", ended).catch(() => undefined);
  }
}

async function checkEnd(make: Make, patienceMs: number): Promise<void> {
  for (const isAsked of [false, true]) {
    const provider = await make();
    if (isAsked) await ask({ provider, patienceMs }, PROVIDER_REQUESTS.plain);
    try {
      const given = await within(patienceMs, "the end", Promise.resolve(provider.destroy?.()));
      assertSame("what destroy gives", given, undefined);
    } catch (error) {
      fail("destroy", error instanceof Error ? error.message : error, "no error");
    }
  }
}
