// The output contract: the answer is one JSON value that matches a schema. For any other answer, the model reads what is wrong.

import { tryParseJson } from "../../canon/bounded-json.js";
import type { JsonObject, JsonValue } from "../../canon/value.js";
import { MAX_RETRY_CHARACTERS } from "../../limits.js";
import { shorten } from "../../text/show.js";
import { createValueMatch } from "../../tools/argument-check.js";

export type OutputVerdict =
  { readonly kind: "valid"; readonly value: JsonValue } | { readonly kind: "invalid"; readonly reason: string };

/** One fence around the whole answer, with or without a language. */
const FENCE = /^\s*```[\w-]*[ \t]*\r?\n([\s\S]*?)\r?\n?[ \t]*```\s*$/;

/** Throws `AgentError` `invalid-options` for a schema that cannot be used. Without one, any JSON value is valid. */
export function createOutputCheck(schema?: JsonObject): (answer: string) => OutputVerdict {
  const match = schema === undefined ? undefined : createValueMatch("output", schema);
  return (answer) => {
    const value = tryParseJson(FENCE.exec(answer)?.[1] ?? answer) as JsonValue | undefined;
    if (value === undefined) return { kind: "invalid", reason: "the answer is not one JSON value" };
    const found = match?.(value) ?? { kind: "match" };
    if (found.kind === "match") return { kind: "valid", value };
    const place = found.kind === "mismatch" ? ` at ${found.pointer || "the top"}` : "";
    return { kind: "invalid", reason: `the answer does not match the schema${place}: ${found.what}` };
  };
}

/** The message after an invalid answer. It does not stay in the conversation. */
export function retryText(reason: string): string {
  return shorten(
    `Your answer was not accepted: ${reason}. Answer with the corrected JSON value alone.`,
    MAX_RETRY_CHARACTERS,
  );
}
