// The places of rules as a tree of keys, walked with a value. All that fit apply: by key, `*` or `**`, a tool's before those of `*`.

import type { JsonValue } from "../../core/index.js";
import type { Rule, Tolerance } from "./kinds.js";
import { toSteps, type Step } from "./steps.js";

type Of<Kind> = Rule & { readonly tolerance: Extract<Tolerance, { kind: Kind }> };

/** The rules at one place, and the way to the places below it. */
export interface Place {
  readonly ignore: Rule | undefined;
  readonly default: Of<"default"> | undefined;
  readonly set: Rule | undefined;
  readonly ignoreExtra: Rule | undefined;
  readonly numeric: readonly Of<"numeric">[];
  readonly steps: readonly Step[];
  /** Default values of absent keys, by key. */
  readonly defaults: ReadonlyMap<string, JsonValue>;
  /** Undefined if no rule applies at the key or below it. */
  child(key: string): Place | undefined;
}

export interface PlaceTree {
  readonly id: number;
  readonly rules: Rule[];
  readonly exact: Map<string, PlaceTree>;
  any?: PlaceTree;
  /** `**`: one or more segments. It is below itself. */
  deep?: PlaceTree;
}

export function createPlaces() {
  const known = new Map<string, Place>();
  let trees = 0;

  function plant(): PlaceTree {
    return { id: trees++, rules: [], exact: new Map() };
  }

  function branch(tree: PlaceTree, segment: string): PlaceTree {
    if (segment === "*") return (tree.any ??= plant());
    if (segment === "**") {
      tree.deep ??= plant();
      return (tree.deep.deep ??= tree.deep);
    }
    const next = tree.exact.get(segment) ?? plant();
    tree.exact.set(segment, next);
    return next;
  }

  /** The place that all these trees name. The same trees give the same object. */
  function join(joined: readonly PlaceTree[]): Place | undefined {
    if (joined.length === 0) return undefined;
    const id = joined.map((tree) => tree.id).join(" ");
    const place = known.get(id) ?? toPlace(joined, join);
    known.set(id, place);
    return place;
  }

  return {
    plant,
    join,
    add(tree: PlaceTree, segments: readonly string[], rule: Rule): void {
      segments.reduce(branch, tree).rules.push(rule);
    },
  };
}

function toPlace(trees: readonly PlaceTree[], join: (trees: readonly PlaceTree[]) => Place | undefined): Place {
  const rules = trees.flatMap((tree) => tree.rules);
  return {
    ignore: rules.find((rule) => rule.tolerance.kind === "ignore"),
    default: rules.find((rule) => isOf(rule, "default")),
    set: rules.find((rule) => rule.tolerance.kind === "set"),
    ignoreExtra: rules.find((rule) => rule.tolerance.kind === "ignoreExtra"),
    numeric: rules.filter((rule) => isOf(rule, "numeric")),
    steps: toSteps(rules),
    defaults: defaultsOf(trees),
    child(key) {
      const below = trees.flatMap(({ exact, any, deep }) => [exact.get(key) ?? [], any ?? [], deep ?? []].flat());
      return join([...new Set(below)]);
    },
  };
}

/** The default of a tool's `*` or `**` takes precedence over the named defaults of every tool. */
function defaultsOf(trees: readonly PlaceTree[]): ReadonlyMap<string, JsonValue> {
  const defaults = new Map<string, JsonValue>();
  for (const { exact, any, deep } of trees) {
    for (const [key, tree] of exact) {
      const rule = tree.rules.find((candidate) => isOf(candidate, "default"));
      if (rule !== undefined && !defaults.has(key)) defaults.set(key, rule.tolerance.value);
    }
    const unnamed = [...(any?.rules ?? []), ...(deep?.rules ?? [])];
    if (unnamed.some((rule) => isOf(rule, "default"))) break;
  }
  return defaults;
}

function isOf<Kind extends Tolerance["kind"]>(rule: Rule, kind: Kind): rule is Of<Kind> {
  return rule.tolerance.kind === kind;
}
