// The provenance of what an agent sends: that of the message that it answers, with the agent added to its path.

import { createHlc, type Hlc, type Ports } from "../../../core/index.js";
import { extendTrace, type WireItem } from "../../../core/process/index.js";

type Message = Extract<WireItem, { kind: "message" }>;

export class Stamp {
  readonly #name: string;
  readonly #isTraced: boolean;
  readonly #hlc: Hlc;

  /** `isTraced`: a message without provenance gets one. */
  constructor(name: string, isTraced: boolean, ports: Ports) {
    this.#name = name;
    this.#isTraced = isTraced;
    this.#hlc = createHlc(ports);
  }

  /** `seq` counts the messages of one stream from 1. */
  add(message: Message, seq: number): Message {
    const { trace } = message;
    if (trace === undefined && !this.#isTraced) return message;
    const hlc = trace?.["hlc"];
    try {
      if (typeof hlc === "string") this.#hlc.receive(hlc);
    } catch {
      // The clock of another process may be wrong, or not a clock of ours.
    }
    return { ...message, trace: extendTrace(trace, this.#name, seq, this.#hlc.tick()) };
  }
}
