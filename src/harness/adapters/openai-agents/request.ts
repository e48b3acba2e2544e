// A request of the runner as a turn request, and back: settings, tools and handoffs. State on the vendor's side is refused: an id of
// an earlier answer, a conversation or a prompt may mean something else tomorrow.

import {
  AgentError,
  assertKnownOptions,
  defined,
  findHeldState,
  SETTING_NAMES,
  type JsonObject,
  type LlmSettings,
  type LlmToolDefinition,
  type LlmTurnRequest,
} from "../../../core/index.js";
import { given, optional, toJson, toLoose, asText, type Loose } from "../loose.js";
import { HELD } from "../extras.js";
import { EXTRAS, extrasOf, hasExtras, isToolOfAgents, refuse, withExtras } from "./extras.js";
import { readInput, writeInput } from "./input.js";
import type { AgentsRequest } from "./sdk-types.js";

export function readRequest(request: AgentsRequest): LlmTurnRequest {
  for (const field of ["previousResponseId", "conversationId", "prompt"] as const) {
    if (request[field] !== undefined) refuse(field, "it names state on the vendor's side, which cannot be replayed");
  }
  // The SDK's models put these fields into the body that they send.
  const held = findHeldState(toLoose(request.modelSettings)["providerData"]);
  if (held !== undefined) refuse(`modelSettings.providerData.${held.field}`, HELD);
  const messages = readInput(request.systemInstructions, request.input);
  const tools = [
    ...(request.tools ?? []).map((tool) => readTool(toLoose(tool))),
    ...(request.handoffs ?? []).map((handoff) => readHandoff(toLoose(handoff))),
  ];
  const isForeign = messages.some(hasExtras) || tools.some(isToolOfAgents);
  const settings = readSettings(toLoose(request.modelSettings), toLoose(request.outputType), isForeign);
  return {
    messages,
    ...(tools.length === 0 ? {} : { tools }),
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
    ...defined({ signal: request.signal }),
  };
}

function readTool(tool: Loose): LlmToolDefinition {
  const { type, name, description, parameters, ...rest } = tool;
  const extras = toJson(rest) as JsonObject;
  if (type === "function") {
    const schema = toJson(parameters ?? {}) as JsonObject;
    return withExtras({ name: asText(name), description: asText(description), schema }, extras);
  }
  return withExtras({ name: asText(name), description: "", schema: {} }, { hosted: toJson(tool) });
}

/** A handoff is a function that the runner answers. Models see a function. */
function readHandoff({ toolName, toolDescription, inputJsonSchema, strictJsonSchema }: Loose): LlmToolDefinition {
  const schema = toJson(inputJsonSchema ?? {}) as JsonObject;
  const tool = { name: asText(toolName), description: asText(toolDescription), schema };
  return withExtras(tool, { handoff: true, ...optional({ strict: strictJsonSchema }) });
}

/** Reads the settings. Retries, timeouts and raw usage are the runner's business and not part of the request. */
function readSettings(settings: Loose, outputType: Loose, isForeign: boolean): LlmSettings {
  const { temperature, topP, maxTokens, toolChoice, ...others } = settings;
  const { timeoutMs: _, retry: _retry, preserveRawUsage: _raw, ...rest } = others;
  const choice = toolChoice === "none" || toolChoice === "required" ? toolChoice : { name: asText(toolChoice) };
  const { type, name, schema, strict } = outputType;
  const isSchema = type === "json_schema";
  const extras: JsonObject = {
    ...(toJson(rest) as JsonObject),
    ...(isSchema && strict !== true ? { looseOutput: true } : {}),
  };
  const isMarked = isForeign || Object.keys(extras).length > 0;
  return {
    ...optional({ temperature, topP, maxTokens }),
    ...(toolChoice === undefined || toolChoice === "auto" ? {} : { toolChoice: choice }),
    ...(isSchema ? { responseFormat: { name: asText(name), schema: toJson(schema ?? {}) as JsonObject } } : {}),
    ...(isMarked ? { [EXTRAS]: extras } : {}),
  } as LlmSettings;
}

/** The argument of `getResponse` and `getStreamedResponse`, with tracing off. */
export function writeRequest(request: LlmTurnRequest, name: string): Loose {
  const { messages, tools = [], settings = {}, signal } = request;
  assertKnownOptions(`the settings of a request to ${name}`, settings, [...SETTING_NAMES, EXTRAS]);
  for (const setting of ["model", "stop", "seed"] as const) {
    if (settings[setting] === undefined) continue;
    throw new AgentError("invalid-options", `${name} does not take the setting ${setting}`, {
      hint: "Leave it out: a model of the Agents SDK has no such setting.",
    });
  }
  const { toolChoice, responseFormat } = settings;
  const { looseOutput, ...extras } = extrasOf(settings);
  const { instructions, input } = writeInput(messages);
  const isHandoff = (tool: LlmToolDefinition): boolean => extrasOf(tool)["handoff"] === true;
  return {
    ...given({ systemInstructions: instructions }),
    input,
    modelSettings: {
      ...defined({ temperature: settings.temperature, topP: settings.topP, maxTokens: settings.maxTokens }),
      ...given({ toolChoice: typeof toolChoice === "object" ? toolChoice.name : toolChoice }),
      ...extras,
    },
    tools: tools.filter((tool) => !isHandoff(tool)).map(writeTool),
    handoffs: tools.filter(isHandoff).map(writeHandoff),
    outputType:
      responseFormat === undefined ? "text" : { type: "json_schema", ...responseFormat, strict: looseOutput !== true },
    tracing: false,
    ...defined({ signal }),
  };
}

function writeTool(tool: LlmToolDefinition): Loose {
  const { hosted, ...extras } = extrasOf(tool);
  if (hosted !== undefined) return toLoose(hosted);
  const { name, description, schema } = tool;
  return { type: "function", name, description, parameters: schema, strict: false, ...extras };
}

function writeHandoff(tool: LlmToolDefinition): Loose {
  const { name, description, schema } = tool;
  const { strict = true } = extrasOf(tool);
  return { toolName: name, toolDescription: description, inputJsonSchema: schema, strictJsonSchema: strict };
}
