// Events that nobody has read, in columns. An object for each, with its stamp as text, takes as much memory as the conversation and
// a good part of the time of a turn, so it is made only when the events are read.

import type { HybridClock } from "../time/hlc.js";
import type { AgentEvent, EventBody } from "./event.js";

/** The events of one run from the first on, without gaps. */
export class EventNotes {
  readonly #runId: string;
  readonly #hlc: HybridClock;
  readonly #bodies: EventBody[] = [];
  readonly #agentIds: string[] = [];
  readonly #turns: number[] = [];
  readonly #at: number[] = [];
  readonly #ms: number[] = [];
  readonly #counters: number[] = [];

  constructor(runId: string, hlc: HybridClock) {
    this.#runId = runId;
    this.#hlc = hlc;
  }

  get length(): number {
    return this.#bodies.length;
  }

  /** Takes the next time stamp, and the event with it if `isKept`. */
  take(isKept: boolean, at: number, agentId: string, turnIndex: number, body: EventBody): void {
    this.#hlc.advance(at);
    if (!isKept) return;
    this.#bodies.push(body);
    this.#agentIds.push(agentId);
    this.#turns.push(turnIndex);
    this.#at.push(at);
    this.#ms.push(this.#hlc.ms);
    this.#counters.push(this.#hlc.counter);
  }

  moveTo(events: AgentEvent[]): void {
    for (let index = 0; index < this.#bodies.length; index++) {
      const head = {
        seq: events.length,
        at: this.#at[index] as number,
        hlc: this.#hlc.format(this.#ms[index] as number, this.#counters[index] as number),
        runId: this.#runId,
        agentId: this.#agentIds[index] as string,
        turnIndex: this.#turns[index] as number,
      };
      events.push(Object.assign(head, this.#bodies[index] as EventBody));
    }
    for (const column of [this.#bodies, this.#agentIds, this.#turns, this.#at, this.#ms, this.#counters]) {
      column.length = 0;
    }
  }
}
