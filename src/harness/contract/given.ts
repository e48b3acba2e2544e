// What a suite or a law was handed, looked at before anything is tried with it: what could never be held to a contract is refused
// at once, and not reported as one that is broken.

import { AgentError, assertKnownOptions, defined, isPlainObject, isThenable, showValue } from "../../core/index.js";

/** Throws `AgentError` `invalid-options`: `owner` was given what it cannot work on. */
export function refuse(owner: string, what: string, hint: string, cause?: unknown): never {
  throw new AgentError("invalid-options", `${owner} was given ${what}`, {
    hint,
    ...defined({ cause }),
  });
}

/** What somebody handed in, in words that say how it came to be the wrong thing: a class, a promise nobody awaited. */
export function describeGiven(value: unknown): string {
  if (isThenable(value)) return "a promise";
  if (isClass(value)) return value.name === "" ? "a class" : `the class ${value.name}`;
  if (isAsyncFunction(value)) return "an async function";
  return showValue(value);
}

/** Takes what a promise that nobody waits for may reject with, which would end the process. */
export function letGo(value: unknown): void {
  if (isThenable(value)) void Promise.resolve(value).catch(() => undefined);
}

/** An object that somebody made, and not a promise of it. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isThenable(value);
}

/** Whether it can be called with `new` alone. */
export function isClass(value: unknown): value is { readonly name: string } {
  return typeof value === "function" && /^class\b/.test(Function.prototype.toString.call(value));
}

function isAsyncFunction(value: unknown): boolean {
  return typeof value === "function" && Object.prototype.toString.call(value) === "[object AsyncFunction]";
}

/** The names of `methods` that `value` does not have. */
export function missingMethods(value: unknown, methods: readonly string[]): string[] {
  const has = (name: string) => typeof (value as Readonly<Record<string, unknown>>)[name] === "function";
  return typeof value === "object" && value !== null ? methods.filter((name) => !has(name)) : [...methods];
}

/** Options are an object, and closed. */
export function assertOptionsObject(owner: string, options: unknown, known: readonly string[]): void {
  if (!isPlainObject(options)) {
    throw new AgentError("invalid-options", `the options of ${owner} are ${describeGiven(options)}`, {
      hint: `Pass an object with any of ${known.join(", ")}, or leave it out.`,
    });
  }
  assertKnownOptions(owner, options, known);
}

/** A wait in milliseconds that a timer can take. */
export function assertWait(owner: string, name: string, value: unknown): void {
  if (value === undefined || (typeof value === "number" && value > 0 && value <= MAX_WAIT_MS)) return;
  throw new AgentError("invalid-options", `${name} of ${owner} is ${showValue(value)}`, {
    hint: `Give milliseconds above 0, ${MAX_WAIT_MS} at the most, or leave it out.`,
  });
}

/** The longest delay a timer takes; a longer one would fire at once. */
const MAX_WAIT_MS = 2_147_483_647;
