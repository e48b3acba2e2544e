// `playhead/mcp`: the tools of an MCP server as Playhead tools, recorded and replayed like any other.

export { mcpTools, McpToolError, recordedTools, type McpResult } from "../harness/index.js";
