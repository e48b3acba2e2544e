// What a caller writes to give an agent a tool of its own, and what the tool gets to see.

import type { JsonObject } from "../canon/value.js";
import type { RunMemory } from "../model/memory.js";
import type { VerbSet } from "./verbs.js";

/** `write` changes something outside; a batch of calls that holds one runs in call order instead of at once. */
export type ToolEffect = "read" | "write";

/** What a tool is given beside its arguments. */
export interface CustomToolContext {
  /**
   * Fires while the call lasts: when it takes too long, the run is aborted or the runtime destroyed. Pass it on to whatever waits.
   * It is made when it is read, so read it by name: a spread of the context leaves it out.
   */
  readonly signal: AbortSignal;
  /** The agent whose model asked. */
  readonly agentId: string;
  /** All eight verbs, whatever the agent's manifest says: the manifest binds the model, not this code. */
  readonly pluck: VerbSet;
  /** What this agent, this run and this runtime remember. */
  readonly memory: RunMemory;
}

/**
 * A caller's tool. `name`, `description` and `schema` go to the model word for word.
 *
 * Contract of `invoke`: `args` is a fresh object, checked against `schema`. The value it returns is turned into JSON text
 * for the model. A `ToolArgError` reaches the model as "tool unavailable"; a `ToolPolicyError` ends the run and never reaches
 * it; the message of any other error reaches it as is, unless the agent's `onToolError` is "fail". What a call gives after its
 * time is up, or after the run was aborted, is dropped.
 */
export interface CustomTool<Args extends object = JsonObject> {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments object; draft 2020-12 unless `$schema` says draft 7 or 2019-09. */
  readonly schema: JsonObject;
  /** Default `read`. */
  readonly effect?: ToolEffect;
  /** Milliseconds one call may take, above 0; Infinity for no limit. Default: the agent's `toolTimeoutMs`. */
  readonly timeoutMs?: number;
  invoke(args: Args, context: CustomToolContext): unknown;
}

/** Types the arguments of one tool: `defineTool<{ url: string }>({ … })`. The schema remains what checks them. */
export function defineTool<Args extends object>(tool: CustomTool<Args>): CustomTool {
  return tool as unknown as CustomTool;
}

/** All that a model ever reads about a call it may not make, must not make that way, or whose failure is masked. */
export const TOOL_UNAVAILABLE = "tool unavailable";
