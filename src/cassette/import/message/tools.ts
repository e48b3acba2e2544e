// Tool definitions as OpenAI ({type: "function", function: {…, parameters}}, and flat), Anthropic ({name, input_schema}) or the
// AI SDK ({type: "function", name, inputSchema}) write them. Hints to a vendor (strict, cache_control, defer_loading) are ignored.

import { canonicalize, type JsonValue, type LlmToolDefinition } from "../../../core/index.js";
import type { RepairLog } from "../repair.js";
import { isObject, toName, toObject, toText } from "../foreign-json.js";

/** The tools that a log lists as offered, or undefined if it does not list them. */
export function readTools(list: JsonValue | undefined, repairs: RepairLog): LlmToolDefinition[] | undefined {
  if (!Array.isArray(list)) return undefined;
  return list.map((tool) => readTool(tool, repairs));
}

function readTool(tool: JsonValue, repairs: RepairLog): LlmToolDefinition {
  const inner = toObject(tool)["function"];
  const body = isObject(inner) ? inner : toObject(tool);
  const { name, description, parameters, input_schema: inputSchema, type } = body;
  const schema = inputSchema ?? body["inputSchema"] ?? parameters;
  const isFunction = body === inner || type === undefined || type === "function" || type === "custom";
  if (typeof name === "string" && isFunction && (schema === undefined || isObject(schema))) {
    // A function without parameters takes none (OpenAI API reference, `function.parameters`).
    return { name, description: toText(description), schema: schema ?? { type: "object", properties: {} } };
  }
  repairs.add("tool-definition-unsupported");
  return { name: toName(name) ?? "unknown", description: canonicalize(tool), schema: {} };
}
