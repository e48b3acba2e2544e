// The settings of a model call as vendors and recording tools name them. A setting without a place in ours is counted once in
// a run, however many calls repeat it.

import type { JsonObject, JsonValue, LlmSettings } from "../../../core/index.js";
import type { RepairLog } from "../repair.js";
import { isObject, toNumber, toObject, toText } from "../foreign-json.js";

type CallSettings = Omit<LlmSettings, "model">;
type Name = keyof CallSettings;

const WORDS: Readonly<Record<Name, readonly string[]>> = {
  temperature: ["temperature"],
  topP: ["top_p", "topP"],
  maxTokens: ["max_tokens", "max_completion_tokens", "max_output_tokens", "maxTokens", "maxOutputTokens"],
  thinkingBudget: ["thinkingBudget"],
  stop: ["stop", "stop_seqs", "stop_sequences", "stopSequences"],
  seed: ["seed"],
  toolChoice: ["tool_choice", "toolChoice"],
  responseFormat: ["response_format", "response_schema", "responseFormat"],
};

/** Creates a reader for the settings of the calls of one run. Fields in `ignored` are not settings of the model. */
export function createSettingsReader(
  repairs: RepairLog,
  ignored: ReadonlySet<string>,
): (fields: JsonObject) => CallSettings {
  const counted = new Set<string>();
  return (fields) => {
    const settings: Partial<Record<Name, unknown>> = {};
    for (const [field, value] of Object.entries(fields)) {
      if (isEmpty(value) || ignored.has(field)) continue;
      const name = (Object.keys(WORDS) as Name[]).find((own) => WORDS[own].includes(field));
      const own = name === undefined ? undefined : READERS[name](value);
      if (name !== undefined && own !== undefined) settings[name] = own;
      // The response format "text" is the default, so nothing is lost.
      else if (!counted.has(field) && !(name === "responseFormat" && toObject(value)["type"] === "text")) {
        counted.add(field);
        repairs.add("setting-dropped");
      }
    }
    return settings as CallSettings;
  };
}

function isEmpty(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isObject(value)) return Object.keys(value).length === 0;
  return value === null || value === "";
}

const READERS: { readonly [N in Name]: (value: JsonValue) => CallSettings[N] } = {
  temperature: toNumber,
  topP: toNumber,
  maxTokens: toNumber,
  thinkingBudget: toNumber,
  seed: toNumber,
  stop: (value) => {
    const list = Array.isArray(value) ? value : [value];
    return list.every((item) => typeof item === "string") ? list : undefined;
  },
  toolChoice: toToolChoice,
  responseFormat: (value) => {
    if (!isObject(value)) return undefined;
    const body = isObject(value["json_schema"]) && "schema" in value["json_schema"] ? value["json_schema"] : value;
    const schema = body["schema"] ?? body["json_schema"];
    return isObject(schema) ? { name: toText(body["name"]) || "response", schema } : undefined;
  },
};

function toToolChoice(value: JsonValue): CallSettings["toolChoice"] {
  const body = isObject(value) && isObject(value["function"]) ? value["function"] : value;
  const word = isObject(body) ? body["type"] : body;
  if (isObject(body)) {
    const name = body["name"] ?? body["toolName"];
    if (typeof name === "string") return { name };
  }
  if (word === "auto" || word === "none" || word === "required") return word;
  return word === "any" ? "required" : undefined;
}
