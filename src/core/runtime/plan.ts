// The handoff graph: which agent begins, who answers to whom, and where a run ends.

import { defined } from "../defined.js";
import { AgentError, invalidOptions } from "../errors.js";
import { unknownOptions } from "../options.js";
import { quoteForeign } from "../text/mask.js";
import { thrownText } from "../text/thrown.js";
import { isThenable } from "../time/wait.js";

/** What an edge hands over. */
export interface Handoff {
  /** The run's own. */
  readonly goal: string;
  readonly from: string;
  readonly to: string;
  /** The final answer of `from`. */
  readonly answer: string;
}

/** One way from an agent to the next, both by id. */
export interface PlanEdge {
  readonly from: string;
  readonly to: string;
  /**
   * Whether the edge is taken for this answer of `from`; without it, it always is. Asked in declared order, up to the first
   * edge that is taken. Gives a boolean; what it throws, and anything else it gives, ends the run with `handoff-failed`.
   */
  readonly when?: (finalAnswer: string) => boolean;
  /** The user message that `to` begins with, in place of {@link handoffText}. Text; anything else ends the run with `handoff-failed`. */
  readonly input?: (handoff: Handoff) => string;
}

/** The handoff graph of a run, by ids of agents. See docs/runtime.md. */
export interface Plan {
  /** The agent that gets the goal. */
  readonly entry: string;
  readonly edges: readonly PlanEdge[];
  /** Agents whose answer ends the run: an edge from one of them is never asked. */
  readonly exits: readonly string[];
}

/** Where an answer goes on to; `edge` is its place in the plan's list. */
export interface NextEdge extends PlanEdge {
  readonly edge: number;
}

const PLAN_OPTIONS = ["entry", "edges", "exits"];
const EDGE_OPTIONS = ["from", "to", "when", "input"];
/** Flaws, and agents, that a refusal names. */
const MAX_LISTED = 20;

/** A checked copy of a plan. Throws `AgentError` `invalid-options` that names everything which is wrong with it. */
export function toPlan(plan: Plan, agentIds: readonly string[]): Plan {
  if (typeof plan !== "object" || plan === null) {
    throw invalidOptions("the plan is no object", "Pass { entry, edges, exits }.");
  }
  const { entry, edges, exits } = plan;
  const flaws = unknownOptions(plan, PLAN_OPTIONS).map((name) => `it has an unknown option ${name}`);
  if (!Array.isArray(edges)) flaws.push("its edges are no list");
  if (!Array.isArray(exits)) flaws.push("its exits are no list");
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
    if (!known.has(id)) flaws.push(`${place} is ${show(id)}, which is no agent`);
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

/**
 * The edge that is taken from `agentId` for `answer`; undefined where none is. Throws `AgentError` `handoff-failed` naming
 * the edge whose condition threw or gave no boolean.
 */
export function nextEdge(plan: Plan, agentId: string, answer: string): NextEdge | undefined {
  for (const [index, edge] of plan.edges.entries()) {
    if (edge.from === agentId && matches(edge, index, answer)) return { ...edge, edge: index };
  }
  return undefined;
}

/** What the next agent reads: the goal, and the answer it goes on from. */
export function handoffText({ goal, from, answer }: Omit<Handoff, "to">): string {
  return `${goal}\n\nAnswer of the agent ${from}:\n${answer}`;
}

/** The user message that the agent behind `edge` begins with. Throws `AgentError` `handoff-failed`. */
export function inputOf(edge: NextEdge, goal: string, answer: string): string {
  const handoff: Handoff = Object.freeze({ goal, from: edge.from, to: edge.to, answer });
  if (edge.input === undefined) return handoffText(handoff);
  const text: unknown = call(() => edge.input?.(handoff), "input", edge, edge.edge);
  if (typeof text === "string") return text;
  throw failed(`the input of ${nameOf(edge, edge.edge)} gave ${kindOf(text)} and no text`, "Return a string.");
}

function matches(edge: PlanEdge, index: number, answer: string): boolean {
  const { when } = edge;
  if (when === undefined) return true;
  const taken: unknown = call(() => when(answer), "condition", edge, index);
  if (typeof taken === "boolean") return taken;
  throw failed(
    `the condition of ${nameOf(edge, index)} gave ${kindOf(taken)} and no boolean`,
    "Return true or false, not a promise; let a tool find out what takes time.",
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

/** What was given, in a word. A promise is taken note of, since a rejection that nobody takes would end the process. */
function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (typeof value !== "object") return value === undefined ? "undefined" : `a ${typeof value}`;
  if (!isThenable(value)) return "an object";
  Promise.resolve(value).catch(() => undefined);
  return "a promise";
}

function findEdgeFlaws(edge: PlanEdge, place: string): string[] {
  if (typeof edge !== "object" || edge === null) return [`${place} is no object`];
  const flaws = unknownOptions(edge, EDGE_OPTIONS).map((name) => `${place} has an unknown option ${name}`);
  for (const name of ["when", "input"] as const) {
    if (edge[name] !== undefined && typeof edge[name] !== "function") flaws.push(`${place}.${name} is no function`);
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
  const more = items.length - MAX_LISTED;
  return items.slice(0, MAX_LISTED).join(separator) + (more > 0 ? `${separator}and ${more} more` : "");
}

function show(id: unknown): string {
  return typeof id === "string" ? JSON.stringify(id) : kindOf(id);
}

function failed(message: string, hint: string, cause?: unknown): AgentError {
  return new AgentError("handoff-failed", message, { hint, cause });
}
