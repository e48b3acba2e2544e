// A run as returned by the reader of its format: roles and content already have our shape, but tool call ids are still the log's. They
// are made unique last, in one place for all formats (message/call-ids.ts).

import type {
  ContentPart,
  JsonObject,
  JsonValue,
  LlmToolDefinition,
  Reasoning,
  StopReason,
  Usage,
} from "../../core/index.js";

export interface LogCall {
  id: JsonValue | undefined;
  /** A legacy `function_call` never had an id, so a missing one is not counted as a repair. */
  legacy?: true;
  name?: string | undefined;
  arguments: JsonObject;
  malformedArguments?: string;
}

/** Fields of a vendor's wire that a message of ours has no other place for, under the name of the wire. */
interface WireFields {
  wire?: JsonObject;
}

export interface LogAssistantMessage extends WireFields {
  role: "assistant";
  content: string;
  calls: LogCall[];
  reasoning: Reasoning[];
  usage?: Usage | undefined;
  /** The vendor's name of the model that answered. */
  model?: string | undefined;
  costUsd?: number | undefined;
  /** Why the answer ended early. That it ended normally, or calls tools, is seen from the answer. */
  stopReason?: EarlyStop | undefined;
  /** True if no model wrote it: prompts keep it, but it is not a turn. */
  notModel?: boolean;
}

export type EarlyStop = Exclude<StopReason, "stop" | "toolUse">;

export interface LogToolMessage extends WireFields {
  role: "tool";
  callId: JsonValue | undefined;
  name?: string | undefined;
  content: string;
  isError: boolean;
}

export type LogMessage =
  | ({ role: "system"; content: string } & WireFields)
  | ({ role: "user"; content: string | ContentPart[] } & WireFields)
  | LogAssistantMessage
  | LogToolMessage;

/** What a coding agent notes about its session, in our words for all agents. */
export interface LogSession {
  /** The working folder. */
  cwd?: string | undefined;
  branch?: string | undefined;
  commit?: string | undefined;
  repository?: string | undefined;
  /** The program and its version. */
  version?: string | undefined;
  /** The session that started this one, or from which it was forked. */
  parent?: string | undefined;
}

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
  /** The session of a coding agent. */
  session?: LogSession | undefined;
}

/** A run whose record is its conversation: the prompt of each answer is everything before it. */
export interface LogRun extends LogFacts {
  /** Undefined when the log does not list the tools that were offered. */
  tools?: LlmToolDefinition[] | undefined;
  messages: LogMessage[];
}
