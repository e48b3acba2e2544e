// The items of a Codex rollout as messages. They are items of the Responses API, so the wire's own parser reads them, and a replay over
// that wire sees what was recorded. Items of the program's own, and of hand-written logs, are rewritten as such first.

import { AgentError, canonicalize, defined, VENDORS, type JsonObject, type JsonValue } from "../../../core/index.js";
import { fromWire } from "../message/from-wire.js";
import { keepUnknown } from "../message/message.js";
import type { LogAssistantMessage, LogMessage } from "../log-run.js";
import type { RepairLog } from "../repair.js";
import { isObject, toName, toNumber, toObject, toText } from "../foreign-json.js";

/** Consecutive items that the model wrote, as one answer. */
export function readAnswer(items: readonly JsonObject[], repairs: RepairLog): LogAssistantMessage | undefined {
  const own = items.map(toWireItem);
  const message = parse(own);
  if (message?.role !== "assistant") return readEach(items, repairs);
  const isEmpty = (item: JsonObject): boolean => item["type"] === "message" && item["content"] === undefined;
  repairs.add("content-missing", items.filter(isEmpty).length);
  const calls = own.filter(({ type }) => type === "function_call" || type === "custom_tool_call");
  return fromWire(
    message,
    calls.map((call) => call["call_id"]),
  ) as LogAssistantMessage;
}

/** Reads an answer without the items that cannot be read, which are kept as text. */
function readEach(items: readonly JsonObject[], repairs: RepairLog): LogAssistantMessage | undefined {
  const isReadable = (item: JsonObject): boolean => parse([toWireItem(item)]) !== undefined;
  const others = items.filter((item) => !isReadable(item));
  if (others.length === 0) return undefined;
  repairs.add("part-unsupported", others.length);
  const texts = others.map((item) => ({ type: "message", role: "assistant", content: canonicalize(item) }));
  return readAnswer([...items.filter(isReadable), ...texts], repairs);
}

/** An item that the model got. `failed` holds the ids of the calls that the program notes as failed. */
export function readGiven(item: JsonObject, failed: ReadonlySet<string>, repairs: RepairLog): LogMessage {
  const own = toWireItem(item);
  const message = parse([own]);
  if (message === undefined || message.role === "assistant") {
    return message === undefined ? keepUnknown(item, repairs) : { role: "user", content: "", ...itemField(own) };
  }
  const callId = own["call_id"];
  const read = fromWire(message, [callId]);
  return read.role === "tool" ? { ...read, isError: failed.has(toText(callId)) || hasFailed(item) } : read;
}

/** An item with no place of its own, such as an encrypted compaction, is kept whole. */
function itemField({ id: _id, ...item }: JsonObject): { wire: JsonObject } {
  return { wire: { responses: { item } } };
}

function parse(items: readonly JsonObject[]) {
  try {
    return VENDORS.responses.parse({ input: [...items] }).request.messages[0];
  } catch (error) {
    if (error instanceof AgentError) return undefined;
    throw error;
  }
}

/** The item as the API has it. */
function toWireItem(item: JsonObject): JsonObject {
  const { type, id, call_id: callId = id, output, action } = item;
  const call = defined({ call_id: callId });
  switch (type) {
    case "local_shell_call":
      return { type: "function_call", ...call, name: "local_shell", arguments: JSON.stringify(action ?? {}) };
    case "tool_call": {
      const { name } = isObject(item["function"]) ? item["function"] : item;
      const { arguments: args } = item;
      return { type: "function_call", ...call, ...defined({ name }), arguments: toJsonText(args) };
    }
    case "tool_result":
      return { type: "function_call_output", ...call, output: toJsonText(output ?? item["result"] ?? item["content"]) };
    case "function_call_output":
    case "custom_tool_call_output":
      return typeof output === "string" || Array.isArray(output) ? item : { ...item, output: toOutput(output) };
    default:
      return item;
  }
}

function toJsonText(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
}

/** Older versions write an object with the text of a result and its success. */
function toOutput(output: JsonValue | undefined): string {
  const { content } = toObject(output);
  return typeof content === "string" ? content : toJsonText(output);
}

/** True for a result that says it failed: by a mark, or by the exit code of a command, which is in its first lines. */
function hasFailed({ output, result }: JsonObject): boolean {
  const said = output ?? result;
  if (isObject(said)) return said["success"] === false || isFailure(exitCodeOf(said));
  const text = toText(said);
  const [, code] = /^(?:.*\n){0,4}?(?:Exit code: |Process exited with code )(-?\d+)/.exec(text.slice(0, 400)) ?? [];
  if (code !== undefined) return isFailure(Number(code));
  const [, noted] = /"metadata":\{"exit_code":(-?\d+)[^{}]*\}\}\s*$/.exec(text) ?? [];
  return text.startsWith("{") && isFailure(toNumber(noted));
}

function exitCodeOf(result: JsonObject): number | undefined {
  return toNumber(result["exitCode"] ?? result["exit_code"] ?? toObject(result["metadata"])["exit_code"]);
}

function isFailure(code: number | undefined): boolean {
  return code !== undefined && code !== 0;
}

/** The id of a call that an event notes as failed. */
export function failedCallOf({ type, ...event }: JsonObject): string | undefined {
  const { call_id: id, success, result } = event;
  const isEnd = toText(type).endsWith("_end");
  const { Err: error, Ok: value } = toObject(result);
  const isFailed = success === false || isFailure(exitCodeOf(event)) || error !== undefined;
  return isEnd && (isFailed || toObject(value)["isError"] === true) ? toName(id) : undefined;
}
