// The options of a fabric.

import { assertKnownOptions, isPlainObject, MAX_TIMER_MS, showValue, type Ports } from "../../../core/index.js";
import { PlumbError, type MergeOrder } from "../../../core/process/index.js";

/** The options of {@link runFabric}. */
export interface FabricOptions {
  /**
   * The transport of the messages. `"stdio"` (default) needs no package. `"ipc"` and addresses need `zeromq`: sockets in a private folder,
   * or a function that returns the address of each stream, such as `tcp://127.0.0.1:5550`. Over TCP, only agents of the run can connect.
   */
  readonly transport?: "stdio" | "ipc" | ((agent: string, stream: string) => string);
  /** Milliseconds within which every agent must be ready. Default 30,000. */
  readonly readyMs?: number;
  /** Milliseconds after which agents of a cancelled fabric are killed. Default 5,000. */
  readonly graceMs?: number;
  /** Messages that an agent, or the channels of a loop, hold. 2 or more. Default 16. */
  readonly window?: number;
  /** Highest number of messages in the whole run. Default 100,000. */
  readonly maxMessages?: number;
  /** The order of a recorded run, for a replay. */
  readonly schedule?: FabricSchedule;
  readonly signal?: AbortSignal;
  readonly ports?: Partial<Ports>;
  /** Called for each line that an agent writes to standard error. */
  readonly onStderr?: (agent: string, line: string) => void;
}

/** The inputs that each merge chose, in order. */
export interface FabricSchedule {
  readonly version: 1;
  readonly merges: MergeOrder;
}

const OPTIONS = ["readyMs", "graceMs", "window", "maxMessages", "schedule", "signal", "ports", "onStderr", "transport"];

/** Throws `PlumbError` `graph-invalid` or `schedule-malformed`, and `AgentError` `invalid-options` for an unknown option. */
export function checkOptions(options: FabricOptions): void {
  assertKnownOptions("runFabric", options, OPTIONS);
  const { readyMs = 1, graceMs = 0, window = 2, maxMessages = 1, schedule } = options;
  for (const [name, value, least] of [
    ["readyMs", readyMs, 1],
    ["graceMs", graceMs, 0],
    ["window", window, 2],
    ["maxMessages", maxMessages, 1],
  ] as const) {
    const most = name.endsWith("Ms") ? MAX_TIMER_MS : Number.MAX_SAFE_INTEGER;
    if (Number.isSafeInteger(value) && value >= least && value <= most) continue;
    throw new PlumbError(
      "graph-invalid",
      `${name} of runFabric is ${showValue(value)}`,
      `Use a whole number from ${least} to ${most}.`,
    );
  }
  const { transport = "stdio" } = options;
  if (transport !== "stdio" && transport !== "ipc" && typeof transport !== "function") {
    const what = `transport of runFabric is ${showValue(transport)}`;
    throw new PlumbError("graph-invalid", what, 'Use "stdio", "ipc" or a function that returns addresses.');
  }
  if (schedule === undefined || isSchedule(schedule)) return;
  const hint = "Pass the schedule of an earlier run, as done() returned it.";
  throw new PlumbError("schedule-malformed", "the schedule of runFabric cannot be read", hint);
}

function isSchedule({ version, merges }: FabricSchedule): boolean {
  const isInput = (index: unknown): boolean => Number.isSafeInteger(index) && Number(index) >= 0;
  return (
    version === 1 &&
    isPlainObject(merges) &&
    Object.values(merges).every((order) => Array.isArray(order) && order.every(isInput))
  );
}
