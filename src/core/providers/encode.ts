// The pieces of a request body that more than one vendor writes the same way.

import type { JsonObject } from "../canon/value.js";
import type { LlmToolDefinition } from "../model/provider.js";

/** `{ [key]: value }`, or nothing when the caller did not set it. */
export function optional(key: string, value: string | number | readonly string[] | undefined): JsonObject {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return {};
  return { [key]: typeof value === "object" ? [...value] : value };
}

/** A tool in the shape that OpenAI coined and Ollama took over. */
export function toFunctionTool({ name, description, schema }: LlmToolDefinition): JsonObject {
  return { type: "function", function: { name, description, parameters: schema } };
}

/**
 * The name of a call that goes back to the vendor. Only a call that named no tool of ours has other characters than these,
 * and vendors refuse a conversation that holds such a name.
 */
export function toWireName(name: string, maxLength: number): string {
  return name.replace(/[^\w-]/g, "_").slice(0, maxLength) || "unnamed";
}
