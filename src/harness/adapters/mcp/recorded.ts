// The tools of a recording, for a replay without their server.

import { checkCassette, extensionsOf } from "../../../cassette/index.js";
import { canonicalize, isPlainObject, type JsonObject, type LlmToolDefinition } from "../../../core/index.js";
import { HarnessError } from "../../errors.js";

/**
 * Every tool that the model was offered, in the order of first use, for `cassetteTools(cassette).replace(…)`. Throws `CassetteError`
 * as a load does, and `HarnessError` `tools-unclear` if one name has several definitions.
 */
export function recordedTools(cassette: unknown): LlmToolDefinition[] {
  const checked = checkCassette(cassette);
  const { contexts = [] } = extensionsOf(checked);
  const found = new Map<string, LlmToolDefinition>();
  for (const { tools } of contexts) {
    for (const tool of (tools ?? []).map(readTool)) {
      const before = found.get(tool.name);
      if (before !== undefined && canonicalize(before) !== canonicalize(tool)) {
        throw new HarnessError("tools-unclear", `tool ${tool.name} was recorded with several definitions`);
      }
      found.set(tool.name, tool);
    }
  }
  return [...found.values()];
}

function readTool({ name, description, schema }: JsonObject): LlmToolDefinition {
  if (typeof name === "string" && typeof description === "string" && isPlainObject(schema)) {
    return { name, description, schema };
  }
  throw new HarnessError("tools-unclear", "the recording has a tool without a name, a description and a schema");
}
