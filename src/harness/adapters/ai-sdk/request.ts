// A call of a language model as a turn request, and back: settings and tools. `abortSignal` goes along and is no part of what is
// compared; `headers` do not go along, since they hold keys.

import {
  AgentError,
  assertKnownOptions,
  defined,
  SETTING_NAMES,
  type JsonObject,
  type LlmSettings,
  type LlmToolDefinition,
  type LlmTurnRequest,
} from "../../../core/index.js";
import { given, type Loose, optional, toJson, toLoose, toText } from "../loose.js";
import { EXTRAS, extrasOf, needsAiSdk, refusePart, withExtras } from "./extras.js";
import { readPrompt } from "./prompt/read.js";
import { writePrompt } from "./prompt/write.js";
import type { AiSdkCallOptions, SpecVersion } from "./spec.js";

export function readCall(options: AiSdkCallOptions): LlmTurnRequest {
  if (options.includeRawChunks === true) {
    refusePart("includeRawChunks", "the vendor's own chunks are in no recording");
  }
  refuseHeldState(toLoose(options.providerOptions));
  const messages = readPrompt(options.prompt);
  const tools = (options.tools ?? []).map((tool) => readTool(toLoose(tool)));
  const isForeign = messages.some(needsAiSdk) || tools.some((tool) => Object.keys(extrasOf(tool)).length > 0);
  const settings = readSettings(options, isForeign);
  const { abortSignal } = options;
  return {
    messages,
    ...(tools.length === 0 ? {} : { tools }),
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
    ...defined({ signal: abortSignal }),
  };
}

/** A conversation that a vendor's server holds is no part of the prompt, so a recording would not hold it. */
function refuseHeldState(providerOptions: Loose): void {
  for (const [vendor, value] of Object.entries(providerOptions)) {
    const options = toLoose(value);
    const container = toLoose(options["container"])["id"];
    const held: Loose = { ...options, "container.id": container };
    const field = HELD_STATE.find((name) => held[name] !== undefined && held[name] !== null);
    if (field === undefined) continue;
    const why = "it continues a conversation on the vendor's server; send the whole conversation without it";
    refusePart(`providerOptions.${vendor}.${field}`, why);
  }
}

const HELD_STATE = ["previousResponseId", "conversation", "container.id"];

function readTool(tool: Loose): LlmToolDefinition {
  const { type, name, description, inputSchema, ...rest } = tool;
  if (type === "function") {
    const named = { name: toText(name), description: toText(description) };
    return withExtras({ ...named, schema: toJson(inputSchema ?? {}) as JsonObject }, toJson(rest) as JsonObject);
  }
  if (type !== "provider" && type !== "provider-defined")
    refusePart(`a tool of type "${toText(type)}"`, "it is unknown");
  const { id, args } = rest;
  return withExtras({ name: toText(name), description: "", schema: {} }, { id: toText(id), args: toJson(args ?? {}) });
}

/** What every vendor has under a name of ours, and in the extras what some have. */
function readSettings(options: AiSdkCallOptions, isForeign: boolean): LlmSettings {
  const { topK, presencePenalty, frequencyPenalty, reasoning, providerOptions, stopSequences = [] } = options;
  const format = readFormat(toLoose(options.responseFormat));
  const extras: JsonObject = {
    ...optional("topK", topK),
    ...optional("presencePenalty", presencePenalty),
    ...optional("frequencyPenalty", frequencyPenalty),
    ...(reasoning === "provider-default" ? {} : optional("reasoning", reasoning)),
    ...(Object.keys(toLoose(providerOptions)).length === 0 ? {} : optional("providerOptions", providerOptions)),
    ...format.extras,
  };
  const isMarked = isForeign || Object.keys(extras).length > 0;
  return {
    ...optional("temperature", options.temperature),
    ...optional("topP", options.topP),
    ...optional("maxTokens", options.maxOutputTokens),
    ...(stopSequences.length === 0 ? {} : { stop: [...stopSequences] }),
    ...optional("seed", options.seed),
    ...readChoice(toLoose(options.toolChoice)),
    ...format.settings,
    ...(isMarked ? { [EXTRAS]: extras } : {}),
  } as LlmSettings;
}

/** `auto` is what the interface means by nothing, and some versions of the SDK say it. */
function readChoice({ type, toolName }: Loose): Pick<LlmSettings, "toolChoice"> {
  if (type === undefined || type === "auto") return {};
  if (type === "none" || type === "required") return { toolChoice: type };
  return { toolChoice: { name: toText(toolName) } };
}

/** The names that stand for a schema without one, and for JSON without a schema. */
const UNNAMED = "response";
const ANY_JSON = "json_object";

function readFormat(format: Loose): { settings: LlmSettings; extras: JsonObject } {
  if (format["type"] !== "json") return { settings: {}, extras: {} };
  const { schema, name, description } = format;
  const extras = description === undefined ? {} : { formatDescription: toText(description) };
  if (schema === undefined) {
    return { settings: { responseFormat: { name: ANY_JSON, schema: { type: "object" } } }, extras };
  }
  const named = toText(name) || UNNAMED;
  return { settings: { responseFormat: { name: named, schema: toJson(schema) as JsonObject } }, extras };
}

/** What `doGenerate` and `doStream` of a model of this version take. */
export function writeCall(request: LlmTurnRequest, version: SpecVersion, name: string): Loose {
  const { messages, tools = [], settings = {}, signal } = request;
  assertKnownOptions(`the settings of a request to ${name}`, settings, [...SETTING_NAMES, EXTRAS]);
  if (settings.model !== undefined) {
    throw new AgentError("invalid-options", `${name} was asked for the model "${settings.model}"`, {
      hint: "A model of the AI SDK is one model: leave the setting out, or wrap another model.",
    });
  }
  const { toolChoice, responseFormat, stop = [] } = settings;
  const { formatDescription, ...extras } = extrasOf(settings);
  return {
    prompt: writePrompt(messages, version),
    ...given("temperature", settings.temperature),
    ...given("topP", settings.topP),
    ...given("maxOutputTokens", settings.maxTokens),
    ...(stop.length === 0 ? {} : { stopSequences: [...stop] }),
    ...given("seed", settings.seed),
    ...(tools.length === 0 ? {} : { tools: tools.map((tool) => writeTool(tool, version)) }),
    ...(toolChoice === undefined ? {} : { toolChoice: writeChoice(toolChoice) }),
    ...(responseFormat === undefined ? {} : { responseFormat: writeFormat(responseFormat, formatDescription) }),
    ...extras,
    ...defined({ abortSignal: signal }),
  };
}

function writeTool(tool: LlmToolDefinition, version: SpecVersion): Loose {
  const { name, description, schema } = tool;
  const extras = extrasOf(tool);
  if (typeof extras["id"] === "string") {
    return { type: version === "v2" ? "provider-defined" : "provider", name, ...extras };
  }
  const told = description === "" ? {} : { description };
  return { type: "function", name, ...told, inputSchema: schema, ...extras };
}

function writeChoice(choice: NonNullable<LlmSettings["toolChoice"]>): JsonObject {
  return typeof choice === "string" ? { type: choice } : { type: "tool", toolName: choice.name };
}

function writeFormat({ name, schema }: NonNullable<LlmSettings["responseFormat"]>, description: unknown): JsonObject {
  const told = given("description", description);
  if (name === ANY_JSON && JSON.stringify(schema) === JSON.stringify({ type: "object" }))
    return { type: "json", ...told };
  return { type: "json", schema, ...(name === UNNAMED ? {} : { name }), ...told };
}
