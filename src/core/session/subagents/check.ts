// Checks the subagents of an agent when it is created. Throws `TypeError`.

import { isObject } from "../../options.js";
import { showValue } from "../../text/show.js";
import type { ToolSet } from "../../tools/registry.js";
import { refuse } from "../refuse.js";
import { subagentToolNames, toolNameOf } from "./definitions.js";

const NAME = /^[a-z][a-z0-9_-]{0,51}$/;

interface Named {
  readonly name: string | undefined;
  readonly description: string | undefined;
}

export function assertSubagents(subagents: unknown): void {
  if (
    !Array.isArray(subagents) ||
    !subagents.every((agent) => isObject(agent) && typeof agent["session"] === "function")
  )
    throw refuse(
      "has subagents that are not a list of agents",
      "Create each with new Agent({ name, description, … }).",
    );
  const taken = new Map<string, string>();
  for (const [index, { name, description }] of (subagents as Named[]).entries()) {
    if (name === undefined)
      throw refuse(`has a subagent ${index} without a name`, "The tool that delegates to it needs a stable name.");
    if (!NAME.test(name))
      throw refuse(
        `has a subagent with the name ${showValue(name)}`,
        'Use up to 52 lower-case letters, digits, "_" and "-", starting with a letter.',
      );
    if (description === undefined)
      throw refuse(
        `has a subagent ${name} without a description`,
        "The model chooses by it: say what the subagent does.",
      );
    const tool = toolNameOf(name);
    const other = taken.get(tool);
    if (other !== undefined)
      throw refuse(`has the subagents ${other} and ${name}, which have one tool ${tool}`, "Rename one of them.");
    taken.set(tool, name);
  }
}

/** The tools for subagents have names of their own. */
export function assertToolNames({ tools }: { readonly tools: ToolSet }, subagents: readonly Named[]): void {
  const taken = subagentToolNames(subagents).find((name) => tools.byName.has(name));
  if (taken !== undefined)
    throw refuse(`has a tool ${taken}, which is the name of a tool for its subagents`, "Rename the tool.");
}

export function assertArrivals(arrivals: unknown): void {
  const isArrival = (arrival: unknown): boolean => {
    const { session, task, at } = isObject(arrival) ? arrival : {};
    return Number.isSafeInteger(session) && typeof task === "string" && typeof at === "string";
  };
  if (arrivals === undefined || (Array.isArray(arrivals) && arrivals.every(isArrival))) return;
  throw refuse("has arrivals that are not a list of { session, task, at }", "Pass those that useSession gives.");
}
