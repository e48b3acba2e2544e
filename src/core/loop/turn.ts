// One turn: ask the provider, keep its message, run the tool calls it asked for. Calls of one turn run at once and their
// results are kept in call order; a batch that holds a writing tool runs in call order.

import { seal } from "../canon/copy.js";
import { NotJsonError } from "../canon/value.js";
import { AgentError } from "../errors.js";
import type { EventBody } from "../events/event.js";
import type { LlmMessage, LlmToolCall } from "../model/message.js";
import {
  providerName,
  type LlmProviderAdapter,
  type LlmSettings,
  type LlmStreamDelta,
  type LlmTurnRequest,
  type LlmTurnResponse,
} from "../model/provider.js";
import { findResponseFlaw } from "../model/response.js";
import { readStream } from "../model/stream.js";
import {
  assertNotAborted,
  executeCall,
  prepareCall,
  settleCall,
  type PreparedCall,
  type ToolOutcome,
} from "../tools/call.js";
import type { ToolSet } from "../tools/registry.js";
import { thrownText } from "../tools/thrown.js";
import type { CustomToolContext } from "../tools/tool.js";
import type { Budget, BudgetCap } from "./budget.js";

export interface TurnInput {
  readonly provider: LlmProviderAdapter;
  readonly tools: ToolSet;
  readonly settings?: LlmSettings;
  readonly timeoutMs?: number;
  /** Streams where the provider can. */
  readonly streaming?: boolean;
  readonly budget: Budget;
  readonly context: CustomToolContext;
  readonly emit: (body: EventBody) => void;
  /** The conversation. The turn appends to it and nothing else does. */
  readonly history: LlmMessage[];
}

export type TurnOutcome =
  { kind: "continue" } | { kind: "finished"; finalAnswer: string } | { kind: "budget"; cap: BudgetCap };

export async function runTurn(input: TurnInput): Promise<TurnOutcome> {
  const response = await askProvider(input);
  input.budget.spend(response);
  input.emit(describeTurn(response));
  input.history.push(keep(response.message));

  const calls = response.message.toolCalls ?? [];
  if (calls.length === 0) return { kind: "finished", finalAnswer: response.finalAnswer ?? response.message.content };
  return runCalls(calls, input);
}

async function askProvider(input: TurnInput): Promise<LlmTurnResponse> {
  const { provider, context, emit } = input;
  assertNotAborted(context.signal);
  try {
    const response = await callProvider(input);
    assertResponse(provider, response);
    return response;
  } catch (error) {
    assertNotAborted(context.signal);
    emit(describeError(error));
    throw error;
  }
}

async function callProvider(input: TurnInput): Promise<LlmTurnResponse> {
  const { provider, streaming = false, emit } = input;
  const request = toRequest(input);
  if (!streaming || provider.stream === undefined) return provider.turn(request);
  return readStream(provider.stream(request), providerName(provider), (delta) => {
    const event = describeDelta(delta);
    if (event.text !== "") emit(event);
  });
}

function assertResponse(provider: LlmProviderAdapter, response: unknown): void {
  const flaw = findResponseFlaw(response);
  if (flaw === undefined) return;
  const place = flaw.pointer === "" ? "its response" : `${flaw.pointer} of its response`;
  throw new AgentError("provider-response", `provider ${providerName(provider)}: ${place} is not ${flaw.expected}`, {
    hint: "A provider's turn(request) resolves to { message: { role: 'assistant', content, toolCalls? }, stopReason }.",
  });
}

function toRequest({ history, tools, settings, timeoutMs, context }: TurnInput): LlmTurnRequest {
  return {
    messages: history,
    signal: context.signal,
    ...(tools.definitions.length === 0 ? {} : { tools: tools.definitions }),
    ...(settings === undefined ? {} : { settings }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

/** Seals what is plain JSON; a message that is not (a Buffer as an argument, half a surrogate pair) is kept as it came. */
function keep<T extends LlmMessage>(message: T): T {
  try {
    return seal(message);
  } catch (error) {
    if (error instanceof NotJsonError) return message;
    throw error;
  }
}

async function runCalls(calls: readonly LlmToolCall[], input: TurnInput): Promise<TurnOutcome> {
  const { budget, tools, context, emit, history } = input;
  const prepared: PreparedCall[] = [];
  let cap: BudgetCap | undefined;
  for (const call of calls) {
    cap = budget.takeToolCall();
    if (cap !== undefined) break;
    emit({ type: "tool-call", callId: call.id, tool: call.name, arguments: call.arguments });
    prepared.push(prepareCall(call, tools));
  }

  const outcomes = await executeAll(prepared, context);
  outcomes.forEach((outcome, index) => {
    const call = calls[index] as LlmToolCall;
    emit(describeOutcome(call, outcome));
    history.push(keep(settleCall(call, outcome)));
  });
  return cap === undefined ? { kind: "continue" } : { kind: "budget", cap };
}

async function executeAll(prepared: readonly PreparedCall[], context: CustomToolContext): Promise<ToolOutcome[]> {
  const writes = prepared.some((call) => call.kind === "ready" && call.tool.effect === "write");
  if (!writes) return Promise.all(prepared.map((call) => executeCall(call, context)));
  const outcomes: ToolOutcome[] = [];
  for (const call of prepared) outcomes.push(await executeCall(call, context));
  return outcomes;
}

function describeDelta(delta: LlmStreamDelta): Extract<EventBody, { type: "llm-delta" }> {
  switch (delta.type) {
    case "text-delta":
      return { type: "llm-delta", kind: "text", text: delta.text };
    case "reasoning-delta":
      return { type: "llm-delta", kind: "reasoning", text: delta.text };
    case "tool-call-delta":
      return { type: "llm-delta", kind: "tool-call", text: delta.argumentsText };
  }
}

function describeTurn({ stopReason, message, usage, costUsd, model }: LlmTurnResponse): EventBody {
  return {
    type: "llm-turn",
    stopReason,
    toolCalls: message.toolCalls?.length ?? 0,
    ...(usage === undefined ? {} : { usage }),
    ...(costUsd === undefined ? {} : { costUsd }),
    ...(model === undefined ? {} : { model }),
  };
}

function describeError(error: unknown): EventBody {
  if (!(error instanceof Error)) return { type: "llm-error", name: "unknown", message: thrownText(error) };
  const code = (error as { code?: unknown }).code;
  const body = { type: "llm-error", name: error.name, message: thrownText(error) } as const;
  return typeof code === "string" ? { ...body, code } : body;
}

function describeOutcome(call: LlmToolCall, outcome: ToolOutcome): EventBody {
  const { id: callId, name: tool } = call;
  switch (outcome.kind) {
    case "ok":
      return { type: "tool-result", callId, tool, content: outcome.content, cut: outcome.cut };
    case "failed":
      return { type: "tool-failed", callId, tool, message: outcome.message };
    case "masked": {
      const body = { type: "tool-failed", callId, tool, message: outcome.message } as const;
      return outcome.field === undefined ? body : { ...body, field: outcome.field };
    }
    case "rejected":
      return { type: "tool-rejected", callId, tool };
  }
}
