// The contract of LlmProviderAdapter as cases for any test runner. It does not judge the quality of answers.

import { copyJson, type LlmProviderAdapter } from "../../../core/index.js";
import { assertSame, fail, locate, type Clause } from "../../contract/clause.js";
import { responseClauses } from "../../contract/response.js";
import { streamClauses } from "../../contract/stream.js";
import { within } from "../../contract/waiting.js";
import { readPatience, suiteFactory, toCases, type ConformanceCase, type ConformanceOptions } from "../case.js";
import { apartClauses } from "./apart.js";
import { ask, watch, type ProviderSubject } from "./ask.js";
import { failureClauses, silenceClauses } from "./failures.js";
import { mannersClauses } from "./manners.js";
import { PROVIDER_REQUESTS } from "./requests.js";

export type MakeProvider = () => LlmProviderAdapter | Promise<LlmProviderAdapter>;

export interface ProviderConformanceOptions extends ConformanceOptions {
  /** Makes a provider whose calls all fail. Adds the cases about failures. */
  readonly failing?: MakeProvider;
  /** Makes a provider that never answers, but obeys `signal` and `timeoutMs`. Adds the cases about waiting. */
  readonly silent?: MakeProvider;
}

const turnClauses = responseClauses.map(({ check, ...clause }): Clause<ProviderSubject> => ({
  ...clause,
  async check(subject) {
    for (const [name, request] of Object.entries(subject.requests)) {
      const answer = await ask(subject, request);
      locate(`the answer to ${name}`, () => check(answer));
    }
  },
}));

/** A provider without streams passes all clauses about streams. */
const pieceClauses = streamClauses.map(({ check, ...clause }): Clause<ProviderSubject> => ({
  ...clause,
  async check(subject) {
    for (const [name, request] of Object.entries(subject.requests)) {
      const events = await watch(subject, request);
      if (events !== undefined) locate(`the stream for ${name}`, () => check(events));
    }
  },
}));

/**
 * Creates the cases for the provider that `make` returns. Each case uses its own provider and ends it. The names of the cases are not stable,
 * and later versions may add cases. Throws `AgentError` `invalid-options` for a value that is not a function that makes providers,
 * and for an unknown option.
 */
export function providerConformance(make: MakeProvider, options: ProviderConformanceOptions = {}): ConformanceCase[] {
  const patienceMs = readPatience(OWNER, options, ["failing", "silent", "patienceMs"]);
  const kind = { suite: OWNER, kind: "provider", methods: ["turn"], patienceMs, made: new WeakSet() };
  const casesOf = (clauses: readonly Clause<ProviderSubject>[], name: string, maker: MakeProvider) => {
    const open = suiteFactory(kind, name, maker);
    const subject = async () => ({ provider: await open(), requests: copyJson(PROVIDER_REQUESTS), patienceMs });
    return toCases(clauses, subject, patienceMs, ({ provider }) => provider.destroy?.());
  };
  const open = suiteFactory(kind, "make", make);
  const end: Clause<undefined> = { name: END, advice: END_ADVICE, check: () => checkEnd(open, patienceMs) };
  const { failing, silent } = options;
  return [
    ...casesOf([...turnClauses, ...mannersClauses, ...pieceClauses, ...apartClauses], "make", make),
    ...toCases([end], () => undefined, patienceMs),
    ...(failing === undefined ? [] : casesOf(failureClauses, "failing", failing)),
    ...(silent === undefined ? [] : casesOf(silenceClauses, "silent", silent)),
  ];
}

const OWNER = "providerConformance";
const END = "ends without an error, even if it was never called";
const END_ADVICE = "Return nothing from destroy, or a promise of nothing, and succeed even if there is nothing to end.";

async function checkEnd(make: () => Promise<LlmProviderAdapter>, patienceMs: number): Promise<void> {
  for (const isAsked of [false, true]) {
    const provider = await make();
    if (isAsked) await ask({ provider, patienceMs }, PROVIDER_REQUESTS.plain);
    try {
      assertSame("what destroy gives", await within(patienceMs, "the end", () => provider.destroy?.()), undefined);
    } catch (error) {
      fail("destroy", error instanceof Error ? error.message : error, "no error");
    }
  }
}
