// A function as a model: it receives the history and returns messages. It may answer several steps at once, with calls that it has
// already made, so the loop reads its results instead of running tools.

import { isPlainObject, type JsonObject } from "../../canon/value.js";
import { AgentError } from "../../errors.js";
import type { AssistantMessage, LlmMessage, LlmToolCall, Reasoning, ToolMessage } from "../../model/message.js";
import type { LlmProviderAdapter, LlmTurnRequest, LlmTurnResponse } from "../../model/provider.js";
import { showValue } from "../../text/show.js";
import { findMessageFlaw } from "../../model/response.js";
import type { GrantedTool, ToolSet } from "../../tools/registry.js";
import { toResultText } from "../../tools/result.js";

/** A model as a function. It receives the history without instructions, and a signal that fires when the turn is aborted. */
export type RuntimeLlm = (context: {
  readonly history: readonly LlmMessage[];
  readonly signal: AbortSignal;
}) => readonly RuntimeMessage[] | Promise<readonly RuntimeMessage[]>;

/** What a {@link RuntimeLlm} returns, in order. Each call must be followed by its result. */
export type RuntimeMessage =
  | AssistantMessage
  | ToolMessage
  | { readonly role: "assistant"; readonly content: readonly RuntimePart[] }
  | { readonly role: "tool"; readonly content: readonly RuntimeToolResult[] };

export type RuntimePart =
  | { readonly type: "text" | "reasoning"; readonly text: string }
  | { readonly type: "tool-call"; readonly toolCallId: string; readonly toolName: string; readonly input: JsonObject };

export interface RuntimeToolResult {
  readonly type: "tool-result";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output: unknown;
  readonly isError?: boolean;
}

/** One step of an answer: a message, and the results of its calls in call order. */
interface GivenStep {
  readonly message: AssistantMessage;
  readonly results: readonly ToolMessage[];
}

/** A function as the model of one turn. */
export interface FunctionModel {
  readonly provider: LlmProviderAdapter;
  /** Returns the results that the function returned. */
  readonly tools: ToolSet;
  /** True if the last answer has steps left, so the next step does not call the function. */
  readonly hasMore: () => boolean;
}

export function openFunction(model: RuntimeLlm): FunctionModel {
  let steps: readonly GivenStep[] = [];
  const tools = new GivenTools();
  const turn = async ({ messages, signal }: LlmTurnRequest): Promise<LlmTurnResponse> => {
    if (steps.length === 0)
      steps = readAnswer(await model({ history: Object.freeze([...messages]), signal: signal as AbortSignal }));
    const [{ message, results }, ...left] = steps as [GivenStep, ...GivenStep[]];
    steps = left;
    tools.results = results;
    const isCalling = results.length > 0;
    return isCalling
      ? { message, stopReason: "toolUse" }
      : { message, finalAnswer: message.content, stopReason: "stop" };
  };
  return {
    provider: { name: "function", turn },
    tools: { byName: tools, definitions: [] },
    hasMore: () => steps.length > 0,
  };
}

/** Accepts every name. The calls of a message are looked up in order, and each gets its recorded result. */
class GivenTools extends Map<string, GrantedTool> {
  #results: readonly ToolMessage[] = [];

  set results(results: readonly ToolMessage[]) {
    this.#results = results;
  }

  override get(name: string): GrantedTool | undefined {
    const [result, ...left] = this.#results;
    if (result === undefined) return undefined;
    this.#results = left;
    return {
      name,
      effect: "read",
      retryPolicy: "pure",
      timeoutMs: Infinity,
      resultLimit: Infinity,
      check: (args) => args as JsonObject,
      invoke: () => {
        if (result.isError === true) throw new Error(result.content);
        return result.content;
      },
    };
  }
}

function readAnswer(given: unknown): readonly GivenStep[] {
  if (!Array.isArray(given) || given.length === 0)
    throw wrongOutput(`returned ${Array.isArray(given) ? "an empty list" : showValue(given)}`);
  const steps: { message: AssistantMessage; results: ToolMessage[] }[] = [];
  for (const [index, item] of given.entries()) {
    for (const message of readMessage(item, index)) {
      const last = steps.at(-1);
      if (message.role === "assistant") {
        assertAnswered(last);
        steps.push({ message, results: [] });
      } else {
        if (last === undefined || !isOpen(last, message.toolCallId))
          throw wrongOutput(`returned a result for the call ${showValue(message.toolCallId)}, which is not open`);
        last.results.push(message);
      }
    }
  }
  assertAnswered(steps.at(-1));
  return steps.map(({ message, results }) => ({ message, results: inOrder(message, results) }));
}

function isOpen({ message, results }: GivenStep, id: string): boolean {
  const calls = (message.toolCalls ?? []).filter((call) => call.id === id);
  return calls.length > results.filter(({ toolCallId }) => toolCallId === id).length;
}

function assertAnswered(step: GivenStep | undefined): void {
  const open = (step?.message.toolCalls ?? []).find(({ id }) => step !== undefined && isOpen(step, id));
  if (open !== undefined)
    throw wrongOutput(`returned the call ${showValue(open.id)} of ${showValue(open.name)} without its result`);
}

function inOrder({ toolCalls = [] }: AssistantMessage, results: readonly ToolMessage[]): readonly ToolMessage[] {
  const left = [...results];
  return toolCalls.map(
    ({ id }) =>
      left.splice(
        left.findIndex(({ toolCallId }) => toolCallId === id),
        1,
      )[0] as ToolMessage,
  );
}

function readMessage(item: unknown, index: number): readonly (AssistantMessage | ToolMessage)[] {
  const at = `message ${index}`;
  if (!isPlainObject(item)) throw wrongOutput(`returned ${showValue(item)} as ${at}`);
  const { role, content } = item;
  const messages = Array.isArray(content) ? readParts(role, content, at) : [item];
  for (const message of messages) {
    const flaw = findMessageFlaw(message);
    if (flaw !== undefined)
      throw wrongOutput(`returned ${at}, whose ${flaw.pointer || "value"} is not ${flaw.expected}`);
    const { role: own } = message as LlmMessage;
    if (own !== "assistant" && own !== "tool") throw wrongOutput(`returned ${at} with the role ${showValue(own)}`);
  }
  return messages as (AssistantMessage | ToolMessage)[];
}

function readParts(role: unknown, parts: readonly unknown[], at: string): readonly object[] {
  const items = parts.map((part) => {
    if (!isPlainObject(part)) throw wrongOutput(`returned ${showValue(part)} as a part of ${at}`);
    return part;
  });
  const wrong = (type: unknown) => wrongOutput(`returned a part of the type ${showValue(type)} in ${at}`);
  if (role === "tool") {
    return items.map(({ type, toolCallId, toolName, output, isError }) => {
      if (type !== "tool-result") throw wrong(type);
      const content = toResultText(output, Infinity).text;
      const message = { role, toolCallId, name: toolName, content };
      return isError === true ? { ...message, isError } : message;
    });
  }
  const texts: unknown[] = [];
  const reasoning: Reasoning[] = [];
  const toolCalls: LlmToolCall[] = [];
  for (const { type, text, toolCallId, toolName, input } of items) {
    if (type === "text" && typeof text === "string") texts.push(text);
    else if (type === "reasoning" && typeof text === "string") reasoning.push({ type: "text", text });
    else if (type === "tool-call") toolCalls.push({ id: toolCallId, name: toolName, arguments: input } as LlmToolCall);
    else throw wrong(type);
  }
  const message = { role, content: texts.join("") };
  return [
    {
      ...message,
      ...(toolCalls.length > 0 ? { toolCalls } : {}),
      ...(reasoning.length > 0 ? { reasoning } : {}),
    },
  ];
}

function wrongOutput(what: string): AgentError {
  return new AgentError("model-output", `the model function ${what}`, {
    hint: "Return a list of assistant messages, each call followed by its tool message.",
  });
}
