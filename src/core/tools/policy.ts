// Tool policies: what a host writes to decide over each tool call before it runs and over what it gave. Here are their shapes and the
// checks of their answers; `guard.ts` runs a call under them. Whatever a policy does wrong ends the run: a broken guard lets nothing through.

import { isPlainObject, type JsonObject, type JsonValue } from "../canon/value.js";
import { ToolPolicyError, invalidOptions } from "../errors.js";
import { MAX_CAUSE_CHARACTERS } from "../limits.js";
import { thrownText } from "../text/thrown.js";

/** A call that passed our own checks, as a hook sees it. All of it is a copy. */
export interface ToolPolicyCall {
  readonly tool: string;
  readonly callId: string;
  readonly agentId: string;
  /** The turn that asked for the call, as in the run's events and in a recording of the agent. */
  readonly turnIndex: number;
  /** The call's place among those of its turn. */
  readonly callIndex: number;
  readonly arguments: JsonObject;
  /** The run's. A hook has no time limit, but the run does not wait for it once this has fired. */
  readonly signal: AbortSignal;
}

/** What became of a call, as a hook sees it. All of it is a copy. */
export interface ToolPolicyResult extends ToolPolicyCall {
  readonly status: ToolResultStatus;
  /** What the model would read, not cut yet: as JSON where the tool gave JSON, else as text. */
  readonly output: JsonValue;
  /** Why there is no result, as the log keeps it. Absent of what is done. */
  readonly error?: string;
}

/** `cancelled` is what an earlier hook made of a call. */
export type ToolResultStatus = "done" | "error" | "cancelled";

/** What a policy decides over a call before it runs. */
export type ToolCallDecision =
  | { readonly action: "allow" }
  /** `input` in place of the arguments. It must match the tool's schema. */
  | { readonly action: "modify"; readonly input: object }
  /** The tool does not run, the model reads `message` as an error and goes on. */
  | { readonly action: "reject-and-continue"; readonly message: string }
  /** The tool does not run, the model reads `output` as its result. */
  | { readonly action: "synthesize"; readonly output: unknown }
  /** The run rejects with a `ToolPolicyError` of this message; the model reads nothing. */
  | { readonly action: "error"; readonly message: string };

/** The model reads `output`, in the last two cases as an error; the log keeps `error`. */
export type ToolResultDecision =
  | { readonly status: "done"; readonly output: unknown }
  /** The tool failed; see the agent's `onToolError`. */
  | { readonly status: "error"; readonly error: string; readonly output: unknown }
  /** The result is withheld; the run goes on. */
  | { readonly status: "cancelled"; readonly error: string; readonly output: unknown };

/**
 * Contract: hooks run in the order of the list, and each sees what the ones before it changed. `undefined` changes nothing. A
 * hook that throws, or answers anything else than a decision, ends the run with a `ToolPolicyError`. The calls of one turn may
 * be asked of at once.
 */
export interface ToolPolicy {
  /** Before a call. Whoever answers more than `allow` and `modify` has the last word. */
  call?(call: ToolPolicyCall): ToolCallDecision | undefined | Promise<ToolCallDecision | undefined>;
  /** After a call that ran, failed, or was rejected or answered by a policy; not of one that our own checks refused. */
  result?(result: ToolPolicyResult): ToolResultDecision | undefined | Promise<ToolResultDecision | undefined>;
}

/** Throws `AgentError` `invalid-options` for what can never work as a list of policies. */
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

/** Which hook of a policy is at fault, and at which tool. */
export interface HookPlace {
  readonly hook: "call" | "result";
  readonly tool: string;
}

/** The keys each decision must have beside its name, with "text" where the value has to be one. */
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

/** The answer of a call hook, checked. Throws `ToolPolicyError`. */
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

/** What a hook threw, as the end of the run. A `ToolPolicyError` of its own is that end already. */
export function toHookError(thrown: unknown, { hook, tool }: HookPlace): ToolPolicyError {
  const text = thrownText(thrown).slice(0, MAX_CAUSE_CHARACTERS).toWellFormed();
  return new ToolPolicyError(`the ${hook} hook of a policy failed at tool ${tool}: ${text}`, {
    hint: "See `cause`. A policy that fails lets no call through.",
    cause: thrown,
  });
}
