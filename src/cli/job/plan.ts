// The plan of a job, which the store keeps as text. Every machine must have the same plan. A machine with a different one gets an error
// that names the differences.

import { canonicalize, isPlainObject, type JsonObject, type JsonValue } from "../../core/index.js";
import type { FleetStore } from "../../host/index.js";
import { CliError } from "../errors.js";

const VERSION = 1;

/** The plan of one job of a command: plain JSON, equal on all machines. */
export interface JobPlan {
  /** The command that makes its units. */
  readonly of: "record" | "mutate";
  readonly job: string;
  /** The values that the units depend on, by the names that an error shows. */
  readonly plan: JsonObject;
}

export function toText({ of, job, plan }: JobPlan): string {
  return canonicalize({ jobVersion: VERSION, of, job, plan });
}

/** Undefined for the plan of another program. */
function parsePlan(text: string): JobPlan | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isPlainObject(value) || value["jobVersion"] !== VERSION) return undefined;
  const { of, job, plan } = value;
  const isKnown = (of === "record" || of === "mutate") && typeof job === "string" && isPlainObject(plan);
  return isKnown ? { of, job, plan: plan as JsonObject } : undefined;
}

/** The plan of a job. Throws `report-unusable` if the store does not have it, and names the jobs that the store has. */
export async function readPlan(store: FleetStore, job: string): Promise<JobPlan> {
  const [text] = await store.plans(job);
  if (text !== undefined) {
    const plan = parsePlan(text);
    if (plan !== undefined) return plan;
    throw unusable(
      `job ${job} was not made by this version of cassette record or cassette mutate`,
      "Use another --job.",
    );
  }
  const names = (await store.plans()).flatMap((other) => parsePlan(other)?.job ?? []);
  const known = names.length === 0 ? "The store has no job." : `The store has: ${names.join(", ")}.`;
  throw unusable(`there is no job ${job} in the store`, known);
}

/** The error for a machine whose plan is not that of the job. */
export async function otherPlan(store: FleetStore, own: JobPlan): Promise<CliError> {
  const known = await readPlan(store, own.job);
  if (known.of !== own.of)
    return unusable(`job ${own.job} belongs to cassette ${known.of}`, "Use another --job for each command.");
  const names = [...new Set([...Object.keys(known.plan), ...Object.keys(own.plan)])];
  const differing = names.filter((name) => textOf(known.plan[name]) !== textOf(own.plan[name]));
  const what = differing.map((name) => `${name} (${differenceOf(known.plan[name], own.plan[name])})`).join(", ");
  return unusable(
    `job ${own.job} has a different plan: ${what}`,
    "Give each machine the same command, options and cassettes, or use another --job.",
  );
}

/** "the store has 4, this machine has 5". For two objects, only the first entry that differs. */
function differenceOf(there: JsonValue | undefined, here: JsonValue | undefined): string {
  if (isPlainObject(there) && isPlainObject(here)) {
    const names = [...new Set([...Object.keys(there), ...Object.keys(here)])];
    const name = names.find((one) => textOf(there[one] as JsonValue) !== textOf(here[one] as JsonValue)) ?? "";
    const [isThere, isHere] = [Object.hasOwn(there, name), Object.hasOwn(here, name)];
    return isThere && isHere ? `${name} differs` : `${name} is only ${isThere ? "in the store" : "on this machine"}`;
  }
  return `the store has ${shown(there)}, this machine has ${shown(here)}`;
}

function shown(value: JsonValue | undefined): string {
  const text = textOf(value);
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}…`;
}

const SHOWN_CHARACTERS = 100;

function textOf(value: JsonValue | undefined): string {
  return value === undefined ? "nothing" : canonicalize(value);
}

export function unusable(message: string, hint: string): CliError {
  return new CliError("report-unusable", message, hint);
}

export function damagedPlan(job: string): CliError {
  return unusable(`the plan of job ${job} in the store is damaged`, "Something else has changed it. Use a new --job.");
}
