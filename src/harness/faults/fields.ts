// Checks the fields of faults. Faults are closed, as options are: a misspelled field would silently do nothing, and the test would
// pass with another fault.

import { MAX_TIMER_MS, showValue, unknownOptions } from "../../core/index.js";

/** The problem of a field's value, or "". */
export type Check = (field: string, value: unknown) => string;

/** The fields of each kind besides `kind`. */
export type Kinds = Readonly<Record<string, Readonly<Record<string, Check>>>>;

/** The fields of each kind of `F`, with their checks. */
export type KindsOf<F extends { readonly kind: string }> = {
  readonly [Kind in F["kind"]]: {
    readonly [Field in Exclude<keyof Extract<F, { readonly kind: Kind }>, "kind">]-?: Check;
  };
};

/** The problem of a fault, or "": its kind, a field that the kind does not have, or a wrong value. */
export function fieldsProblem(kinds: Kinds, fault: unknown): string {
  const { kind, ...given } = (fault ?? {}) as Readonly<Record<string, unknown>>;
  const fields = typeof kind === "string" && Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (fields === undefined) return choice("kind", kind, Object.keys(kinds));
  const unknown = unknownOptions(given, Object.keys(fields));
  const problems = [
    unknown.length === 0 ? "" : `${String(kind)} has no ${unknown.join(", ")}${hasList(Object.keys(fields))}`,
    ...Object.entries(fields).map(([field, check]) => check(field, given[field])),
  ];
  return problems.filter((problem) => problem !== "").join(", ");
}

function hasList(fields: readonly string[]): string {
  return fields.length === 0 ? "" : `: it has ${fields.join(", ")}`;
}

/** One of a few words. */
export function oneOf(known: readonly string[]): Check {
  return (field, value) => choice(field, value, known);
}

/** A check for a field that may be left out. */
export function optional(check: Check): Check {
  return (field, value) => (value === undefined ? "" : check(field, value));
}

/** A share of a whole. */
export const share: Check = (field, value) =>
  isWithin(value, 0, 1) ? "" : `${field} is ${showValue(value)}: give a share from 0 to 1`;

/** Milliseconds that a timer can wait. */
export const wait: Check = (field, value) =>
  isWithin(value, 0, MAX_TIMER_MS)
    ? ""
    : `${field} is ${showValue(value)}: give milliseconds from 0 to ${MAX_TIMER_MS}, the longest that a timer waits`;

/** A whole number from 0 to `max`. */
export function countTo(max: number): Check {
  return (field, value) =>
    isWithin(value, 0, max) && Number.isInteger(value)
      ? ""
      : `${field} is ${showValue(value)}: give a whole number from 0 to ${max}`;
}

/** A text. */
export const text: Check = (field, value) =>
  typeof value === "string" ? "" : `${field} is ${showValue(value)}: give a text`;

function isWithin(value: unknown, min: number, max: number): value is number {
  return typeof value === "number" && value >= min && value <= max;
}

function choice(field: string, value: unknown, known: readonly string[]): string {
  return known.includes(value as string) ? "" : `${field} is ${showValue(value)}: give one of ${known.join(", ")}`;
}
