// The lines of a Claude Code transcript (`~/.claude/projects/<folder>/<id>.jsonl`): messages (`user`, `assistant`) and the
// program's own notes. The format is not published; this follows the files of versions 1.0 to 2.1.

import type { JsonObject, JsonValue } from "../../../core/index.js";
import { isObject, toList, toName, toObject, toText } from "../foreign-json.js";

/** Notes without the id of their transcript, by `type`, and the field that each has instead. */
const NOTES: ReadonlyMap<string, string> = new Map([
  ["summary", "leafUuid"],
  ["file-history-snapshot", "messageId"],
]);

export type LineKind = "user" | "answer" | "tool-result" | "clear" | "api-error" | "note";

export function isClaudeCodeLine(record: JsonValue): boolean {
  if (!isObject(record)) return false;
  const type = toText(record["type"]);
  const mark = NOTES.get(type);
  if (mark !== undefined && mark in record) return true;
  // Qwen Code writes Gemini's parts in lines of this shape.
  if (type === "" || "messages" in record || Array.isArray(toObject(record["message"])["parts"])) return false;
  return typeof record["sessionId"] === "string" || (typeof record["uuid"] === "string" && "parentUuid" in record);
}

export function kindOf(line: JsonObject): LineKind {
  const { message } = line;
  if (!isObject(message)) return "note";
  const role = toText(line["type"]);
  if (role === "assistant") return line["isApiErrorMessage"] === true ? "api-error" : "answer";
  if (role !== "user") return "note";
  if (resultIdsOf(line).length > 0) return "tool-result";
  const { content } = message;
  // `/clear` empties the context: no later prompt contains earlier lines, though the ids continue.
  return typeof content === "string" && /^\s*<command-name>\/clear<\/command-name>/.test(content) ? "clear" : "user";
}

export function resultIdsOf({ message }: JsonObject): string[] {
  const blocks = toList(toObject(message)["content"]).filter(isObject);
  return blocks.filter(({ type }) => type === "tool_result").map((block) => toText(block["tool_use_id"]));
}

/** The id of an answer, which has a line for each of its blocks. */
export function answerIdOf({ message }: JsonObject): string | undefined {
  return toName(toObject(message)["id"]);
}
