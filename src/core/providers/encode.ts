// Pieces of a request body that several vendors write alike.

import type { JsonObject } from "../canon/value.js";
import type { LlmToolDefinition } from "../model/provider.js";

/** `{ [key]: value }`, or an empty object if the caller did not set it. */
export function optional(key: string, value: string | number | readonly string[] | undefined): JsonObject {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return {};
  return { [key]: typeof value === "object" ? [...value] : value };
}

/** A tool in the shape of OpenAI, which Ollama uses too. */
export function toFunctionTool({ name, description, schema }: LlmToolDefinition): JsonObject {
  return { type: "function", function: { name, description, parameters: schema } };
}

/** The name of a call that goes back to the vendor. Vendors refuse other characters, which only a call of an unknown tool has. */
export function toWireName(name: string, maxLength: number): string {
  return name.replace(/[^\w-]/g, "_").slice(0, maxLength) || "unnamed";
}
