// The interface of a caller's own tool, and the context that each call receives.

import type { JsonObject } from "../canon/value.js";
import type { RunMemory } from "../model/memory.js";
import type { VerbSet } from "./verbs.js";

/** `write` changes something outside. A batch of calls with a `write` runs in call order instead of concurrently. */
export type ToolEffect = "read" | "write";

/**
 * Whether a call may run again when a process stopped before its result was stored. `pure`: it may, since it changes nothing.
 * `idempotent`: it may, with the same `idempotencyKey`. `manual-recovery`: it may not, so a person decides.
 */
export type ToolRetryPolicy = "idempotent" | "manual-recovery" | "pure";

/**
 * The second argument of a tool's `invoke`. `signal` and the last four fields are made when they are read, so read them by name: a
 * spread of the context does not copy them.
 */
export interface CustomToolContext {
  /** Fires when the call takes too long, the run is aborted or the runtime is destroyed. Pass it to everything that waits. */
  readonly signal: AbortSignal;
  /** Id of the agent whose model made the call. */
  readonly agentId: string;
  /** All eight verbs. The agent's manifest restricts only the model, not this code. */
  readonly pluck: VerbSet;
  /** The memory of this agent, this run and this runtime. */
  readonly memory: RunMemory;
  /** Id of this call as in the events and the conversation. A host that resumes runs gives ids that are unique in the run. */
  readonly toolCallId: string;
  /** From 1. Above 1, an earlier attempt of this call was cut off and may have had its effect. */
  readonly attempt: number;
  /**
   * One text for all attempts of this call, and for no other call of the run. Reading it throws `AgentError` `capability-missing` in
   * a run without an id.
   */
  readonly idempotencyKey: string;
  /** As the tool declares it, or its default. */
  readonly retryPolicy: ToolRetryPolicy;
}

/** The part of a call's context that all calls of an agent's run share. */
export type ToolSurroundings = Pick<CustomToolContext, "signal" | "agentId" | "pluck" | "memory">;

/**
 * A caller's own tool. `name`, `description` and `schema` go to the model word for word.
 *
 * Contract of `invoke`: `args` is a fresh object, checked against `schema`. The model reads the returned value as JSON text. For a
 * `ToolArgError` it reads "tool unavailable". A `ToolPolicyError` ends the run and never reaches the model. The model reads the message
 * of any other error as it is, unless the agent's `onToolError` is "fail". A result after the time limit or after an abort is dropped.
 */
export interface CustomTool<Args extends object = JsonObject> {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments object: draft 2020-12, unless `$schema` names draft 7 or 2019-09. */
  readonly schema: JsonObject;
  /** Default `read`. */
  readonly effect?: ToolEffect;
  /** For hosts that resume runs. Default `pure` if `effect` is "read" in so many words, else `manual-recovery`. */
  readonly retryPolicy?: ToolRetryPolicy;
  /** Time limit of one call in milliseconds, above 0. Infinity for no limit. Default: the agent's `toolTimeoutMs`. */
  readonly timeoutMs?: number;
  invoke(args: Args, context: CustomToolContext): unknown;
}

/** Types the arguments of a tool: `defineTool<{ url: string }>({ … })`. At run time, only the schema checks them. */
export function defineTool<Args extends object>(tool: CustomTool<Args>): CustomTool {
  return tool as unknown as CustomTool;
}

/** The text that a model reads for a call that is not allowed, has invalid arguments, or fails with a masked error. */
export const TOOL_UNAVAILABLE = "tool unavailable";
