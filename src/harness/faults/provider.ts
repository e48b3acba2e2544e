// A provider that fails like vendors do. Faults go through our own transport and decoders, so an error has its real code.

import {
  defined,
  findResponseFlaw,
  portsProblem,
  providerName,
  sleep,
  withSystemPorts,
  type LlmProviderAdapter,
  type LlmStreamEvent,
  type LlmTurnRequest,
  type LlmTurnResponse,
  type Ports,
  type WireName,
} from "../../core/index.js";
import { assertProvider } from "../adapters/foreign-model.js";
import { collect, type CollectedStream } from "../doubles/collect.js";
import { askingForUnknownTool, askingWithoutJson, cutByLength, refusal, silence, withDoubledCalls } from "./answer.js";
import { assertWire, faultProblem, withShare, type Fault } from "./fault.js";
import {
  assertFaultOptions,
  assertNone,
  createPlan,
  PLAN_OPTIONS,
  type FaultLog,
  type FaultPlan,
  type FaultPlanOptions,
  type Struck,
} from "./plan.js";
import { answering, failing, wireOfName, type Desk, type VendorOutcome } from "./vendor.js";

/** The options of `faultyProvider`: `faults` or a `schedule`, and these. A wrong one is `HarnessError` `faults-unclear`. */
export type FaultyProviderOptions = FaultPlanOptions<Fault> & {
  /** The vendor whose bodies and errors are sent. Default: the vendor at the start of the provider's name, or OpenAI. */
  readonly wire?: WireName;
  /** The clock for latency and silence, such as that of a memory host. */
  readonly ports?: Partial<Ports>;
};

/** A provider that fails by a plan, made by `faultyProvider`. */
export interface FaultyProvider extends LlmProviderAdapter, FaultLog<Fault> {}

/**
 * Wraps `provider`. A call without a fault is the provider's own. `latency` delays a call of the provider, and `duplicate-call` and
 * `cut-by-length` damage its answer. Every other fault replaces the call, so that a script loses no step and a vendor is not paid.
 * All calls are counted together: two runs with the same provider share its faults. Throws `HarnessError` `faults-unclear`, and
 * `AgentError` `invalid-options` for anything other than a provider.
 */
export function faultyProvider(provider: LlmProviderAdapter, options: FaultyProviderOptions): FaultyProvider {
  assertProvider(provider, "faultyProvider");
  assertFaultOptions("faultyProvider", options, [...PLAN_OPTIONS, "wire", "ports"]);
  const { wire = wireOfName(providerName(provider)) } = options;
  assertWire("faultyProvider", wire);
  assertNone("faultyProvider", [portsProblem(options.ports)]);
  const plan = createPlan<Fault>("faultyProvider", options, {
    problemOf: (fault) => faultProblem(fault, wire),
    complete: withShare,
  });
  const ports = withSystemPorts(options.ports);
  return wrap({ provider, wire, ports }, plan);
}

function wrap(desk: Desk, plan: FaultPlan<Fault>): FaultyProvider {
  const { provider } = desk;
  const ownStream = provider.stream?.bind(provider);
  // A call that was aborted before it began reaches no vendor.
  const nextFault = ({ signal }: LlmTurnRequest) => (signal?.aborted === true ? undefined : plan.next());
  const stream =
    ownStream &&
    async function* (request: LlmTurnRequest) {
      const struck = nextFault(request);
      if (struck === undefined) yield* ownStream(request);
      else {
        const outcome = await strike(struck, request, desk, (asked) => collect(ownStream(asked)));
        yield* streamed(outcome, request, ownStream);
      }
    };

  const faulty: FaultyProvider = {
    ...defined({ name: provider.name, stream }),
    injected: plan.injected,
    get pending() {
      return plan.pending;
    },
    async turn(request) {
      const struck = nextFault(request);
      if (struck === undefined) return provider.turn(request);
      const outcome = await strike(struck, request, desk, (asked) => collect(atOnce(provider, asked)));
      switch (outcome.kind) {
        case "late":
          return provider.turn(withLessTime(request, outcome.ms));
        case "unstruck":
          return responseOf(outcome.heard);
        case "vendor":
          return outcome.restore(await outcome.vendor.turn(outcome.request));
      }
    },
    async destroy() {
      await provider.destroy?.();
    },
  };
  // A chain asks for the key of a provider that takes one.
  const withKey = provider.withCredential?.bind(provider);
  if (withKey === undefined) return faulty;
  const withCredential = (credential: unknown) => wrap({ ...desk, provider: withKey(credential) }, plan);
  return Object.defineProperty(faulty, "withCredential", { value: withCredential });
}

type Ask = (request: LlmTurnRequest) => Promise<CollectedStream>;

type Outcome =
  | { readonly kind: "late"; readonly ms: number }
  | { readonly kind: "unstruck"; readonly heard: CollectedStream }
  | VendorOutcome;

async function strike(struck: Struck<Fault>, request: LlmTurnRequest, desk: Desk, ask: Ask): Promise<Outcome> {
  const { fault } = struck;
  switch (fault.kind) {
    case "latency":
      return delay(fault.ms, request, desk);
    case "http":
    case "network":
    case "hang":
    case "torn":
    case "wrong-json":
      return failing(fault, request, desk);
    case "malformed-arguments":
      return answering(askingWithoutJson(request), request, desk);
    case "unknown-tool":
      return answering(askingForUnknownTool(), request, desk);
    case "refusal":
      return answering(refusal(), request, desk);
    case "empty-answer":
      return answering(silence(), request, desk);
    case "duplicate-call":
      return damage(struck, (response) => withDoubledCalls(response, fault.id), request, desk, ask);
    case "cut-by-length":
      return damage(struck, cutByLength, request, desk, ask);
  }
}

/** Delays a call. A call with less time than the delay times out, as with a silent vendor. */
async function delay(ms: number, request: LlmTurnRequest, desk: Desk): Promise<Outcome> {
  const { timeoutMs, signal } = request;
  if (timeoutMs !== undefined && timeoutMs <= ms) return failing({ kind: "hang" }, request, desk);
  await sleep(ms, desk.ports, signal);
  return { kind: "late", ms };
}

/** The time left for a whole answer. A stream's limit bounds each silence, so it stays. */
function withLessTime(request: LlmTurnRequest, ms: number): LlmTurnRequest {
  return request.timeoutMs === undefined ? request : { ...request, timeoutMs: request.timeoutMs - ms };
}

async function damage(
  struck: Struck<Fault>,
  change: (response: LlmTurnResponse) => LlmTurnResponse | undefined,
  request: LlmTurnRequest,
  desk: Desk,
  ask: Ask,
): Promise<Outcome> {
  const heard = await ask(request);
  const isWhole = heard.kind === "answered" && findResponseFlaw(heard.response) === undefined;
  const damaged = isWhole ? change(heard.response) : undefined;
  if (damaged !== undefined) return answering(damaged, request, desk);
  struck.miss();
  return { kind: "unstruck", heard };
}

async function* atOnce(provider: LlmProviderAdapter, request: LlmTurnRequest): AsyncGenerator<LlmStreamEvent> {
  yield { type: "response", response: await provider.turn(request) };
}

function responseOf(heard: CollectedStream): LlmTurnResponse {
  switch (heard.kind) {
    case "answered":
      return heard.response;
    case "failed":
      throw heard.error;
    case "unfinished":
      throw new TypeError("a turn has one response");
  }
}

async function* streamed(
  outcome: Outcome,
  request: LlmTurnRequest,
  stream: (request: LlmTurnRequest) => AsyncIterable<LlmStreamEvent>,
): AsyncGenerator<LlmStreamEvent, void, undefined> {
  switch (outcome.kind) {
    case "late":
      yield* stream(request);
      return;
    case "unstruck": {
      const { heard } = outcome;
      yield* heard.deltas;
      if (heard.kind === "failed") throw heard.error;
      if (heard.kind === "answered") yield { type: "response", response: heard.response };
      return;
    }
    case "vendor": {
      const { vendor, request: asked, restore } = outcome;
      // Each of our vendors can stream.
      for await (const event of vendor.stream?.(asked) ?? []) {
        yield event.type === "response" ? { type: "response", response: restore(event.response) } : event;
      }
    }
  }
}
