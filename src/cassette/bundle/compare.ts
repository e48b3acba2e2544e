// Compares a run of several agents with the recorded one: plan, path and end, each exactly. Describes the first difference.

import type { BundleEnd, BundlePlan } from "./format.js";

/** Describes a change of the plan; undefined without one. The order of edges counts, that of exits does not. */
export function planDifference(recorded: BundlePlan | undefined, now: BundlePlan | undefined): string | undefined {
  if (recorded === undefined && now === undefined) return undefined;
  if (recorded === undefined) return "the recorded run had no plan, and this one has a plan";
  if (now === undefined) return "the recorded run followed a plan, and this one does not";
  if (recorded.entry !== now.entry) return `the entry was ${quote(recorded.entry)} and is ${quote(now.entry)}`;
  return edgeDifference(recorded.edges, now.edges) ?? exitDifference(recorded.exits, now.exits);
}

function edgeDifference(recorded: BundlePlan["edges"], now: BundlePlan["edges"]): string | undefined {
  for (let index = 0; index < Math.max(recorded.length, now.length); index++) {
    const [old, present] = [edgeText(recorded[index]), edgeText(now[index])];
    if (old !== present) return `edge ${index} was ${old} and is ${present}`;
  }
  return undefined;
}

function edgeText(edge: BundlePlan["edges"][number] | undefined): string {
  if (edge === undefined) return "absent";
  return `${quote(edge.from)} → ${quote(edge.to)}${edge.conditional ? " with a condition" : " without a condition"}`;
}

function exitDifference(recorded: readonly string[], now: readonly string[]): string | undefined {
  const gone = recorded.find((id) => !now.includes(id));
  if (gone !== undefined) return `${quote(gone)} is no longer an exit`;
  const added = now.find((id) => !recorded.includes(id));
  return added === undefined ? undefined : `${quote(added)} is now an exit`;
}

/** Describes the first step, from 0, at which the run took another path; undefined when it took the same. */
export function pathDifference(recorded: readonly string[], now: readonly string[]): string | undefined {
  const step = recorded.findIndex((id, index) => id !== now[index]);
  if (step < 0) {
    const extra = now[recorded.length];
    if (extra === undefined) return undefined;
    return `step ${recorded.length}: the run entered ${quote(extra)}, where the recorded one was over`;
  }
  const [old, present] = [quote(recorded[step] ?? ""), now[step]];
  if (present === undefined) return `step ${step}: the run was over, where the recorded one entered ${old}`;
  return `step ${step}: the run entered ${quote(present)}, the recorded one ${old}`;
}

export function endDifference(recorded: BundleEnd, now: BundleEnd): string | undefined {
  const [old, present] = [endText(recorded), endText(now)];
  return old === present ? undefined : `the run ended ${present}, the recorded one ${old}`;
}

function endText(end: BundleEnd): string {
  if (end.kind === "cycle") return `at the limit of ${end.limit} visits of ${quote(end.agentId)}`;
  return end.kind === "exit" ? "at an exit" : "where no edge matched";
}

function quote(id: string): string {
  return JSON.stringify(id);
}
