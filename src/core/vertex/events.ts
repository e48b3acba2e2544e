// The events of a graph vertex: a projection of the run's events and of the attempts of its fallback chain. Budgets have no event here.

import { isPlainObject, setOwn, type JsonObject, type JsonValue } from "../canon/value.js";
import type { EventBody } from "../events/event.js";
import { MAX_SUMMARY_SOURCE_CHARACTERS } from "../limits.js";
import type { FallbackAttempt, FallbackStart } from "../providers/fallback/failure.js";
import { maskSecrets } from "../text/mask.js";
import { callFacts, resultFacts } from "../tools/facts.js";
import { TOOL_UNAVAILABLE } from "../tools/tool.js";
import { toCost, type CostUpdated } from "./cost.js";

/** An event of a graph vertex without its envelope. `attemptNumber` counts from 1. */
export type NodeEventBody =
  | { type: "agent:token"; nodeId: string; token: string; model: string }
  | {
      type: "agent:tool_call";
      nodeId: string;
      model: string;
      toolId: string;
      toolInput: JsonObject;
      attemptNumber?: number;
    }
  | {
      type: "agent:tool_result";
      nodeId: string;
      toolId: string;
      success: boolean;
      outputSummary: string;
      attemptNumber?: number;
    }
  | CostUpdated;

/** A fact about a vertex: an event of the run, or an argument of the chain's `onAttemptStart` or `onAttempt`. */
export type NodeFact = EventBody | FallbackStart | FallbackAttempt;

export interface NodeIdentity {
  readonly nodeId: string;
  /** Used until the first attempt names its model. */
  readonly model: string;
}

/** Converts each fact of a live run to its event, if it has one. Create one per execution: `cost:updated` sums over its facts. */
export function createNodeProjection({ nodeId, model }: NodeIdentity): (fact: NodeFact) => NodeEventBody | undefined {
  let active: { model: string; attemptNumber?: number } = { model };
  let spent = 0;

  return (fact) => {
    if ("type" in fact) return projectEvent(nodeId, active, fact);
    if (fact.outcome === "started" || fact.outcome === "answered") {
      active = { model: fact.model, attemptNumber: fact.attemptNumber };
    }
    if (fact.outcome === "started") return undefined;
    const cost = toCost(nodeId, fact, spent);
    spent = cost?.cumulativeCostMicrocents ?? spent;
    return cost;
  };
}

/** Converts all facts of a finished run to events. See {@link createNodeProjection}. */
export function projectNodeEvents(node: NodeIdentity, facts: Iterable<NodeFact>): NodeEventBody[] {
  const project = createNodeProjection(node);
  return [...facts].flatMap((fact) => project(fact) ?? []);
}

/** The attempt that an event belongs to. */
interface Speaker {
  readonly model: string;
  readonly attemptNumber?: number;
}

function projectEvent(nodeId: string, { model, ...attempt }: Speaker, event: EventBody): NodeEventBody | undefined {
  switch (event.type) {
    case "llm-delta":
      return event.kind === "text" ? { type: "agent:token", nodeId, token: event.text, model } : undefined;
    case "tool-call": {
      const { toolId, toolInput } = callFacts(event.tool, event.arguments, event.refused === true);
      return { type: "agent:tool_call", nodeId, model, toolId, toolInput: maskObject(toolInput), ...attempt };
    }
    case "tool-result":
      return toResult(nodeId, attempt, event.tool, true, event.content);
    case "tool-failed":
      return toResult(nodeId, attempt, event.tool, false, event.masked === true ? TOOL_UNAVAILABLE : event.message);
    case "tool-rejected":
      return toResult(nodeId, attempt, event.tool, false, TOOL_UNAVAILABLE);
    case "tool-denied":
      return toResult(nodeId, attempt, event.tool, false, event.message);
    default:
      return undefined;
  }
}

function toResult(
  nodeId: string,
  attempt: Omit<Speaker, "model">,
  tool: string,
  success: boolean,
  output: string,
): NodeEventBody {
  const facts = resultFacts(tool, success, maskSecrets(output.slice(0, MAX_SUMMARY_SOURCE_CHARACTERS)));
  return { type: "agent:tool_result", nodeId, ...facts, ...attempt };
}

/** Masks secrets in every text. The facts are a checked copy, neither deep nor cyclic. */
function maskObject(object: JsonObject): JsonObject {
  const masked: JsonObject = {};
  for (const key of Object.keys(object)) setOwn(masked, key, mask(object[key] as JsonValue));
  return masked;
}

function mask(value: JsonValue): JsonValue {
  if (typeof value === "string") return maskSecrets(value);
  if (Array.isArray(value)) return value.map(mask);
  return isPlainObject(value) ? maskObject(value) : value;
}
