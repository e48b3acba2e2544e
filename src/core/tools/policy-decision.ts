// Tool policies, with which a host decides on each tool call before it runs, and on its result. This file holds their shapes and checks
// their answers. `policy.ts` runs a call under them. Any fault of a policy ends the run: a broken guard lets nothing through.

import { isPlainObject, type JsonObject, type JsonValue } from "../canon/value.js";
import { ToolPolicyError, invalidOptions } from "../errors.js";
import { MAX_CAUSE_CHARACTERS } from "../limits.js";
import { thrownText } from "../text/thrown.js";

/** A call that passed our own checks, as a deep copy for one hook. */
export interface ToolPolicyCall {
  readonly tool: string;
  readonly callId: string;
  readonly agentId: string;
  /** Index of the turn that made the call, as in the run's events and in a recording of the agent. */
  readonly turnIndex: number;
  /** Index of the call within its turn. */
  readonly callIndex: number;
  readonly arguments: JsonObject;
  /** The run's signal. A hook has no time limit, but the run stops waiting for it when this fires. */
  readonly signal: AbortSignal;
}

/** The result of a call, as a deep copy for one hook. */
export interface ToolPolicyResult extends ToolPolicyCall {
  readonly status: ToolResultStatus;
  /** The complete output for the model, before it is cut: JSON if the tool returned JSON, and text if not. */
  readonly output: JsonValue;
  /** The reason why there is no result, as in the log. Undefined for the status `done`. */
  readonly error?: string;
}

/** The status of a result. `cancelled` means that an earlier hook withheld it. */
export type ToolResultStatus = "done" | "error" | "cancelled";

/** A policy's decision on a call before it runs. */
export type ToolCallDecision =
  | { readonly action: "allow" }
  /** Replaces the arguments with `input`, which must match the tool's schema. */
  | { readonly action: "modify"; readonly input: object }
  /** Skips the tool. The model reads `message` as an error, and the run goes on. */
  | { readonly action: "reject-and-continue"; readonly message: string }
  /** Skips the tool. The model reads `output` as its result. */
  | { readonly action: "synthesize"; readonly output: unknown }
  /** Ends the run: it rejects with a `ToolPolicyError` with this message. The model reads nothing. */
  | { readonly action: "error"; readonly message: string };

/** A policy's decision on a result. The model reads `output`, in the last two cases as an error. The log keeps `error`. */
export type ToolResultDecision =
  | { readonly status: "done"; readonly output: unknown }
  /** Counts as a failed tool. See the agent's `onToolError`. */
  | { readonly status: "error"; readonly error: string; readonly output: unknown }
  /** Withholds the result. The run goes on. */
  | { readonly status: "cancelled"; readonly error: string; readonly output: unknown };

/**
 * Decides on tool calls before they run and on their results.
 *
 * Contract: hooks run in the order of the list, and each sees the changes of the hooks before it. `undefined` changes nothing. If a
 * hook throws or returns anything but a decision, the run ends with a `ToolPolicyError`. Hooks for the calls of one turn may run
 * concurrently.
 */
export interface ToolPolicy {
  /** Runs before a call. After any decision other than `allow` and `modify`, no further call hook runs. */
  call?(call: ToolPolicyCall): ToolCallDecision | undefined | Promise<ToolCallDecision | undefined>;
  /** Runs after a call that ran, failed, or was rejected or answered by a policy, but not if our own checks refused it. */
  result?(result: ToolPolicyResult): ToolResultDecision | undefined | Promise<ToolResultDecision | undefined>;
}

/** Throws `AgentError` `invalid-options` unless `policies` is a list of policies. */
export function assertPolicies(owner: string, policies: unknown): asserts policies is readonly ToolPolicy[] {
  const hint = "Pass a list of objects with a function `call`, `result` or both.";
  if (!Array.isArray(policies)) throw invalidOptions(`${owner} has policies that are not a list`, hint);
  const wrong = policies.findIndex((policy) => !isPolicy(policy));
  if (wrong === -1) return;
  throw invalidOptions(`${owner} has an invalid policy at index ${wrong}`, hint);
}

function isPolicy(policy: unknown): boolean {
  // A function has a `call` of its own.
  if (typeof policy !== "object" || policy === null) return false;
  const { call, result } = policy as Partial<Record<keyof ToolPolicy, unknown>>;
  const hooks = [call, result].filter((hook) => hook !== undefined);
  return hooks.length > 0 && hooks.every((hook) => typeof hook === "function");
}

/** The hook of a policy and the tool, for error messages. */
export interface HookPlace {
  readonly hook: "call" | "result";
  readonly tool: string;
}

/** The keys that each decision needs besides its name. "text" means that the value must be a string. */
type Shape = Readonly<Record<string, "text" | "any">>;

const CALL_SHAPES: Readonly<Record<ToolCallDecision["action"], Shape>> = {
  allow: {},
  modify: { input: "any" },
  "reject-and-continue": { message: "text" },
  synthesize: { output: "any" },
  error: { message: "text" },
};

const RESULT_SHAPES: Readonly<Record<ToolResultStatus, Shape>> = {
  done: { output: "any" },
  error: { error: "text", output: "any" },
  cancelled: { error: "text", output: "any" },
};

/** Checks the answer of a call hook. Throws `ToolPolicyError`. */
export function readCallDecision(answer: unknown, place: HookPlace): ToolCallDecision | undefined {
  assertDecision(answer, "action", CALL_SHAPES, place);
  return answer as ToolCallDecision | undefined;
}

export function readResultDecision(answer: unknown, place: HookPlace): ToolResultDecision | undefined {
  assertDecision(answer, "status", RESULT_SHAPES, place);
  return answer as ToolResultDecision | undefined;
}

function assertDecision(
  answer: unknown,
  name: string,
  shapes: Readonly<Record<string, Shape>>,
  place: HookPlace,
): void {
  const flaw = answer === undefined ? undefined : findFlaw(answer, name, shapes);
  if (flaw === undefined) return;
  const known = Object.keys(shapes).join(", ");
  throw new ToolPolicyError(`the ${place.hook} hook of a policy gave ${flaw} for tool ${place.tool}`, {
    hint: `Return nothing, or an object whose ${name} is one of ${known}.`,
  });
}

function findFlaw(answer: unknown, name: string, shapes: Readonly<Record<string, Shape>>): string | undefined {
  if (!isPlainObject(answer)) return "something that is not a decision";
  const kind = answer[name];
  if (typeof kind !== "string" || !Object.hasOwn(shapes, kind)) return `an unknown ${name}`;
  const shape = shapes[kind] as Shape;
  const strange = Object.keys(answer).find((key) => key !== name && !Object.hasOwn(shape, key));
  if (strange !== undefined) return `${kind} with an unknown ${JSON.stringify(strange)}`;
  const missing = Object.keys(shape).find((key) => {
    return answer[key] === undefined || (shape[key] === "text" && typeof answer[key] !== "string");
  });
  return missing === undefined
    ? undefined
    : `${kind} without ${shape[missing] === "text" ? "a text as " : ""}${missing}`;
}

/** Converts an error thrown by a hook into the error that ends the run. A `ToolPolicyError` stays as it is. */
export function toHookError(thrown: unknown, { hook, tool }: HookPlace): ToolPolicyError {
  const text = thrownText(thrown).slice(0, MAX_CAUSE_CHARACTERS).toWellFormed();
  return new ToolPolicyError(`the ${hook} hook of a policy failed at tool ${tool}: ${text}`, {
    hint: "See `cause`. A policy that fails lets no call through.",
    cause: thrown,
  });
}
