// The streams of one agent process, whatever carries them.

import { PlumbError, type InPort, type OutPort, type WireItem } from "../../core/process/index.js";
import type { Bell } from "./bell.js";

/** What came in. `refused`: a line that is not an item and was skipped. */
export type WireEvent = WireItem | { readonly kind: "refused"; readonly error: PlumbError };

export interface AgentWire {
  /** Rings when something came in, or the wire broke. */
  readonly bell: Bell;
  /** True if each output carries its provenance, even if its message had no provenance. */
  readonly isTraced: boolean;
  /** True if the reader of our output is gone. */
  readonly isBroken: boolean;
  has(port: InPort | OutPort): boolean;
  /** The next event of a stream, if there is one. */
  take(port: InPort): WireEvent | undefined;
  /** Messages that wait to be taken. */
  waiting(port: InPort): number;
  /** Resolves when the transport has it. Rejects with `PlumbError` if the reader is gone. */
  write(port: OutPort, item: WireItem): Promise<void>;
  /** Stops reading. What was written is still delivered, unless the process was aborted. */
  close(): void;
}

export function outputClosed(cause?: unknown): PlumbError {
  const hint = "Keep the reader of the output open until the agent ends.";
  return new PlumbError("aborted", "the output of the agent was closed", hint, cause === undefined ? {} : { cause });
}
