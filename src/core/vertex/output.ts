// The output contract: a schema is only a hint to the vendor, so the answer is checked here.

import { parseBoundedJson } from "../canon/bounded-json.js";
import type { JsonObject } from "../canon/value.js";
import { invalidOptions } from "../errors.js";
import type { LlmSettings } from "../model/provider.js";
import { createValueMatch } from "../tools/argument-check.js";

const NAME_LENGTH = 64;

/** The name of a response format, in the characters that vendors accept. */
export function responseFormat(agentId: string, schema: JsonObject): NonNullable<LlmSettings["responseFormat"]> {
  const name = agentId.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, NAME_LENGTH);
  return { name, schema };
}

/** One fence around the whole answer, with or without a language. */
const FENCE = /^\s*```[\w-]*[ \t]*\r?\n([\s\S]*?)\r?\n?[ \t]*```\s*$/;

/** Reads answers of one schema. Throws `AgentError` `invalid-options`, which becomes `validation`, immediately for an invalid schema. */
export function createOutputReader(schema: JsonObject, check: "json" | "schema"): (answer: string) => unknown {
  const match = check === "schema" ? createValueMatch("output_schema", schema) : undefined;
  return (answer) => {
    const value = parse(FENCE.exec(answer)?.[1] ?? answer);
    const found = match?.(value) ?? { kind: "match" };
    if (found.kind === "match") return value;
    const place = found.kind === "mismatch" ? ` at ${found.pointer || "the top"}` : "";
    throw invalidOptions(`the answer does not match output_schema${place}: ${found.what}`, HINT);
  };
}

const HINT = "Describe the format in the prompt, or use a model that follows a schema.";

/** Replaces the parser's error, which would quote the answer. */
function parse(text: string): unknown {
  try {
    return parseBoundedJson(text);
  } catch (error) {
    throw invalidOptions("output_schema requires JSON, and the answer is not JSON", HINT, error);
  }
}
