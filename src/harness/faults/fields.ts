// Checks the fields of faults. Unknown fields are refused, because a misspelled field would silently do nothing.

import { copyJson, MAX_TIMER_MS, NotJsonError, showValue, unknownOptions } from "../../core/index.js";

/** The problem of a field's value, or "". */
export type Check = (field: string, value: unknown) => string;

/** The fields of each kind of `F`, with their checks. */
export type KindsOf<F extends { readonly kind: string }> = {
  readonly [Kind in F["kind"]]: {
    readonly [Field in Exclude<keyof Extract<F, { readonly kind: Kind }>, "kind">]-?: Check;
  };
};

/** The problem of a fault, or "": its kind, a field that the kind does not have, or a wrong value. */
export function fieldsProblem(
  kinds: Readonly<Record<string, Readonly<Record<string, Check>>>>,
  fault: unknown,
): string {
  const { kind, ...given } = (fault ?? {}) as Readonly<Record<string, unknown>>;
  const fields = typeof kind === "string" && Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (fields === undefined) return oneOf(Object.keys(kinds))("kind", kind);
  const names = Object.keys(fields);
  const list = names.length === 0 ? "" : `: it has ${names.join(", ")}`;
  const unknown = unknownOptions(given, names);
  const problems = [
    unknown.length === 0 ? "" : `${String(kind)} has no ${unknown.join(", ")}${list}`,
    ...Object.entries(fields).map(([field, check]) => check(field, given[field])),
  ];
  return problems.filter((problem) => problem !== "").join(", ");
}

/** A check with a message that names the `wanted` value. */
function must(pass: (value: unknown) => boolean, wanted: string): Check {
  return (field, value) => (pass(value) ? "" : `${field} is ${showValue(value)}: give ${wanted}`);
}

export function oneOf(known: readonly string[]): Check {
  return must((value) => known.includes(value as string), `one of ${known.join(", ")}`);
}

/** A check for an optional field. */
export function optional(check: Check): Check {
  return (field, value) => (value === undefined ? "" : check(field, value));
}

export const share = must((value) => isWithin(value, 1), "a share from 0 to 1");

/** Milliseconds that a timer can wait. */
export const wait = must(
  (value) => isWithin(value, MAX_TIMER_MS),
  `milliseconds from 0 to ${MAX_TIMER_MS}, the longest that a timer waits`,
);

export function countTo(max: number): Check {
  return must((value) => isWithin(value, max) && Number.isInteger(value), `a whole number from 0 to ${max}`);
}

export const integer = must(Number.isSafeInteger, "a whole number");

export const text = must((value) => typeof value === "string", "a string");

export const json = must((value) => {
  try {
    copyJson(value);
    return true;
  } catch (error) {
    if (!(error instanceof NotJsonError)) throw error;
    return false;
  }
}, "plain JSON, or use the fault not-json");

function isWithin(value: unknown, max: number): boolean {
  return typeof value === "number" && value >= 0 && value <= max;
}
