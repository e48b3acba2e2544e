// The log of a run: stamps events, keeps them in order up to a limit, and passes them frozen to a listener.

import { seal } from "../canon/copy.js";
import { MAX_KEPT_EVENTS } from "../limits.js";
import type { Ports } from "../ports.js";
import { createHlc, HybridClock, type Hlc } from "../time/hlc.js";
import { thrownText } from "../text/thrown.js";
import { isThenable } from "../time/wait.js";
import type { AgentEvent, EventBody, EventDetail } from "./event.js";
import { EventNotes } from "./notes.js";

/** Contract: it is not awaited and cannot change the run. The event is frozen. Errors and rejections go to `ports.warn`. */
export type EventListener = (event: AgentEvent) => void;

/** The events of one run, in order and numbered from 0. Created by {@link createEventLog}. `dropped` counts those beyond the limit. */
export interface EventLog {
  readonly runId: string;
  readonly events: readonly AgentEvent[];
  readonly dropped: number;
  append(agentId: string, turnIndex: number, body: EventBody, detail?: EventDetail): void;
}

export interface EventLogOptions {
  /** 32 hex digits; "" (the default) for events that belong to no run. */
  readonly runId?: string;
  /** The runtime's one clock. Default: a clock of its own. */
  readonly hlc?: Hlc;
  readonly listener?: EventListener;
  /** Called with every kept event and its detail, before the listener. Must not throw. */
  readonly tap?: (event: AgentEvent, detail: EventDetail | undefined) => void;
  /** Events kept. Default {@link MAX_KEPT_EVENTS}. */
  readonly limit?: number;
}

/** Creates an empty log. `ports.now` gives the time of each event in milliseconds since the Unix epoch. `ports.warn` receives warnings. */
export function createEventLog(ports: Ports, options: EventLogOptions = {}): EventLog {
  return new Log(ports, options);
}

class Log implements EventLog {
  readonly runId: string;
  readonly #ports: Ports;
  readonly #hlc: Hlc;
  readonly #listener: EventListener | undefined;
  readonly #tap: EventLogOptions["tap"];
  readonly #limit: number;
  readonly #events: AgentEvent[] = [];
  readonly #notes: EventNotes | undefined;
  #seq = 0;

  constructor(
    ports: Ports,
    { runId = "", hlc = createHlc(ports), listener, tap, limit = MAX_KEPT_EVENTS }: EventLogOptions,
  ) {
    this.runId = runId;
    this.#ports = ports;
    this.#hlc = hlc;
    this.#listener = listener;
    this.#tap = tap;
    this.#limit = limit;
    const isWatched = listener !== undefined || tap !== undefined;
    this.#notes = !isWatched && hlc instanceof HybridClock ? new EventNotes(runId, hlc) : undefined;
  }

  get events(): readonly AgentEvent[] {
    this.#notes?.moveTo(this.#events);
    return this.#events;
  }

  get dropped(): number {
    return this.#seq - this.#kept;
  }

  get #kept(): number {
    return this.#events.length + (this.#notes?.length ?? 0);
  }

  /** An own property, so that it can be passed on by itself. */
  readonly append = (agentId: string, turnIndex: number, body: EventBody, detail?: EventDetail): void => {
    const at = this.#ports.now();
    const notes = this.#notes;
    if (notes === undefined) {
      this.#publish(this.#stamp(at, agentId, turnIndex, body), detail);
      return;
    }
    const isKept = body.type !== "llm-delta" && this.#kept < this.#limit;
    notes.take(isKept, at, agentId, turnIndex, body);
    if (body.type !== "llm-delta") this.#seq += 1;
  };

  #stamp(at: number, agentId: string, turnIndex: number, body: EventBody): AgentEvent {
    const own = this.#listener === undefined ? body : detach(body);
    // A spread after these takes twice as long (measured).
    return Object.assign({ seq: this.#seq, at, hlc: this.#hlc.tick(at), runId: this.runId, agentId, turnIndex }, own);
  }

  #publish(event: AgentEvent, detail: EventDetail | undefined): void {
    if (event.type !== "llm-delta") {
      this.#seq += 1;
      if (this.#events.length < this.#limit) this.#events.push(event);
      this.#tap?.(event, detail);
    }
    // Freezing takes a microsecond (measured), so it is done only for a listener.
    if (this.#listener !== undefined) tell(this.#listener, Object.freeze(event), this.#ports);
  }
}

function tell(listener: (event: AgentEvent) => unknown, event: AgentEvent, ports: Ports): void {
  const warn = (error: unknown): void => {
    ports.warn(`playhead: an event listener threw at ${event.type}: ${thrownText(error)}`);
  };
  try {
    const result = listener(event);
    // An unhandled rejection would end the process.
    if (isThenable(result)) Promise.resolve(result).catch(warn);
  } catch (error) {
    warn(error);
  }
}

/** The body with a copy of the objects that the provider holds as well. */
function detach(body: EventBody): EventBody {
  if (body.type === "tool-call") return { ...body, arguments: sealed(body.arguments) };
  if (body.type === "llm-turn" && body.usage !== undefined) return { ...body, usage: frozen(body.usage) };
  return body;
}

/** Seals a value. One that is not JSON (a Buffer, a cycle, a getter that throws) is returned unchanged. */
function sealed<T extends object>(value: T): T {
  try {
    return seal(value);
  } catch {
    return value;
  }
}

/** For usage, which is flat: takes a third of the time of sealing (measured). */
function frozen<T extends object>(value: T): T {
  try {
    return Object.freeze({ ...value });
  } catch {
    return value;
  }
}
