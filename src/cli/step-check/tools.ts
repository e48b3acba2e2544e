// The file of `--tools`: a JSON list of the tools to offer, for recordings without them.

import { DEFAULT_MAX_FILE_BYTES, parseStrictJson } from "../../cassette/index.js";
import { isPlainObject, thrownText, type FilePort, type LlmToolDefinition } from "../../core/index.js";
import { CliError } from "../errors.js";
import { readBytes } from "../options/file.js";

/** Throws `CliError` `tools-unreadable`. */
export async function readTools(files: FilePort, path: string): Promise<LlmToolDefinition[]> {
  const value = parse(await readBytes(files, path, DEFAULT_MAX_FILE_BYTES, { code: "tools-unreadable" }), path);
  if (!Array.isArray(value)) throw unreadable(path, "it must be a list");
  const odd = value.findIndex((tool: unknown) => !isTool(tool));
  if (odd >= 0) throw unreadable(path, `item ${odd} must be { name, description, schema }`);
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
  const hint = "Give a JSON list of { name, description, schema }, where schema is a JSON Schema of the arguments.";
  return new CliError("tools-unreadable", `the tools cannot be read: ${why}`, hint, path);
}
