// `playhead/mcp`: the tools of an MCP server as tools of ours, recorded and replayed like any other.

export { mcpTools, McpToolError, recordedTools, type McpResult } from "../harness/index.js";
