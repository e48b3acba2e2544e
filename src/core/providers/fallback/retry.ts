// One turn of a fallback chain: entry by entry, attempt by attempt, streamed or not. The caller's abort wins at any point.

import { defined } from "../../defined.js";
import { AgentError, type LlmErrorKind } from "../../errors.js";
import { DEFAULT_REFRESH_TIMEOUT_MS } from "../../limits.js";
import {
  providerName,
  type LlmProviderAdapter,
  type LlmStreamEvent,
  type LlmTurnRequest,
} from "../../model/provider.js";
import { findResponseFlaw } from "../../model/response.js";
import type { Ports } from "../../ports.js";
import { thrownText } from "../../text/thrown.js";
import { startDeadline, type Deadline } from "../../http/deadline.js";
import type { Maybe } from "../../time/wait.js";
import {
  judgeFailure,
  ProvidersExhaustedError,
  type Failure,
  type FallbackAttempt,
  type FallbackStart,
  type Tried,
} from "./failure.js";
import { waitAfter } from "./backoff.js";
import type { Cooldown } from "./cooldown.js";
import { modelFor, requestFor, speakerOf, type FallbackEntry } from "./entry.js";
import type { ReasoningLatch } from "./reasoning-latch.js";
import { noteSteps, stepsTo } from "./told.js";

/** A rejected key, for a refresh of credentials. */
export interface AuthFailure {
  readonly provider: LlmProviderAdapter;
  readonly error: unknown;
  readonly signal?: AbortSignal;
}

/** Why an attempt must not be made. */
export interface Refusal {
  readonly refuse: string;
}

export interface Chain {
  readonly name: string;
  readonly entries: readonly FallbackEntry[];
  readonly ports: Ports;
  readonly cooldownMs: number;
  readonly maxWaitMs: number;
  readonly endOn: readonly LlmErrorKind[];
  readonly cooldown: Cooldown;
  readonly latch: ReasoningLatch;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  begin(start: Numbered): void;
  report(attempt: FallbackAttempt): void;
  refresh(failure: AuthFailure): Promise<boolean>;
  readonly keyFor?: (id: string, signal?: AbortSignal) => unknown;
  readonly beforeAttempt?: (start: FallbackStart) => Maybe<Refusal | undefined>;
}

export type Numbered = Tried & { readonly attemptNumber: number };

interface Turn {
  readonly chain: Chain;
  readonly request: LlmTurnRequest;
  readonly streaming: boolean;
  readonly deadline: Deadline;
  readonly attempts: FallbackAttempt[];
  /** Failures, and cooldowns as temporary failures. */
  readonly failures: Pick<Failure, "kind" | "retryable">[];
  readonly refreshed: Set<LlmProviderAdapter>;
  made: number;
}

/** Yields deltas and, last, the response. Throws if the turn has none. */
export async function* walkChain(
  chain: Chain,
  request: LlmTurnRequest,
  streaming: boolean,
): AsyncGenerator<LlmStreamEvent, void> {
  const { signal } = request;
  const deadline = startDeadline({ providerName: chain.name, ...defined({ signal }) }, chain.ports);
  // Each wait races it. Between two waits nothing handles its rejection.
  deadline.reached.catch(() => undefined);
  const turn: Turn = {
    ...{ chain, request, streaming, deadline },
    ...{ attempts: [], failures: [], refreshed: new Set(), made: 0 },
  };
  try {
    for (const [index, entry] of chain.entries.entries()) {
      if (isCooling(turn, entry, index)) continue;
      if (yield* tryEntry(turn, entry, index)) return;
    }
    throw exhausted(turn);
  } finally {
    deadline.clear();
  }
}

function isCooling(turn: Turn, entry: FallbackEntry, index: number): boolean {
  const { chain, failures, request } = turn;
  const cooling = chain.cooldown.of(entry.provider);
  if (cooling === undefined) return false;
  const { remainingMs, kind } = cooling;
  const model = modelFor(entry, requestFor(entry, index, request));
  failures.push({ kind, retryable: true });
  keep(turn, {
    ...{ outcome: "skipped", reason: "cooldown", remainingMs },
    ...{ entry: index, provider: providerName(entry.provider), model },
  });
  return true;
}

/** Resolves to true if the entry answered, and to false if the next one is to be tried. */
async function* tryEntry(turn: Turn, entry: FallbackEntry, index: number): AsyncGenerator<LlmStreamEvent, boolean> {
  const { chain, request, failures } = turn;
  const { provider, maxAttempts = 1, backoff } = entry;
  for (let tries = 1; ;) {
    const failed = yield* attempt(turn, entry, index);
    if (failed === undefined) return true;
    const { kind, retryable, retryAfterMs = 0 } = failed.failure;
    if (kind === "auth" && (await refresh(turn, provider, failed.error))) continue;
    if (!retryable || tries >= maxAttempts || retryAfterMs > chain.maxWaitMs) {
      if (retryable) chain.cooldown.start(provider, Math.max(chain.cooldownMs, retryAfterMs), kind);
      failures.push({ kind, retryable });
      return false;
    }
    const waitMs = waitAfter(tries, backoff, retryAfterMs);
    if (waitMs > 0) await untilEnd(turn, chain.sleep(waitMs, request.signal));
    tries += 1;
  }
}

interface Failed {
  error: unknown;
  failure: Failure;
}

/** Resolves to undefined if answered, and to the failure if something else may be tried. Throws if nothing may. */
async function* attempt(
  turn: Turn,
  entry: FallbackEntry,
  index: number,
): AsyncGenerator<LlmStreamEvent, Failed | undefined> {
  const { chain, deadline } = turn;
  const name = providerName(entry.provider);
  const own = requestFor(entry, index, turn.request);
  const attemptNumber = turn.made + 1;
  const tried: Numbered = { entry: index, provider: name, model: modelFor(entry, own), attemptNumber };
  const speaker = speakerOf(chain.entries, index);
  const request = { ...own, messages: chain.latch.view(speaker, own.messages) };
  let streamed = false;
  let settled = false;
  // Outside the `try`: what the host throws is not the vendor's fault, and no other vendor is asked because of it.
  if (chain.beforeAttempt !== undefined) await askGate(turn, chain.beforeAttempt, tried);
  const keyed = chain.keyFor === undefined ? undefined : await askKey(turn, chain.keyFor, entry);
  turn.made = attemptNumber;
  chain.begin(tried);
  try {
    for await (const event of ask(turn, keyed ?? entry.provider, request)) {
      if (event.type === "response") {
        assertResponse(name, event.response);
        chain.latch.answered(speaker, own.messages);
        settled = true;
        const { usage, costUsd, model } = event.response;
        noteSteps(event.response, stepsTo(turn.attempts, tried, model));
        keep(turn, { ...tried, outcome: "answered", ...defined({ model, usage, costUsd }) });
        yield event;
        return undefined;
      }
      streamed = true;
      yield event;
    }
    throw new AgentError("provider-response", `${name} ended its stream without a response`, { kind: "unknown" });
  } catch (caught) {
    if (settled) throw caught;
    settled = true;
    const error = deadline.reason() ?? caught;
    const failure = judgeFailure(error);
    keep(turn, { ...tried, outcome: "failed", error });
    if (failure.final || streamed || chain.endOn.includes(failure.kind)) throw error;
    return { error, failure };
  } finally {
    if (!settled) keep(turn, { ...tried, outcome: "failed", error: leftError(name) });
  }
}

async function askGate(turn: Turn, gate: NonNullable<Chain["beforeAttempt"]>, tried: Numbered): Promise<void> {
  const refusal = await untilEnd(
    turn,
    later(() => gate({ ...tried, outcome: "started" })),
  );
  if (refusal === undefined) return;
  const to = `${tried.provider}, attempt ${tried.attemptNumber}`;
  throw new AgentError("egress-refused", `${turn.chain.name}: the host refused the call to ${to}: ${refusal.refuse}`, {
    hint: "Change what the conversation may send, or let beforeAttempt allow it.",
  });
}

/** The provider of the entry with the key of this attempt, or undefined for one that keeps its own. */
async function askKey(
  turn: Turn,
  keyFor: NonNullable<Chain["keyFor"]>,
  { id, provider }: FallbackEntry,
): Promise<LlmProviderAdapter | undefined> {
  if (id === undefined || provider.withCredential === undefined) return undefined;
  return provider.withCredential(
    await untilEnd(
      turn,
      later(() => keyFor(id, turn.request.signal)),
    ),
  );
}

async function later<T>(ask: () => Maybe<T>): Promise<T> {
  return ask();
}

async function* ask(turn: Turn, provider: LlmProviderAdapter, request: LlmTurnRequest): AsyncGenerator<LlmStreamEvent> {
  if (!turn.streaming || provider.stream === undefined) {
    yield { type: "response", response: await untilEnd(turn, provider.turn(request)) };
    return;
  }
  const iterator = provider.stream(request)[Symbol.asyncIterator]();
  let isOpen = true;
  try {
    for (;;) {
      const step = await untilEnd(turn, iterator.next());
      isOpen = step.done !== true;
      if (step.done === true) return;
      yield step.value;
    }
  } finally {
    // Not awaited, since a provider that ignores its signal would hold the caller. A foreign iterator may also throw at once, or
    // return something other than a promise.
    if (isOpen)
      void Promise.resolve()
        .then(() => iterator.return?.())
        .catch(() => undefined);
  }
}

/** The value, unless the caller's abort came before or with it. */
async function untilEnd<T>({ deadline }: Turn, value: Promise<T>): Promise<T> {
  const [settled] = await Promise.allSettled([Promise.race([value, deadline.reached])]);
  const reason = deadline.reason();
  if (reason !== undefined) throw reason;
  if (settled.status === "rejected") throw settled.reason;
  return settled.value;
}

async function refresh(turn: Turn, provider: LlmProviderAdapter, error: unknown): Promise<boolean> {
  const { chain, refreshed, request, deadline } = turn;
  const { signal, timeoutMs = DEFAULT_REFRESH_TIMEOUT_MS } = request;
  if (refreshed.has(provider)) return false;
  refreshed.add(provider);
  let limit: Deadline | undefined;
  try {
    limit = startDeadline({ providerName: "onAuthError", timeoutMs }, chain.ports);
    const asked = chain.refresh({ provider, error, ...defined({ signal }) });
    return await untilEnd(turn, Promise.race([asked, limit.reached]));
  } catch (failure) {
    if (deadline.reason() !== undefined) throw failure;
    chain.ports.warn(
      `${chain.name}: onAuthError failed, so the old key is taken to be in place: ${thrownText(failure)}`,
    );
    return false;
  } finally {
    limit?.clear();
  }
}

function keep(turn: Turn, attempt: FallbackAttempt): void {
  turn.attempts.push(attempt);
  turn.chain.report(attempt);
}

function exhausted({ chain, attempts, failures }: Turn): ProvidersExhaustedError {
  const passing = failures.findLast(({ retryable }) => retryable);
  const waits = chain.entries.flatMap(({ provider }) => chain.cooldown.of(provider)?.remainingMs ?? []);
  return new ProvidersExhaustedError(chain.name, attempts, {
    kind: passing?.kind ?? failures.at(-1)?.kind ?? "unknown",
    retryable: passing !== undefined,
    retryAfterMs: waits.length === 0 ? undefined : Math.min(...waits),
  });
}

function assertResponse(name: string, response: unknown): void {
  const flaw = findResponseFlaw(response);
  if (flaw === undefined) return;
  throw new AgentError("provider-response", `${name}: ${flaw.pointer || "its response"} is not ${flaw.expected}`, {
    kind: "unknown",
  });
}

function leftError(name: string): AgentError {
  return new AgentError("aborted", `the stream of ${name} was left before its end`);
}
