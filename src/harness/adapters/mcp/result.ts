// The result of an MCP tool as the one text a tool message holds. Texts come as they are, one below the other; links to
// resources and embedded text as JSON or text; structured content as JSON, unless a text says it already. Annotations and `_meta` are for
// the host and are left out. Pictures, sound and bytes have no place in a text and are refused by name.

import { canonicalize, isPlainObject } from "../../../core/index.js";
import type { McpResult } from "./client.js";
import { McpToolError } from "./failure.js";

/** Throws `McpToolError` for a block that cannot be shown and is not named in `ignore`. */
export function resultText(tool: string, result: McpResult, ignore: readonly string[]): string {
  const { content = [], structuredContent } = (result as McpResult | null | undefined) ?? { content: null as never };
  if (!Array.isArray(content)) throw unreadable(tool, "its content is no list");
  const texts = content.map((block) => blockText(tool, block, ignore));
  const structure = structuredContent === undefined ? undefined : structureText(tool, structuredContent);
  const isNews = structure !== undefined && !texts.some((text) => isJsonOf(text, structuredContent));
  return [...texts, ...(isNews ? [structure] : [])].join("\n");
}

/** Over a wire it is JSON; a client in the same process hands over whatever it was given. */
function structureText(tool: string, value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch (cause) {
    throw unreadable(tool, "its structuredContent is no JSON", cause);
  }
}

/** No answer of a tool: the model must not read of it as one. */
function unreadable(tool: string, what: string, cause?: unknown): McpToolError {
  return new McpToolError(tool, `MCP tool ${tool} answered with what is no result: ${what}`, {
    hint: "Ask who runs the server, or look at how its client is connected.",
    cause,
  });
}

function blockText(tool: string, value: unknown, ignore: readonly string[]): string {
  const block = isPlainObject(value) ? value : {};
  const { type } = block;
  switch (type) {
    case "text":
      if (typeof block["text"] === "string") return block["text"];
      break;
    case "resource_link": {
      const { uri, name, title, description, mimeType, size } = block;
      return JSON.stringify({ type, uri, name, title, description, mimeType, size });
    }
    case "resource": {
      const resource = isPlainObject(block["resource"]) ? block["resource"] : {};
      if (typeof resource["text"] === "string") return resource["text"];
      return leaveOut(tool, "blob", ignore, resource["mimeType"]);
    }
  }
  return leaveOut(tool, typeof type === "string" ? type : "unknown", ignore, block["mimeType"]);
}

/** The model reads that there was something. */
function leaveOut(tool: string, type: string, ignore: readonly string[], mimeType: unknown): string {
  const what = `${type}${typeof mimeType === "string" ? ` (${mimeType})` : ""}`;
  if (ignore.includes(type)) return `[${what} left out]`;
  throw new McpToolError(tool, `MCP tool ${tool} answered with ${what}, which no tool message here can hold`, {
    hint: `ignore: [${JSON.stringify(type)}] of mcpTools tells the model that it was left out.`,
  });
}

function isJsonOf(text: string, value: unknown): boolean {
  try {
    return canonicalize(JSON.parse(text)) === canonicalize(value);
  } catch {
    return false;
  }
}
