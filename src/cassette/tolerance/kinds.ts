// The kinds of tolerance: how different values at one place in a tool's arguments count as equal. Syntax: docs/diff.md.

import { canonicalize, type JsonValue } from "../../core/index.js";

/** A JSON value other than an object or a list. */
export type Scalar = string | number | boolean | null;

/** `any`: all dates are equal. `instant`: the same moment. `day`: the same calendar day as written. */
export type DateUnit = "any" | "instant" | "day";

export type Tolerance =
  | { readonly kind: "ignore" | "trim" | "case" | "uuid" | "set" | "ignoreExtra" }
  | { readonly kind: "default"; readonly value: JsonValue }
  /** The larger allowance counts. `relative` is a share of the larger absolute value. */
  | { readonly kind: "numeric"; readonly absolute: number; readonly relative: number }
  | { readonly kind: "isoDate"; readonly unit: DateUnit }
  | { readonly kind: "regex"; readonly pattern: string; readonly matches: (text: string) => boolean }
  | { readonly kind: "oneOf"; readonly values: readonly Scalar[] };

export type ToleranceKind = Tolerance["kind"];

/** Kinds written as a single word. */
export const WORDS = ["ignore", "trim", "case", "uuid", "set", "ignoreExtra"] as const;

/** Kinds written as an object with one field. */
export const FIELDS = ["default", "numeric", "isoDate", "regex", "oneOf"] as const;

/** A tolerance and the place where the file declares it. */
export interface Rule {
  readonly tolerance: Tolerance;
  /** As written in the file, including `*`. */
  readonly pointer: string;
}

/** A tolerance on one line, for a report: `numeric ±0.001`, `default 10`, `trim`. */
export function toleranceText(tolerance: Tolerance): string {
  switch (tolerance.kind) {
    case "default":
      return `default ${canonicalize(tolerance.value)}`;
    case "numeric":
      return `numeric ${allowances(tolerance).join(" or ")}`;
    case "isoDate":
      return `isoDate ${tolerance.unit}`;
    case "regex":
      return `regex /${tolerance.pattern}/`;
    case "oneOf":
      return `oneOf ${canonicalize(tolerance.values)}`;
    default:
      return tolerance.kind;
  }
}

function allowances({ absolute, relative }: { absolute: number; relative: number }): string[] {
  return [...(absolute > 0 ? [`±${absolute}`] : []), ...(relative > 0 ? [`±${relative} of the value`] : [])];
}
