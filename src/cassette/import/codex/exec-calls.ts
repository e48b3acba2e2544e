// The items of `codex exec --json` that are calls of tools, and their results, as messages. Tools have the names that Codex offers.

import { canonicalize, type JsonObject } from "../../../core/index.js";
import { countValue } from "../message/message.js";
import type { RepairLog } from "../repair.js";
import { isObject, toList, toObject, toText } from "../foreign-json.js";

/** Undefined for an item that is not a call. */
export function toCall(item: JsonObject, repairs: RepairLog): { name: string; arguments: JsonObject } | undefined {
  const { type, command, changes, server, tool, arguments: args, query, items, prompt } = item;
  switch (type) {
    case "command_execution":
      return { name: "shell", arguments: { command: command ?? null } };
    case "file_change":
      return { name: "apply_patch", arguments: { changes: changes ?? null } };
    case "mcp_tool_call":
      if (!isObject(args)) countValue(args, repairs);
      return { name: `mcp__${toText(server)}__${toText(tool)}`, arguments: toObject(args) };
    case "collab_tool_call":
      return { name: toText(tool), arguments: { prompt: prompt ?? null } };
    case "web_search":
      return { name: "web_search", arguments: { query: query ?? null } };
    case "todo_list":
      return { name: "update_plan", arguments: { items: items ?? null } };
    default:
      return undefined;
  }
}

/** The result of a call that is over. */
export function toResult(item: JsonObject): { content: string; isError: boolean } {
  const { aggregated_output: output, exit_code: code, status, result, error } = item;
  const { content } = toObject(result);
  const texts = toList(content).map((part) => (isObject(part) ? toText(part["text"]) : toText(part)));
  const isError = status === "failed" || status === "declined" || (typeof code === "number" && code !== 0);
  const said = toText(output) || texts.join("") || toText(toObject(error)["message"]);
  const whole = said === "" && isObject(result) ? canonicalize(result) : said;
  return { content: whole === "" ? toText(status) : whole, isError: isError || isObject(error) };
}
