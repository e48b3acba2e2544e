// What a model reads when background jobs have ended. A failed job has a reminder of its own. Completed jobs that one turn launched share
// one.

import { readInput, type ReadInput } from "../input.js";
import type { KnownJob } from "./book.js";
import type { JobEnd } from "./jobs.js";

export interface EndedJob {
  readonly job: KnownJob;
  readonly end: JobEnd;
}

/** Divides jobs into those that share a reminder, in the order of the first of each. */
export function toGroups(ended: readonly EndedJob[]): readonly (readonly EndedJob[])[] {
  const groups = new Map<string, EndedJob[]>();
  for (const one of ended) {
    const { job, end } = one;
    const key = end.status === "completed" ? String(job.group) : job.id;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return [...groups.values()];
}

/** The reminder of jobs that share one. */
export function toReminder(group: readonly EndedJob[]): ReadInput {
  const [first] = group;
  const lines = group.length === 1 && first !== undefined ? linesOf(first) : linesOfAll(group);
  return readInput(["<system-reminder>", ...lines, "</system-reminder>"].join("\n"));
}

function linesOf({ job, end }: EndedJob): readonly string[] {
  return [
    "[BACKGROUND TASK COMPLETED]",
    "[SUBAGENT JOB RESULT READY]",
    `Task ID: ${job.id}`,
    `Subagent: ${job.subagent}`,
    `Status: ${end.status}`,
    `Description: ${toHarmless(job)}`,
    retrieval(job),
  ];
}

function linesOfAll(group: readonly EndedJob[]): readonly string[] {
  const tasks = group.map(
    ({ job, end }) =>
      `- ${job.id} (${job.subagent}): ${end.status}. Description: ${toHarmless(job)}. ${retrieval(job)}`,
  );
  return ["[ALL BACKGROUND TASKS COMPLETE]", `Completed task count: ${group.length}`, "Tasks:", ...tasks];
}

function retrieval({ id }: KnownJob): string {
  return `Use background_output({ task_id: "${id}" }) to retrieve the result.`;
}

/** The model wrote the description, so it may not close the reminder or add a line to it. */
function toHarmless({ description = "none" }: KnownJob): string {
  return description
    .replace(/[\r\n\u2028\u2029]+/g, " ")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
