// The file of `--tools`: a JSON list of what is offered to the model, for recordings that do not say it.

import { DEFAULT_MAX_BYTES, parseStrictJson } from "../../cassette/index.js";
import { isPlainObject, thrownText, type FilePort, type LlmToolDefinition } from "../../core/index.js";
import { CliError } from "../errors.js";

/** Throws `CliError` `tools-unreadable`. */
export async function readTools(files: FilePort, path: string): Promise<LlmToolDefinition[]> {
  const read = await files.read(path, DEFAULT_MAX_BYTES);
  if (read.kind !== "read") throw unreadable(path, `it is ${read.kind === "failed" ? read.message : read.kind}`);
  const value = parse(read.bytes, path);
  if (!Array.isArray(value)) throw unreadable(path, "it is no list");
  const odd = value.findIndex((tool: unknown) => !isTool(tool));
  if (odd >= 0) throw unreadable(path, `item ${odd} is no { name, description, schema }`);
  return value as LlmToolDefinition[];
}

function parse(bytes: Uint8Array, path: string): unknown {
  try {
    return parseStrictJson(bytes);
  } catch (error) {
    throw unreadable(path, thrownText(error));
  }
}

function isTool(tool: unknown): boolean {
  if (!isPlainObject(tool)) return false;
  return typeof tool["name"] === "string" && typeof tool["description"] === "string" && isPlainObject(tool["schema"]);
}

function unreadable(path: string, why: string): CliError {
  const hint = "Give a JSON list of { name, description, schema }, the last a JSON Schema of the arguments.";
  return new CliError("tools-unreadable", `the tools cannot be read: ${why}`, hint, path);
}
