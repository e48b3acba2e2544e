// A call of a language model as a turn request, and back: settings and tools. `abortSignal` is passed on and not compared. `headers`
// are dropped, because they hold keys.

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
import { given, type Loose, optional, toJson, toLoose, asText } from "../loose.js";
import { HELD } from "../extras.js";
import { EXTRAS, extrasOf, hasExtras, refuse, withExtras } from "./extras.js";
import { readPrompt } from "./prompt/read.js";
import { writePrompt } from "./prompt/write.js";
import type { AiSdkCallOptions, SpecVersion } from "./sdk-types.js";

export function readCall(options: AiSdkCallOptions): LlmTurnRequest {
  if (options.includeRawChunks === true) refuse("includeRawChunks", "raw chunks are never recorded");
  refuseHeldState(toLoose(options.providerOptions));
  const messages = readPrompt(options.prompt);
  const tools = (options.tools ?? []).map((tool) => readTool(toLoose(tool)));
  const isForeign = messages.some(hasExtras) || tools.some((tool) => Object.keys(extrasOf(tool)).length > 0);
  const settings = readSettings(options, isForeign);
  return {
    messages,
    ...(tools.length === 0 ? {} : { tools }),
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
    ...defined({ signal: options.abortSignal }),
  };
}

/** Throws for a conversation that a vendor's server holds: it is not in the prompt, so a recording would lack it. */
function refuseHeldState(providerOptions: Loose): void {
  for (const [vendor, value] of Object.entries(providerOptions)) {
    const options = toLoose(value);
    const held: Loose = { ...options, "container.id": toLoose(options["container"])["id"] };
    const field = ["previousResponseId", "conversation", "container.id"].find((name) => (held[name] ?? null) !== null);
    if (field !== undefined) refuse(`providerOptions.${vendor}.${field}`, HELD);
  }
}

function readTool(tool: Loose): LlmToolDefinition {
  const { type, name, description, inputSchema, ...rest } = tool;
  if (type === "function") {
    const named = { name: asText(name), description: asText(description) };
    return withExtras({ ...named, schema: toJson(inputSchema ?? {}) as JsonObject }, toJson(rest) as JsonObject);
  }
  if (type !== "provider" && type !== "provider-defined") refuse(`a tool of type "${asText(type)}"`, "it is unknown");
  const { id, args } = rest;
  return withExtras({ name: asText(name), description: "", schema: {} }, { id: asText(id), args: toJson(args ?? {}) });
}

function readSettings(options: AiSdkCallOptions, isForeign: boolean): LlmSettings {
  const { topK, presencePenalty, frequencyPenalty, reasoning, providerOptions, stopSequences = [] } = options;
  const format = readFormat(toLoose(options.responseFormat));
  const extras: JsonObject = {
    ...optional({ topK, presencePenalty, frequencyPenalty }),
    ...(reasoning === "provider-default" ? {} : optional({ reasoning })),
    ...(Object.keys(toLoose(providerOptions)).length === 0 ? {} : optional({ providerOptions })),
    ...format.extras,
  };
  const isMarked = isForeign || Object.keys(extras).length > 0;
  return {
    ...optional({ temperature: options.temperature, topP: options.topP, maxTokens: options.maxOutputTokens }),
    ...(stopSequences.length === 0 ? {} : { stop: [...stopSequences] }),
    ...optional({ seed: options.seed }),
    ...readChoice(toLoose(options.toolChoice)),
    ...format.settings,
    ...(isMarked ? { [EXTRAS]: extras } : {}),
  } as LlmSettings;
}

/** `auto` is the default of the interface, and some versions of the SDK send it. */
function readChoice({ type, toolName }: Loose): Pick<LlmSettings, "toolChoice"> {
  if (type === undefined || type === "auto") return {};
  if (type === "none" || type === "required") return { toolChoice: type };
  return { toolChoice: { name: asText(toolName) } };
}

/** The names for a schema without one, and for JSON without a schema. */
const UNNAMED = "response";
const ANY_JSON = "json_object";

function readFormat(format: Loose): { settings: LlmSettings; extras: JsonObject } {
  if (format["type"] !== "json") return { settings: {}, extras: {} };
  const { schema, name, description } = format;
  const extras = description === undefined ? {} : { formatDescription: asText(description) };
  const named = { name: asText(name) || UNNAMED, schema: toJson(schema) as JsonObject };
  const responseFormat = schema === undefined ? { name: ANY_JSON, schema: { type: "object" } } : named;
  return { settings: { responseFormat }, extras };
}

/** The argument of `doGenerate` and `doStream` of a model of this version. */
export function writeCall(request: LlmTurnRequest, version: SpecVersion, name: string): Loose {
  const { messages, tools = [], settings = {}, signal } = request;
  assertKnownOptions(`the settings of a request to ${name}`, settings, [...SETTING_NAMES, EXTRAS]);
  if (settings.model !== undefined) {
    throw new AgentError("invalid-options", `${name} cannot answer as the model "${settings.model}"`, {
      hint: "A model object of the AI SDK is one model. Leave the setting out, or wrap another model.",
    });
  }
  const { toolChoice, responseFormat, stop = [] } = settings;
  const { formatDescription, ...extras } = extrasOf(settings);
  return {
    prompt: writePrompt(messages, version),
    ...defined({ temperature: settings.temperature, topP: settings.topP, maxOutputTokens: settings.maxTokens }),
    ...(stop.length === 0 ? {} : { stopSequences: [...stop] }),
    ...defined({ seed: settings.seed }),
    ...(tools.length === 0 ? {} : { tools: tools.map((tool) => writeTool(tool, version)) }),
    ...(typeof toolChoice === "string" ? { toolChoice: { type: toolChoice } } : {}),
    ...(typeof toolChoice === "object" ? { toolChoice: { type: "tool", toolName: toolChoice.name } } : {}),
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
  const described = description === "" ? {} : { description };
  return { type: "function", name, ...described, inputSchema: schema, ...extras };
}

function writeFormat({ name, schema }: NonNullable<LlmSettings["responseFormat"]>, description: unknown): JsonObject {
  const described = given({ description });
  if (name === ANY_JSON && JSON.stringify(schema) === JSON.stringify({ type: "object" }))
    return { type: "json", ...described };
  return { type: "json", schema, ...(name === UNNAMED ? {} : { name }), ...described };
}
