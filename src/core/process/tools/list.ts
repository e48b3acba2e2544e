// The tools on offer to an agent process, as MCP lists them. A spec names those that it uses.

import { isPlainObject, type JsonObject } from "../../canon/value.js";
import { showValue } from "../../text/show.js";
import { thrownText } from "../../text/thrown.js";
import { createArgumentMatch } from "../../tools/argument-check.js";
import { PlumbError } from "../errors.js";

/** One tool, with the fields of MCP. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** It only reads, so its calls may run side by side. */
  readonly isReadOnly: boolean;
}

const HINT = 'Write a list of tools, each with "name", "description" and "inputSchema".';

/** The offered tools that `names` has, in that order. Throws `PlumbError` `spec-malformed`. */
export function readToolList(value: unknown, names: readonly string[], place: string): OfferedTool[] {
  if (!Array.isArray(value)) throw malformed(`${place} is ${showValue(value)}, but must be a list of tools`);
  return names.map((name) => {
    const offers = (value as unknown[]).filter((one) => isPlainObject(one) && one["name"] === name);
    const [offer] = offers;
    if (offer === undefined) throw malformed(`the spec uses the tool ${name}, which ${place} does not have`);
    if (offers.length > 1) throw malformed(`${place} has two tools named ${name}`);
    return readTool(name, offer as JsonObject, place);
  });
}

function readTool(name: string, offer: JsonObject, place: string): OfferedTool {
  const { description = "", inputSchema, annotations } = offer;
  if (typeof description !== "string" || !isPlainObject(inputSchema))
    throw malformed(`the tool ${name} of ${place} has no usable description or inputSchema`);
  try {
    createArgumentMatch(name, inputSchema);
  } catch (cause) {
    throw malformed(`the inputSchema of ${name} in ${place} cannot be used: ${thrownText(cause)}`, cause);
  }
  const isReadOnly = isPlainObject(annotations) && annotations["readOnlyHint"] === true;
  return { name, description, inputSchema, isReadOnly };
}

function malformed(what: string, cause?: unknown): PlumbError {
  return new PlumbError("spec-malformed", what, HINT, cause === undefined ? {} : { cause });
}
