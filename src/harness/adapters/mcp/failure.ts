// What an MCP server, or the way to it, could not do. No answer of a tool, so the model never reads of it and no recording
// keeps it as one: the run ends.

import { ToolPolicyError } from "../../../core/index.js";

/** Ends the run. `cause` is what the client rejected with, such as a `ProtocolError` or `SdkError` of the official SDK. */
export class McpToolError extends ToolPolicyError {
  readonly tool: string;

  constructor(tool: string, message: string, options: { hint: string; cause?: unknown }) {
    super(message, options);
    this.name = "McpToolError";
    this.tool = tool;
  }
}
