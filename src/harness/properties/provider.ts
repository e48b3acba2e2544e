// Laws of a provider: the contract of src/core/model/provider.ts, for conversations of every shape or for the caller's own. It asks
// the provider in earnest, so it belongs in front of a loopback server, a cassette or a script, not of a vendor that is paid.

import fc from "fast-check";
import {
  canonicalize,
  copyJson,
  providerName,
  type LlmProviderAdapter,
  type LlmTurnRequest,
} from "../../core/index.js";
import { conversation } from "../arbitraries/messages.js";
import { toolDefinition } from "../arbitraries/tools.js";
import { assertLawOptions, assertSeen, breaks, holdLaws, type LawOptions } from "./law.js";
import { findAnswerFault } from "./response.js";
import { findLoss } from "./serialise.js";
import { findStreamFault, gather } from "./stream.js";
import { describeThrown, isCrash } from "./thrown.js";
import { settle, type Settled } from "./within.js";

/** A provider, or a function that makes a new one in the same state at each call. */
export type ProviderSource = LlmProviderAdapter | (() => LlmProviderAdapter | Promise<LlmProviderAdapter>);

/** The options of `checkProvider`. */
export interface CheckProviderOptions extends LawOptions {
  /** What it is asked, each once and in this order unless `numRuns` says otherwise. Default: arbitrary conversations with tools. */
  readonly prompts?: readonly LlmTurnRequest[];
  /** Milliseconds one call may take. Default 30,000. */
  readonly timeoutMs?: number;
  /** Whether the provider may reject with this. Default: anything but an error of the language itself (TypeError, RangeError, …). */
  readonly mayReject?: (error: unknown, request: LlmTurnRequest) => boolean;
  /** How many calls must be answered for the check to count. Default 1. */
  readonly minAnswered?: number;
}

/** What was asked. */
export interface ProviderReport {
  readonly runs: number;
  /** Calls of `turn` and `stream` that were not aborted. */
  readonly calls: number;
  readonly answered: number;
  readonly rejected: number;
  /** Streams that were read to their response. */
  readonly streamed: number;
}

const OPTIONS = ["prompts", "timeoutMs", "mayReject", "minAnswered"];
/** A run asks up to three times. */
const DEFAULT_RUNS = 20;

/**
 * Holds a provider to its contract: a turn resolves to a valid response whose ids are unique, whose stop reason fits its calls and
 * whose figures are counts; or it rejects with an error. It leaves the request as it was, keeps its own state apart from what it
 * handed out, and a signal that has fired ends the call. A stream gives the same in pieces, and one response, last.
 *
 * Of a function each call is made to a new provider, which must answer alike: then a stream is held against the turn, the signal
 * is fired during a call too, and a counterexample is shrunk. Of a provider itself none of this is, since each call may cost something.
 *
 * Rejects with `LawBrokenError`, and with `HarnessError` `law-empty` when too few calls were answered.
 */
export async function checkProvider(
  source: ProviderSource,
  options: CheckProviderOptions = {},
): Promise<ProviderReport> {
  assertLawOptions("checkProvider", options, OPTIONS);
  const count = { calls: 0, answered: 0, rejected: 0, streamed: 0 };
  const { prompts } = options;
  const name = typeof source === "function" ? await nameOfMade(source) : providerName(source);
  const runs = await holdLaws({
    call: "checkProvider(provider",
    subject: `provider ${name}`,
    values: prompts === undefined ? requests() : fc.constantFrom(...prompts),
    ...(prompts === undefined ? {} : { examples: prompts }),
    options,
    defaultRuns: prompts === undefined ? DEFAULT_RUNS : Math.max(1, prompts.length),
    shrinks: typeof source === "function" && prompts === undefined,
    judge: (request) => judgeRequest(source, request, options, count),
  });
  const hint = "Give `prompts` that it answers, or set minAnswered: 0.";
  assertSeen(count.answered, options.minAnswered ?? 1, `provider ${name}: calls that it answered`, hint);
  return { runs, ...count };
}

function requests(): fc.Arbitrary<LlmTurnRequest> {
  const tools = fc.uniqueArray(toolDefinition(), { maxLength: 2, selector: ({ name }) => name });
  return fc.tuple(conversation(), tools, fc.boolean()).map(([messages, list, isAsked]) => ({
    // A model is asked after a user or a tool has spoken.
    messages: messages.slice(0, messages.findLastIndex(({ role }) => role !== "assistant") + 1),
    ...(isAsked && list.length > 0 ? { tools: list } : {}),
  }));
}

async function nameOfMade(make: () => LlmProviderAdapter | Promise<LlmProviderAdapter>): Promise<string> {
  const provider = await make();
  await provider.destroy?.();
  return providerName(provider);
}

type Count = { -readonly [K in keyof Omit<ProviderReport, "runs">]: number };
type Ask = (provider: LlmProviderAdapter, request: LlmTurnRequest) => unknown;

async function judgeRequest(
  source: ProviderSource,
  prompt: LlmTurnRequest,
  options: CheckProviderOptions,
  count: Count,
): Promise<void> {
  const { timeoutMs = 30_000, mayReject = (error: unknown) => !isCrash(error) } = options;
  const ask = (call: Ask, signal?: AbortSignal) => askOnce(source, call, prompt, signal, timeoutMs);

  const turn = await ask((provider, request) => provider.turn(request));
  const response = judgeEnd(turn, "turn", (error) => mayReject(error, prompt), count);
  if (response !== undefined) assertAnswer(response);

  await judgeAborted((signal) => ask((provider, request) => provider.turn(request), signal));
  if (typeof source === "function")
    await judgeMidway((signal) => ask((provider, request) => provider.turn(request), signal), timeoutMs);

  const streamed = await ask(async (provider, request) => provider.stream && gather(provider.stream(request)));
  if (streamed.kind === "value" && streamed.value === undefined) return;
  const gathered = judgeEnd(streamed, "stream", (error) => mayReject(error, prompt), count);
  if (gathered === undefined) return;
  const { fault, whole } = findStreamFault(gathered);
  if (fault !== undefined) breaks("a stream gives pieces of its response, and the response last and once", fault);
  assertAnswer(whole);
  count.streamed += 1;
  if (typeof source !== "function" || response === undefined || sameText(response, whole)) return;
  breaks(
    "a stream gives the response that a turn gives",
    `the turn gave ${canonicalize(response)}, the stream ${canonicalize(whole)}`,
  );
}

/** One call with a request of its own, which must be what it was afterwards. */
async function askOnce(
  source: ProviderSource,
  call: Ask,
  prompt: LlmTurnRequest,
  signal: AbortSignal | undefined,
  timeoutMs: number,
): Promise<Settled> {
  const { signal: own, ...plain } = prompt;
  const request = copyJson(plain) as LlmTurnRequest;
  const before = canonicalize(request);
  const given =
    signal === undefined ? (own === undefined ? request : { ...request, signal: own }) : { ...request, signal };
  const provider = typeof source === "function" ? await source() : source;
  const end = await settle(() => call(provider, given), timeoutMs);
  if (typeof source === "function") await provider.destroy?.();
  const loss = findLoss(request);
  if (loss !== undefined || canonicalize(request) !== before) {
    breaks(
      "a request belongs to the caller",
      loss ?? `it was ${before} and is ${canonicalize(request)} after the call`,
    );
  }
  return end;
}

/** The value of a call that was answered; undefined where it rejected with what it may. */
function judgeEnd(end: Settled, what: string, mayReject: (error: unknown) => boolean, count: Count): unknown {
  count.calls += 1;
  switch (end.kind) {
    case "late":
      return breaks("a call ends", `${what} gave nothing in the time it has`);
    case "thrown":
      count.rejected += 1;
      if (mayReject(end.error)) return undefined;
      return breaks(
        "a call is answered or rejects with a readable error",
        `${what} rejected with ${describeThrown(end.error)}`,
        end.error,
      );
    case "value":
      count.answered += 1;
      return end.value ?? null;
  }
}

function assertAnswer(response: unknown): void {
  const fault = findAnswerFault(response);
  if (fault !== undefined) breaks("a response is what the contract says", fault);
  freeze(response);
}

/** What was handed out belongs to the caller, who may freeze it: a provider that writes into it later fails by that. */
function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  Object.values(value).forEach(freeze);
}

const HEEDED = "a signal that has fired ends the call";

async function judgeAborted(ask: (signal: AbortSignal) => Promise<Settled>): Promise<void> {
  const end = await ask(AbortSignal.abort());
  if (end.kind === "value") breaks(HEEDED, "it was fired before the call, and the call was answered");
  if (end.kind === "late") breaks(HEEDED, "it was fired before the call, and the call went on");
}

async function judgeMidway(ask: (signal: AbortSignal) => Promise<Settled>, timeoutMs: number): Promise<void> {
  const controller = new AbortController();
  const asked = ask(controller.signal);
  queueMicrotask(() => controller.abort());
  const end = await asked;
  if (end.kind === "late") breaks(HEEDED, `it was fired during the call, which went on for ${timeoutMs} ms`);
}

function sameText(left: unknown, right: unknown): boolean {
  return canonicalize(left) === canonicalize(right);
}
