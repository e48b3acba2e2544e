// The tools and settings of an offer by name, for comparing it with a request or with another run's.

import { isPlainObject, isWireName, showValue, type JsonObject, type JsonValue } from "../../core/index.js";

/** A tool or a setting. The path leads to it in the list of tools or the settings. */
export interface Named<Value extends JsonValue = JsonValue> {
  readonly name: string;
  readonly value: Value;
  readonly path: readonly (string | number)[];
}

/** The tools of a list. One without a name is called "". */
export function namedTools(tools: readonly JsonObject[] = []): Named<JsonObject>[] {
  return tools.map((tool, index) => ({
    name: isPlainObject(tool) && typeof tool["name"] === "string" ? tool["name"] : "",
    value: tool,
    path: [index],
  }));
}

/** The settings, with each field of a wire as a setting of its own, such as `openai.user`. */
export function namedSettings(settings: JsonObject = {}): Named[] {
  return Object.entries(settings).flatMap(([name, value]): Named[] =>
    isWireName(name) && isPlainObject(value)
      ? Object.entries(value).map(([field, own]) => ({ name: `${name}.${field}`, value: own, path: [name, field] }))
      : [{ name, value, path: [name] }],
  );
}

/** A name inside a sentence: in quotes unless all its characters are ordinary. */
export function nameText(name: string): string {
  return /^[\w.:/-]{1,80}$/.test(name) ? name : showValue(name);
}
