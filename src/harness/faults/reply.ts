// Faults as the answers of a server, for clients in any language. An answer under a fault is invented and uses no recorded turn.

import {
  showValue,
  sleep,
  toPointer,
  unknownOptions,
  type LlmTurnRequest,
  type LlmTurnResponse,
  type Ports,
  type WireName,
} from "../../core/index.js";
import { askingForUnknownTool, askingWithoutJson, beginningOf, refusal, silence } from "./answer.js";
import { httpFault } from "./bodies.js";
import { faultProblem, withShare, type Fault } from "./fault.js";
import { answerFetch, faultFetch } from "./fetch.js";
import { createPlan, PLAN_OPTIONS, planProblems, type FaultPlanOptions } from "./plan.js";

export type ServerFaults = ReturnType<typeof createPlan<Fault>>;

/** The first problem of a plan that was read from a file, with the JSON pointer of its place. */
export function serverPlanProblem(plan: unknown): { pointer: string; text: string } | undefined {
  if (typeof plan !== "object" || plan === null || Array.isArray(plan)) {
    return { pointer: "", text: `the plan is ${showValue(plan)}: give an object` };
  }
  const [unknown] = unknownOptions(plan, PLAN_OPTIONS);
  if (unknown !== undefined) {
    const text = `a plan has no field ${JSON.stringify(unknown)}: it has ${PLAN_OPTIONS.join(", ")}`;
    return { pointer: toPointer([unknown]), text };
  }
  const [first] = planProblems(plan, serverFaultProblem);
  return first && { pointer: toPointer(first.at), text: first.text };
}

/** The problem of a fault that a server cannot cause, or "". */
function serverFaultProblem(fault: unknown): string {
  const problem = faultProblem(fault);
  if (problem !== "") return problem;
  const known = fault as Fault;
  if (known.kind === "network" && known.code !== "ECONNRESET") {
    return `code is ${showValue(known.code)}: give ECONNRESET, since the client reaches the server`;
  }
  if (known.kind !== "duplicate-call" && known.kind !== "cut-by-length") return "";
  return `kind is ${showValue(known.kind)}, which changes a recorded answer: a server replaces the answer`;
}

/** Throws `HarnessError` `faults-unclear`. */
export function createServerFaults(owner: string, options: FaultPlanOptions<Fault>): ServerFaults {
  return createPlan<Fault>(owner, options, { problemOf: serverFaultProblem, complete: withShare });
}

/** A turn that a client sent. */
interface AskedTurn {
  readonly wire: WireName;
  readonly request: LlmTurnRequest;
  readonly model: string;
  readonly url: string;
  readonly body: string;
  readonly signal: AbortSignal;
  readonly ports: Pick<Ports, "now" | "timer">;
}

/** `broken` breaks the connection, `answered` lets the recorded answer follow, and `unstruck` also, since the wire has no such fault. */
export async function faultReply(
  fault: Fault,
  asked: AskedTurn,
): Promise<Response | "broken" | "answered" | "unstruck"> {
  const { wire, request, model, url, body, signal, ports } = asked;
  const init = { body, signal };
  const way = (answer: LlmTurnResponse) => ({ wire, ports, model, answer });
  const answering = (answer: LlmTurnResponse) => answerFetch(way(answer))(url, init);
  switch (fault.kind) {
    case "latency":
      await sleep(fault.ms, ports, signal);
      return "answered";
    case "http":
      if (httpFault(fault.wire ?? wire, fault.error) === undefined) return "unstruck";
      return faultFetch(fault, way(silence()))(url, init);
    case "network":
    case "hang":
      return faultFetch(fault, way(silence()))(url, init).catch(() => "broken" as const);
    case "torn":
    case "wrong-json":
      return faultFetch(fault, way(beginningOf(request)))(url, init);
    case "malformed-arguments":
      return answering(askingWithoutJson(request));
    case "unknown-tool":
      return answering(askingForUnknownTool());
    case "refusal":
      return answering(refusal());
    case "empty-answer":
      return answering(silence());
    case "duplicate-call":
    case "cut-by-length":
      return "unstruck";
  }
}
