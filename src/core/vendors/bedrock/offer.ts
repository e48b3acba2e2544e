// The tools, the choice among them and the format of an answer in a body of Converse. The other fields of each are kept.

import { tryParseJson } from "../../canon/bounded-json.js";
import { isPlainObject, type JsonObject } from "../../canon/value.js";
import type { LlmSettings, LlmToolDefinition } from "../../model/provider.js";
import { toObject, toText, type WireObject } from "../../http/json-readers.js";
import { nested, unknownFields } from "../../wire/fields.js";
import { readObject, readString } from "../../wire/turn.js";
import { UNNAMED_FORMAT } from "../anthropic/parse.js";

export function readTool(spec: WireObject): LlmToolDefinition {
  return {
    name: readString(spec, "name", "toolSpec"),
    description: readString(spec, "description", "toolSpec"),
    schema: readObject(readObject(spec["inputSchema"], "inputSchema")["json"], "inputSchema.json") as JsonObject,
  };
}

export function readChoice({ auto, any, tool }: WireObject): LlmSettings["toolChoice"] {
  if (isPlainObject(auto)) return "auto";
  if (isPlainObject(any)) return "required";
  return isPlainObject(tool) && typeof tool["name"] === "string" ? { name: toText(tool["name"]) } : undefined;
}

/** All of a choice except the one name that `readChoice` reads. */
export function choiceFields(choice: WireObject): JsonObject {
  const read = readChoice(choice);
  const key = read === "auto" ? "auto" : read === "required" ? "any" : "tool";
  if (read === undefined) return unknownFields(choice, []);
  return {
    ...unknownFields(choice, [key]),
    ...nested(key, unknownFields(toObject(choice[key]), typeof read === "object" ? ["name"] : [])),
  };
}

function formatOf(body: WireObject): { format: WireObject; text: WireObject; schema: JsonObject | undefined } {
  const text = toObject(toObject(body["outputConfig"])["textFormat"]);
  const format = toObject(toObject(text["structure"])["jsonSchema"]);
  const schema = typeof format["schema"] === "string" ? tryParseJson(format["schema"]) : undefined;
  const isSchema = text["type"] === "json_schema" && isPlainObject(schema);
  return { format, text, schema: isSchema ? (schema as JsonObject) : undefined };
}

export function readFormat(body: WireObject): LlmSettings["responseFormat"] {
  const { format, schema } = formatOf(body);
  return schema === undefined ? undefined : { name: toText(format["name"]) || UNNAMED_FORMAT, schema };
}

export function formatFields(body: WireObject): JsonObject {
  const output = readObject(body["outputConfig"], "outputConfig");
  const { format, text, schema } = formatOf(body);
  if (schema === undefined) return unknownFields(output, []);
  const known = ["schema", ...(typeof format["name"] === "string" ? ["name"] : [])];
  return {
    ...unknownFields(output, ["textFormat"]),
    ...nested("textFormat", {
      ...unknownFields(text, ["type", "structure"]),
      ...nested("structure", {
        ...unknownFields(toObject(text["structure"]), ["jsonSchema"]),
        ...nested("jsonSchema", unknownFields(format, known)),
      }),
    }),
  };
}
