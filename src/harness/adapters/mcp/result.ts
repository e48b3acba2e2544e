// The result of an MCP tool as the text of a tool message: texts, links and embedded text line by line, then structured content as
// JSON unless a text holds it already. Annotations and `_meta` are for the host and dropped. Images, audio and bytes are refused.

import { canonicalize, isPlainObject, ToolPolicyError } from "../../../core/index.js";
import type { McpResult } from "./client.js";

/**
 * A failure of an MCP server or the connection to it. It ends the run: the model never reads it, and no recording keeps it as a
 * result. `cause` is the client's rejection, such as a `ProtocolError` or `SdkError` of the official SDK.
 */
export class McpToolError extends ToolPolicyError {
  readonly tool: string;

  constructor(tool: string, message: string, options: { hint: string; cause?: unknown }) {
    super(message, options);
    this.name = "McpToolError";
    this.tool = tool;
  }
}

/** Throws `McpToolError` for a block that cannot be shown and is not named in `ignore`. */
export function resultText(tool: string, result: McpResult, ignore: readonly string[]): string {
  const { content = [], structuredContent } = (result as McpResult | null | undefined) ?? { content: null as never };
  if (!Array.isArray(content)) throw unreadable(tool, "its content must be a list");
  const texts = content.map((block) => blockText(tool, block, ignore));
  const structure = structuredContent === undefined ? undefined : structureText(tool, structuredContent);
  const isNews = structure !== undefined && !texts.some((text) => isJsonOf(text, structuredContent));
  return [...texts, ...(isNews ? [structure] : [])].join("\n");
}

/** Structured content is JSON over the wire; a client in the same process may pass anything. */
function structureText(tool: string, value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch (cause) {
    throw unreadable(tool, "its structuredContent must be JSON", cause);
  }
}

function unreadable(tool: string, what: string, cause?: unknown): McpToolError {
  return new McpToolError(tool, `MCP tool ${tool} answered with an invalid result: ${what}`, {
    hint: "Report it to whoever runs the server, or check how its client is connected.",
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

/** A note for the model that content was left out. */
function leaveOut(tool: string, type: string, ignore: readonly string[], mimeType: unknown): string {
  const what = `${type}${typeof mimeType === "string" ? ` (${mimeType})` : ""}`;
  if (ignore.includes(type)) return `[${what} left out]`;
  throw new McpToolError(tool, `MCP tool ${tool} answered with ${what}, which a recorded tool message cannot hold`, {
    hint: `ignore: [${JSON.stringify(type)}] of mcpTools replaces it by a note to the model.`,
  });
}

function isJsonOf(text: string, value: unknown): boolean {
  try {
    return canonicalize(JSON.parse(text)) === canonicalize(value);
  } catch {
    return false;
  }
}
