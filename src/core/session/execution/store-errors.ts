// The failures of runs that are stored.

import { AgentError } from "../../errors.js";

/**
 * A tool call had begun when its process stopped, and may have had its effect. Nothing in the session goes on before
 * `agent.recover(runId, toolCallId, decision)`.
 */
export class ToolExecutionNeedsRecoveryError extends AgentError {
  readonly runId: string;
  readonly toolCallId: string;
  readonly toolName: string;

  constructor(runId: string, toolCallId: string, toolName: string) {
    super("needs-recovery", `the call ${toolCallId} of tool ${toolName} in run ${runId} may have had its effect`, {
      hint: "Find out whether it had, and call agent.recover(runId, toolCallId, decision).",
    });
    this.name = "ToolExecutionNeedsRecoveryError";
    this.runId = runId;
    this.toolCallId = toolCallId;
    this.toolName = toolName;
  }
}

export function leaseLost(runId: string): AgentError {
  return new AgentError("lease-lost", `another process works on run ${runId}, or this one was silent for too long`, {
    hint: "Follow the run with readRun(host, runId, { follow: true }).",
    retryable: true,
  });
}

export function cancelled(runId: string): AgentError {
  return new AgentError("aborted", `run ${runId} was cancelled`);
}

export function gaveUp(runId: string, tries: number): AgentError {
  return new AgentError("gave-up", `run ${runId} was begun ${tries} times and got no further`, {
    hint: "Look for what ends the process: a tool, or the memory that a step needs. Then send the input again.",
  });
}

export function unexpected(message: string): AgentError {
  return new AgentError("store-failed", message, {
    hint: "The store breaks its contract: run executionStoreConformance on it.",
  });
}
