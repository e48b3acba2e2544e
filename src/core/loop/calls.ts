// Runs the tool calls of one turn: concurrently, or in order if one writes. The model reads their errors, except those that end the run.

import { sealTexts } from "../canon/copy.js";
import { AgentError } from "../errors.js";
import type { EventBody, EventDetail } from "../events/event.js";
import type { LlmMessage, LlmToolCall } from "../model/message.js";
import { quoteForeign } from "../text/mask.js";
import {
  executeCall,
  prepareCall,
  settleCall,
  type CallScope,
  type PreparedCall,
  type ReadyCall,
  type ToolOutcome,
} from "../tools/call.js";
import { assertNotAborted, unlessAborted } from "../tools/abort.js";
import { executeGuarded } from "../tools/policy.js";
import type { HookPlace, ToolPolicy } from "../tools/policy-decision.js";
import type { ToolSet } from "../tools/registry.js";
import { isThrown, thrownText } from "../text/thrown.js";
import type { Maybe } from "../time/wait.js";
import type { Budget, BudgetCap } from "./budget.js";
import { fromStored, toStored, type Journal, type JournalBatch } from "./journal.js";
import type { RunControl } from "./run-control.js";

/** The effect of a tool's error. `feedback`: the model reads it and the run continues. `fail`: the run ends with `tool-failed`. */
export type OnToolError = "feedback" | "fail";

export interface CallsInput extends CallScope {
  readonly tools: ToolSet;
  readonly budget: Budget;
  readonly emit: (body: EventBody, detail?: EventDetail) => void;
  /** The conversation. Only the turn appends to it. */
  readonly history: LlmMessage[];
  /** Default `feedback`. */
  readonly onToolError?: OnToolError;
  /** Policies that run before and after each call, in this order. Default none. */
  readonly policies?: readonly ToolPolicy[];
  readonly control: RunControl;
  readonly journal?: Journal;
}

export type CallsOutcome =
  /** `refused`: no call of the turn passed the checks of its name and arguments. */
  { kind: "continue"; refused: boolean } | { kind: "budget"; cap: BudgetCap };

/**
 * Rejects with the error that ends the run. By then every call is in the log: with its outcome, as interrupted, or as skipped.
 * `resumed`: the calls are in the log already, by a run that stopped before their results were.
 */
export async function runCalls(
  calls: readonly LlmToolCall[],
  input: CallsInput,
  resumed = false,
): Promise<CallsOutcome> {
  const { budget, tools, emit, history, control, journal } = input;
  const turnIndex = budget.turns - 1;
  const spent = journal === undefined ? undefined : budget.spent;
  const prepared: PreparedCall[] = [];
  const notes: PolicyNote[][] = [];
  let reported = 0;
  const report = (): void => {
    const index = reported++;
    reportCall(calls[index] as LlmToolCall, prepared[index], notes[index], emit);
  };
  const close = () => {
    while (reported < calls.length) report();
  };
  // A separate statement: V8 allocates a function literal in the old generation if it is assigned directly to a property.
  control.closeCalls = close;
  let cap: BudgetCap | undefined;
  for (const call of calls) {
    cap = budget.takeToolCall();
    if (cap !== undefined) break;
    const next = prepareCall(call, tools, turnIndex, prepared.length);
    if (!resumed) emit(describeCall(call, next));
    prepared.push(next);
  }

  let outcomes: readonly ToolOutcome[];
  try {
    if (journal !== undefined && spent !== undefined && prepared.length > 0)
      await beginBatch(journal, input.context.signal, { turnIndex, resumed, spent, calls: readyCalls(prepared) });
    if (control.receipts !== undefined && prepared.some(writes)) await control.receipts.settle();
    const only = prepared.length === 1 ? prepared[0] : undefined;
    outcomes = only === undefined ? await executeAll(prepared, input, notes) : [await execute(only, 0, input, notes)];
  } catch (error) {
    close();
    throw error;
  }
  for (let index = 0; index < outcomes.length; index++) {
    const outcome = outcomes[index] as ToolOutcome;
    report();
    if (outcome.kind !== "denied") history.push(sealTexts(settleCall(calls[index] as LlmToolCall, outcome)));
  }
  close();
  const end = findEnd(calls, outcomes, input.onToolError);
  if (end !== undefined) throw end;
  return cap === undefined ? { kind: "continue", refused: outcomes.every(isRefused) } : { kind: "budget", cap };
}

/** Apart from `runCalls`, where its closure would cost each turn of a run without a journal. */
function beginBatch(journal: Journal, signal: AbortSignal, batch: JournalBatch): Maybe<void> {
  return unlessAborted(signal, () => journal.begin(batch));
}

function readyCalls(prepared: readonly PreparedCall[]): JournalBatch["calls"] {
  return prepared.flatMap((next) => {
    if (next.kind !== "ready") return [];
    const { call, callIndex, tool } = next;
    return [{ callIndex, call, retryPolicy: tool.retryPolicy }];
  });
}

/** A change that a policy made to one call. Logged with the call's outcome, so that the log keeps call order. */
interface PolicyNote {
  readonly hook: HookPlace["hook"];
  readonly action: string;
}

async function executeAll(
  prepared: readonly PreparedCall[],
  input: CallsInput,
  notes: PolicyNote[][],
): Promise<ToolOutcome[]> {
  if (!prepared.some(writes)) return Promise.all(prepared.map((call, index) => execute(call, index, input, notes)));
  const outcomes: ToolOutcome[] = [];
  for (const [index, call] of prepared.entries()) {
    const outcome = await execute(call, index, input, notes);
    outcomes.push(outcome);
    if (outcome.kind === "denied" || (outcome.kind === "failed" && input.onToolError === "fail")) break;
  }
  return outcomes;
}

function writes(call: PreparedCall): boolean {
  return call.kind === "ready" && call.tool.effect === "write";
}

function execute(
  call: PreparedCall,
  callIndex: number,
  input: CallsInput,
  notes: PolicyNote[][],
): Promise<ToolOutcome> {
  const { journal } = input;
  return journal === undefined || call.kind === "refused"
    ? run(call, callIndex, input, notes)
    : runStored(call, input, notes, journal);
}

/** Runs a call unless its outcome is known, and stores the outcome before the model reads it. */
async function runStored(
  call: ReadyCall,
  input: CallsInput,
  notes: PolicyNote[][],
  journal: Journal,
): Promise<ToolOutcome> {
  const { callIndex } = call;
  const { signal } = input.context;
  assertNotAborted(signal);
  const known = journal.known(callIndex);
  if (known !== undefined) return (call.outcome = fromStored(known));
  call.attempt = journal.attempt?.(callIndex) ?? 1;
  const outcome = await run(call, callIndex, input, notes);
  if (outcome.kind === "denied") journal.denied?.(callIndex);
  else await unlessAborted(signal, () => journal.end(callIndex, toStored(outcome)));
  return outcome;
}

function run(call: PreparedCall, callIndex: number, input: CallsInput, notes: PolicyNote[][]): Promise<ToolOutcome> {
  const { policies = [] } = input;
  return policies.length === 0 ? executeCall(call, input) : runGuarded(call, callIndex, input, policies, notes);
}

function runGuarded(
  call: PreparedCall,
  callIndex: number,
  input: CallsInput,
  policies: readonly ToolPolicy[],
  notes: PolicyNote[][],
): Promise<ToolOutcome> {
  const note = (hook: HookPlace["hook"], action: string) => {
    (notes[callIndex] ??= []).push({ hook, action });
  };
  return executeGuarded(call, { ...input, policies, note, turnIndex: input.budget.turns - 1, callIndex });
}

/** Refused by our checks, by the tool with a `ToolArgError`, or by a policy before it ran: the model must change its call. */
function isRefused(outcome: ToolOutcome): boolean {
  const { kind } = outcome;
  return kind === "rejected" || kind === "masked" || (kind === "blocked" && !outcome.ran);
}

/** Finds the error that ends the run: a denial, since a retry would be denied again, or else the first failure. */
function findEnd(
  calls: readonly LlmToolCall[],
  outcomes: readonly ToolOutcome[],
  onToolError: OnToolError | undefined,
): AgentError | undefined {
  let failure: AgentError | undefined;
  for (let index = 0; index < outcomes.length; index++) {
    const outcome = outcomes[index] as ToolOutcome;
    if (outcome.kind === "denied") return outcome.error;
    if (outcome.kind !== "failed" || onToolError !== "fail") continue;
    failure ??= toRunError((calls[index] as LlmToolCall).name, outcome.error);
  }
  return failure;
}

/** A missing capability or an abort is not a failure of the tool, and keeps its code. */
function toRunError(tool: string, error: unknown): AgentError {
  if (isThrown(error, AgentError) && (error.code === "capability-missing" || error.code === "aborted")) return error;
  return new AgentError("tool-failed", `tool ${tool} failed: ${quoteForeign(thrownText(error))}`, {
    hint: `See \`cause\`, or let the model read the error with onToolError: "feedback".`,
    retryable: true,
    cause: error,
  });
}

function describeCall({ id: callId, name: tool, arguments: args }: LlmToolCall, { kind }: PreparedCall): EventBody {
  const body = { type: "tool-call", callId, tool, arguments: args } as const;
  return kind === "ready" ? body : { ...body, refused: true };
}

/** A call without an outcome was interrupted if its tool was called, and skipped if not. */
function reportCall(
  call: LlmToolCall,
  prepared: PreparedCall | undefined,
  notes: readonly PolicyNote[] | undefined,
  emit: CallsInput["emit"],
): void {
  for (const { hook, action } of notes ?? [])
    emit({ type: "tool-policy", callId: call.id, tool: call.name, hook, action });
  const outcome = prepared?.outcome;
  if (outcome === undefined) {
    const type = prepared?.kind === "ready" && prepared.began ? "tool-interrupted" : "tool-skipped";
    emit({ type, callId: call.id, tool: call.name }, { kind: "tool", call });
  } else if (outcome.kind === "denied") emit(describeOutcome(call, outcome), { kind: "tool", call });
  else emit(describeOutcome(call, outcome), { kind: "tool", call, content: outcome.content });
}

function describeOutcome(call: LlmToolCall, outcome: ToolOutcome): EventBody {
  const { id: callId, name: tool } = call;
  switch (outcome.kind) {
    case "ok":
      return { type: "tool-result", callId, tool, content: outcome.content, cut: outcome.cut };
    case "failed":
    case "blocked":
      return { type: "tool-failed", callId, tool, message: outcome.message };
    case "masked": {
      const body = { type: "tool-failed", callId, tool, message: outcome.message, masked: true } as const;
      return outcome.field === undefined ? body : { ...body, field: outcome.field };
    }
    case "rejected":
      return { type: "tool-rejected", callId, tool };
    case "denied":
      return { type: "tool-denied", callId, tool, message: thrownText(outcome.error) };
  }
}
