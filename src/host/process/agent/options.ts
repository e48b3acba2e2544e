// The options of an agent process, and how it ended.

import type { CustomTool, LlmProviderAdapter, Ports } from "../../../core/index.js";
import type { AgentSchedule } from "../../../core/process/index.js";
import type { Reporter } from "../reporter.js";
import type { LoadedSpec } from "../spec-file.js";
import type { AgentWire } from "../wire.js";

export interface AgentProcessOptions {
  readonly loaded: LoadedSpec;
  readonly provider: LlmProviderAdapter;
  readonly wire: AgentWire;
  readonly reporter: Reporter;
  readonly tools?: readonly CustomTool[];
  /** Writes the debug log. Default false. */
  readonly debug?: boolean;
  /** Ends the process at once. */
  readonly signal?: AbortSignal;
  /** Ends the process after the message in progress. */
  readonly stop?: AbortSignal;
  /** Makes control take effect where it did in a recorded run. `record` notes where it does. */
  readonly schedule?: AgentSchedule | "record";
  readonly ports?: Partial<Ports>;
}

export interface AgentProcessEnd {
  readonly reason: "eof" | "stop" | "max_messages" | "failed" | "aborted";
  /** 1 if a message failed or the process was aborted. */
  readonly exitCode: 0 | 1;
  readonly inputs: number;
  readonly outputs: number;
  /** Messages that were read but not begun. */
  readonly dropped: number;
  /** The error of the first failed message. */
  readonly error?: unknown;
  /** Where control took effect, and the times of the clock, as recorded. */
  readonly schedule?: AgentSchedule;
}
