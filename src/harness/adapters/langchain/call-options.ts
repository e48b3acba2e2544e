// LangChain's call options as tools and settings of a request, and back. Its own run configuration is dropped; a model option that
// our settings cannot express is refused by name.

import {
  defined,
  type JsonObject,
  type LlmSettings,
  type LlmToolDefinition,
  type LlmTurnRequest,
} from "../../../core/index.js";
import { fieldOf, withField, toLoose, type Loose } from "../loose.js";
import { EXTRAS, isEmpty, listOf, refuse, type Ignored } from "./fields.js";

/** Options that are not for the model: run configuration of LangChain and LangGraph. */
const FRAMEWORK = [
  ...["signal", "timeout", "maxConcurrency", "promptIndex", "callbacks", "tags", "metadata", "runName", "runId"],
  ...["configurable", "recursionLimit", "store", "context", "writer", "interrupt", "control", "executionInfo"],
  ...["serverInfo", "runtime", "state", "previous", "heartbeat", "outputVersion", "ls_structured_output_format"],
];

/** The format for other vendors, which `createAgent` sends next to `response_format`. */
const SAME_FORMAT = ["outputConfig", "responseSchema"];

/** Reads tools and settings by their names in LangChain's packages. Throws `cannot-convert`. */
export function readCallOptions(options: object, ignore: Ignored): Pick<LlmTurnRequest, "tools" | "settings"> {
  const given = toLoose(options);
  const tools = listOf(given["tools"]) as LlmToolDefinition[];
  const toolChoice = readChoice(given["tool_choice"]);
  const responseFormat = readFormat(given["response_format"]);
  const extras = readExtras(given, ignore);
  const settings: LlmSettings = {
    ...pick(given, ["model"], "string", "model"),
    ...pick(given, ["temperature"], "number", "temperature"),
    ...pick(given, ["topP", "top_p"], "number", "topP"),
    ...pick(given, ["maxTokens", "max_tokens", "max_completion_tokens"], "number", "maxTokens"),
    ...pick(given, ["seed"], "number", "seed"),
    ...(isEmpty(given["stop"]) ? {} : { stop: [given["stop"]].flat() as string[] }),
    ...defined({ toolChoice, responseFormat }),
    ...(Object.keys(extras).length === 0 ? {} : { [EXTRAS]: extras }),
  };
  const known = [...SETTINGS, ...FRAMEWORK, ...(responseFormat === undefined ? [] : SAME_FORMAT), ...ignore];
  const other = Object.keys(given).find((key) => !known.includes(key) && isData(given[key]));
  if (other !== undefined) refuse("the call", `has the option ${other}`, other);
  return { ...(tools.length === 0 ? {} : { tools }), settings };
}

const SETTINGS = [
  ...["tools", "tool_choice", "response_format", "stop", "model", "temperature", "topP", "top_p"],
  ...["maxTokens", "max_tokens", "max_completion_tokens", "seed", "strict", "parallel_tool_calls"],
];

/**
 * What vendors' packages of LangChain take in addition to our settings. A structured answer is strict by default, so only
 * another choice is passed on.
 */
function readExtras(given: Loose, ignore: Ignored): JsonObject {
  const { strict, parallel_tool_calls: isParallel } = given;
  const { strict: isFormatStrict } = toLoose(toLoose(given["response_format"])["json_schema"]);
  const isTold = isEmpty(given["response_format"]) || strict !== true;
  return {
    ...(typeof strict === "boolean" && isTold && !ignore.includes("strict") ? { strict } : {}),
    ...(typeof isParallel === "boolean" && !ignore.includes("parallel_tool_calls")
      ? { parallel_tool_calls: isParallel }
      : {}),
    ...(isFormatStrict === false && !ignore.includes("strict") ? { looseFormat: true } : {}),
  };
}

/** The call options that `readCallOptions` stored as extras. */
export function writeExtras(settings: LlmSettings): JsonObject {
  const { looseFormat: _, ...options } = toLoose(fieldOf(settings, EXTRAS)) as JsonObject;
  return options;
}

/** False for functions and objects of a class, which belong to the framework. */
function isData(value: unknown): boolean {
  if (isEmpty(value) || typeof value === "function") return false;
  if (typeof value !== "object") return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Array.isArray(value);
}

function pick(given: Loose, names: readonly string[], type: "string" | "number", as: keyof LlmSettings): LlmSettings {
  const value = names.map((name) => given[name]).find((one) => one !== undefined && one !== null);
  if (value === undefined) return {};
  if (typeof value === type) return { [as]: value };
  return refuse("the call", `has the option ${names[0] ?? as}, which must be a ${type}`);
}

function readChoice(choice: unknown): LlmSettings["toolChoice"] {
  if (isEmpty(choice)) return undefined;
  if (choice === "any" || choice === "required") return "required";
  if (choice === "auto" || choice === "none") return choice;
  if (typeof choice === "string") return { name: choice };
  const fields = toLoose(choice);
  const other = Object.keys(fields).find((key) => !["type", "name", "function"].includes(key) && !isEmpty(fields[key]));
  if (other !== undefined) refuse("the call", `has a tool_choice with ${other}`);
  const name = toLoose(fields["function"])["name"] ?? fields["name"];
  if (typeof name === "string") return { name };
  const { type } = fields;
  if (type === "auto" || type === "none" || type === "any") return readChoice(type);
  return refuse("the call", "has a tool_choice without the name of a tool");
}

function readFormat(format: unknown): LlmSettings["responseFormat"] {
  const fields = toLoose(format);
  if (fields["type"] === "json_object") return { name: "json_object", schema: { type: "object" } };
  if (fields["type"] !== "json_schema") {
    return isEmpty(format) || fields["type"] === "text"
      ? undefined
      : refuse("the call", "has an unknown response_format");
  }
  const { name, schema } = toLoose(fields["json_schema"]);
  return { name: typeof name === "string" ? name : "response", schema: plain(schema) };
}

/**
 * A tool in OpenAI's form, as `convertToOpenAITool` gives it of `original`. Throws for one that a vendor runs, and for `extras` that
 * a vendor's package would read.
 */
export function readTool(tool: unknown, original: unknown = tool, ignore: Ignored = []): LlmToolDefinition {
  const fields = toLoose(tool);
  const named = toLoose(fields["function"]);
  const { name, description, parameters, strict } = named;
  if (fields["type"] !== "function" || typeof name !== "string") {
    return refuse("tools", `have one of type ${JSON.stringify(fields["type"] ?? fields["name"] ?? "unknown")}`);
  }
  if (!isEmpty(toLoose(original)["extras"]) && !ignore.includes("extras")) {
    return refuse(`tool ${JSON.stringify(name)}`, "has extras for a vendor", "extras");
  }
  const read = { name, description: typeof description === "string" ? description : "", schema: plain(parameters) };
  return withField(read, EXTRAS, typeof strict === "boolean" ? { strict } : {});
}

export function writeTool(tool: LlmToolDefinition) {
  const { name, description, schema } = tool;
  const { strict } = fieldOf(tool, EXTRAS);
  const flag = typeof strict === "boolean" ? { strict } : {};
  return { type: "function" as const, function: { name, description, parameters: schema, ...flag } };
}

export function writeChoice(choice: NonNullable<LlmSettings["toolChoice"]>): string {
  return typeof choice === "string" ? (choice === "required" ? "any" : choice) : choice.name;
}

/** A copy without the methods and undefined fields that schema libraries leave on their schemas. */
function plain(schema: unknown): JsonObject {
  return JSON.parse(JSON.stringify(schema ?? {})) as JsonObject;
}
