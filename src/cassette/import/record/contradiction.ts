// A record that is read as the format its reader was told, though it is plainly written in another: its calls would be read
// without names or arguments. Only what has no reading in the forced format counts; a messy log of that format does not.

import { defined } from "../../../core/index.js";
import type { JsonObject, JsonValue } from "../../../core/index.js";
import { CassetteError } from "../../errors.js";
import { detectFormat } from "./detect.js";
import { FORMATS, type ImportFormat } from "../registry.js";
import { isObject, toText } from "../value.js";

/** Throws `import-malformed`, saying what was found and which format fits. */
export function assertFits(record: JsonValue, forced: ImportFormat): void {
  const find = SIGNS[forced];
  if (find === undefined) {
    assertShape(record, forced);
    return;
  }
  for (const [index, message] of messagesOf(record, forced).entries()) {
    const sign = isObject(message) ? find(message) : undefined;
    if (sign === undefined) continue;
    throw new CassetteError("import-malformed", `it is no ${forced} record: message ${index} has ${sign.what}`, {
      hint: readAs(sign.format, record),
    });
  }
}

/** A format that is no list of messages has a shape of its own, and nothing else can be read as it. */
function assertShape(record: JsonValue, forced: ImportFormat): void {
  if (FORMATS[forced].detect(record)) return;
  const hint = fittingHint(record, forced);
  const what = `it is no ${forced} record: it has not the shape of one`;
  throw new CassetteError("import-malformed", what, defined({ hint }));
}

/** What to do about a record that is not of the forced format; nothing when no other is recognised. */
export function fittingHint(record: JsonValue, forced: ImportFormat): string | undefined {
  const detection = detectFormat(record);
  return detection.kind === "known" && detection.format !== forced ? readAs(detection.format, record) : undefined;
}

function readAs(format: ImportFormat, record: JsonValue): string {
  const detection = detectFormat(record);
  const isRecognised = detection.kind === "known" && detection.format === format;
  return `Read it as ${format}${isRecognised ? ", or name no format: each record is recognised by itself" : ""}.`;
}

/** Something in a message that one format alone has. */
interface Sign {
  what: string;
  format: ImportFormat;
}

function messagesOf(record: JsonValue, forced: ImportFormat): readonly JsonValue[] {
  if (Array.isArray(record)) return record;
  if (!isObject(record)) return [];
  const run = forced === "agentdojo" && isObject(record["data"]) ? record["data"] : record;
  const messages = run[forced === "tau-bench" ? "traj" : "messages"];
  return Array.isArray(messages) ? messages : [];
}

/** The formats that are lists of messages, and what none of their messages has. */
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
  const parts = Array.isArray(content) ? content.filter(isObject) : [];
  return parts.map(({ type }) => toText(type)).find((type) => types.includes(type));
}

/** A call is in the words of AgentDojo when `function` is the tool's name, and of OpenAI when it is an object or is not there. */
function callSign({ tool_calls: calls, function_call: legacy }: JsonObject): Sign | undefined {
  const call = Array.isArray(calls) ? calls.find(isObject) : isObject(calls) ? calls : undefined;
  if (call !== undefined) {
    const { function: tool, name } = call;
    if (typeof tool === "string") return { what: "a call whose function is a name", format: "agentdojo" };
    if (isObject(tool)) return { what: "a call whose function is an object", format: "openai-messages" };
    if (typeof name === "string") return { what: "a call with a name of its own", format: "openai-messages" };
  }
  return isObject(legacy) ? { what: "a function_call", format: "openai-messages" } : undefined;
}
