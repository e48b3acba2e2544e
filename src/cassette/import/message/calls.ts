// Tool calls as logs have them. The arguments are JSON text (OpenAI), an object (Anthropic, AgentDojo), or neither.

import { canonicalize, parseBoundedJson, type JsonObject, type JsonValue } from "../../../core/index.js";
import { CassetteError } from "../../errors.js";
import type { LogCall } from "../log-run.js";
import type { RepairLog } from "../repair.js";
import { cleanJson, isObject, toName } from "../foreign-json.js";
import { countDropped } from "./message.js";

/** A format's names for the fields of a tool call, and fields that may be ignored. */
export interface CallWords {
  id: string;
  name: string;
  arguments: string;
  ignored?: readonly string[];
}

/** Reads calls in these words. A single call without a list is counted, and read. */
export function readCalls(calls: JsonValue | undefined, words: CallWords, repairs: RepairLog): LogCall[] {
  return toCallList(calls, repairs).map((call) =>
    isObject(call) ? readCall(call, words, repairs) : { id: undefined, ...toArguments(call, repairs) },
  );
}

/** The items of a list of calls, which may be absent or null, or a single call. */
export function toCallList(calls: JsonValue | undefined, repairs: RepairLog): JsonValue[] {
  if (Array.isArray(calls)) return calls;
  if (calls === undefined || calls === null) return [];
  repairs.add("tool-calls-not-list");
  return [calls];
}

/** Reads one call. Fields without a place in ours are counted. */
export function readCall(call: JsonObject, words: CallWords, repairs: RepairLog): LogCall {
  const { id, name, arguments: args, ignored = [] } = words;
  countDropped(call, new Set([id, name, args, ...ignored]), repairs);
  return { id: call[id], name: toName(call[name]), ...toArguments(call[args], repairs) };
}

/** Takes the blocks of one type out of an answer's content. Counts blocks that come after them, whose place is lost. */
export function takeCallBlocks(
  content: JsonValue | undefined,
  type: string,
  repairs: RepairLog,
): { calls: JsonObject[]; others: JsonValue | undefined } {
  if (!Array.isArray(content)) return { calls: [], others: content };
  const calls: JsonObject[] = [];
  const others: JsonValue[] = [];
  for (const block of content) {
    if (isObject(block) && block["type"] === type) {
      calls.push(block);
      continue;
    }
    if (calls.length > 0) repairs.add("text-order-lost");
    others.push(block);
  }
  return { calls, others };
}

type LogArguments = Pick<LogCall, "arguments" | "malformedArguments">;

/** Reads arguments. Anything but one JSON object is kept as text with empty arguments, as the core does with a live call. */
export function toArguments(value: JsonValue | undefined, repairs: RepairLog): LogArguments {
  if (isObject(value)) return { arguments: value };
  if (value === undefined || value === null || value === "") {
    repairs.add("arguments-missing");
    return { arguments: {} };
  }
  if (typeof value === "string") return parseArguments(value, repairs);
  repairs.add("arguments-not-object");
  return { arguments: {}, malformedArguments: canonicalize(value) };
}

function parseArguments(text: string, repairs: RepairLog): LogArguments {
  try {
    const value = cleanJson(parseBoundedJson(text), repairs);
    if (isObject(value)) return { arguments: value };
    repairs.add("arguments-not-object");
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof CassetteError)) throw error;
    repairs.add("arguments-malformed");
  }
  return { arguments: {}, malformedArguments: text };
}
