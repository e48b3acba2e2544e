// What a bundle keeps of a plan and of a run, read from what the runtime was given and gave. Anything else is refused before
// it is written down or compared.

import { CassetteError } from "../errors.js";
import type { BundleEnd, BundleFile, BundlePlan, PlanLike, RunLike } from "./format.js";

/** The part of a bundle that is about no cassette. */
export type BundleRun = Pick<BundleFile, "plan" | "path" | "ended">;

/** A plan without its functions. Throws `invalid-options`. */
export function toBundlePlan(plan: PlanLike): BundlePlan {
  const { entry, edges, exits } = fieldsOf(plan);
  if (!isId(entry)) throw badPlan("its entry is no text");
  if (!Array.isArray(edges)) throw badPlan("its edges are no list");
  if (!Array.isArray(exits) || !exits.every(isId)) throw badPlan("its exits are no list of texts");
  return {
    entry,
    edges: edges.map((edge: unknown, index) => {
      const { from, to, when } = fieldsOf(edge);
      if (!isId(from) || !isId(to)) throw badPlan(`edge ${index} has no from and to`);
      return { from, to, conditional: when !== undefined };
    }),
    exits: [...exits],
  };
}

/** The path and the end of a run. Throws `invalid-options`. */
export function toBundleRun(result: RunLike): Pick<BundleRun, "path" | "ended"> {
  const { visits, ended } = fieldsOf(result);
  if (!Array.isArray(visits) || visits.length === 0) throw badResult("it has no visits");
  const path = visits.map((visit: unknown, index) => {
    const { agentId } = fieldsOf(visit);
    if (!isId(agentId)) throw badResult(`visit ${index} has no agentId`);
    return agentId;
  });
  return { path, ended: toEnd(fieldsOf(ended)) };
}

function toEnd({ kind, agentId, limit }: Record<string, unknown>): BundleEnd {
  if (kind === "exit" || kind === "no-edge") return { kind };
  if (kind !== "cycle") throw badResult(`it ended by ${JSON.stringify(kind) ?? "nothing"}, which is no end of a run`);
  if (!isId(agentId) || !Number.isSafeInteger(limit)) throw badResult("its cycle has no agentId and limit");
  return { kind, agentId, limit: limit as number };
}

/** A place where a bundle names an agent. */
export interface Naming {
  agentId: string;
  where: (string | number)[];
}

/** The first place that names an agent which is not among `ids`. */
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

/** The fields of a value of whatever kind, none of them known to be there. */
function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function isId(value: unknown): value is string {
  return typeof value === "string";
}

function badPlan(what: string): CassetteError {
  return new CassetteError("invalid-options", `this is no plan: ${what}`, {
    hint: "Pass the plan that runtime.run() was given: { entry, edges, exits }.",
  });
}

function badResult(what: string): CassetteError {
  return new CassetteError("invalid-options", `this is no result of a run of several agents: ${what}`, {
    hint: "Pass what runtime.run() resolved to, with its visits and how it ended.",
  });
}
