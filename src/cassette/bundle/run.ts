// The part of a plan and a run that a bundle keeps, and the agents that run. Anything else is refused before it is written or compared.

import { CassetteError } from "../errors.js";
import type { BundleEnd, BundleFile, BundlePlan, PlanLike, RunLike } from "./format.js";

/** The part of a bundle that is not about cassettes. */
export type BundleRun = Pick<BundleFile, "plan" | "path" | "ended">;

/** A plan without its functions. Throws `invalid-options`. */
export function toBundlePlan(plan: PlanLike): BundlePlan {
  const { entry, edges, exits } = fieldsOf(plan);
  if (!isId(entry)) throw badPlan("`entry` must be a string");
  if (!Array.isArray(edges)) throw badPlan("`edges` must be a list");
  if (!Array.isArray(exits) || !exits.every(isId)) throw badPlan("`exits` must be a list of strings");
  return {
    entry,
    edges: edges.map((edge: unknown, index) => {
      const { from, to, when } = fieldsOf(edge);
      if (!isId(from) || !isId(to)) throw badPlan(`edge ${index} must have \`from\` and \`to\``);
      return { from, to, conditional: when !== undefined };
    }),
    exits: [...exits],
  };
}

/** The path and the end of a run. Throws `invalid-options`. */
export function toBundleRun(result: RunLike): Pick<BundleRun, "path" | "ended"> {
  const { visits, ended } = fieldsOf(result);
  if (!Array.isArray(visits) || visits.length === 0) throw badResult("`visits` must be a list with at least one visit");
  const path = visits.map((visit: unknown, index) => {
    const { agentId } = fieldsOf(visit);
    if (!isId(agentId)) throw badResult(`visit ${index} must have an agentId`);
    return agentId;
  });
  return { path, ended: toEnd(fieldsOf(ended)) };
}

function toEnd({ kind, agentId, limit }: Record<string, unknown>): BundleEnd {
  if (kind === "exit" || kind === "no-edge") return { kind };
  if (kind !== "cycle") throw badResult(`its end ${JSON.stringify(kind) ?? "undefined"} is unknown`);
  if (!isId(agentId) || !Number.isSafeInteger(limit)) throw badResult("its cycle must have an agentId and a limit");
  return { kind, agentId, limit: limit as number };
}

export interface Naming {
  agentId: string;
  where: (string | number)[];
}

/** The first place that names an agent outside `ids`. */
export function findStranger({ plan, path, ended }: BundleRun, ids: ReadonlySet<string>): Naming | undefined {
  const named: Naming[] = [
    ...(plan === undefined ? [] : namedInPlan(plan)),
    ...path.map((agentId, index) => ({ agentId, where: ["path", index] })),
    ...(ended.kind === "cycle" ? [{ agentId: ended.agentId, where: ["ended", "agentId"] }] : []),
  ];
  return named.find(({ agentId }) => !ids.has(agentId));
}

function namedInPlan({ entry, edges, exits }: BundlePlan): Naming[] {
  return [
    { agentId: entry, where: ["plan", "entry"] },
    ...edges.flatMap(({ from, to }, index) => [
      { agentId: from, where: ["plan", "edges", index, "from"] },
      { agentId: to, where: ["plan", "edges", index, "to"] },
    ]),
    ...exits.map((agentId, index) => ({ agentId, where: ["plan", "exits", index] })),
  ];
}

/** The fields of any value. Each may be absent. */
function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function isId(value: unknown): value is string {
  return typeof value === "string";
}

function badPlan(what: string): CassetteError {
  return new CassetteError("invalid-options", `this is not a plan: ${what}`, {
    hint: "Pass the plan that runtime.run() was given: { entry, edges, exits }.",
  });
}

function badResult(what: string): CassetteError {
  return new CassetteError("invalid-options", `this is not the result of a run of several agents: ${what}`, {
    hint: "Pass the result of runtime.run(), with `visits` and `ended`.",
  });
}

/** Throws `invalid-options` unless `agents` is a list of agents with distinct ids that a file can hold. */
export function assertAgents(owner: string, agents: readonly { readonly id: string }[]): void {
  if (!Array.isArray(agents) || agents.length === 0) throw badAgents(`${owner} needs a list of agents, at least one`);
  const ids = new Set<string>();
  agents.forEach((agent: { id?: unknown } | null | undefined, index) => {
    const id = agent?.id;
    if (typeof id !== "string" || id === "") throw badAgents(`agent ${index} of ${owner} has no id`);
    if (!id.isWellFormed()) throw badAgents(`the id of agent ${index} of ${owner} holds a lone surrogate`);
    if (ids.has(id)) throw badAgents(`two agents of ${owner} have the id ${JSON.stringify(id)}`);
    ids.add(id);
  });
}

function badAgents(what: string): CassetteError {
  return new CassetteError("invalid-options", what, {
    hint: "Pass the definitions that createRuntime takes, each with its own id.",
  });
}
