// Several providers as one: each is tried in order until one answers. After the first streamed delta nothing is tried again. Keep one
// chain per conversation, since it holds the cooldown and the reasoning that must not reach another vendor.

import { thrownText } from "../text/thrown.js";
import { AgentError, type LlmErrorKind, invalidOptions } from "../errors.js";
import { DEFAULT_FALLBACK_COOLDOWN_MS, DEFAULT_MAX_FALLBACK_WAIT_MS } from "../limits.js";
import { providerName, type LlmProviderAdapter } from "../model/provider.js";
import { unknownOptions } from "../options.js";
import { showValue } from "../text/show.js";
import { portsProblem, withSystemPorts, type Ports } from "../ports.js";
import type { FallbackAttempt, FallbackStart } from "./fallback/failure.js";
import { createCooldown } from "./fallback/cooldown.js";
import { entryProblem, speakerOf, type FallbackEntry } from "./fallback/entry.js";
import { createReasoningLatch } from "./fallback/reasoning-latch.js";
import { walkChain, type AuthFailure, type Chain, type Refusal } from "./fallback/retry.js";
import { isThenable, sleep, type Maybe } from "../time/wait.js";
import { nameProblem } from "./vendor-options.js";

/** The options of {@link fallbackProvider}, with times in milliseconds. A wrong one is `AgentError` `invalid-options`. */
export interface FallbackOptions {
  /** Called at the end of every attempt and for every skipped entry, before the answer is handed out. Must not throw. */
  onAttempt?(attempt: FallbackAttempt): void;
  /** Called before every attempt, so that the deltas that follow have a name. Must not throw. */
  onAttemptStart?(start: FallbackStart): void;
  /**
   * Called once per provider and turn when its key was rejected. Return true if a new key is in place. The wait for it ends after the
   * request's `timeoutMs`, or 60,000 without one.
   */
  onAuthError?(failure: AuthFailure): boolean | Promise<boolean>;
  /** The pause of a provider whose attempts ended in temporary failures, or longer if the vendor wants it. Default 30,000. */
  cooldownMs?: number;
  /** The longest wait for a vendor. One that wants a longer wait is left for the next entry at once. Default 60,000. */
  maxWaitMs?: number;
  /**
   * Kinds of error that end the chain instead of moving on to the next entry. Default `["content-filter"]`: content that one vendor
   * refused is not offered to the next. Temporary errors move on after the attempts of their entry.
   */
  endOn?: readonly LlmErrorKind[];
  /**
   * Asked before every attempt for the key of the entry with this id, if its provider has `withCredential`. What it throws ends the
   * chain unchanged.
   */
  keyFor?(id: string, signal?: AbortSignal): unknown;
  /**
   * Asked before every attempt, and before its key. A refusal ends the chain with `AgentError` `egress-refused` and does not count as an attempt.
   * What it throws ends the chain unchanged.
   */
  beforeAttempt?(start: FallbackStart): Maybe<Refusal | undefined>;
  /** Waits between attempts. Default by the timer of the ports. */
  sleep?(ms: number, signal?: AbortSignal): Promise<void>;
  /** The name of the chain in recordings and errors. Default the names of its providers. */
  name?: string;
  ports?: Partial<Ports>;
}

const LISTENERS = ["onAttempt", "onAttemptStart", "onAuthError", "keyFor", "beforeAttempt", "sleep"] as const;
const FALLBACK_OPTIONS = [...LISTENERS, "cooldownMs", "maxWaitMs", "endOn", "name", "ports"];

/** Tries each provider in order until one answers. Throws `AgentError` `invalid-options` for a chain that can never work. */
export function fallbackProvider(entries: readonly FallbackEntry[], options: FallbackOptions = {}): LlmProviderAdapter {
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
  const { cooldownMs = DEFAULT_FALLBACK_COOLDOWN_MS, maxWaitMs = DEFAULT_MAX_FALLBACK_WAIT_MS } = options;
  const { endOn = ["content-filter"] } = options;
  const name = options.name ?? `fallback(${entries.map(({ provider }) => providerName(provider)).join(", ")})`;
  const notify = (listener: string, call: () => unknown) => {
    const warn = (error: unknown) => ports.warn(`${name}: ${listener} threw, but must not: ${thrownText(error)}`);
    try {
      const told = call();
      if (isThenable(told)) void Promise.resolve(told).catch(warn);
    } catch (error) {
      warn(error);
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
    sleep: async (ms, signal) => (options.sleep === undefined ? sleep(ms, ports, signal) : options.sleep(ms, signal)),
    begin: (tried) => notify("onAttemptStart", () => options.onAttemptStart?.({ ...tried, outcome: "started" })),
    report: (attempt) => notify("onAttempt", () => options.onAttempt?.(attempt)),
    ...(options.keyFor === undefined ? {} : { keyFor: options.keyFor.bind(options) }),
    ...(options.beforeAttempt === undefined ? {} : { beforeAttempt: options.beforeAttempt.bind(options) }),
    refresh: async (failure) => (await options.onAuthError?.(failure)) === true,
  };
}

/** Destroys each provider once, even if one of them throws. */
async function destroyAll(entries: readonly FallbackEntry[]): Promise<void> {
  const providers = new Set(entries.map(({ provider }) => provider));
  const results = await Promise.allSettled([...providers].map(async (provider) => provider.destroy?.()));
  const errors = results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, "several providers of a chain could not be destroyed");
}

function assertOptions(entries: readonly FallbackEntry[], options: FallbackOptions): void {
  const isOptions = typeof options === "object" && options !== null;
  const { cooldownMs, maxWaitMs, name, endOn, ports } = isOptions ? options : ({} as FallbackOptions);
  const unknown = isOptions ? unknownOptions(options, FALLBACK_OPTIONS) : [];
  const problems = [
    isOptions ? "" : `the options are ${showValue(options)}`,
    unknown.length === 0 ? "" : `unknown option ${unknown.join(", ")}`,
    ...entriesProblems(entries),
    waitProblem("cooldownMs", cooldownMs),
    waitProblem("maxWaitMs", maxWaitMs),
    endOnProblem(endOn),
    ...LISTENERS.map((listener) => {
      const given: unknown = isOptions ? Reflect.get(options, listener) : undefined;
      return given === undefined || typeof given === "function"
        ? ""
        : `${listener} is ${showValue(given)}: give a function`;
    }),
    name === undefined ? "" : nameProblem(name),
    portsProblem(ports),
  ].filter((problem) => problem !== "");
  if (problems.length === 0) return;
  throw invalidOptions(
    `fallback provider: ${problems.join("; ")}`,
    unknown.length === 0
      ? "Pass [{ provider, maxAttempts?, backoff? }, …], the first choice first."
      : `The options are ${FALLBACK_OPTIONS.join(", ")}.`,
  );
}

function entriesProblems(entries: unknown): string[] {
  if (!Array.isArray(entries)) return [`the entries are ${showValue(entries)} and not a list`];
  if (entries.length === 0) return ["the chain has no entry"];
  return entries.map((entry: unknown, index) => {
    const problem = entryProblem(entry);
    return problem === "" ? "" : `entry ${index}: ${problem}`;
  });
}

function waitProblem(name: string, ms: unknown): string {
  const isWait = ms === undefined || (typeof ms === "number" && Number.isFinite(ms) && ms >= 0);
  return isWait ? "" : `${name} is ${showValue(ms)}: give a finite number of 0 or more`;
}

function endOnProblem(endOn: unknown): string {
  if (endOn === undefined) return "";
  if (!Array.isArray(endOn)) return `endOn is ${showValue(endOn)}: give a list of kinds of error`;
  const wrong = endOn.findIndex((kind) => !KINDS.includes(kind));
  return wrong === -1 ? "" : `endOn has ${showValue(endOn[wrong])}: the kinds are ${KINDS.join(", ")}`;
}

const KINDS: readonly unknown[] = [
  ...["auth", "permission", "not-found", "bad-request", "context-length", "content-filter"],
  ...["rate-limit", "overloaded", "unavailable", "timeout", "unknown"],
];
