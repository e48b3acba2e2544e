// Tool definitions in the words of OpenAI ({type: "function", function: {…, parameters}}, and flat), Anthropic
// ({name, input_schema}) or the AI SDK ({type: "function", name, inputSchema}). Fields that steer a vendor (strict, cache_control, defer_loading) are no part of a tool.

import { canonicalize, type JsonValue, type LlmToolDefinition } from "../../../core/index.js";
import type { RepairLog } from "../repair.js";
import { isObject, toName } from "../value.js";

/** The tools a log says were offered, or undefined if it does not say. */
export function readTools(list: JsonValue | undefined, repairs: RepairLog): LlmToolDefinition[] | undefined {
  if (!Array.isArray(list)) return undefined;
  return list.map((tool) => readTool(tool, repairs));
}

function readTool(tool: JsonValue, repairs: RepairLog): LlmToolDefinition {
  const body = isObject(tool) && isObject(tool["function"]) ? tool["function"] : tool;
  if (isObject(body)) {
    const { name, description, parameters, input_schema: inputSchema, type } = body;
    const schema = inputSchema ?? body["inputSchema"] ?? parameters;
    const isFunction = body !== tool || type === undefined || type === "function" || type === "custom";
    if (typeof name === "string" && isFunction && (schema === undefined || isObject(schema))) {
      // A function without parameters takes none (OpenAI API reference, `function.parameters`).
      return {
        name,
        description: typeof description === "string" ? description : "",
        schema: schema ?? { type: "object", properties: {} },
      };
    }
  }
  repairs.add("tool-definition-unsupported");
  return {
    name: (isObject(body) ? toName(body["name"]) : undefined) ?? "unknown",
    description: canonicalize(tool),
    schema: {},
  };
}
