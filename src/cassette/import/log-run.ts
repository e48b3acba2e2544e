// A run as returned by the reader of its format: roles and content already have our shape, but tool call ids are still the log's. They
// are made unique last, in one place for all formats (message/call-ids.ts).

import type { ContentPart, JsonObject, JsonValue, LlmToolDefinition, Reasoning, Usage } from "../../core/index.js";

export interface LogCall {
  id: JsonValue | undefined;
  /** A legacy `function_call` never had an id, so a missing one is not counted as a repair. */
  legacy?: true;
  name?: string | undefined;
  arguments: JsonObject;
  malformedArguments?: string;
}

export interface LogAssistantMessage {
  role: "assistant";
  content: string;
  calls: LogCall[];
  reasoning: Reasoning[];
  usage?: Usage | undefined;
  /** True if no model wrote it: prompts keep it, but it is not a turn. */
  notModel?: boolean;
}

export interface LogToolMessage {
  role: "tool";
  callId: JsonValue | undefined;
  name?: string | undefined;
  content: string;
  isError: boolean;
}

export type LogMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: string | ContentPart[] }
  | LogAssistantMessage
  | LogToolMessage;

/** A record's facts about its run. Missing names come from the options and the source. */
export interface LogFacts {
  model?: string | undefined;
  task?: string | undefined;
  trial?: string | undefined;
  /** How the benchmark judged the run, in its own words. */
  outcome?: JsonObject | undefined;
  expected?: JsonValue[] | undefined;
  /** The origin that the record itself names. */
  origin?: string | undefined;
}

/** A run whose record is its conversation: the prompt of each answer is everything before it. */
export interface LogRun extends LogFacts {
  /** Undefined when the log does not list the tools that were offered. */
  tools?: LlmToolDefinition[] | undefined;
  messages: LogMessage[];
}
