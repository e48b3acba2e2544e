// Errors with which a registry says how a dispatch failed. A vertex classifies them by class and code.

import { AgentError, ToolArgError } from "../../errors.js";

/** The registry has no tool with this id. The model reads "tool unavailable" and may correct its call. */
export class UnknownToolError extends ToolArgError {
  constructor(toolId: string) {
    super(`the registry has no tool ${JSON.stringify(toolId)}`, { tool: toolId });
    this.name = "UnknownToolError";
  }
}

/** The tool failed. The vertex fails with `tool_failed`, which is retryable. */
export class ToolExecutionError extends AgentError {
  constructor(message: string, options: { hint?: string; cause?: unknown } = {}) {
    super("tool-failed", message, { ...options, retryable: true });
    this.name = "ToolExecutionError";
  }
}

/** The tool was cancelled. The vertex fails with `cancelled`. */
export class ToolCancelledError extends AgentError {
  constructor(message = "the tool was cancelled", options: { cause?: unknown } = {}) {
    super("aborted", message, options);
    this.name = "ToolCancelledError";
  }
}
