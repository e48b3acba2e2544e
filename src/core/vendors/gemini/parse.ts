// A generateContent body as a turn request, the inverse of `encodeGemini`. Names of fields may be snake_case. A call without an
// id gets one from its place. A result without an id belongs to the first call of its name that has no result. Fields without a setting
// are kept.

import { isPlainObject, type JsonObject, type JsonValue } from "../../canon/value.js";
import type { AssistantMessage, ContentPart, LlmMessage, ToolMessage } from "../../model/message.js";
import type { LlmSettings, LlmToolDefinition } from "../../model/provider.js";
import { toToolCalls } from "../../providers/calls.js";
import { toJsonText, toObject, toText, type WireObject } from "../../http/json-readers.js";
import { createCallNames, type CallNames } from "../../wire/call-names.js";
import {
  bodyFields,
  isGiven,
  nested,
  toolFields,
  unknownFields,
  wireFieldsOf,
  withMessageFields,
} from "../../wire/fields.js";
import { refuseHeldState } from "../../wire/held-state.js";
import {
  readNumber,
  readObject,
  readObjects,
  readStops,
  readString,
  refuse,
  toTurn,
  type WireTurn,
} from "../../wire/turn.js";
import { UNNAMED_FORMAT } from "../anthropic/parse.js";
import { textOfResult } from "./encode.js";
import { findCachedContent } from "./held-state.js";
import { readParts, toCamel } from "./parts.js";

/** Fields of a body that are read one by one. */
const READ = ["model", "contents", "systemInstruction", "tools", "toolConfig", "generationConfig"];

/** Settings that are read one by one. */
const READ_SETTINGS = ["temperature", "topP", "maxOutputTokens", "stopSequences", "seed"];

/** Parses a body of Gemini's API. Throws `AgentError` `invalid-options` for anything that a turn request cannot hold. */
export function parseGemini(json: unknown, model: string, form: Pick<WireTurn, "isStream" | "isList">): WireTurn {
  refuseHeldState(json, findCachedContent);
  const body = toCamel(toObject(json));
  const config = toCamel(readObject(body["generationConfig"], "generationConfig"));
  const candidates = readNumber(config, "candidateCount") ?? 1;
  if (candidates > 1) refuse("candidateCount", `asks for ${candidates} answers, and a turn has one`);
  const toolConfig = toCamel(readObject(body["toolConfig"], "toolConfig"));
  const choice = toCamel(readObject(toolConfig["functionCallingConfig"], "toolConfig.functionCallingConfig"));
  const tools = readList(body["tools"], "tools").map(toCamel);
  const declared = tools.flatMap((tool) =>
    readList(tool["functionDeclarations"], "tools.functionDeclarations").map(toCamel),
  );
  return toTurn({
    wire: "gemini",
    fields: readFields(body, config, choice, tools, declared),
    messages: [...readSystem(body["systemInstruction"]), ...readContents(body["contents"])],
    tools: declared.map(readTool),
    settings: {
      temperature: readNumber(config, "temperature"),
      topP: readNumber(config, "topP"),
      maxTokens: readNumber(config, "maxOutputTokens"),
      stop: readStops(config["stopSequences"]),
      seed: readNumber(config, "seed"),
      toolChoice: readChoice(choice),
      responseFormat: readFormat(config),
    },
    model,
    ...form,
    wantsUsage: true,
  });
}

function readList(value: unknown, place: string): readonly WireObject[] {
  return readObjects(isPlainObject(value) ? [value] : value, place);
}

function readFields(
  body: WireObject,
  config: WireObject,
  choice: WireObject,
  tools: readonly WireObject[],
  declared: readonly WireObject[],
): JsonObject {
  const isSchema = schemaOf(config) !== undefined;
  const hosted = tools.flatMap((tool) => {
    const others = unknownFields(tool, ["functionDeclarations"]);
    return Object.keys(others).length === 0 ? [] : [others];
  });
  const isNamed = readChoice(choice) !== undefined;
  return {
    ...bodyFields(body, READ),
    ...nested("systemInstruction", unknownFields(toObject(body["systemInstruction"]), ["role", "parts"])),
    ...nested("generationConfig", {
      ...unknownFields(config, [...READ_SETTINGS, ...(isSchema ? FORMAT : [])]),
      // Which of the two fields for a schema is used decides what the API takes.
      ...(isSchema && isGiven(config["responseSchema"]) ? { responseSchema: true } : {}),
    }),
    ...nested("toolConfig", {
      ...unknownFields(toCamel(toObject(body["toolConfig"])), ["functionCallingConfig"]),
      ...nested("functionCallingConfig", unknownFields(choice, isNamed ? ["mode", "allowedFunctionNames"] : [])),
    }),
    ...toolFields(declared, (tool) => ({
      name: tool["name"],
      fields: unknownFields(tool, ["name", "description", schemaField(tool)]),
    })),
    ...(hosted.length === 0 ? {} : { hosted_tools: hosted }),
  };
}

function readSystem(instruction: unknown): LlmMessage[] {
  if (!isGiven(instruction)) return [];
  const texts =
    typeof instruction === "string"
      ? [instruction]
      : readList(readObject(instruction, "systemInstruction")["parts"], "systemInstruction.parts").map((part) =>
          typeof part["text"] === "string" ? part["text"] : refuse("systemInstruction", "has a part that is not text"),
        );
  return texts.filter((text) => text !== "").map((text) => ({ role: "system", content: toText(text) }));
}

function readContents(contents: unknown): LlmMessage[] {
  if (typeof contents === "string") return [{ role: "user", content: toText(contents) }];
  if (!isGiven(contents)) refuse("contents", "must be a list");
  const calls = createCallNames();
  return readList(contents, "contents").flatMap((content, index) => {
    const place = `contents[${index}]`;
    const parts = readList(content["parts"], `${place}.parts`).map(toCamel);
    const role = readString(content, "role", place) || "user";
    if (role !== "model" && role !== "user" && role !== "function") refuse(place, `has the role "${role}"`);
    for (const part of parts) checkPart(part, place);
    const [first, ...more] = role === "model" ? [readModel(parts, calls)] : readUser(parts, place, calls);
    const fields = unknownFields(content, ["role", "parts"]);
    return [
      withMessageFields(first, "gemini", { ...wireFieldsOf(first, "gemini"), ...nested("content", fields) }),
      ...more,
    ];
  });
}

function checkPart(part: WireObject, place: string): void {
  const { thought, functionCall: call } = part;
  if (isGiven(thought) && typeof thought !== "boolean") refuse(place, "has a thought that is neither true nor false");
  for (const field of ["id", "name"]) readString(readObject(call, `${place}.functionCall`), field, place);
}

function readModel(parts: readonly WireObject[], calls: CallNames): AssistantMessage {
  const { content, calls: asked, reasoning, layout } = readParts(parts);
  const toolCalls = toToolCalls(asked);
  const message: AssistantMessage = {
    role: "assistant",
    content,
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(reasoning.length === 0 ? {} : { reasoning }),
  };
  calls.add(message);
  return withMessageFields(message, "gemini", layout === undefined ? {} : { layout });
}

/** One content may hold tool results and then words of the user. Results become messages of their own. */
function readUser(
  parts: readonly WireObject[],
  place: string,
  calls: CallNames,
): [first: LlmMessage, ...more: LlmMessage[]] {
  const messages: LlmMessage[] = [];
  let said: WireObject[] = [];
  const flush = (): void => {
    if (said.length > 0) messages.push(readSaid(said));
    said = [];
  };
  for (const part of parts) {
    if (!isPlainObject(part["functionResponse"])) {
      said.push(part);
      continue;
    }
    flush();
    messages.push(readResult(part, place, calls));
  }
  flush();
  const [first = { role: "user", content: [] }, ...more] = messages;
  return [first, ...more];
}

/** One text is a string, anything else a list. A part that is neither text nor image is kept in the fields. */
function readSaid(parts: readonly WireObject[]): LlmMessage {
  const read = parts.map(readPart);
  const fields = parts.flatMap((part, place) => {
    return Object.entries(nested(String(place), partFields(part, read[place])));
  });
  const content = read.flatMap((part) => part ?? []);
  const [only] = content;
  const isText = parts.length === 1 && only?.type === "text";
  return withMessageFields(
    { role: "user", content: isText ? only.text : content },
    "gemini",
    nested("parts", Object.fromEntries(fields)),
  );
}

function readPart(part: WireObject): ContentPart | undefined {
  if (typeof part["text"] === "string") return { type: "text", text: toText(part["text"]) };
  const { mimeType, data } = toCamel(toObject(part["inlineData"]));
  const mediaType = toText(mimeType);
  if (mediaType.startsWith("image/") && typeof data === "string")
    return { type: "image", mediaType, data: toText(data) };
  const { mimeType: fileType, fileUri } = toCamel(toObject(part["fileData"]));
  const isImage = fileType === undefined || toText(fileType).startsWith("image/");
  return isImage && typeof fileUri === "string" ? { type: "image", url: toText(fileUri) } : undefined;
}

/** The unknown fields of a part, or all of its fields if it was not read. */
function partFields(part: WireObject, read: ContentPart | undefined): JsonObject {
  const known = part["thought"] === false ? ["thought"] : [];
  if (read === undefined) return unknownFields(part, known);
  if (read.type === "text") return unknownFields(part, [...known, "text"]);
  const [name, fields] = "url" in read ? ["fileData", ["fileUri"]] : ["inlineData", ["mimeType", "data"]];
  return {
    ...unknownFields(part, [...known, name]),
    ...nested(name, unknownFields(toCamel(toObject(part[name])), fields)),
  };
}

function readResult(part: WireObject, place: string, calls: CallNames): ToolMessage {
  const result = toObject(part["functionResponse"]);
  const name = readString(result, "name", place);
  const toolCallId = readString(result, "id", place) || calls.idOf(name);
  calls.close(toolCallId);
  const response = readObject(result["response"], `${place}.functionResponse.response`) as JsonObject;
  const text = textOfResult(response) ?? { content: toJsonText(response) };
  return withMessageFields({ role: "tool", toolCallId, name, ...text }, "gemini", {
    ...unknownFields(part, ["functionResponse", ...(part["thought"] === false ? ["thought"] : [])]),
    ...unknownFields(result, ["id", "name", "response"]),
  });
}

function schemaField(tool: WireObject): string {
  return isGiven(tool["parametersJsonSchema"]) ? "parametersJsonSchema" : "parameters";
}

function readTool(tool: WireObject): LlmToolDefinition {
  return {
    name: readString(tool, "name", "tools"),
    description: readString(tool, "description", "tools"),
    schema: readObject(tool[schemaField(tool)], "tools.parameters") as JsonObject,
  };
}

function readChoice({ mode, allowedFunctionNames: names }: WireObject): LlmSettings["toolChoice"] {
  const word = toText(mode).toUpperCase();
  const [only, ...others] = readStops(names, "allowedFunctionNames") ?? [];
  if (word === "ANY" && only !== undefined && others.length === 0) return { name: only };
  if (only !== undefined) return undefined;
  if (word === "ANY") return "required";
  if (word === "AUTO") return "auto";
  return word === "NONE" ? "none" : undefined;
}

const FORMAT = ["responseMimeType", "responseJsonSchema", "responseSchema"];

function schemaOf(config: WireObject): JsonValue | undefined {
  const schema = config["responseJsonSchema"] ?? config["responseSchema"];
  return config["responseMimeType"] === "application/json" && isPlainObject(schema)
    ? (schema as JsonObject)
    : undefined;
}

function readFormat(config: WireObject): LlmSettings["responseFormat"] {
  const schema = schemaOf(config);
  return schema === undefined ? undefined : { name: UNNAMED_FORMAT, schema: schema as JsonObject };
}
