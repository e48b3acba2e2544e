// The tools of an MCP server as our tools. The server's own name, description and schema go to the model, so a recording's toolsHash
// pins them: if a (poisoned) server changes one later, a replay misses.

import {
  assertKnownOptions,
  defined,
  MAX_TIMER_MS,
  quoteForeign,
  showValue,
  thrownText,
  type CustomTool,
  type JsonObject,
} from "../../../core/index.js";
import { HarnessError } from "../../errors.js";
import { MAX_MCP_PAGES, MAX_MCP_TOOLS } from "../../limits.js";
import type { McpClientLike, McpTool } from "./client.js";
import { McpToolError, resultText } from "./result.js";

/** The options of {@link mcpTools}. */
export interface McpToolsOptions {
  /** Prepended to every name, so that two servers can have tools of the same name. */
  readonly prefix?: string;
  /** The tools to use, by the server's names. Default: all. */
  readonly only?: readonly string[];
  /** Time limit of one call in ms. Default: the agent's `toolTimeoutMs`. */
  readonly timeoutMs?: number;
  /** Types of content replaced by a note to the model: `image`, `audio`, `blob` (a resource of bytes). */
  readonly ignore?: readonly string[];
}

/** The names that a runtime accepts. */
const TOOL_NAME = /^[a-zA-Z_][a-zA-Z0-9_-]*$/;
/**
 * Lists the server's tools, all pages of them. The model reads a result with `isError`. A call that the client rejects ends the run
 * with {@link McpToolError}. Rejects with `HarnessError` `tools-unclear`, and as `listTools` does.
 */
export async function mcpTools(client: McpClientLike, options: McpToolsOptions = {}): Promise<CustomTool[]> {
  assertKnownOptions("mcpTools", options, ["prefix", "only", "timeoutMs", "ignore"]);
  assertClient(client);
  const { prefix = "", only } = options;
  const listed = await listAll(client);
  const missing = only?.find((name) => !listed.some((tool) => tool.name === name));
  if (missing !== undefined) {
    const names = listed.slice(0, 20).map(({ name }) => showValue(name));
    throw unclear(`only names ${missing}, which the server does not have`, `It has ${names.join(", ") || "no tools"}.`);
  }
  const taken = only === undefined ? listed : listed.filter(({ name }) => only.includes(name));
  for (const { name } of taken) {
    if (TOOL_NAME.test(prefix + name)) continue;
    throw unclear(
      `the server has a tool ${JSON.stringify(name)}, whose name models do not accept`,
      "Leave it out with only, or set a prefix. A name has letters, digits, _ and -, and begins with a letter or _.",
    );
  }
  return taken.map((tool) => toTool(client, tool, options));
}

function assertClient(client: unknown): void {
  const { listTools, callTool } = (client ?? {}) as Partial<Record<keyof McpClientLike, unknown>>;
  if (typeof listTools === "function" && typeof callTool === "function") return;
  throw unclear(
    `mcpTools needs a client, not ${showValue(client)}`,
    "Pass a client that is connected, not a promise of one.",
  );
}

const REPORT_IT = "Report it to whoever runs the server.";

async function listAll(client: McpClientLike): Promise<McpTool[]> {
  const tools = new Map<string, McpTool>();
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await client.listTools(cursor === undefined ? undefined : { cursor });
    if (!Array.isArray((page as Partial<typeof page> | null)?.tools))
      throw unclear("the server gave no list of tools", REPORT_IT);
    for (const tool of page.tools) {
      if (tools.has(tool.name)) throw unclear(`the server has two tools named ${showValue(tool.name)}`, REPORT_IT);
      tools.set(tool.name, tool);
    }
    cursor = page.nextCursor;
    if (cursor !== undefined && seen.has(cursor)) throw unclear("the server's list of tools has a cycle", "");
    if (cursor !== undefined) seen.add(cursor);
    if (seen.size >= MAX_MCP_PAGES || tools.size > MAX_MCP_TOOLS) {
      throw unclear(`the server has more than ${MAX_MCP_PAGES} pages or ${MAX_MCP_TOOLS} tools`, REPORT_IT);
    }
  } while (cursor !== undefined);
  return [...tools.values()];
}

function toTool(client: McpClientLike, listed: McpTool, options: McpToolsOptions): CustomTool {
  const { name, description = "", inputSchema, annotations } = listed;
  const { prefix = "", timeoutMs, ignore = [] } = options;
  return {
    name: prefix + name,
    description,
    schema: inputSchema as JsonObject,
    // Calls of a batch run in order unless the server's hint says that they only read.
    effect: annotations?.readOnlyHint === true ? "read" : "write",
    ...defined({ timeoutMs }),
    async invoke(args, { signal }) {
      let result;
      try {
        // Switches off the SDK's own limit of one minute: the agent limits the time of a tool.
        result = await client.callTool({ name, arguments: args }, { signal, timeout: MAX_TIMER_MS });
      } catch (cause) {
        const why = quoteForeign(thrownText(cause));
        throw new McpToolError(name, `the MCP server failed on tool ${name}: ${why}`, { hint: hintOf(cause), cause });
      }
      const text = resultText(name, result, ignore);
      if (result.isError === true) throw new Error(text);
      return text;
    },
  };
}

/** A client of `@modelcontextprotocol/sdk` 1 reads the options as a schema, which is its second argument. */
function hintOf(cause: unknown): string {
  if (cause instanceof TypeError && cause.message.includes("safeParse")) {
    return "This looks like a client of @modelcontextprotocol/sdk 1, which takes options as its third argument. See docs/frameworks.md.";
  }
  return "See `cause`. A failure of the server ends the run.";
}

function unclear(what: string, hint: string): HarnessError {
  return new HarnessError("tools-unclear", what, hint === "" ? undefined : hint);
}
