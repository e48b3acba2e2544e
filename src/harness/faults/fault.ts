// Faults between an agent and its model, as data. fetch.ts makes transport faults, and answer.ts makes model faults.

import {
  DEFAULT_VENDOR,
  isWireName,
  showValue,
  WIRE_NAMES,
  type HttpFaultName,
  type WireName,
} from "../../core/index.js";
import type { Random } from "../drift/statistics/random.js";
import { HarnessError } from "../errors.js";
import { HTTP_FAULTS, httpFault } from "./bodies.js";
import { fieldsProblem, oneOf, optional, share, text, wait, type KindsOf } from "./fields.js";

/** One thing that goes wrong between an agent and its model, as plain JSON. See docs/faults.md. */
export type Fault =
  /** The answer comes `ms` milliseconds later. A call with a shorter `timeoutMs` runs out of time. */
  | { readonly kind: "latency"; readonly ms: number }
  /** The vendor refuses, with the status, headers and body of its own servers. Default the wire of the provider. */
  | { readonly kind: "http"; readonly error: HttpFaultName; readonly wire?: WireName }
  /** A socket error instead of an answer. */
  | { readonly kind: "network"; readonly code: NetworkCode }
  /** Silence until the call's own limit, its signal, or the 300 seconds at which Node's fetch gives up. */
  | { readonly kind: "hang" }
  /**
   * Only the beginning of the answer arrives, streamed or not. Then it ends as if it were whole (`closed`), the connection breaks
   * (`reset`), nothing more arrives (`stalled`), or the stream reports a vendor error (`error`). Without streaming, `error` is a
   * refusal as overloaded. `after` is the share of the answer that arrives, from 0 to 1.
   */
  | { readonly kind: "torn"; readonly how: "closed" | "reset" | "stalled" | "error"; readonly after?: number }
  /** Status 200 without an answer: a proxy's page, half an object, nothing, or an object of another API. */
  | { readonly kind: "wrong-json"; readonly body: "page" | "half" | "nothing" | "foreign" }
  /** The model calls a tool with arguments that are not JSON. */
  | { readonly kind: "malformed-arguments" }
  /** Repeats each call of the answer, with the same id or another. Strikes an answer with calls. */
  | { readonly kind: "duplicate-call"; readonly id: "same" | "new" }
  /** The model calls a tool that was not offered. */
  | { readonly kind: "unknown-tool" }
  /** The model refuses to answer, with stop reason `contentFilter`. */
  | { readonly kind: "refusal" }
  /** The model says nothing and stops. */
  | { readonly kind: "empty-answer" }
  /** Cuts the answer in the middle, or in its last call, with stop reason `length`. Strikes an answer with text or calls. */
  | { readonly kind: "cut-by-length" };

const NETWORK_CODES = ["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "UND_ERR_CONNECT_TIMEOUT"] as const;
const TORN = ["closed", "reset", "stalled", "error"] as const;
const WRONG_BODIES = ["page", "half", "nothing", "foreign"] as const;

/** Errors of sockets and of the fetch above them, as Node names them. */
export type NetworkCode = (typeof NETWORK_CODES)[number];

const KINDS: KindsOf<Fault> = {
  latency: { ms: wait },
  http: { error: text, wire: optional(oneOf(WIRE_NAMES)) },
  network: { code: oneOf(NETWORK_CODES) },
  hang: {},
  torn: { how: oneOf(TORN), after: optional(share) },
  "wrong-json": { body: oneOf(WRONG_BODIES) },
  "malformed-arguments": {},
  "duplicate-call": { id: oneOf(["same", "new"]) },
  "unknown-tool": {},
  refusal: {},
  "empty-answer": {},
  "cut-by-length": {},
};

export const FAULT_KINDS = Object.keys(KINDS) as readonly Fault["kind"][];

/** The problem of a fault, or "". `wire` is the provider's, for a fault without one. Without both, any wire is accepted. */
export function faultProblem(fault: unknown, wire?: WireName): string {
  const problem = fieldsProblem(KINDS, fault);
  const known = fault as Fault;
  if (problem !== "" || known.kind !== "http") return problem;
  const spoken = known.wire ?? wire;
  const wires = spoken === undefined ? WIRE_NAMES : [spoken];
  if (wires.some((one) => httpFault(one, known.error) !== undefined)) return "";
  const errors = new Set(wires.flatMap((one) => Object.keys(HTTP_FAULTS[one])));
  return oneOf([...errors])("error", known.error);
}

/** Draws how much of a torn answer arrives, if the fault does not say it. */
export function withShare(fault: Fault, random: Random): Fault {
  if (fault.kind !== "torn" || fault.after !== undefined) return fault;
  return { ...fault, after: random.below(1_000) / 1_000 };
}

/** One of every fault that a vendor of this wire can have, in a fixed order. Throws `HarnessError` `faults-unclear`. */
export function everyFault(wire: WireName = DEFAULT_VENDOR): Fault[] {
  assertWire("everyFault", wire);
  const errors = Object.keys(HTTP_FAULTS[wire]) as HttpFaultName[];
  return [
    { kind: "latency", ms: 30_000 },
    ...errors.map((error): Fault => ({ kind: "http", error, wire })),
    ...NETWORK_CODES.map((code): Fault => ({ kind: "network", code })),
    { kind: "hang" },
    ...TORN.map((how): Fault => ({ kind: "torn", how, after: 0.5 })),
    ...WRONG_BODIES.map((body): Fault => ({ kind: "wrong-json", body })),
    { kind: "malformed-arguments" },
    { kind: "duplicate-call", id: "same" },
    { kind: "duplicate-call", id: "new" },
    { kind: "unknown-tool" },
    { kind: "refusal" },
    { kind: "empty-answer" },
    { kind: "cut-by-length" },
  ];
}

/** Throws `HarnessError` `faults-unclear` for anything other than the name of a wire. */
export function assertWire(owner: string, wire: unknown): void {
  if (isWireName(wire)) return;
  const hint = `Give one of ${WIRE_NAMES.join(", ")}.`;
  throw new HarnessError("faults-unclear", `${owner}: no wire is called ${showValue(wire)}`, hint);
}

/** A fault in a few words, for a table or the name of a test. Throws `HarnessError` `faults-unclear` for anything else. */
export function describeFault(fault: Fault): string {
  const problem = faultProblem(fault);
  if (problem !== "") throw new HarnessError("faults-unclear", `describeFault: ${problem}`);
  switch (fault.kind) {
    case "latency":
      return `latency of ${fault.ms} ms`;
    case "http":
      return `http ${fault.error}${fault.wire === undefined ? "" : ` of ${fault.wire}`}`;
    case "network":
      return `network ${fault.code}`;
    case "torn":
      return `torn, ${fault.how}${fault.after === undefined ? "" : ` after ${Math.round(fault.after * 100)} %`}`;
    case "wrong-json":
      return `wrong JSON: ${fault.body}`;
    case "duplicate-call":
      return `duplicate call, ${fault.id} id`;
    default:
      return fault.kind.replaceAll("-", " ");
  }
}
