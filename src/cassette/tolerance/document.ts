// The checked form of `cassette.tolerances.json`. One pass finds every problem with its place. schemas/tolerances.schema.json
// publishes the same rules, except what a schema cannot state: usable patterns,
// defaults below `**`, and what must not lie below a set.

import { isPlainObject, parsePointer, showValue, toPointer } from "../../core/index.js";
import {
  MAX_TOLERANCES_PER_PLACE,
  MAX_TOLERANCE_NAME_LENGTH,
  MAX_TOLERANCE_PLACES,
  MAX_TOLERANCE_TOOLS,
} from "../limits.js";
import { readTolerance } from "./entry.js";
import { isScalar } from "./steps.js";
import type { Rule, Tolerance } from "./kinds.js";

/** A rule with the keys that its pointer leads through. */
export interface PlacedRule extends Rule {
  readonly segments: readonly string[];
}

/** The rules by tool; `*` is every tool. */
export type RulesByTool = ReadonlyMap<string, readonly PlacedRule[]>;

/** A problem; `pointer` leads to its place in the file. */
export interface Problem {
  readonly pointer: string;
  readonly what: string;
}

/** Reads plain JSON. Do not use the rules if there are problems. */
export function readDocument(value: unknown): { rules: RulesByTool; problems: Problem[] } {
  const rules = new Map<string, PlacedRule[]>();
  const problems: Problem[] = [];
  const complain: Complain = (path, what) => problems.push({ pointer: toPointer(path), what });
  if (!isPlainObject(value)) {
    complain([], `is ${showValue(value)}; it must be an object with version and tools`);
    return { rules, problems };
  }
  refuseUnknown(value, complain);
  const { tools } = value;
  if (!isPlainObject(tools)) complain(["tools"], "must be an object of tools");
  else if (Object.keys(tools).length > MAX_TOLERANCE_TOOLS)
    complain(["tools"], `has more than the limit of ${MAX_TOLERANCE_TOOLS} tools`);
  else for (const [tool, places] of Object.entries(tools)) rules.set(tool, readTool(tool, places, complain));
  for (const problem of findConflicts(rules)) problems.push(problem);
  return { rules, problems };
}

type Complain = (path: readonly string[], what: string) => void;

function refuseUnknown(value: Record<string, unknown>, complain: Complain): void {
  for (const field of Object.keys(value)) {
    if (!["$schema", "version", "tools"].includes(field)) complain([field], "is an unknown field");
  }
  const { version } = value;
  if (typeof version === "number" && Number.isInteger(version) && version > 1) {
    complain(["version"], `is ${version}, which is newer than this version of the program, which reads version 1`);
  } else if (version !== 1) {
    complain(["version"], `is ${version === undefined ? "missing" : showValue(version)}; it must be 1`);
  }
  if (value["$schema"] !== undefined && typeof value["$schema"] !== "string") complain(["$schema"], "must be a string");
}

function readTool(tool: string, places: unknown, complain: Complain): PlacedRule[] {
  const here = ["tools", tool];
  if (tool === "" || isTooLong(tool)) complain(here, `must be a name of 1 to ${MAX_TOLERANCE_NAME_LENGTH} characters`);
  if (!isPlainObject(places)) {
    complain(here, "must be an object of places");
    return [];
  }
  if (Object.keys(places).length > MAX_TOLERANCE_PLACES) {
    complain(here, `has more than the limit of ${MAX_TOLERANCE_PLACES} places`);
    return [];
  }
  return Object.entries(places).flatMap(([pointer, entry]) => {
    const at = [...here, pointer];
    const segments = isTooLong(pointer) ? undefined : parsePointer(pointer);
    if (segments !== undefined) return readPlace({ pointer, segments, at }, entry, complain);
    const words = `/arg, /arg/path or /list/*, ${MAX_TOLERANCE_NAME_LENGTH} characters at the most, "~1" for "/" and "~0" for "~"`;
    complain(at, `must be a JSON pointer into the arguments: ${words}`);
    return [];
  });
}

interface PlaceName {
  pointer: string;
  segments: readonly string[];
  /** Where it is written. */
  at: readonly string[];
}

function readPlace({ pointer, segments, at }: PlaceName, entry: unknown, complain: Complain): PlacedRule[] {
  const isList = Array.isArray(entry);
  const entries: readonly unknown[] = isList ? entry : [entry];
  if (entries.length === 0 || entries.length > MAX_TOLERANCES_PER_PLACE) {
    complain(at, `must be a list of 1 to ${MAX_TOLERANCES_PER_PLACE} tolerances`);
    return [];
  }
  const kinds = new Set<string>();
  return entries.flatMap((one, index) => {
    const here = isList ? [...at, String(index)] : at;
    const tolerance = readTolerance(one);
    if (tolerance.kind === "flaw") {
      complain([...here, ...(parsePointer(tolerance.at) ?? [])], tolerance.what);
      return [];
    }
    const flaw = kinds.has(tolerance.kind)
      ? `is the second ${tolerance.kind} of one place`
      : misplaced(tolerance, segments);
    kinds.add(tolerance.kind);
    if (flaw !== undefined) complain(here, flaw);
    return flaw === undefined ? [{ tolerance, pointer, segments }] : [];
  });
}

function misplaced(tolerance: Tolerance, segments: readonly string[]): string | undefined {
  const { kind } = tolerance;
  if (kind === "default" && segments.includes("**") && !isScalar(tolerance.value)) {
    return "must be a text, number, boolean or null, because it would contain itself below **";
  }
  if (segments.length === 0 && kind !== "ignore" && kind !== "ignoreExtra") {
    return `cannot be ${kind}: the arguments as a whole take only ignore and ignoreExtra`;
  }
  return undefined;
}

/** Sets are compared by the normal forms of their elements, so an index or an approximate rule below one cannot work. */
function findConflicts(rules: RulesByTool): Problem[] {
  const problems: Problem[] = [];
  const everywhere = (rules.get("*") ?? []).map((rule) => ({ tool: "*", rule }));
  for (const [tool, own] of rules) {
    const all = [...own.map((rule) => ({ tool, rule })), ...(tool === "*" ? [] : everywhere)];
    const sets = all.filter(({ rule }) => rule.tolerance.kind === "set");
    for (const { tool: from, rule } of all) {
      const outer = sets.find((set) => isConflict(rule, set.rule) && (set.tool === tool || from === tool));
      if (outer === undefined) continue;
      const { kind } = rule.tolerance;
      const isNear = kind === "numeric" || kind === "ignoreExtra";
      const why = isNear ? `${kind} cannot stand in it` : "it has no indices, so write * for an element";
      const pointer = toPointer(["tools", from, rule.pointer]);
      problems.push({ pointer, what: `lies below the set ${showValue(outer.rule.pointer)}: ${why}` });
    }
  }
  return problems;
}

function isConflict(rule: PlacedRule, set: PlacedRule): boolean {
  const { kind } = rule.tolerance;
  const isNear = kind === "numeric" || kind === "ignoreExtra";
  if (!canLieBelow(rule.segments, set.segments)) return false;
  // With `**`, any segment may be the one of the element.
  if ([...rule.segments, ...set.segments].includes("**")) return isNear || rule.segments.slice(1).some(isIndex);
  const element = rule.segments[set.segments.length] ?? "";
  // A named key belongs to an object, not to a list.
  return element === "*" ? isNear : isIndex(element);
}

function isIndex(segment: string): boolean {
  return /^(0|[1-9]\d*)$/.test(segment);
}

/** Whether some place that `inner` names lies below one that `outer` names. */
function canLieBelow([inside, ...inner]: readonly string[], [outside, ...outer]: readonly string[]): boolean {
  if (inside === undefined) return false;
  if (outside === undefined) return true;
  const isAlike = [inside, outside].some((segment) => segment === "*" || segment === "**") || inside === outside;
  if (isAlike && canLieBelow(inner, outer)) return true;
  if (outside === "**" && canLieBelow(inner, [outside, ...outer])) return true;
  return inside === "**" && canLieBelow([inside, ...inner], outer);
}

function isTooLong(text: string): boolean {
  return text.length > MAX_TOLERANCE_NAME_LENGTH && Array.from(text).length > MAX_TOLERANCE_NAME_LENGTH;
}
