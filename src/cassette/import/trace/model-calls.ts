// A run as a list of model calls, each with the prompt that was sent and its answer, as spans and traces have them. Every
// prompt is taken as it was sent, so one that was cut, summed up or belongs to another agent stays what it was. Only what
// equals the prompt before is not written again.

import {
  defined,
  hashJson,
  type JsonObject,
  type JsonValue,
  type LlmMessage,
  type LlmSettings,
  type LlmToolDefinition,
  type LlmTurnResponse,
} from "../../../core/index.js";
import type { BuiltTurn } from "../../file/build.js";
import type { ContextExtension } from "../../file/format.js";
import { createPromptTracker } from "../../prompt/prompt-delta.js";
import type { EarlyStop, LogAssistantMessage, LogFacts, LogMessage } from "../log-run.js";
import type { RepairLog } from "../repair.js";
import { toLlmMessages } from "../message/call-ids.js";

/** An answered call of a model. A call without an answer is not a turn; its reader counts `call-unanswered`. */
export interface ModelCall {
  /** The whole prompt. Tool call ids are the log's until `toLlmMessages`. */
  request: LogMessage[];
  response: LogAssistantMessage;
  /** Why the answer ended early. That it ended normally, or calls tools, is seen from the answer. */
  stopReason?: EarlyStop | undefined;
  /** The vendor's name of the model that answered. */
  model?: string;
  costUsd?: number;
  /** Absent when the log does not list the tools that were offered: those of the call before still apply. */
  tools?: LlmToolDefinition[];
  /** Undefined when the log does not list them: those of the call before still apply. */
  settings?: Omit<LlmSettings, "model"> | undefined;
}

/** A run whose record is its model calls, in the order in which they began. */
export interface LogCalls extends LogFacts {
  calls: ModelCall[];
  /** What the log has after the last answer, in the same conversation. */
  after?: LogMessage[];
}

export interface CallTurns {
  turns: BuiltTurn[];
  contexts: ContextExtension[];
  trailing: LlmMessage[];
}

/** Builds the turns of a run. Repairs of a message are counted where it first occurs, not in every prompt that repeats it. */
export function toCallTurns({ calls, after = [] }: LogCalls, repairs: RepairLog): CallTurns {
  const tracker = createPromptTracker();
  const isNew = createNewness();
  const turns = calls.map((call): BuiltTurn => {
    const thread = [...call.request, call.response];
    const messages = toLlmMessages(thread, repairs, isNew(thread));
    const { keep, promptHash } = tracker.next(messages.slice(0, -1));
    const prompt = { keep, messages: tracker.since(keep) };
    return { promptHash, prompt, response: toResponse(messages.at(-1) as AssistantMessage, call) };
  });
  const last = calls.at(-1);
  const whole = last === undefined ? after : [...last.request, last.response, ...after];
  const trailing = toLlmMessages(whole, repairs, isNew(whole)).slice(whole.length - after.length);
  return { turns, contexts: toContexts(calls), trailing };
}

type AssistantMessage = Extract<LlmMessage, { role: "assistant" }>;

/** A turn's response. Without a stop reason of the log, the message shows whether the turn ended or calls tools. */
export function toResponse(
  message: AssistantMessage,
  { response, ...call }: Omit<ModelCall, "request">,
): LlmTurnResponse {
  const asksTools = message.toolCalls !== undefined;
  const { stopReason, costUsd, model } = { ...response, ...defined(call) };
  return {
    message,
    ...(asksTools ? {} : { finalAnswer: message.content }),
    stopReason: stopReason ?? (asksTools ? "toolUse" : "stop"),
    ...defined({ usage: response.usage, costUsd, model }),
  };
}

export function toContext(
  fromTurn: number,
  tools: readonly LlmToolDefinition[],
  settings: Omit<LlmSettings, "model">,
): ContextExtension {
  const listed = tools.map(({ name, description, schema }) => ({ name, description, schema }));
  const plain = { ...settings } as JsonObject;
  const hashes = { toolsHash: hashJson(listed), settingsHash: hashJson(plain) };
  return { fromTurn, ...hashes, tools: listed, ...(Object.keys(plain).length === 0 ? {} : { settings: plain }) };
}

/** The tools and settings of the calls, wherever they change. */
export function toContexts(calls: readonly Pick<ModelCall, "tools" | "settings">[]): ContextExtension[] {
  const contexts: ContextExtension[] = [];
  let tools: LlmToolDefinition[] = [];
  let settings: Omit<LlmSettings, "model"> = {};
  for (const [turn, call] of calls.entries()) {
    if (call.tools === undefined && call.settings === undefined) continue;
    tools = call.tools ?? tools;
    settings = call.settings ?? settings;
    const context = toContext(turn, tools, settings);
    const before = contexts.at(-1);
    const isSame = before?.toolsHash === context.toolsHash && before.settingsHash === context.settingsHash;
    if (!isSame) contexts.push(context);
  }
  return contexts;
}

/** Creates a test for the messages of each thread: true where no earlier thread had one like it. */
function createNewness(): (thread: readonly LogMessage[]) => (message: LogMessage) => boolean {
  const known = new WeakSet<LogMessage>();
  const texts = new Set<string>();
  return (thread) => {
    const fresh = new Set<LogMessage>();
    const freshTexts: string[] = [];
    for (const message of thread) {
      if (known.has(message)) continue;
      known.add(message);
      // A prompt repeats an answer without its usage.
      const text = JSON.stringify("usage" in message ? { ...message, usage: undefined } : message);
      if (texts.has(text)) continue;
      fresh.add(message);
      freshTexts.push(text);
    }
    for (const text of freshTexts) texts.add(text);
    return (message) => fresh.has(message);
  };
}

export type ReadMessages = (list: readonly JsonValue[], repairs: RepairLog) => LogMessage[];

/**
 * Creates a reader for the prompts of one run, in order. A message that was in an earlier prompt is not read again, so its
 * repairs are counted once. `read` must read each message independently of its neighbours.
 */
export function createPromptReader(
  read: ReadMessages,
  repairs: RepairLog,
): (list: readonly JsonValue[]) => LogMessage[] {
  const before = new Map<string, LogMessage[]>();
  return (list) => {
    const now = new Map<string, LogMessage[]>();
    const messages = list.flatMap((message) => {
      const text = JSON.stringify(message);
      const known = before.get(text);
      if (known !== undefined) return known;
      // Equal messages in one prompt are two messages, each counted.
      const own = read([message], repairs);
      now.set(text, own);
      return own;
    });
    for (const [text, own] of now) before.set(text, own);
    return messages;
  };
}

/** Wraps `read` so that each distinct value is read once, and its repairs are counted once. */
export function readOnce<T>(read: (value: JsonValue | undefined) => T): (value: JsonValue | undefined) => T {
  const known = new Map<string, T>();
  return (value) => {
    const text = JSON.stringify(value ?? null);
    const before = known.get(text);
    if (before !== undefined || known.has(text)) return before as T;
    const own = read(value);
    known.set(text, own);
    return own;
  };
}
