// A failure of an MCP server or the connection to it. The run ends: the model never reads it, and no recording keeps it as a result.

import { ToolPolicyError } from "../../../core/index.js";

/** Ends the run. `cause` is the client's rejection, such as a `ProtocolError` or `SdkError` of the official SDK. */
export class McpToolError extends ToolPolicyError {
  readonly tool: string;

  constructor(tool: string, message: string, options: { hint: string; cause?: unknown }) {
    super(message, options);
    this.name = "McpToolError";
    this.tool = tool;
  }
}
