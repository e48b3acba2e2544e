// Converts recorded request bodies to turn requests, as far as these can hold them, and describes the shape of a body
// as a set of paths. It is for tests only, and shorter than a product would be.

import type { JsonObject, JsonValue } from "../../src/core/canon/value.js";
import type { ContentPart, LlmMessage, LlmToolCall, Reasoning } from "../../src/core/model/message.js";
import type { LlmSettings, LlmToolDefinition, LlmTurnRequest } from "../../src/core/model/provider.js";

/** The wires that this parser reads, apart from the one of the product. */
export type ChatWire = "openai" | "anthropic" | "ollama";

/** Thrown for content that a turn request cannot hold: documents, audio, tools that the vendor runs. */
export class NotModelled extends Error {}

type Fields = Record<string, unknown>;
const fieldsOf = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {});
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);
const textOr = (value: unknown): string => (typeof value === "string" ? value : "");

export function parseRequest(wire: ChatWire, body: Fields): LlmTurnRequest {
  const names = new Map<string, string>();
  const messages = [
    ...readSystem(body["system"]),
    ...listOf(body["messages"]).flatMap((message) => READERS[wire](message, names)),
  ];
  const tools = readTools(body);
  const settings = readSettings(wire, body);
  return {
    messages,
    ...(tools.length === 0 ? {} : { tools }),
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
  };
}

const READERS: Record<ChatWire, (message: Fields, names: Map<string, string>) => LlmMessage[]> = {
  openai: readOpenAi,
  anthropic: readAnthropic,
  ollama: readOllama,
};

function readSystem(system: unknown): LlmMessage[] {
  if (system === undefined || system === null) return [];
  return [{ role: "system", content: readText(system) }];
}

/** The text of a string or of a list of text parts. */
function readText(content: unknown): string {
  if (!Array.isArray(content)) return textOr(content);
  return listOf(content)
    .map((part) =>
      part["type"] === "text" || part["type"] === undefined ? textOr(part["text"]) : notModelled(part["type"]),
    )
    .join("");
}

function notModelled(what: unknown): never {
  throw new NotModelled(String(what));
}

function readContent(content: unknown): string | ContentPart[] {
  if (!Array.isArray(content)) return textOr(content);
  return listOf(content).map((part) => {
    switch (part["type"]) {
      case "text":
        return { type: "text", text: textOr(part["text"]) };
      case "image_url":
        return readImageUrl(textOr(fieldsOf(part["image_url"])["url"]));
      case "image":
        return readImageSource(fieldsOf(part["source"]));
      default:
        return notModelled(part["type"]);
    }
  });
}

function readImageUrl(url: string): ContentPart {
  const inline = /^data:([^;,]+);base64,(.*)$/s.exec(url);
  return inline === null
    ? { type: "image", url }
    : { type: "image", mediaType: inline[1] ?? "", data: inline[2] ?? "" };
}

function readImageSource(source: Fields): ContentPart {
  if (source["type"] === "url") return { type: "image", url: textOr(source["url"]) };
  if (source["type"] !== "base64") return notModelled(`image by ${String(source["type"])}`);
  return { type: "image", mediaType: textOr(source["media_type"]), data: textOr(source["data"]) };
}

function readCall(call: Fields, names: Map<string, string>): LlmToolCall {
  const named = fieldsOf(call["function"]);
  const id = textOr(call["id"]) || `call_${names.size}`;
  const written = named["arguments"];
  names.set(id, textOr(named["name"]));
  return {
    id,
    name: textOr(named["name"]),
    arguments: (typeof written === "string" ? parseOr(written) : fieldsOf(written)) as JsonObject,
  };
}

function parseOr(text: string): unknown {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return {};
  }
}

function readOpenAi(message: Fields, names: Map<string, string>): LlmMessage[] {
  const { role, content } = message;
  switch (role) {
    case "system":
    case "developer":
      return [{ role: "system", content: readText(content) }];
    case "user":
      return [{ role: "user", content: readContent(content) }];
    case "assistant": {
      const toolCalls = listOf(message["tool_calls"]).map((call) => readCall(call, names));
      return [{ role: "assistant", content: readText(content), ...(toolCalls.length > 0 ? { toolCalls } : {}) }];
    }
    case "tool": {
      const toolCallId = textOr(message["tool_call_id"]);
      return [{ role: "tool", toolCallId, name: names.get(toolCallId) ?? "unknown", content: readText(content) }];
    }
    default:
      return notModelled(`role ${String(role)}`);
  }
}

function readOllama(message: Fields, names: Map<string, string>): LlmMessage[] {
  const { role, content, images, thinking } = message;
  if (role === "tool") {
    return [
      {
        role,
        toolCallId: textOr(message["tool_call_id"]),
        name: textOr(message["tool_name"]),
        content: textOr(content),
      },
    ];
  }
  if (role === "user" && Array.isArray(images)) {
    const inline = images.map((data) => ({ type: "image" as const, mediaType: "image/png", data: String(data) }));
    return [{ role, content: [{ type: "text", text: textOr(content) }, ...inline] }];
  }
  const read = readOpenAi(message, names);
  if (read[0]?.role === "assistant" && textOr(thinking) !== "") {
    read[0].reasoning = [{ type: "text", text: textOr(thinking) }];
  }
  return read;
}

function readAnthropic(message: Fields, names: Map<string, string>): LlmMessage[] {
  const { role, content } = message;
  if (role === "system") return readSystem(content);
  const blocks = Array.isArray(content) ? listOf(content) : [{ type: "text", text: content }];
  if (role === "assistant") return [readAssistant(blocks, names)];
  const results = blocks.filter((block) => block["type"] === "tool_result");
  const rest = blocks.filter((block) => block["type"] !== "tool_result");
  return [
    ...results.map((block) => readResult(block, names)),
    ...(rest.length === 0
      ? []
      : [{ role: "user" as const, content: readContent(Array.isArray(content) ? rest : content) }]),
  ];
}

function readResult(block: Fields, names: Map<string, string>): LlmMessage {
  const toolCallId = textOr(block["tool_use_id"]);
  return {
    role: "tool",
    toolCallId,
    name: names.get(toolCallId) ?? "unknown",
    content: readText(block["content"]),
    ...(block["is_error"] === true ? { isError: true } : {}),
  };
}

function readAssistant(blocks: Fields[], names: Map<string, string>): LlmMessage {
  let content = "";
  const toolCalls: LlmToolCall[] = [];
  const reasoning: Reasoning[] = [];
  for (const block of blocks) {
    const { type, signature } = block;
    if (type === "text") content += textOr(block["text"]);
    else if (type === "tool_use") {
      const call = { id: block["id"], function: { name: block["name"], arguments: block["input"] } };
      toolCalls.push(readCall(call, names));
    } else if (type === "thinking") {
      reasoning.push({
        type: "text",
        text: textOr(block["thinking"]),
        ...(typeof signature === "string" ? { signature } : {}),
      });
    } else if (type === "redacted_thinking") reasoning.push({ type: "redacted", data: textOr(block["data"]) });
    else notModelled(type);
  }
  return {
    role: "assistant",
    content,
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
    ...(reasoning.length > 0 ? { reasoning } : {}),
  };
}

function readTools(body: Fields): LlmToolDefinition[] {
  return listOf(body["tools"]).map((tool) => {
    const named = tool["input_schema"] === undefined ? fieldsOf(tool["function"]) : tool;
    if (typeof named["name"] !== "string") return notModelled(`tool ${String(tool["type"])}`);
    const schema = (named["parameters"] ?? named["input_schema"] ?? {}) as JsonObject;
    return { name: named["name"], description: textOr(named["description"]), schema };
  });
}

function readSettings(wire: ChatWire, body: Fields): LlmSettings {
  const from = wire === "ollama" ? fieldsOf(body["options"]) : body;
  const numbers = {
    temperature: from["temperature"],
    topP: from["top_p"],
    maxTokens: from["max_tokens"] ?? from["max_completion_tokens"] ?? from["num_predict"],
    seed: from["seed"],
  };
  const stop = from["stop"] ?? from["stop_sequences"];
  const toolChoice = readChoice(body["tool_choice"]);
  const responseFormat = readFormat(body);
  return {
    ...Object.fromEntries(Object.entries(numbers).filter(([, value]) => typeof value === "number")),
    ...(typeof stop === "string" || Array.isArray(stop) ? { stop: [stop].flat() as string[] } : {}),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(responseFormat === undefined ? {} : { responseFormat }),
  };
}

function readChoice(choice: unknown): LlmSettings["toolChoice"] {
  const type = typeof choice === "string" ? choice : fieldsOf(choice)["type"];
  const name = fieldsOf(choice)["name"] ?? fieldsOf(fieldsOf(choice)["function"])["name"];
  if (typeof name === "string") return { name };
  if (type === "auto" || type === "none" || type === "required") return type;
  return type === "any" ? "required" : undefined;
}

function readFormat(body: Fields): LlmSettings["responseFormat"] {
  const named = fieldsOf(fieldsOf(body["response_format"])["json_schema"]);
  if (typeof named["name"] === "string")
    return { name: named["name"], schema: fieldsOf(named["schema"]) as JsonObject };
  const format = fieldsOf(body["output_config"])["format"] ?? body["output_format"] ?? body["format"];
  const schema = fieldsOf(format)["schema"] ?? format;
  return typeof schema === "object" && schema !== null ? { name: "answer", schema: schema as JsonObject } : undefined;
}

/** Below these paths, the caller's own content begins. */
const OPAQUE =
  /(parameters|input_schema|\.input|\.schema|(?:response|Json)Schema|json_schema\.properties|^\.format|function\.arguments|\.args|inputSchema\.json)$/;

/**
 * The paths of a body, each with the type of its value. An item of a list is named by its role and type, so that the fields of
 * a user's image differ from those of a tool's result.
 */
export function pathsOf(value: JsonValue, path = ""): string[] {
  if (value === null) return [`${path}:null`];
  if (typeof value !== "object") return [`${path}:${typeof value}`];
  if (Array.isArray(value))
    return [`${path}:list`, ...value.flatMap((item) => pathsOf(item, `${path}[${kindOf(item)}]`))];
  const own = `${path}:object`;
  if (OPAQUE.test(path)) return [own];
  return [own, ...Object.entries(value).flatMap(([key, item]) => pathsOf(item, `${path}.${key}`))];
}

function kindOf(item: JsonValue): string {
  const { role, type } = fieldsOf(item);
  return [role, type].filter((word) => typeof word === "string").join(" ");
}
