// The one error class of agent processes and of the fabric that wires them.

import { defined } from "../defined.js";

/** Closed; callers may rely on the words. */
export type PlumbErrorCode =
  /** The file of a spec cannot be read. */
  | "spec-unreadable"
  | "spec-malformed"
  /** A file of `prompts` cannot be read. */
  | "prompt-not-found"
  /** Neither the spec, the command line nor the environment names a provider that exists. */
  | "provider-missing"
  /** The provider needs a key, and its variable is not set. */
  | "key-missing"
  /** An address of ZeroMQ that is missing, in use, or open to strangers. */
  | "endpoint-invalid"
  /** Bytes that break the framing, or a marker with an unusable name. */
  | "frame-malformed"
  | "frame-too-large"
  | "not-json"
  /** A message does not match the input schema of the agent. */
  | "input-invalid"
  /** The answers of the model do not match the output schema. */
  | "output-invalid"
  /** The vendor refused or filtered the answer. */
  | "output-refused"
  | "budget-exhausted"
  /** The provider or a tool failed while a message was in progress. */
  | "message-failed"
  /** An agent refused its new conversation. */
  | "memory-invalid"
  /** The process that started this one is gone. */
  | "parent-gone"
  /** An agent was not ready in time. */
  | "not-ready"
  | "agent-exited"
  | "agent-killed"
  /** An agent ended without EOF on its output, so its last messages may be missing. */
  | "output-cut"
  | "graph-invalid"
  /** More messages than `maxMessages` in one fabric. */
  | "too-many-messages"
  /** A run cannot follow its schedule. */
  | "schedule-diverged"
  | "schedule-malformed"
  | "aborted";

/** Every failure of an agent process or a fabric. `message` says what happened, `hint` what to do. */
export class PlumbError extends Error {
  readonly code: PlumbErrorCode;
  readonly hint: string;
  /** The agent that the failure is about. */
  readonly agent?: string;

  constructor(code: PlumbErrorCode, message: string, hint: string, options: { agent?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "PlumbError";
    this.code = code;
    this.hint = hint;
    Object.assign(this, defined({ agent: options.agent }));
  }
}
