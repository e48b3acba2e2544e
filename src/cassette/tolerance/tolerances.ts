// Tolerances as a comparison uses them. One object serves a whole run: its only state is what it compiled.

import { canonicalize, showValue, type JsonObject, type JsonValue } from "../../core/index.js";
import { CassetteError } from "../errors.js";
import type { ValueChange } from "../prompt/json-difference.js";
import { walkBoth } from "./differences.js";
import type { RulesByTool } from "./document.js";
import { isAlike } from "./near.js";
import { toForm, toSkeleton } from "./normal.js";
import { createPlaces, type Place, type PlaceTree } from "./places.js";
import { createUseCounter, type ToleranceUse } from "./uses.js";

/** The arguments of a call in normal form. */
export interface NormalCall {
  /** `name(canonicalArguments)` of the normal form. Equal keys are alike; without approximate tolerances all alike are equal. */
  key: string;
  /** `key` without the parts that `numeric` and `ignoreExtra` decide. Alike calls have equal skeletons; the reverse need not hold. */
  skeleton: string;
  /** The arguments in normal form; its own normal form. */
  value: JsonObject;
}

export interface ToleranceComparison {
  /** Differences as recorded, without ignored places. Empty exactly if the arguments are alike. */
  changes: ValueChange[];
  /** The tolerances that made different values equal. */
  uses: ToleranceUse[];
}

/** Decides which differences in tool arguments to ignore. Created by {@link parseTolerances} or {@link checkTolerances}. */
export interface Tolerances {
  normalise(tool: string, args: JsonObject): NormalCall;
  /** True if the arguments of two calls of a tool are alike. Reflexive and symmetric, but not transitive with `numeric` or `ignoreExtra`. */
  alike(tool: string, a: JsonObject, b: JsonObject): boolean;
  compare(tool: string, a: JsonObject, b: JsonObject): ToleranceComparison;
}

export function createTolerances(rules: RulesByTool): Tolerances {
  const places = createPlaces();
  const trees = new Map<string, PlaceTree>();
  for (const [tool, list] of rules) {
    const tree = places.plant();
    for (const rule of list) places.add(tree, rule.segments, rule);
    trees.set(tool, tree);
  }
  const approximate = new Set([...rules].filter(([, list]) => list.some(isApproximate)).map(([tool]) => tool));
  const hasApproximate = (tool: string): boolean => approximate.has(tool) || approximate.has("*");
  const placeOf = (tool: string): Place | undefined =>
    places.join([...new Set([tool, "*"])].flatMap((name) => trees.get(name) ?? []));

  function normalise(tool: string, args: JsonObject): NormalCall {
    const place = placeOf(tool);
    const value = (place?.ignore === undefined ? toForm(args, place, "normal") : {}) as JsonObject;
    const key = keyOf(tool, value);
    return { key, skeleton: hasApproximate(tool) ? keyOf(tool, toSkeleton(value, place)) : key, value };
  }

  return {
    normalise,
    alike(tool, a, b) {
      const [one, other] = [normalise(tool, a), normalise(tool, b)];
      if (one.key === other.key) return true;
      return one.skeleton === other.skeleton && isAlike(one.value, other.value, placeOf(tool));
    },
    compare(tool, a, b) {
      const { changes, used } = walkBoth(a, b, placeOf(tool));
      const uses = createUseCounter();
      for (const rule of used) uses.note(tool, rule);
      return { changes, uses: uses.list() };
    },
  };
}

export const NO_TOLERANCES: Tolerances = createTolerances(new Map());

/** Throws `invalid-options` for anything else, such as the text or the path of a file. */
export function assertTolerances(owner: string, value: unknown): asserts value is Tolerances {
  if (isTolerances(value)) return;
  throw new CassetteError("invalid-options", `tolerances of ${owner} is ${showValue(value)}`, {
    hint: "Pass the result of parseTolerances, checkTolerances or loadTolerances.",
  });
}

export function isTolerances(value: unknown): value is Tolerances {
  const { normalise, alike, compare } = (value ?? {}) as Partial<Tolerances>;
  return [normalise, alike, compare].every((method) => typeof method === "function");
}

function isApproximate({ tolerance: { kind } }: { tolerance: { kind: string } }): boolean {
  return kind === "numeric" || kind === "ignoreExtra";
}

function keyOf(tool: string, value: JsonValue): string {
  return `${tool}(${canonicalize(value)})`;
}
