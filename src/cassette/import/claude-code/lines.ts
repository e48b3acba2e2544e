// The lines of a Claude Code transcript (`~/.claude/projects/<folder>/<id>.jsonl`): what was said (`user`, `assistant`), and
// everything else the program notes for itself (`summary`, `system`, `file-history-snapshot`, …). The format is not published;
// this follows the files of versions 1.0 to 2.1.

import type { JsonObject, JsonValue } from "../../../core/index.js";
import { isObject, toName, toText } from "../value.js";

/** Notes that do not say which transcript they belong to, by their `type`, and what each has instead. */
const NOTES: ReadonlyMap<string, string> = new Map([
  ["summary", "leafUuid"],
  ["file-history-snapshot", "messageId"],
]);

/** What one line is for the conversation. */
export type LineKind = "user" | "answer" | "tool-result" | "clear" | "api-error" | "note";

/** True for a line of a transcript: said or noted by the program, with its id. */
export function isClaudeCodeLine(record: JsonValue): boolean {
  if (!isObject(record)) return false;
  const type = toText(record["type"]);
  const mark = NOTES.get(type);
  if (mark !== undefined && mark in record) return true;
  if (type === "" || "messages" in record) return false;
  return typeof record["sessionId"] === "string" || (typeof record["uuid"] === "string" && "parentUuid" in record);
}

/** Which of the kinds a line is. */
export function kindOf(line: JsonObject): LineKind {
  const { message } = line;
  if (!isObject(message)) return "note";
  const role = toText(line["type"]);
  if (role === "assistant") return line["isApiErrorMessage"] === true ? "api-error" : "answer";
  if (role !== "user") return "note";
  if (resultIdsOf(line).length > 0) return "tool-result";
  return isClear(message["content"]) ? "clear" : "user";
}

/** The ids of the calls a line brings results of. */
export function resultIdsOf({ message }: JsonObject): string[] {
  const content = isObject(message) ? message["content"] : undefined;
  const blocks = Array.isArray(content) ? content.filter(isObject) : [];
  return blocks.filter(({ type }) => type === "tool_result").map((block) => toText(block["tool_use_id"]));
}

/** One answer is written as a line for each of its blocks, all under the id of the answer. */
export function answerIdOf({ message }: JsonObject): string | undefined {
  return isObject(message) ? toName(message["id"]) : undefined;
}

/** `/clear` empties the context: what follows knows nothing of what came before, though the ids go on. */
function isClear(content: JsonValue | undefined): boolean {
  return typeof content === "string" && /^\s*<command-name>\/clear<\/command-name>/.test(content);
}
