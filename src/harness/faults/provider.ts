// A provider that fails as vendors do, by a plan that is the same for the same seed. What breaks on the way goes through the very
// transport and decoders of our own vendors' providers, so an error has the code, kind and `retryable` that it has in earnest.

import {
  anthropicProvider,
  ollamaProvider,
  openaiProvider,
  providerName,
  sleep,
  withSystemPorts,
  WIRES,
  type LlmProviderAdapter,
  type LlmStreamEvent,
  type LlmTurnRequest,
  type LlmTurnResponse,
  type Ports,
  type WireName,
} from "../../core/index.js";
import {
  askingForUnknownTool,
  askingWithoutJson,
  beginningOf,
  cutByLength,
  refusal,
  silence,
  withDoubledCalls,
} from "./answer.js";
import { HarnessError } from "../errors.js";
import { assertFaults, type Fault } from "./fault.js";
import { answerFetch, faultFetch, type FaultyWay, type WayFault } from "./fetch.js";
import {
  assertFaultOptions,
  createPlan,
  faultsOf,
  PLAN_OPTIONS,
  type FaultPlanOptions,
  type Injected,
  type Struck,
} from "./plan.js";

/** The options of `faultyProvider`. A wrong one is `HarnessError` `faults-unclear`. */
export interface FaultyProviderOptions extends FaultPlanOptions<Fault> {
  /** Whose bodies and errors are sent. Default the vendor that the provider's name begins with, else OpenAI. */
  readonly wire?: WireName;
  /** The clock that latency and silence go by, such as that of a memory host. */
  readonly ports?: Partial<Ports>;
}

/** A provider that fails by a plan; made by `faultyProvider`. */
export interface FaultyProvider extends LlmProviderAdapter {
  /** Every fault so far with the call it struck. The same list as `schedule` gives the same faults again. */
  readonly injected: readonly Injected<Fault>[];
}

const OPTIONS = [...PLAN_OPTIONS, "wire", "ports"];

/**
 * Wraps `provider`. A call without a fault is the provider's own. The provider is asked by a call with `latency`, and by
 * `duplicate-call` and `cut-by-length`, which damage its answer; every other fault stands in for it, so that a script loses no
 * step and a vendor is paid for nothing. Throws `HarnessError` `faults-unclear`.
 */
export function faultyProvider(provider: LlmProviderAdapter, options: FaultyProviderOptions): FaultyProvider {
  assertFaultOptions("faultyProvider", options, OPTIONS);
  const { wire = wireOfName(providerName(provider)) } = options;
  if (!Object.hasOwn(WIRES, wire)) {
    throw new HarnessError("faults-unclear", `faultyProvider: no wire is called ${wire}`);
  }
  assertFaults("faultyProvider", faultsOf(options), wire);
  const plan = createPlan("faultyProvider", options, (fault: Fault, random): Fault => {
    if (fault.kind !== "torn" || fault.after !== undefined) return fault;
    return { ...fault, after: random.below(1_000) / 1_000 };
  });
  const desk: Desk = { provider, wire, ports: withSystemPorts(options.ports) };
  const stream = provider.stream?.bind(provider);

  return {
    ...(provider.name === undefined ? {} : { name: provider.name }),
    get injected() {
      return plan.injected;
    },
    async turn(request) {
      // A call that is over before it begins reaches nobody.
      const struck = request.signal?.aborted === true ? undefined : plan.next();
      if (struck === undefined) return provider.turn(request);
      const outcome = await strike(struck, request, desk);
      switch (outcome.kind) {
        case "late":
          return provider.turn(outcome.request);
        case "unstruck":
          return outcome.response;
        case "vendor":
          return outcome.mend(await outcome.vendor.turn(outcome.request));
      }
    },
    ...(stream === undefined
      ? {}
      : {
          async *stream(request) {
            const struck = request.signal?.aborted === true ? undefined : plan.next();
            if (struck === undefined) yield* stream(request);
            else yield* streamed(await strike(struck, request, desk), stream);
          },
        }),
    async destroy() {
      await provider.destroy?.();
    },
  };
}

interface Desk {
  readonly provider: LlmProviderAdapter;
  readonly wire: WireName;
  readonly ports: Ports;
}

/** Who answers a struck call. */
type Outcome =
  | { readonly kind: "late"; readonly request: LlmTurnRequest }
  | { readonly kind: "unstruck"; readonly response: LlmTurnResponse }
  | VendorOutcome;

interface VendorOutcome {
  readonly kind: "vendor";
  /** A provider of ours, over a transport with the fault. */
  readonly vendor: LlmProviderAdapter;
  readonly request: LlmTurnRequest;
  /** Puts back what no wire carries. */
  readonly mend: (response: LlmTurnResponse) => LlmTurnResponse;
}

async function strike(struck: Struck<Fault>, request: LlmTurnRequest, desk: Desk): Promise<Outcome> {
  const { fault } = struck;
  switch (fault.kind) {
    case "latency":
      return delay(fault.ms, request, desk);
    case "http":
    case "network":
    case "hang":
    case "torn":
    case "wrong-json":
      return fail(fault, request, desk);
    case "malformed-arguments":
      return answer(askingWithoutJson(request), request, desk);
    case "unknown-tool":
      return answer(askingForUnknownTool(), request, desk);
    case "refusal":
      return answer(refusal(), request, desk);
    case "empty-answer":
      return answer(silence(), request, desk);
    case "duplicate-call":
      return damage(struck, (response) => withDoubledCalls(response, fault.id), request, desk);
    case "cut-by-length":
      return damage(struck, cutByLength, request, desk);
  }
}

/** Takes the wait from the call's own time; a call that has less of it runs out as a silent vendor's would. */
async function delay(ms: number, request: LlmTurnRequest, desk: Desk): Promise<Outcome> {
  const { timeoutMs, signal } = request;
  if (timeoutMs !== undefined && timeoutMs <= ms) return fail({ kind: "hang" }, request, desk);
  await sleep(ms, desk.ports, signal);
  return { kind: "late", request: timeoutMs === undefined ? request : { ...request, timeoutMs: timeoutMs - ms } };
}

function fail(fault: WayFault, request: LlmTurnRequest, desk: Desk): VendorOutcome {
  const way = { ...wayOf(desk), answer: beginningOf(request) };
  const wire = fault.kind === "http" ? (fault.wire ?? desk.wire) : desk.wire;
  return toVendor({ ...desk, wire }, request, faultFetch(fault, { ...way, wire }), (response) => response);
}

/** `response` as the vendor would have sent it. */
function answer(response: LlmTurnResponse, request: LlmTurnRequest, desk: Desk): VendorOutcome {
  const way = { ...wayOf(desk), answer: response };
  return toVendor(desk, request, answerFetch({ kind: "whole" }, way), (read) => {
    const { message, finalAnswer, stopReason } = read;
    const { usage, costUsd, model } = response;
    return {
      message,
      ...(finalAnswer === undefined ? {} : { finalAnswer }),
      stopReason,
      ...(usage === undefined ? {} : { usage }),
      ...(costUsd === undefined ? {} : { costUsd }),
      ...(model === undefined ? {} : { model }),
    };
  });
}

async function damage(
  struck: Struck<Fault>,
  change: (response: LlmTurnResponse) => LlmTurnResponse | undefined,
  request: LlmTurnRequest,
  desk: Desk,
): Promise<Outcome> {
  const response = await desk.provider.turn(request);
  const damaged = change(response);
  if (damaged !== undefined) return answer(damaged, request, desk);
  struck.miss();
  return { kind: "unstruck", response };
}

async function* streamed(
  outcome: Outcome,
  stream: (request: LlmTurnRequest) => AsyncIterable<LlmStreamEvent>,
): AsyncGenerator<LlmStreamEvent, void, undefined> {
  switch (outcome.kind) {
    case "late":
      yield* stream(outcome.request);
      return;
    case "unstruck":
      yield { type: "response", response: outcome.response };
      return;
    case "vendor": {
      const { vendor, request, mend } = outcome;
      // Each of our vendors can stream.
      for await (const event of vendor.stream?.(request) ?? []) {
        yield event.type === "response" ? { type: "response", response: mend(event.response) } : event;
      }
    }
  }
}

function toVendor(
  desk: Desk,
  { signal, timeoutMs }: LlmTurnRequest,
  fetch: typeof globalThis.fetch,
  mend: VendorOutcome["mend"],
): VendorOutcome {
  // What the caller asked is of no account to a made-up answer, and a wire might not be able to say it.
  const request: LlmTurnRequest = {
    messages: [{ role: "user", content: "-" }],
    ...(signal === undefined ? {} : { signal }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
  return { kind: "vendor", vendor: vendorOf(desk, fetch), request, mend };
}

/** No key of anybody's. A key is masked in what vendors say, so it is a word that none of their bodies has. */
const KEY = "key-of-no-vendor";

function vendorOf({ provider, wire, ports }: Desk, fetch: typeof globalThis.fetch): LlmProviderAdapter {
  const name = providerName(provider).trim() === "" ? "unnamed" : providerName(provider);
  // Its warnings would speak of the made-up answer.
  const common = { name, model: modelOf(name), fetch, ports: { ...ports, warn: () => undefined } };
  switch (wire) {
    case "openai":
      return openaiProvider({ ...common, apiKey: KEY, pricing: {} });
    case "anthropic":
      return anthropicProvider({ ...common, apiKey: KEY, pricing: {} });
    case "ollama":
      return ollamaProvider(common);
  }
}

function wayOf({ provider, wire, ports }: Desk): Omit<FaultyWay, "answer"> {
  return { wire, ports, model: modelOf(providerName(provider)) };
}

/** `gpt-4o` of `openai:gpt-4o`. */
function modelOf(name: string): string {
  const model = name.slice(name.indexOf(":") + 1);
  return model.trim() === "" ? "unnamed" : model;
}

function wireOfName(name: string): WireName {
  const vendor = name.slice(0, Math.max(0, name.indexOf(":")));
  return Object.hasOwn(WIRES, vendor) ? (vendor as WireName) : "openai";
}
