// What can go wrong between an agent and its model, as data. Each kind says what a caller would see of it; how it is made is in
// fetch.ts (what breaks on the way) and answer.ts (what the model itself gets wrong).

import {
  DEFAULT_VENDOR,
  isWireName,
  showValue,
  WIRE_NAMES,
  type HttpFaultName,
  type WireName,
} from "../../core/index.js";
import { HarnessError } from "../errors.js";
import { HTTP_FAULTS, httpFault } from "./bodies.js";
import { fieldsProblem, oneOf, optional, share, text, wait, type KindsOf } from "./fields.js";

/** One thing that goes wrong between an agent and its model, as plain JSON. See docs/faults.md. */
export type Fault =
  /** The answer comes, `ms` milliseconds later. A call whose `timeoutMs` is shorter runs out of time. */
  | { readonly kind: "latency"; readonly ms: number }
  /** The vendor refuses, with the status, headers and body that its own servers send. Default the wire of the provider. */
  | { readonly kind: "http"; readonly error: HttpFaultName; readonly wire?: WireName }
  /** No answer at all: what the socket below says. */
  | { readonly kind: "network"; readonly code: NetworkCode }
  /** Silence, until the call's own limit, its signal, or the 300 seconds after which Node's fetch gives up. */
  | { readonly kind: "hang" }
  /**
   * An answer of which only the beginning comes, streamed or not: then it ends as if it were whole (`closed`), the connection
   * breaks (`reset`), nothing more comes (`stalled`), or the vendor says in the stream that it failed (`error`; an answer that is not
   * streamed is refused as overloaded then). `after` is the share of it that comes, from 0 to 1.
   */
  | { readonly kind: "torn"; readonly how: "closed" | "reset" | "stalled" | "error"; readonly after?: number }
  /** Status 200 and what is no answer: a proxy's page, half an object, nothing, an object of another API. */
  | { readonly kind: "wrong-json"; readonly body: "page" | "half" | "nothing" | "foreign" }
  /** The model asks for a tool with arguments that are no JSON. */
  | { readonly kind: "malformed-arguments" }
  /** Each call of the answer comes twice, with the same id or with another. Strikes an answer that has calls. */
  | { readonly kind: "duplicate-call"; readonly id: "same" | "new" }
  /** The model asks for a tool that nobody offered. */
  | { readonly kind: "unknown-tool" }
  /** The model will not answer; stop reason `contentFilter`. */
  | { readonly kind: "refusal" }
  /** The model says nothing and stops. */
  | { readonly kind: "empty-answer" }
  /** The answer is cut in the middle, in its last call where it has one; stop reason `length`. Strikes an answer that has words or calls. */
  | { readonly kind: "cut-by-length" };

/** The name of a {@link Fault}. */
export type FaultKind = Fault["kind"];

/** Errors of sockets and of the fetch above them, as Node names them. */
export type NetworkCode = "ECONNREFUSED" | "ECONNRESET" | "ENOTFOUND" | "UND_ERR_CONNECT_TIMEOUT";

const KINDS: KindsOf<Fault> = {
  latency: { ms: wait },
  http: { error: text, wire: optional(oneOf(WIRE_NAMES)) },
  network: { code: oneOf(["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "UND_ERR_CONNECT_TIMEOUT"]) },
  hang: {},
  torn: { how: oneOf(["closed", "reset", "stalled", "error"]), after: optional(share) },
  "wrong-json": { body: oneOf(["page", "half", "nothing", "foreign"]) },
  "malformed-arguments": {},
  "duplicate-call": { id: oneOf(["same", "new"]) },
  "unknown-tool": {},
  refusal: {},
  "empty-answer": {},
  "cut-by-length": {},
};

/** Every kind of fault. */
export const FAULT_KINDS = Object.keys(KINDS) as readonly FaultKind[];

/** What is wrong with a fault of a provider that speaks `wire` unless it says otherwise, or "". Any wire will do where none is said. */
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

/** One of every fault that a vendor of this wire can have, in a fixed order. Throws `HarnessError` `faults-unclear`. */
export function everyFault(wire: WireName = DEFAULT_VENDOR): Fault[] {
  assertWire("everyFault", wire);
  const errors = Object.keys(HTTP_FAULTS[wire]) as HttpFaultName[];
  return [
    { kind: "latency", ms: 30_000 },
    ...errors.map((error): Fault => ({ kind: "http", error, wire })),
    { kind: "network", code: "ECONNREFUSED" },
    { kind: "network", code: "ECONNRESET" },
    { kind: "network", code: "ENOTFOUND" },
    { kind: "network", code: "UND_ERR_CONNECT_TIMEOUT" },
    { kind: "hang" },
    { kind: "torn", how: "closed", after: 0.5 },
    { kind: "torn", how: "reset", after: 0.5 },
    { kind: "torn", how: "stalled", after: 0.5 },
    { kind: "torn", how: "error", after: 0.5 },
    { kind: "wrong-json", body: "page" },
    { kind: "wrong-json", body: "half" },
    { kind: "wrong-json", body: "nothing" },
    { kind: "wrong-json", body: "foreign" },
    { kind: "malformed-arguments" },
    { kind: "duplicate-call", id: "same" },
    { kind: "duplicate-call", id: "new" },
    { kind: "unknown-tool" },
    { kind: "refusal" },
    { kind: "empty-answer" },
    { kind: "cut-by-length" },
  ];
}

/** Throws `HarnessError` `faults-unclear` for what is no wire. */
export function assertWire(owner: string, wire: unknown): void {
  if (isWireName(wire)) return;
  const hint = `Give one of ${WIRE_NAMES.join(", ")}.`;
  throw new HarnessError("faults-unclear", `${owner}: no wire is called ${showValue(wire)}`, hint);
}

/** A fault in a few words, for a table or the name of a test. Throws `HarnessError` `faults-unclear` for what is none. */
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
    case "hang":
    case "malformed-arguments":
    case "unknown-tool":
    case "refusal":
    case "empty-answer":
    case "cut-by-length":
      return fault.kind.replaceAll("-", " ");
  }
}
