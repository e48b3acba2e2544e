// The arguments of a tool call as a log has them: JSON text (OpenAI), an object (Anthropic, AgentDojo), or neither.

import { canonicalize, parseBoundedJson, type JsonValue } from "../../../core/index.js";
import { CassetteError } from "../../errors.js";
import type { LogCall } from "../log.js";
import type { RepairLog } from "../repair.js";
import { cleanJson, isObject } from "../value.js";

export type LogArguments = Pick<LogCall, "arguments" | "malformedArguments">;

/** Reads arguments. What is not one JSON object is kept as text beside empty arguments, as the core does with a live call. */
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
