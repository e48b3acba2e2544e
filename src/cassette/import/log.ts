// A run as every format's reader hands it on: roles and content are ours already, tool call ids are still the log's. The
// ids come last, for all formats in one place (thread.ts).

import type { ContentPart, JsonObject, JsonValue, LlmToolDefinition, Reasoning, Usage } from "../../core/index.js";

/** A tool call with its id as the log has it. */
export interface LogCall {
  id: JsonValue | undefined;
  /** A legacy `function_call` never had an id, so a missing one is no further repair. */
  legacy?: true;
  /** Absent when the log names no tool. */
  name?: string;
  arguments: JsonObject;
  malformedArguments?: string;
}

export interface LogAssistantMessage {
  role: "assistant";
  content: string;
  calls: LogCall[];
  reasoning: Reasoning[];
  usage?: Usage;
  /** No model wrote it: it stands in prompts, but is no turn. */
  notModel?: true;
}

export interface LogToolMessage {
  role: "tool";
  callId: JsonValue | undefined;
  name?: string;
  content: string;
  isError: boolean;
}

export type LogMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: string | ContentPart[] }
  | LogAssistantMessage
  | LogToolMessage;

/** What one record says about its run. A name the record does not have is left to the options and the source. */
export interface LogFacts {
  model?: string;
  task?: string;
  trial?: string;
  /** How the benchmark judged the run, in its own words. */
  outcome?: JsonObject;
  /** The calls the benchmark expected. */
  expected?: JsonValue[];
  /** Where the record itself says it came from. */
  origin?: string;
}

/** A run whose record is its conversation: the prompt of each answer is everything before it. */
export interface LogRun extends LogFacts {
  /** Absent when the log does not say which tools were offered. */
  tools?: LlmToolDefinition[];
  messages: LogMessage[];
}
