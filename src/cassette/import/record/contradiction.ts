// Refuses a record in a forced format if it is clearly in another format, since its calls would be read without names or arguments. Only
// signs that the forced format cannot have count, so a messy log of that format passes.

import { defined, type JsonObject, type JsonValue } from "../../../core/index.js";
import { CassetteError } from "../../errors.js";
import { FORMATS, type ImportFormat } from "../registry.js";
import { isObject, toList, toObject, toText } from "../foreign-json.js";
import { detectFormat } from "./detect.js";

/** Throws `import-malformed` with the sign that was found and the format that fits. */
export function assertFits(record: JsonValue, forced: ImportFormat): void {
  const find = SIGNS[forced];
  if (find === undefined) {
    // A format that is not a list of messages has a shape of its own.
    if (!FORMATS[forced].detect(record, forced))
      throw misfit(forced, "its shape is another", fittingHint(record, forced));
    return;
  }
  for (const [index, message] of messagesOf(record, forced).entries()) {
    const sign = isObject(message) ? find(message) : undefined;
    if (sign !== undefined) {
      throw misfit(forced, `message ${index} has ${sign.what}`, readAs(sign.format, formatOf(record)));
    }
  }
}

function misfit(forced: ImportFormat, why: string, hint: string | undefined): CassetteError {
  return new CassetteError("import-malformed", `it is not in ${forced} format: ${why}`, defined({ hint }));
}

/** Creates the hint for a record that is not in the forced format. Undefined if no other format is recognised. */
export function fittingHint(record: JsonValue, forced: ImportFormat): string | undefined {
  const format = formatOf(record);
  return format === undefined || format === forced ? undefined : readAs(format, format);
}

function formatOf(record: JsonValue): ImportFormat | undefined {
  const detection = detectFormat(record);
  return detection.kind === "known" ? detection.format : undefined;
}

function readAs(format: ImportFormat, recognised: ImportFormat | undefined): string {
  const isRecognised = recognised === format;
  return `Read it as ${format}${isRecognised ? ", or omit the format to detect it for each record" : ""}.`;
}

/** A sign in a message that only one format has. */
interface Sign {
  what: string;
  format: ImportFormat;
}

function messagesOf(record: JsonValue, forced: ImportFormat): readonly JsonValue[] {
  if (Array.isArray(record)) return record;
  const { data } = toObject(record);
  const run = forced === "agentdojo" && isObject(data) ? data : toObject(record);
  return toList(run[forced === "tau-bench" ? "traj" : "messages"]);
}

/** For each format that is a list of messages, finds signs that its own messages never have. */
const SIGNS: Partial<Record<ImportFormat, (message: JsonObject) => Sign | undefined>> = {
  "ai-sdk-messages": (message) => unless("ai-sdk-messages", findOtherThanOpenAi(message) ?? callSign(message)),
  "anthropic-messages": (message) => aiSdkSign(message) ?? callSign(message),
  agentdojo: (message) => aiSdkSign(message) ?? blockSign(message) ?? unless("agentdojo", callSign(message)),
  "openai-messages": findOtherThanOpenAi,
  "tau-bench": findOtherThanOpenAi,
};

function findOtherThanOpenAi(message: JsonObject): Sign | undefined {
  return aiSdkSign(message) ?? blockSign(message) ?? unless("openai-messages", callSign(message));
}

function unless(own: ImportFormat, sign: Sign | undefined): Sign | undefined {
  return sign?.format === own ? undefined : sign;
}

function blockSign(message: JsonObject): Sign | undefined {
  const type = findType(message, "tool_use", "tool_result");
  return type === undefined ? undefined : { what: `a ${type} block in its content`, format: "anthropic-messages" };
}

function aiSdkSign(message: JsonObject): Sign | undefined {
  const type = findType(message, "tool-call", "tool-result");
  return type === undefined ? undefined : { what: `a ${type} part in its content`, format: "ai-sdk-messages" };
}

function findType({ content }: JsonObject, ...types: readonly string[]): string | undefined {
  const parts = toList(content).filter(isObject);
  return parts.map(({ type }) => toText(type)).find((type) => types.includes(type));
}

/** In a call of AgentDojo `function` is the tool's name; in one of OpenAI it is an object or absent. */
function callSign({ tool_calls: calls, function_call: legacy }: JsonObject): Sign | undefined {
  const call = (Array.isArray(calls) ? calls : [calls]).find(isObject);
  if (call !== undefined) {
    const { function: tool, name } = call;
    if (typeof tool === "string") return { what: "a call whose function is a name", format: "agentdojo" };
    if (isObject(tool)) return { what: "a call whose function is an object", format: "openai-messages" };
    if (typeof name === "string") return { what: "a call with a name of its own", format: "openai-messages" };
  }
  return isObject(legacy) ? { what: "a function_call", format: "openai-messages" } : undefined;
}
