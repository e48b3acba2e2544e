// The handoff graph: which agent begins, which agent follows, and where a run ends.

import { defined } from "../defined.js";
import { AgentError, invalidOptions } from "../errors.js";
import { unknownOptions } from "../options.js";
import { quoteForeign } from "../text/mask.js";
import { thrownText } from "../text/thrown.js";
import { isThenable } from "../time/wait.js";

/** The handoff along an edge, for its `input` function. */
export interface Handoff {
  /** The goal of the run. */
  readonly goal: string;
  readonly from: string;
  readonly to: string;
  /** The final answer of `from`. */
  readonly answer: string;
}

/** A handoff from one agent to the next, both by id. */
export interface PlanEdge {
  readonly from: string;
  readonly to: string;
  /**
   * Decides whether the edge is taken for this answer of `from`. Default: always. Edges are tried in declared order until one is
   * taken. If it throws, or does not return a boolean, the run ends with `handoff-failed`.
   */
  readonly when?: (finalAnswer: string) => boolean;
  /** The user message for `to`, in place of {@link handoffText}. If it is not text, the run ends with `handoff-failed`. */
  readonly input?: (handoff: Handoff) => string;
}

/** The handoff graph of a run, by ids of agents. See docs/runtime.md. */
export interface Plan {
  /** The agent that gets the goal. */
  readonly entry: string;
  readonly edges: readonly PlanEdge[];
  /** Agents whose answer ends the run. Edges from them are never tried. */
  readonly exits: readonly string[];
}

/** The edge that an answer takes; `edge` is its index in the plan's list. */
export interface NextEdge extends PlanEdge {
  readonly edge: number;
}

const PLAN_OPTIONS = ["entry", "edges", "exits"];
const EDGE_OPTIONS = ["from", "to", "when", "input"];
/** Most flaws, and agents, that an error names. */
const SHOWN_NAMES = 20;

/** A checked copy of a plan. Throws `AgentError` `invalid-options` that names all its flaws. */
export function toPlan(plan: Plan, agentIds: readonly string[]): Plan {
  if (typeof plan !== "object" || plan === null) {
    throw invalidOptions("the plan is not an object", "Pass { entry, edges, exits }.");
  }
  const { entry, edges, exits } = plan;
  const flaws = unknownOptions(plan, PLAN_OPTIONS).map((name) => `it has an unknown option ${name}`);
  if (!Array.isArray(edges)) flaws.push("its edges are not a list");
  if (!Array.isArray(exits)) flaws.push("its exits are not a list");
  const edgeList = Array.isArray(edges) ? [...(edges as readonly PlanEdge[])] : [];
  const exitList = Array.isArray(exits) ? [...(exits as readonly string[])] : [];
  edgeList.forEach((edge, index) => flaws.push(...findEdgeFlaws(edge, `edges[${index}]`)));

  const named: [place: string, id: unknown][] = [
    ["entry", entry],
    ...edgeList.flatMap((edge, index): [string, unknown][] => [
      [`edges[${index}].from`, edge?.from],
      [`edges[${index}].to`, edge?.to],
    ]),
    ...exitList.map((id, index): [string, unknown] => [`exits[${index}]`, id]),
  ];
  const known: ReadonlySet<unknown> = new Set(agentIds);
  for (const [place, id] of named) {
    if (!known.has(id)) flaws.push(`${place} is ${show(id)}, which is not an agent`);
  }
  if (flaws.length > 0) {
    throw invalidOptions(
      `the plan cannot work: ${list(flaws, "; ")}`,
      (Object.hasOwn(plan, "maxAgentVisits") ? "maxAgentVisits is an option of createRuntime. " : "") +
        `The agents are ${list(agentIds.map(show), ", ")}; a plan is { entry, edges: [{ from, to, when?, input? }], exits }.`,
    );
  }
  return { entry, edges: edgeList.map(copyEdge), exits: exitList };
}

/** The edge that is taken from `agentId` for `answer`, if there is one. Throws `AgentError` `handoff-failed` for a failing condition. */
export function nextEdge(plan: Plan, agentId: string, answer: string): NextEdge | undefined {
  for (const [index, edge] of plan.edges.entries()) {
    if (edge.from === agentId && matches(edge, index, answer)) return { ...edge, edge: index };
  }
  return undefined;
}

/** Returns the default message to the next agent: the goal, and the previous answer. */
export function handoffText({ goal, from, answer }: Omit<Handoff, "to">): string {
  return `${goal}\n\nAnswer of the agent ${from}:\n${answer}`;
}

/** The user message for the agent at the end of `edge`. Throws `AgentError` `handoff-failed`. */
export function inputOf(edge: NextEdge, goal: string, answer: string): string {
  const handoff: Handoff = Object.freeze({ goal, from: edge.from, to: edge.to, answer });
  if (edge.input === undefined) return handoffText(handoff);
  const text: unknown = call(() => edge.input?.(handoff), "input", edge, edge.edge);
  if (typeof text === "string") return text;
  throw failed(`the input of ${nameOf(edge, edge.edge)} returned ${kindOf(text)}, not text`, "Return a string.");
}

function matches(edge: PlanEdge, index: number, answer: string): boolean {
  const { when } = edge;
  if (when === undefined) return true;
  const taken: unknown = call(() => when(answer), "condition", edge, index);
  if (typeof taken === "boolean") return taken;
  throw failed(
    `the condition of ${nameOf(edge, index)} returned ${kindOf(taken)}, not a boolean`,
    "Return true or false, not a promise. Leave slow work to a tool.",
  );
}

function call(run: () => unknown, what: string, edge: PlanEdge, index: number): unknown {
  try {
    return run();
  } catch (error) {
    const text = quoteForeign(thrownText(error));
    throw failed(`the ${what} of ${nameOf(edge, index)} threw: ${text}`, "See `cause`.", error);
  }
}

/** The kind of a value, in words. A promise gets a handler, since an unhandled rejection would end the process. */
function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (typeof value !== "object") return value === undefined ? "undefined" : `a ${typeof value}`;
  if (!isThenable(value)) return "an object";
  Promise.resolve(value).catch(() => undefined);
  return "a promise";
}

function findEdgeFlaws(edge: PlanEdge, place: string): string[] {
  if (typeof edge !== "object" || edge === null) return [`${place} is not an object`];
  const flaws = unknownOptions(edge, EDGE_OPTIONS).map((name) => `${place} has an unknown option ${name}`);
  for (const name of ["when", "input"] as const) {
    if (edge[name] !== undefined && typeof edge[name] !== "function") flaws.push(`${place}.${name} is not a function`);
  }
  return flaws;
}

function copyEdge({ from, to, when, input }: PlanEdge): PlanEdge {
  return { from, to, ...defined({ when, input }) };
}

function nameOf({ from, to }: PlanEdge, index: number): string {
  return `edges[${index}] (${from} to ${to})`;
}

function list(items: readonly string[], separator: string): string {
  const more = items.length - SHOWN_NAMES;
  return items.slice(0, SHOWN_NAMES).join(separator) + (more > 0 ? `${separator}and ${more} more` : "");
}

function show(id: unknown): string {
  return typeof id === "string" ? JSON.stringify(id) : kindOf(id);
}

function failed(message: string, hint: string, cause?: unknown): AgentError {
  return new AgentError("handoff-failed", message, { hint, cause });
}
