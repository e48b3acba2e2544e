// Several providers as one: each is tried in its turn until one answers. Attempts, waits, cooldown and one refresh of a rejected
// key are per entry; what was streamed to the caller is never taken back, so nothing is tried again after it. Keep one chain
// per conversation: cooldown and the reasoning that must not cross over are kept on it.

import { thrownText } from "../tools/thrown.js";
import { AgentError, type LlmErrorKind } from "../errors.js";
import { providerName, type LlmProviderAdapter } from "../model/provider.js";
import { assertKnownOptions } from "../options.js";
import { withSystemPorts, type Ports } from "../ports.js";
import type { FallbackAttempt, FallbackStart } from "./fallback/attempt.js";
import { createCooldown } from "./fallback/cooldown.js";
import { entryProblem, speakerOf, type FallbackEntry } from "./fallback/entry.js";
import { createReasoningLatch } from "./fallback/latch.js";
import { walkChain, type AuthFailure, type Chain } from "./fallback/walk.js";
import { sleep } from "./sleep.js";

export interface FallbackOptions {
  /** Told of every attempt and every skipped entry as it ends, before the answer is handed out. Must not throw. */
  onAttempt?(attempt: FallbackAttempt): void;
  /** Told of every attempt before its provider is asked, so that what is then streamed has a name. Must not throw. */
  onAttemptStart?(start: FallbackStart): void;
  /**
   * Asked once per provider and turn when its key was rejected; true when a new one is in place and is worth a call. One that
   * takes longer than the request's `timeoutMs`, or 60,000 without it, is not waited for.
   */
  onAuthError?(failure: AuthFailure): boolean | Promise<boolean>;
  /**
   * How long a provider is left alone once its attempts were used up by failures that pass, or as the vendor asks if that is
   * longer. Default 30,000.
   */
  cooldownMs?: number;
  /** A vendor that asks for a longer wait than this is left for the next entry at once. Default 60,000. */
  maxWaitMs?: number;
  /**
   * Kinds of error that end the chain instead of moving on. Default `["content-filter"]`: what one vendor refused is not
   * offered to the next. All other errors move on, those that may pass after the attempts of their entry.
   */
  endOn?: readonly LlmErrorKind[];
  /** Waits between attempts. Default by the timer of the ports. */
  sleep?(ms: number, signal?: AbortSignal): Promise<void>;
  /** What recordings and errors call the chain. Default the names of its providers. */
  name?: string;
  ports?: Partial<Ports>;
}

const FALLBACK_OPTIONS = [
  "onAttempt",
  "onAttemptStart",
  "onAuthError",
  "cooldownMs",
  "maxWaitMs",
  "endOn",
  "sleep",
  "name",
  "ports",
];

/** Throws `invalid-options` for a chain that can never work. Errors that end a turn are described at {@link FallbackOptions}. */
export function fallbackProvider(entries: readonly FallbackEntry[], options: FallbackOptions = {}): LlmProviderAdapter {
  assertKnownOptions("fallbackProvider", options, FALLBACK_OPTIONS);
  assertOptions(entries, options);
  const chain = createChain([...entries], options);
  return {
    name: chain.name,
    async turn(request) {
      for await (const event of walkChain(chain, request, false)) if (event.type === "response") return event.response;
      throw new AgentError("provider-response", `${chain.name} ended without a response`);
    },
    stream: (request) => walkChain(chain, request, true),
    destroy: () => destroyAll(entries),
  };
}

function createChain(entries: readonly FallbackEntry[], options: FallbackOptions): Chain {
  const ports = withSystemPorts(options.ports);
  const { cooldownMs = 30_000, maxWaitMs = 60_000, endOn = ["content-filter"] } = options;
  const name = options.name ?? `fallback(${entries.map(({ provider }) => providerName(provider)).join(", ")})`;
  const tell = (listener: string, call: () => void) => {
    try {
      call();
    } catch (error) {
      ports.warn(`${name}: ${listener} threw, which it must not: ${thrownText(error)}`);
    }
  };
  return {
    name,
    entries,
    ports,
    cooldownMs,
    maxWaitMs,
    endOn,
    cooldown: createCooldown(ports),
    latch: createReasoningLatch(speakerOf(entries, 0)),
    // What the caller's own gives is not looked at: one that returns at once has waited.
    sleep: async (ms, signal) => (options.sleep === undefined ? sleep(ms, ports, signal) : options.sleep(ms, signal)),
    begin(tried) {
      if (options.onAttemptStart === undefined) return;
      tell("onAttemptStart", () => options.onAttemptStart?.({ ...tried, outcome: "started" }));
    },
    report: (attempt) => tell("onAttempt", () => options.onAttempt?.(attempt)),
    refresh: async (failure) => (await options.onAuthError?.(failure)) === true,
  };
}

/** Each provider once, all of them, whatever one of them throws. */
async function destroyAll(entries: readonly FallbackEntry[]): Promise<void> {
  const providers = new Set(entries.map(({ provider }) => provider));
  const results = await Promise.allSettled([...providers].map(async (provider) => provider.destroy?.()));
  const errors = results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, "several providers of a chain could not be destroyed");
}

function assertOptions(entries: readonly FallbackEntry[], options: FallbackOptions): void {
  const { cooldownMs = 0, maxWaitMs = 0, name = "chain" } = options;
  const isWait = (ms: unknown) => typeof ms === "number" && Number.isFinite(ms) && ms >= 0;
  const problems = [
    entries.length > 0 ? "" : "the chain has no entry",
    ...entries.map((entry, index) => {
      const problem = entryProblem(entry);
      return problem === "" ? "" : `entry ${index}: ${problem}`;
    }),
    isWait(cooldownMs) ? "" : `cooldownMs is ${String(cooldownMs)}: give a finite number of 0 or more`,
    isWait(maxWaitMs) ? "" : `maxWaitMs is ${String(maxWaitMs)}: give a finite number of 0 or more`,
    name.trim() === "" ? "name is empty: leave it out for the default" : "",
  ].filter((problem) => problem !== "");
  if (problems.length === 0) return;
  throw new AgentError("invalid-options", `fallback provider: ${problems.join("; ")}`, {
    hint: "Pass [{ provider, maxAttempts?, backoff? }, …], the first choice first.",
  });
}
