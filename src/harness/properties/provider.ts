// Laws of a provider: the contract of src/core/model/provider.ts. The provider is really called, so do not pass a paid vendor.

import fc from "fast-check";
import {
  canonicalize,
  copyJson,
  defined,
  seal,
  toPointer,
  type LlmProviderAdapter,
  type LlmStreamEvent,
  type LlmTurnRequest,
} from "../../core/index.js";
import { conversation } from "../arbitraries/messages.js";
import { toolDefinition } from "../arbitraries/tools.js";
import { ABORT_GRACE_MS, DEFAULT_PROVIDER_PROPERTY_TIMEOUT_MS } from "../limits.js";
import { assertLawOptions, assertSeen, breaks, holdLaws, holds, isBreach, type LawOptions } from "./law.js";
import { fail, Violation } from "../contract/clause.js";
import { findLoss } from "../contract/json.js";
import { assertResponse } from "../contract/response.js";
import { iteratorOf, leaveStream, readPieces, responseOf, streamClauses } from "../contract/stream.js";
import { describeThrown, isCrash } from "../contract/thrown.js";
import { abortMidway, settle, type Settled } from "../contract/waiting.js";
import { assertPrompts, checkSource, type CheckedSource, type ProviderSource } from "./provider-source.js";

export interface CheckProviderOptions extends LawOptions {
  /** Requests to send, each once and in this order, unless `numRuns` changes that. Default: arbitrary conversations with tools. */
  readonly prompts?: readonly LlmTurnRequest[];
  /** Time limit of one call in ms. Default 30,000. */
  readonly timeoutMs?: number;
  /** Whether the provider may reject with this. Default: anything except an error of the language itself (TypeError, RangeError, …). */
  readonly mayReject?: (error: unknown, request: LlmTurnRequest) => boolean;
  /** The number of calls that must be answered for the check to count. Default 1. */
  readonly minAnswered?: number;
}

export interface ProviderReport {
  readonly runs: number;
  /** Calls of `turn` and `stream` that the check did not abort. */
  readonly calls: number;
  readonly answered: number;
  readonly rejected: number;
  /** Streams read to their response. */
  readonly streamed: number;
}

const OPTIONS = ["prompts", "timeoutMs", "mayReject", "minAnswered"];
const DEFAULT_RUNS = 20;

/**
 * Holds a provider to its contract. A turn resolves to a valid response (unique ids, a stop reason that fits the calls, figures that
 * are counts), or it rejects with an error. The provider leaves requests as they were and does not share its state with its responses.
 * A signal that has fired ends the call. A stream gives the same in pieces, with one response at the end.
 *
 * Pass a function, and each call goes to a new provider; all of them must answer alike. Only then is a stream compared with the turn
 * (or a second turn, if there is no stream), the signal also fired during a call, `destroy` called, and a counterexample shrunk. For a
 * single provider, none of this happens, because each call may cost something.
 *
 * Rejects with `LawBrokenError`, with `HarnessError` `law-empty` when too few calls were answered, and with `AgentError`
 * `invalid-options` for a source that is not a provider, does not make one or makes the same one twice, and for malformed prompts.
 */
export async function checkProvider(
  source: ProviderSource,
  options: CheckProviderOptions = {},
): Promise<ProviderReport> {
  assertLawOptions("checkProvider", options, OPTIONS);
  const count = { calls: 0, answered: 0, rejected: 0, streamed: 0 };
  const { prompts } = options;
  const handedOut = new WeakSet<object>();
  assertPrompts(prompts);
  const checked = await checkSource(source, options.timeoutMs ?? DEFAULT_PROVIDER_PROPERTY_TIMEOUT_MS);
  const { name, isMade } = checked;
  const runs = await holdLaws({
    call: "checkProvider(provider",
    subject: `provider ${name}`,
    values: prompts === undefined ? requests() : fc.constantFrom(...prompts),
    ...defined({ examples: prompts }),
    options,
    defaultRuns: prompts === undefined ? DEFAULT_RUNS : Math.max(1, prompts.length),
    shrinks: isMade && prompts === undefined,
    judge: (request) => judgeRequest(checked, request, { ...options, handedOut }, count),
  });
  const hint = "Give `prompts` that it answers, or set minAnswered: 0.";
  assertSeen(count.answered, options.minAnswered ?? 1, `provider ${name}: calls that it answered`, hint);
  return { runs, ...count };
}

function requests(): fc.Arbitrary<LlmTurnRequest> {
  const tools = fc.uniqueArray(toolDefinition(), { maxLength: 2, selector: ({ name }) => name });
  const settings = fc.option(
    fc.record(
      { temperature: fc.constantFrom(0, 0.5, 1), maxTokens: fc.integer({ min: 1, max: 512 }), seed: fc.nat(9) },
      { requiredKeys: [] },
    ),
    { nil: undefined },
  );
  return fc.tuple(conversation(), tools, fc.boolean(), settings).map(([messages, list, isAsked, asked]) => ({
    // A model answers after a user or a tool.
    messages: messages.slice(0, messages.findLastIndex(({ role }) => role !== "assistant") + 1),
    ...(isAsked && list.length > 0 ? { tools: list } : {}),
    ...(asked === undefined || Object.keys(asked).length === 0 ? {} : { settings: asked }),
  }));
}

type Count = { -readonly [K in keyof Omit<ProviderReport, "runs">]: number };
type Ask = (provider: LlmProviderAdapter, request: LlmTurnRequest) => unknown;

async function judgeRequest(
  source: CheckedSource,
  prompt: LlmTurnRequest,
  options: CheckProviderOptions & { readonly handedOut: WeakSet<object> },
  count: Count,
): Promise<void> {
  const { timeoutMs = DEFAULT_PROVIDER_PROPERTY_TIMEOUT_MS, mayReject = (error: unknown) => !isCrash(error) } = options;
  const { isMade } = source;
  const ask = (call: Ask, terms: Terms = {}) => askOnce(source, call, prompt, { ...terms, timeoutMs });
  const end = (settled: Settled, what: string) => judgeEnd(settled, what, (error) => mayReject(error, prompt), count);
  const { handedOut } = options;

  const response = end(await ask(turnOf), "turn");
  if (response !== undefined) assertAnswer(response, handedOut);

  await judgeAborted((signal) => ask(turnOf, { signal }));
  if (isMade) await judgeMidway((signal, begun) => ask(turnOf, { signal, begun }), timeoutMs);

  // A frozen request cannot even be changed and changed back.
  const streamed = await ask(streamOf, { isFrozen: true });
  if (streamed.kind === "value" && streamed.value === undefined) {
    if (!isMade) return;
    const again = end(await ask(turnOf, { isFrozen: true }), "the turn of another one made alike");
    if (response === undefined || again === undefined) return;
    assertAnswer(again, handedOut);
    if (canonicalize(response) !== canonicalize(again))
      breaks("equal providers give equal answers", differ("one", response, "the other", again));
    return;
  }
  const events = end(streamed, "stream") as LlmStreamEvent[] | undefined;
  if (events === undefined) return;
  const whole = responseOf(events);
  if (whole !== undefined) assertAnswer(whole, handedOut);
  for (const { check } of streamClauses) holds(IN_PIECES, () => check(events));
  count.streamed += 1;
  if (isMade && response !== undefined && canonicalize(response) !== canonicalize(whole))
    breaks("a stream gives the response that a turn gives", differ("the turn", response, "the stream", whole));
  await judgeAborted((signal) => ask(streamOf, { signal }));
}

const IN_PIECES = "a stream gives pieces of its response, and then the response once";

const differ = (one: string, left: unknown, other: string, right: unknown) =>
  `${one} gave ${canonicalize(left)}, ${other} ${canonicalize(right)}`;

const turnOf: Ask = (provider, request) => provider.turn(request);

/** Every piece of the stream, or undefined for a provider without streams. */
const streamOf: Ask = async (provider, request) => {
  if (provider.stream === undefined) return undefined;
  let stream;
  try {
    stream = provider.stream(request);
  } catch (error) {
    return breaks("a stream throws only when it is read", `it threw ${describeThrown(error)} at once`, error);
  }
  const events: LlmStreamEvent[] = [];
  const iterator = iteratorOf(stream);
  try {
    await readPieces(iterator, events);
  } catch (error) {
    if (error instanceof Violation) leaveStream(iterator);
    else if (responseOf(events) !== undefined) fail("after its response", describeThrown(error), "the end");
    throw error;
  }
  return events;
};

interface Terms {
  readonly signal?: AbortSignal;
  readonly isFrozen?: boolean;
  /** Called once the call has been made. */
  readonly begun?: () => void;
}

/** Makes one call with its own request, which must be unchanged afterwards. */
async function askOnce(
  source: CheckedSource,
  call: Ask,
  prompt: LlmTurnRequest,
  { signal, isFrozen = false, begun, timeoutMs }: Terms & { readonly timeoutMs: number },
): Promise<Settled> {
  const { signal: own, ...plain } = prompt;
  const request = (isFrozen ? seal(plain) : copyJson(plain)) as LlmTurnRequest;
  const before = canonicalize(request);
  const fired = signal ?? own;
  const provider = await source.get();
  const end = await settle(() => {
    const given = call(provider, fired === undefined ? request : { ...request, signal: fired });
    begun?.();
    return given;
  }, timeoutMs);
  if (source.isMade) await destroy(provider, timeoutMs);
  if (isFrozen && end.kind === "thrown" && isRefusedWrite(end.error)) {
    breaks(CALLERS, `it was frozen, and the call threw ${describeThrown(end.error)}`, end.error);
  }
  const loss = findLoss(request);
  if (loss !== undefined || canonicalize(request) !== before) {
    breaks(CALLERS, loss ?? `it was ${before} and is ${canonicalize(request)} after the call`);
  }
  if (end.kind === "thrown" && isBreach(end.error)) throw end.error;
  if (end.kind === "thrown" && end.error instanceof Violation) breaks(IN_PIECES, end.error.message);
  return end;
}

const CALLERS = "a request belongs to the caller";

/** True if a JavaScript engine threw this for a write to a frozen object. */
function isRefusedWrite(thrown: unknown): boolean {
  return thrown instanceof TypeError && /not extensible|read[- ]only|Cannot delete property/.test(thrown.message);
}

async function destroy(provider: LlmProviderAdapter, timeoutMs: number): Promise<void> {
  const end = await settle(() => provider.destroy?.(), timeoutMs);
  const law = "a provider ends without an error";
  if (end.kind === "thrown") breaks(law, `destroy threw ${describeThrown(end.error)}`, end.error);
  if (end.kind === "late") breaks(law, `destroy gave nothing within ${timeoutMs} ms`);
}

const ANSWERED = "a call is answered or rejects with a readable error";

/** The value of an answered call, or undefined if it rejected with an allowed error. */
function judgeEnd(end: Settled, what: string, mayReject: (error: unknown) => boolean, count: Count): unknown {
  count.calls += 1;
  switch (end.kind) {
    case "late":
      return breaks("a call ends", `${what} gave nothing in the time it has`);
    case "thrown":
      count.rejected += 1;
      if (mayReject(end.error)) return undefined;
      return breaks(ANSWERED, `${what} rejected with ${describeThrown(end.error)}`, end.error);
    case "value":
      count.answered += 1;
      return end.value ?? null;
  }
}

function assertAnswer(response: unknown, handedOut: WeakSet<object>): void {
  holds("a response follows the contract", () => assertResponse(response));
  freeze(response, "", handedOut);
}

/** Freezes a response, as its owner may, and finds objects that an earlier response had. Objects frozen by the provider may be shared. */
function freeze(value: unknown, pointer: string, handedOut: WeakSet<object>): void {
  if (typeof value !== "object" || value === null) return;
  if (handedOut.has(value)) {
    breaks("a response belongs to the caller", `${pointer || "it"} is an object that was handed out before`);
  }
  if (Object.isFrozen(value)) return;
  handedOut.add(Object.freeze(value));
  for (const [key, item] of Object.entries(value)) freeze(item, pointer + toPointer([key]), handedOut);
}

const HEEDED = "a signal that has fired ends the call";

async function judgeAborted(ask: (signal: AbortSignal) => Promise<Settled>): Promise<void> {
  const end = await ask(AbortSignal.abort());
  if (end.kind === "value") breaks(HEEDED, "it was fired before the call, and the call was answered");
  if (end.kind === "late") breaks(HEEDED, "it was fired before the call, and the call went on");
}

async function judgeMidway(
  ask: (signal: AbortSignal, begun: () => void) => Promise<Settled>,
  timeoutMs: number,
): Promise<void> {
  const { end, isLate } = await abortMidway(ask);
  if (end.kind === "late") breaks(HEEDED, `it was fired during the call, which went on for ${timeoutMs} ms`);
  if (end.kind === "value" && isLate)
    breaks(HEEDED, `the call was answered more than ${ABORT_GRACE_MS} ms after it had fired`);
}
