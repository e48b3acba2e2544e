// Checks the inputs of suites and laws before any trial. A value that can never keep a contract is refused at once, and not reported
// as breaking it.

import {
  AgentError,
  assertKnownOptions,
  defined,
  findMessageFlaw,
  isPlainObject,
  isThenable,
  MAX_TIMER_MS,
  showValue,
} from "../../core/index.js";

/** Throws `AgentError` `invalid-options`: `owner` cannot work with its input. */
export function refuse(owner: string, what: string, hint: string, cause?: unknown): never {
  throw new AgentError("invalid-options", `${owner} was given ${what}`, { hint, ...defined({ cause }) });
}

/** Describes an input, with a hint at the mistake: a class, or a promise that was not awaited. */
export function describeGiven(value: unknown): string {
  if (isThenable(value)) return "a promise";
  if (isClass(value)) return value.name === "" ? "a class" : `the class ${value.name}`;
  const isAsync = typeof value === "function" && Object.prototype.toString.call(value) === "[object AsyncFunction]";
  return isAsync ? "an async function" : showValue(value);
}

/** Ignores the rejection of a promise that is not awaited, because it would end the process. */
export function letGo(value: unknown): void {
  if (isThenable(value)) void Promise.resolve(value).catch(() => undefined);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isThenable(value);
}

/** True for a class, which can only be called with `new`. */
export function isClass(value: unknown): value is { readonly name: string } {
  return typeof value === "function" && /^class\b/.test(Function.prototype.toString.call(value));
}

export function missingMethods(value: unknown, methods: readonly string[]): string[] {
  const has = (name: string) => typeof (value as Readonly<Record<string, unknown>>)[name] === "function";
  return typeof value === "object" && value !== null ? methods.filter((name) => !has(name)) : [...methods];
}

export function assertOptionsObject(owner: string, options: unknown, known: readonly string[]): void {
  if (!isPlainObject(options)) {
    throw new AgentError("invalid-options", `the options of ${owner} are ${describeGiven(options)}`, {
      hint: `Pass an object with any of ${known.join(", ")}, or leave it out.`,
    });
  }
  assertKnownOptions(owner, options, known);
}

export function assertWait(owner: string, name: string, value: unknown): void {
  if (value === undefined || (typeof value === "number" && value > 0 && value <= MAX_TIMER_MS)) return;
  throw new AgentError("invalid-options", `${name} of ${owner} is ${showValue(value)}`, {
    hint: `Give milliseconds above 0, ${MAX_TIMER_MS} at the most, or leave it out.`,
  });
}

/** The place and fault of the first malformed message, or undefined. */
export function findMessagesFault(messages: readonly unknown[]): string | undefined {
  for (const [index, message] of messages.entries()) {
    const flaw = findMessageFlaw(message);
    if (flaw !== undefined) return `/${index}${flaw.pointer} is not ${flaw.expected}`;
  }
  return undefined;
}
