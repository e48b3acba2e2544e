// One tool call, from what the model asked to what it reads back: prepare, execute, settle. Whatever goes wrong with a
// call is an outcome, never an exception; only an aborted run leaves by a throw.

import { AgentError, ToolArgError, ToolPolicyError } from "../errors.js";
import type { LlmToolCall, ToolMessage } from "../model/message.js";
import type { JsonObject } from "../canon/value.js";
import type { GrantedTool, ToolSet } from "./registry.js";
import { toResultText } from "./result.js";
import { isThrown, thrownText } from "./thrown.js";
import { TOOL_UNAVAILABLE, type CustomToolContext } from "./tool.js";

/** `content` is what the model reads; the other fields are for the event log and the caller. */
export type AnsweredOutcome =
  | { kind: "ok"; content: string; cut: number }
  /** The tool threw: its message is the content. */
  | { kind: "failed"; content: string; message: string; error: unknown }
  /** The arguments were refused, or the tool threw a `ToolArgError`: the content is masked. */
  | { kind: "masked"; content: string; message: string; field?: string }
  /** The agent has no such tool: the content is masked. */
  | { kind: "rejected"; content: string };

/** A denied call has no content: it ends the run, and the model is told nothing. */
export type ToolOutcome = AnsweredOutcome | { kind: "denied"; error: ToolPolicyError };

/** A call that passed every check, or the outcome that it did not. */
export type PreparedCall =
  { kind: "ready"; call: LlmToolCall; tool: GrantedTool; args: JsonObject } | { kind: "refused"; outcome: ToolOutcome };

export function prepareCall(call: LlmToolCall, tools: ToolSet): PreparedCall {
  const tool = tools.byName.get(call.name);
  if (tool === undefined) return { kind: "refused", outcome: { kind: "rejected", content: TOOL_UNAVAILABLE } };
  try {
    if (call.malformedArguments !== undefined) {
      throw new ToolArgError(`the arguments of ${call.name} are not a JSON object`, { tool: call.name, field: "" });
    }
    return { kind: "ready", call, tool, args: tool.check(call.arguments) };
  } catch (error) {
    return { kind: "refused", outcome: toFailure(error) };
  }
}

/** Runs a prepared call. Rejects with `AgentError` `aborted` when the run's signal fired before or during it. */
export async function executeCall(prepared: PreparedCall, context: CustomToolContext): Promise<ToolOutcome> {
  if (prepared.kind === "refused") return prepared.outcome;
  assertNotAborted(context.signal);
  try {
    const value = await prepared.tool.invoke(prepared.args as never, context);
    assertNotAborted(context.signal);
    const { text, cut } = toResultText(value);
    return { kind: "ok", content: text, cut };
  } catch (error) {
    assertNotAborted(context.signal);
    return toFailure(error);
  }
}

/** The message the model reads for an outcome. */
export function settleCall(call: LlmToolCall, outcome: AnsweredOutcome): ToolMessage {
  const message: ToolMessage = { role: "tool", toolCallId: call.id, name: call.name, content: outcome.content };
  return outcome.kind === "ok" ? message : { ...message, isError: true };
}

/** Throws {@link abortError} once `signal` has fired. */
export function assertNotAborted(signal: AbortSignal): void {
  if (signal.aborted) throw abortError(signal);
}

/** `AgentError` `aborted`, with the signal's reason as its cause. */
export function abortError(signal: AbortSignal): AgentError {
  return new AgentError("aborted", "the run was aborted", { cause: signal.reason });
}

function toFailure(error: unknown): ToolOutcome {
  if (isThrown(error, ToolPolicyError)) return { kind: "denied", error };
  if (isThrown(error, ToolArgError)) {
    const masked = { kind: "masked", content: TOOL_UNAVAILABLE, message: error.message } as const;
    return error.field === undefined ? masked : { ...masked, field: error.field };
  }
  const message = thrownText(error);
  return { kind: "failed", content: toResultText(message).text, message, error };
}
