// The hook: the single point through which the runtime reaches the host's tools. It offers schemas, serves calls by name, and observes
// steps.

import { AgentError, ToolArgError } from "../errors.js";
import type { JsonObject } from "../canon/value.js";
import type { RunMemory } from "../model/memory.js";
import type { LlmToolDefinition } from "../model/provider.js";
import { isThenable } from "../time/wait.js";
import { assertNotAborted } from "../tools/abort.js";
import type { ToolEffect } from "../tools/tool.js";
import { isThrown, thrownText } from "../text/thrown.js";

/** A tool as a hook offers it: the fields that the model sees, and two that it does not see. */
export interface ToolSchema extends LlmToolDefinition {
  /** Default `read`. An agent without `tools` may use only read-only tools. */
  readonly effect?: ToolEffect;
  /** Time limit of one call in ms. Infinity for no limit. Default: the agent's `toolTimeoutMs`. */
  readonly timeoutMs?: number;
}

/** Offers and serves tools. Every method is optional. */
export interface Hook {
  /** The tools on offer, in a stable order. Read once for each run. */
  schema?(): readonly ToolSchema[];
  /**
   * Serves a call. Returns a promise of its result, or undefined if this hook does not serve the name. It must return a promise for each
   * name in `schema`. A `ToolArgError` is masked, a `ToolPolicyError` ends the run, and the model reads the message of any other error.
   */
  dispatch?(name: string, call: ToolCall): Promise<unknown> | undefined;
  /** Observes steps. It is not awaited and cannot change the run. Errors become warnings. */
  onStep?(notice: StepNotice): void;
}

/** One call of a tool. */
export interface ToolCall {
  readonly name: string;
  /** Checked against the schema, without keys that can change prototypes. */
  readonly args: JsonObject;
  /** The agent whose model made the call. */
  readonly agent: string;
  /** The sender of the message that the agent works on. "" is the owner. */
  readonly sender: string;
  readonly conversationId: string;
  /** Fires when the call takes too long or the run is aborted. Pass it to everything that waits. */
  readonly signal: AbortSignal;
  /** The memory of this agent, this run and this runtime. */
  readonly memory: RunMemory;
}

/** The start, the stored end, or the failure of one step. `step` counts from 0 in each run. */
export type StepNotice = { readonly agent: string; readonly conversationId: string; readonly step: number } & (
  | { readonly kind: "start" }
  | { readonly kind: "complete"; readonly toolCalls: number }
  | { readonly kind: "error"; readonly code: string | undefined; readonly message: string }
);

export const HOOK_METHODS = ["schema", "dispatch", "onStep"] as const;

/** Combines several hooks into one, in a fixed order. The first hook that claims a name serves it. */
export function compositeHook(...hooks: readonly Hook[]): Hook {
  const members = [...hooks];
  return {
    schema: () => members.flatMap((hook) => hook.schema?.() ?? []),
    dispatch(name, call) {
      for (const hook of members) {
        const claimed = hook.dispatch?.(name, call);
        if (claimed !== undefined) return claimed;
      }
      return undefined;
    },
    // The runtime handles what a listener returns, although its type is void.
    onStep: (notice) => tellAll(members, notice) as undefined,
  };
}

/** Notifies each hook, even after one has thrown. Then throws the first error, or rejects with that of an async hook. */
function tellAll(hooks: readonly Hook[], notice: StepNotice): unknown {
  const failures: unknown[] = [];
  const late: unknown[] = [];
  for (const hook of hooks) {
    try {
      const told: unknown = hook.onStep?.(notice);
      if (isThenable(told)) late.push(told);
    } catch (error) {
      failures.push(error);
    }
  }
  const pending = late.length === 0 ? undefined : Promise.all(late);
  pending?.catch(() => undefined);
  if (failures.length > 0) throw failures[0];
  return pending;
}

/** The result of one dispatch. */
export type DispatchResult =
  { readonly ok: true; readonly output: unknown } | { readonly ok: false; readonly error: string };

/**
 * Dispatches one call from code of the host, without checking its arguments. A name that no hook claims results in the error
 * `tool not registered: NAME`. Rejects only with `aborted`, if the call's signal has fired.
 */
export async function dispatchTool(hook: Hook, name: string, call: ToolCall): Promise<DispatchResult> {
  assertNotAborted(call.signal);
  try {
    return { ok: true, output: await claim(hook, name, call) };
  } catch (error) {
    assertNotAborted(call.signal);
    return { ok: false, error: thrownText(error) };
  }
}

/** The promise of the hook that claims the name. Throws `ToolArgError` if none does, and `tool-failed` for another value. */
export function claim(hook: Hook, name: string, call: ToolCall): Promise<unknown> {
  const claimed: unknown = hook.dispatch?.(name, call);
  if (isThenable(claimed)) return claimed as Promise<unknown>;
  if (claimed === undefined) throw new ToolArgError(`tool not registered: ${name}`, { tool: name });
  throw new NoPromiseError(name);
}

/** A hook broke its contract. The model reads the message, and the runtime warns. */
export class NoPromiseError extends AgentError {
  constructor(name: string) {
    super("tool-failed", `the tool ${name} returned no promise`, {
      hint: "Return a promise from dispatch, or undefined.",
    });
    this.name = "NoPromiseError";
  }
}

export function isNoPromise(error: unknown): error is NoPromiseError {
  return isThrown(error, NoPromiseError);
}
