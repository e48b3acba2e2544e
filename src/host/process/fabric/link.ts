// The connection that carries the streams between a fabric and one agent.

import type { ChildProcess } from "node:child_process";
import type { InPort, PortName, WireItem } from "../../../core/process/index.js";

/** Receives what comes from the agent. */
export interface LinkSink {
  onItem(port: PortName, item: WireItem): void;
  /** The output cannot be used. With `isTorn`, its writer was cut off, and how the agent ended says more. */
  onFlaw(why: string, options?: { readonly cause?: unknown; readonly isTorn?: boolean }): void;
  /** Text that belongs to no stream. */
  onText(text: string): void;
}

export interface Link {
  /** Variables for the agent. */
  readonly env: Readonly<Record<string, string>>;
  /** True if the output ends with an item. Otherwise it ends with the process. */
  readonly hasEnd: boolean;
  /** True if the agent says that it is ready. Otherwise it passes a marker on. */
  readonly saysReady: boolean;
  /** Reads what the agent sends. */
  attach(child: ChildProcess, sink: LinkSink): void;
  /**
   * Resolves when the transport has it. For an agent that is gone, the item is dropped, and its end says why. For a stream that the agent
   * does not read, it is dropped too.
   */
  write(port: InPort, item: WireItem): Promise<void>;
  /** Resolves once everything that the agent sent before its end has arrived. */
  drain(): Promise<void>;
  close(): void;
}
