// A graph vertex's events: a projection of the run's own events and of what its fallback chain did. Without an envelope; the
// bus that carries them stamps run, time and number. Budgets are the run's business, so nothing here tells of them.

import { isPlainObject, setOwn, type JsonObject, type JsonValue } from "../canon/value.js";
import type { EventBody } from "../events/event.js";
import type { FallbackAttempt, FallbackStart } from "../providers/fallback/attempt.js";
import { maskSecrets } from "../text/mask.js";
import { callFacts, resultFacts } from "../tools/facts.js";
import { TOOL_UNAVAILABLE } from "../tools/tool.js";
import { toCost, type CostUpdated } from "./cost.js";

/**
 * An event of a graph vertex without its envelope. Numbers are those of {@link CostUpdated}; `attemptNumber` counts
 * from 1.
 */
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

/** What a vertex hears of, in its order: events of the run, and what the chain's `onAttemptStart` and `onAttempt` are told. */
export type NodeFact = EventBody | FallbackStart | FallbackAttempt;

/** Which vertex the events are about. */
export interface NodeIdentity {
  readonly nodeId: string;
  /** Named until the first attempt names its own. */
  readonly model: string;
}

/**
 * The events of a vertex for a live run: at most one event for each fact. Keep one for one execution; `cost:updated`
 * counts that one alone.
 */
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

/**
 * The events of a vertex for a run that is over: all of its facts, as {@link createNodeProjection} gives them one by
 * one.
 */
export function projectNodeEvents(node: NodeIdentity, facts: Iterable<NodeFact>): NodeEventBody[] {
  const project = createNodeProjection(node);
  return [...facts].flatMap((fact) => project(fact) ?? []);
}

/** The attempt that speaks. */
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
    case "run-start":
    case "turn-start":
    case "llm-turn":
    case "llm-error":
    case "tool-policy":
    case "tool-interrupted":
    case "tool-skipped":
    case "corrections-exhausted":
    case "budget-exhausted":
    case "handoff":
    case "handoff-cycle":
    case "provider-destroy-failed":
    case "run-end":
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
  const facts = resultFacts(tool, success, maskSecrets(output.slice(0, MAX_READ_CHARACTERS)));
  return { type: "agent:tool_result", nodeId, ...facts, ...attempt };
}

/** Enough to cut a summary from once keys are masked: a key that the cut halves would keep a shape of its own. */
const MAX_READ_CHARACTERS = 8192;

/** What has the shape of a key is masked in every text; the facts are a checked copy, so they are neither deep nor cyclic. */
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
