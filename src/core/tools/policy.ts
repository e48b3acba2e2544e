// Runs one tool call under policies: call hooks, the tool, result hooks. An agent without policies never enters this file.

import { defined } from "../defined.js";
import { ToolPolicyError } from "../errors.js";
import type { JsonObject, JsonValue } from "../canon/value.js";
import { scrubArguments } from "./argument-check.js";
import { invokeTool, toFailure, type CallScope, type PreparedCall, type ReadyCall, type ToolOutcome } from "./call.js";
import { settleWithin } from "./deadline.js";
import { assertNotAborted } from "./abort.js";
import {
  readCallDecision,
  readResultDecision,
  toHookError,
  type HookPlace,
  type ToolPolicy,
  type ToolPolicyCall,
  type ToolResultDecision,
  type ToolResultStatus,
} from "./policy-decision.js";
import { toResultText } from "./result.js";
import { isThrown, thrownText } from "../text/thrown.js";

export interface GuardScope extends CallScope {
  readonly policies: readonly ToolPolicy[];
  readonly turnIndex: number;
  readonly callIndex: number;
  /** Called for each decision that changes something, in order. */
  readonly note: (hook: HookPlace["hook"], action: string) => void;
}

/** `executeCall` under policies. A call that our own checks refused never reaches them. */
export async function executeGuarded(prepared: PreparedCall, scope: GuardScope): Promise<ToolOutcome> {
  if (prepared.kind === "refused") return prepared.outcome;
  const { signal } = scope.context;
  try {
    const { args, answer } = await askBefore(prepared, scope);
    const given = answer ?? (await runTool(prepared, args, scope));
    assertNotAborted(signal);
    if (given.outcome.kind === "denied") return (prepared.outcome = given.outcome);
    const final = await askAfter(prepared, args, given, scope);
    assertNotAborted(signal);
    return (prepared.outcome = final.outcome);
  } catch (error) {
    assertNotAborted(signal);
    return (prepared.outcome = toFailure(error));
  }
}

/** The complete text for the model, and the outcome that follows from it. */
interface Answer {
  readonly outcome: ToolOutcome;
  readonly status: ToolResultStatus;
  readonly output: Output;
  readonly error?: string;
}

/** An output, kept as text so that each hook gets its own copy. */
interface Output {
  readonly text: string;
  readonly isJson: boolean;
}

async function askBefore(
  { call, tool, args: first }: ReadyCall,
  scope: GuardScope,
): Promise<{ args: JsonObject; answer?: Answer }> {
  const place = { hook: "call", tool: tool.name } as const;
  let args = first;
  for (const policy of scope.policies) {
    if (policy.call === undefined) continue;
    const seen = describeCall(call.id, tool.name, args, scope);
    const decision = await askHook(() => policy.call?.(seen), readCallDecision, place, scope);
    if (decision === undefined || decision.action === "allow") continue;
    scope.note("call", decision.action);
    switch (decision.action) {
      case "modify":
        args = orHookError(() => tool.check(decision.input), place);
        break;
      case "reject-and-continue":
        return { args, answer: toBlocked(decision.message, decision.message, false) };
      case "synthesize":
        return { args, answer: orHookError(() => toDone(decision.output), place) };
      case "error":
        throw new ToolPolicyError(decision.message);
    }
  }
  return { args };
}

async function runTool(ready: ReadyCall, args: JsonObject, scope: GuardScope): Promise<Answer> {
  assertNotAborted(scope.context.signal);
  try {
    return toDone(await invokeTool(ready, scrubArguments(args), scope), ready.tool.resultLimit);
  } catch (error) {
    const outcome = toFailure(error, ready.tool.resultLimit);
    const text = outcome.kind === "denied" ? "" : outcome.content;
    return { outcome, status: "error", output: { text, isJson: false }, error: thrownText(error) };
  }
}

async function askAfter(
  { call, tool }: ReadyCall,
  args: JsonObject,
  given: Answer,
  scope: GuardScope,
): Promise<Answer> {
  const place = { hook: "result", tool: tool.name } as const;
  let answer = given;
  for (const policy of scope.policies) {
    if (policy.result === undefined) continue;
    const { status, output, error } = answer;
    const about = { status, output: copyOutput(output), ...defined({ error }) };
    const seen = { ...describeCall(call.id, tool.name, args, scope), ...about };
    const decision = await askHook(() => policy.result?.(seen), readResultDecision, place, scope);
    if (decision === undefined) continue;
    scope.note("result", decision.status);
    answer = orHookError(() => toReplacement(decision), place);
  }
  return answer;
}

/** Runs a hook and checks its answer. An error in it ends the run. After an abort, no hook starts. */
async function askHook<T>(
  ask: () => unknown,
  read: (answer: unknown, place: HookPlace) => T,
  place: HookPlace,
  { context: { signal }, ports }: GuardScope,
): Promise<T> {
  assertNotAborted(signal);
  let answer: unknown;
  try {
    answer = await settleWithin(Promise.resolve(ask()), { signal, timeoutMs: Infinity, ports });
    return read(answer, place);
  } catch (error) {
    throw isThrown(error, ToolPolicyError) ? error : toHookError(error, place);
  }
}

function describeCall(callId: string, tool: string, args: JsonObject, scope: GuardScope): ToolPolicyCall {
  const { turnIndex, callIndex, context } = scope;
  const { agentId, signal } = context;
  return { tool, callId, agentId, turnIndex, callIndex, arguments: scrubArguments(args), signal };
}

/** Blames the policy for arguments that the tool refuses and for an output without a text form. */
function orHookError<T>(make: () => T, place: HookPlace): T {
  try {
    return make();
  } catch (error) {
    throw toHookError(error, place);
  }
}

function toReplacement(decision: ToolResultDecision): Answer {
  switch (decision.status) {
    case "done":
      return toDone(decision.output);
    case "error": {
      const { error: message, output: value } = decision;
      const output = toOutput(value);
      const outcome = { kind: "failed", content: toResultText(output.text).text, message, error: message } as const;
      return { outcome, status: "error", output, error: message };
    }
    case "cancelled":
      return toBlocked(decision.output, decision.error, true);
  }
}

function toDone(value: unknown, resultLimit?: number): Answer {
  const output = toOutput(value);
  const { text: content, cut } = toResultText(output.text, resultLimit);
  return { outcome: { kind: "ok", content, cut }, status: "done", output };
}

function toBlocked(value: unknown, message: string, ran: boolean): Answer {
  const output = toOutput(value);
  const outcome = { kind: "blocked", content: toResultText(output.text).text, message, ran } as const;
  return { outcome, status: ran ? "cancelled" : "error", output, error: message };
}

function toOutput(value: unknown): Output {
  return { text: toResultText(value, Infinity).text, isJson: typeof value !== "string" };
}

function copyOutput({ text, isJson }: Output): JsonValue {
  return isJson ? (JSON.parse(text) as JsonValue) : text;
}
