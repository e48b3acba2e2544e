// Runs one tool call: prepare, execute, settle. A failure is an outcome and not an exception. Only an aborted run throws.

import { tryParseJson } from "../canon/bounded-json.js";
import { findDropped } from "../canon/exact.js";
import { AgentError, ToolArgError, ToolPolicyError } from "../errors.js";
import type { LlmToolCall, ToolMessage } from "../model/message.js";
import type { JsonObject } from "../canon/value.js";
import type { Ports } from "../ports.js";
import { isThenable } from "../time/wait.js";
import { callWithin, type CallSignal } from "./deadline.js";
import { assertNotAborted } from "./abort.js";
import type { GrantedTool, ToolSet } from "./registry.js";
import { toResultText } from "./result.js";
import { isThrown, thrownText } from "../text/thrown.js";
import { TOOL_UNAVAILABLE, type CustomToolContext, type ToolRetryPolicy, type ToolSurroundings } from "./tool.js";

/** The outcome of a call that the model reads. `content` goes to the model, all other fields to the event log and the caller. */
export type AnsweredOutcome =
  | { kind: "ok"; content: string; cut: number }
  /** The tool threw: its message is the content. */
  | { kind: "failed"; content: string; message: string; error: unknown }
  /** The arguments were refused, or the tool threw a `ToolArgError`: the content is masked. */
  | { kind: "masked"; content: string; message: string; field?: string }
  /** The agent has no such tool: the content is masked. */
  | { kind: "rejected"; content: string }
  /** A policy answered in place of the tool, which did not fail. `ran` is true if the tool ran. */
  | { kind: "blocked"; content: string; message: string; ran: boolean };

/** The outcome of a call. A denied call has no content: it ends the run, and the model never reads it. */
export type ToolOutcome = AnsweredOutcome | { kind: "denied"; error: ToolPolicyError };

export interface ReadyCall {
  kind: "ready";
  call: LlmToolCall;
  tool: GrantedTool;
  args: JsonObject;
  readonly turnIndex: number;
  readonly callIndex: number;
  attempt: number;
  began: boolean;
  /** Undefined while the call runs, and for good if an abort ended it. */
  outcome: ToolOutcome | undefined;
}

/** Explains malformed arguments. A text that still parses to an object contains something that JSON.parse would lose. */
function malformedText(name: string, written: string): string {
  const problem =
    tryParseJson(written) !== undefined && findDropped(written) !== undefined
      ? "hold a number with more digits than can be kept, or a key twice: send such a number as text"
      : "are not a JSON object";
  return `the arguments of ${name} ${problem}`;
}

export type PreparedCall = ReadyCall | { kind: "refused"; outcome: ToolOutcome };

/** The surroundings of a call. `context.signal` is the run's signal. The tool gets a signal of its own. */
export interface CallScope {
  readonly context: ToolSurroundings;
  readonly ports: Pick<Ports, "timer">;
  /** The id that idempotency keys begin with. Without it, reading a key throws `capability-missing`. */
  readonly runId?: string;
  /** Ids that are unique in the run, since models repeat theirs. The same call must always get the same id. */
  readonly callIds?: (call: LlmToolCall, turnIndex: number, callIndex: number) => string;
}

export function prepareCall(call: LlmToolCall, tools: ToolSet, turnIndex = 0, callIndex = 0): PreparedCall {
  const tool = tools.byName.get(call.name);
  if (tool === undefined) return { kind: "refused", outcome: { kind: "rejected", content: TOOL_UNAVAILABLE } };
  try {
    if (call.malformedArguments !== undefined) {
      throw new ToolArgError(malformedText(call.name, call.malformedArguments), { tool: call.name, field: "" });
    }
    const args = tool.check(call.arguments);
    return { kind: "ready", call, tool, args, turnIndex, callIndex, attempt: 1, began: false, outcome: undefined };
  } catch (error) {
    return { kind: "refused", outcome: toFailure(error) };
  }
}

/** Runs a prepared call. Rejects with `AgentError` `aborted` if the run's signal fires before or during the call. */
export async function executeCall(prepared: PreparedCall, scope: CallScope): Promise<ToolOutcome> {
  if (prepared.kind === "refused") return prepared.outcome;
  const { signal } = scope.context;
  assertNotAborted(signal);
  try {
    const value = invokeTool(prepared, prepared.args, scope);
    const { text, cut } = toResultText(isThenable(value) ? await value : value, prepared.tool.resultLimit);
    assertNotAborted(signal);
    return (prepared.outcome = { kind: "ok", content: text, cut });
  } catch (error) {
    assertNotAborted(signal);
    return (prepared.outcome = toFailure(error, prepared.tool.resultLimit));
  }
}

/** Calls the tool and returns or throws what it does, within its time limit. Marks the call as begun. */
export function invokeTool(ready: ReadyCall, args: JsonObject, scope: CallScope): unknown {
  const { tool } = ready;
  const { context, ports } = scope;
  ready.began = true;
  const deadline = { signal: context.signal, timeoutMs: tool.timeoutMs, ports };
  return callWithin((own) => tool.invoke(args as never, new CallContext(scope, own, ready)), deadline);
}

/**
 * The context of one call, with a signal of its own. A class, since a literal with a getter takes 30 times as long (measured). It holds
 * the scope itself: a prepared call that held it made each turn a tenth slower (measured).
 */
class CallContext implements CustomToolContext {
  readonly agentId: CustomToolContext["agentId"];
  readonly pluck: CustomToolContext["pluck"];
  readonly memory: CustomToolContext["memory"];
  readonly #own: CallSignal;
  readonly #ready: ReadyCall;
  readonly #scope: CallScope;

  constructor(scope: CallScope, own: CallSignal, ready: ReadyCall) {
    const { agentId, pluck, memory } = scope.context;
    this.agentId = agentId;
    this.pluck = pluck;
    this.memory = memory;
    this.#own = own;
    this.#ready = ready;
    this.#scope = scope;
  }

  get signal(): AbortSignal {
    return this.#own.signal;
  }

  get toolCallId(): string {
    const { call, turnIndex, callIndex } = this.#ready;
    return this.#scope.callIds?.(call, turnIndex, callIndex) ?? call.id;
  }

  get attempt(): number {
    return this.#ready.attempt;
  }

  get retryPolicy(): ToolRetryPolicy {
    return this.#ready.tool.retryPolicy;
  }

  get idempotencyKey(): string {
    const { runId, callIds } = this.#scope;
    const { turnIndex, callIndex } = this.#ready;
    if (runId === undefined) {
      throw new AgentError("capability-missing", "the run has no id, so this call has no idempotency key", {
        hint: "Run the tool by a host that gives its runs an id.",
      });
    }
    return `${runId}:${callIds === undefined ? `${turnIndex}.${callIndex}` : this.toolCallId}`;
  }
}

export function settleCall(call: LlmToolCall, outcome: AnsweredOutcome): ToolMessage {
  const message: ToolMessage = { role: "tool", toolCallId: call.id, name: call.name, content: outcome.content };
  return outcome.kind === "ok" ? message : { ...message, isError: true };
}

export function toFailure(error: unknown, resultLimit?: number): ToolOutcome {
  if (isThrown(error, ToolPolicyError)) return { kind: "denied", error };
  if (isThrown(error, ToolArgError)) {
    const masked = { kind: "masked", content: TOOL_UNAVAILABLE, message: error.message } as const;
    return error.field === undefined ? masked : { ...masked, field: error.field };
  }
  const message = thrownText(error);
  return { kind: "failed", content: toResultText(message, resultLimit).text, message, error };
}
