// Checks a message against the input schema of an agent, before a turn is spent.

import type { JsonObject, JsonValue } from "../../canon/value.js";
import { createValueMatch } from "../../tools/argument-check.js";
import { PlumbError } from "../errors.js";

/** Throws `AgentError` `invalid-options` for a schema that cannot be used. The check throws `PlumbError` `input-invalid`. */
export function createInputCheck(schema: JsonObject | undefined): (value: JsonValue) => void {
  if (schema === undefined) return () => undefined;
  const match = createValueMatch("input", schema);
  return (value) => {
    const found = match(value);
    if (found.kind === "match") return;
    const place = found.kind === "mismatch" ? ` at ${found.pointer || "the top"}` : "";
    throw new PlumbError(
      "input-invalid",
      `the message does not match the input schema${place}: ${found.what}`,
      "Correct the message.",
    );
  };
}
