// Runs one turn: calls the provider, keeps its message, and runs the tool calls in it.

import { AgentError } from "../errors.js";
import { seal } from "../canon/copy.js";
import { isPlainObject, NotJsonError } from "../canon/value.js";
import type { EventBody } from "../events/event.js";
import type { AssistantMessage, LlmMessage } from "../model/message.js";
import {
  providerName,
  type LlmProviderAdapter,
  type LlmSettings,
  type LlmStreamDelta,
  type LlmTurnRequest,
  type LlmTurnResponse,
} from "../model/provider.js";
import { findFigureFlaw, findResponseFlaw } from "../model/response.js";
import { readStream } from "../model/stream.js";
import { quoteForeign } from "../text/mask.js";
import { assertNotAborted, unlessAborted } from "../tools/abort.js";
import { thrownText } from "../text/thrown.js";
import { isThenable, type Maybe } from "../time/wait.js";
import { runCalls, type CallsInput, type CallsOutcome } from "./calls.js";

export interface TurnInput extends CallsInput {
  readonly provider: LlmProviderAdapter;
  readonly settings?: LlmSettings;
  readonly timeoutMs?: number;
  /** Streams if the provider can. */
  readonly streaming?: boolean;
  /** Asked before each provider call for what it is to be sent. What it throws ends the run. */
  readonly prepare?: (turnIndex: number) => Maybe<PreparedTurn | undefined>;
}

/** Each is sent in place of the loop's own, whole. The conversation stays as it is. */
export interface PreparedTurn {
  /** A list of its own each time, or one buffer that is reused after the call. Never `history`, changed in place. */
  readonly messages?: readonly LlmMessage[];
  readonly settings?: LlmSettings;
}

export type TurnOutcome = CallsOutcome | { kind: "finished"; finalAnswer: string };

export async function runTurn(input: TurnInput): Promise<TurnOutcome> {
  const { provider, context } = input;
  assertNotAborted(context.signal);
  let prepared: PreparedTurn | undefined;
  if (input.prepare !== undefined) {
    const asked = askPrepare(input, input.prepare);
    prepared = isThenable(asked) ? await asked : asked;
  }
  let response: LlmTurnResponse;
  try {
    response = readResponse(provider, await callProvider(provider, input, prepared));
  } catch (error) {
    assertNotAborted(context.signal);
    input.emit(describeError(error));
    throw error;
  }
  input.budget.spend(response, input.history.length);
  // A copy of what was sent, since a host may use one buffer for all its turns.
  const messages = prepared?.messages === undefined ? input.history : [...prepared.messages];
  input.emit(describeTurn(response), { kind: "turn", response, messages });
  const { message } = response;
  input.history.push(message);

  // The calls of the kept message, so that its arguments are held once.
  const calls = message.toolCalls;
  if (calls === undefined || calls.length === 0)
    return { kind: "finished", finalAnswer: response.finalAnswer ?? message.content };
  // Awaited, since returning the promise takes two more rounds of the microtask queue.
  const outcome = await runCalls(calls, input);
  return outcome;
}

function askPrepare(
  { budget, context }: TurnInput,
  prepare: NonNullable<TurnInput["prepare"]>,
): Maybe<PreparedTurn | undefined> {
  return unlessAborted(context.signal, () => prepare(budget.turns - 1));
}

/** Not async, so that a synchronous error of the provider is thrown inside the caller's `try`. */
function callProvider(
  provider: LlmProviderAdapter,
  input: TurnInput,
  prepared: PreparedTurn | undefined,
): Promise<LlmTurnResponse> {
  const { streaming = false, emit, control, context } = input;
  const request = toRequest(input, prepared);
  if (!streaming || provider.stream === undefined) return provider.turn(request);
  return readStream(provider.stream(request), providerName(provider), (delta) => {
    const event = describeDelta(delta);
    if (event.text !== "") emit(event);
    assertNotAborted(context.signal);
    return control.pacer.step();
  });
}

/** Reads each field of an answer once, so that the checked values are the ones used. Throws `AgentError` `provider-response`. */
function readResponse(provider: LlmProviderAdapter, given: LlmTurnResponse): LlmTurnResponse {
  let own: LlmTurnResponse;
  try {
    own = isPlainObject(given) ? { ...given } : given;
    if (isPlainObject(own) && isPlainObject(own.message)) own.message = ownMessage(own.message);
    if (isPlainObject(own) && isPlainObject(own.usage)) own.usage = { ...own.usage };
  } catch (error) {
    throw badResponse(provider, `its response cannot be read: ${quoteForeign(thrownText(error))}`, error);
  }
  const flaw = findResponseFlaw(own) ?? findFigureFlaw(own);
  if (flaw === undefined) return own;
  const place = flaw.pointer === "" ? "its response" : `${flaw.pointer} of its response`;
  throw badResponse(provider, `${place} is not ${flaw.expected}`);
}

/** Seals a message of plain JSON. Of another one (a Buffer as an argument, half a surrogate pair) only the containers are copied. */
function ownMessage(given: AssistantMessage): AssistantMessage {
  try {
    return seal(given);
  } catch (error) {
    if (!(error instanceof NotJsonError)) throw error;
  }
  const own = { ...given };
  if (Array.isArray(own.toolCalls)) own.toolCalls = Array.from(own.toolCalls, (call) => ({ ...call }));
  return own;
}

function badResponse(provider: LlmProviderAdapter, problem: string, cause?: unknown): AgentError {
  return new AgentError("provider-response", `provider ${providerName(provider)}: ${problem}`, {
    hint: "A provider's turn(request) resolves to { message: { role: 'assistant', content, toolCalls? }, stopReason }.",
    ...(cause === undefined ? {} : { cause }),
  });
}

function toRequest(
  { history, tools, settings: own, timeoutMs, context }: TurnInput,
  prepared: PreparedTurn | undefined,
): LlmTurnRequest {
  const settings = prepared?.settings ?? own;
  const request: { -readonly [Key in keyof LlmTurnRequest]: LlmTurnRequest[Key] } = {
    messages: prepared?.messages ?? history,
    signal: context.signal,
  };
  if (tools.definitions.length > 0) request.tools = tools.definitions;
  if (settings !== undefined) request.settings = settings;
  if (timeoutMs !== undefined) request.timeoutMs = timeoutMs;
  return request;
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
  const body: EventBody = { type: "llm-turn", stopReason, toolCalls: message.toolCalls?.length ?? 0 };
  if (usage !== undefined) body.usage = usage;
  if (costUsd !== undefined) body.costUsd = costUsd;
  if (model !== undefined) body.model = model;
  return body;
}

function describeError(error: unknown): EventBody {
  if (!(error instanceof Error)) return { type: "llm-error", name: "unknown", message: thrownText(error) };
  const code = (error as { code?: unknown }).code;
  const body = { type: "llm-error", name: error.name, message: thrownText(error) } as const;
  return typeof code === "string" ? { ...body, code } : body;
}
