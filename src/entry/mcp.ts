// `playhead/mcp`: the tools of an MCP server as tools of ours, recorded and replayed like any other.

export {
  MAX_MCP_PAGES,
  MAX_MCP_TOOLS,
  mcpTools,
  McpToolError,
  recordedTools,
  type McpClientLike,
  type McpResult,
  type McpTool,
  type McpToolsOptions,
} from "../harness/index.js";
