// The one log of a run: stamps events in one place, keeps them in order up to a limit, and passes them to a listener, frozen,
// so that it changes nothing that is kept.

import { seal } from "../canon/copy.js";
import type { Ports } from "../ports.js";
import { createHlc, type Hlc } from "../time/hlc.js";
import { thrownText } from "../tools/thrown.js";
import type { AgentEvent, EventBody, EventDetail } from "./event.js";

/** Events kept of one run. Later ones still reach the listener; `dropped` says how many were not kept. */
export const MAX_KEPT_EVENTS = 200_000;

/**
 * Contract: is not waited for and is never allowed to change a run. The event is frozen; what a listener throws, or rejects
 * with where it is async, is said by `ports.warn` and dropped.
 */
export type EventListener = (event: AgentEvent) => void;

/**
 * The events of one run, in order and numbered from 0; made by {@link createEventLog}. `dropped` counts those beyond
 * the limit.
 */
export interface EventLog {
  readonly runId: string;
  readonly events: readonly AgentEvent[];
  readonly dropped: number;
  append(agentId: string, turnIndex: number, body: EventBody, detail?: EventDetail): void;
}

/** The options of {@link createEventLog}. */
export interface EventLogOptions {
  /** 32 hex digits; "" for what belongs to no run. Default "". */
  readonly runId?: string;
  /** The runtime's one clock. Default: a clock of its own. */
  readonly hlc?: Hlc;
  readonly listener?: EventListener;
  /** Sees every event that is kept with what stands behind it, before the listener does. Must not throw. */
  readonly tap?: (event: AgentEvent, detail: EventDetail | undefined) => void;
  /** Events kept. Default {@link MAX_KEPT_EVENTS}. */
  readonly limit?: number;
}

/** An empty log. `ports` give the time of each event, in milliseconds since the Unix epoch, and take warnings. */
export function createEventLog(ports: Ports, options: EventLogOptions = {}): EventLog {
  const { runId = "", hlc = createHlc(ports), listener, tap, limit = MAX_KEPT_EVENTS } = options;
  const events: AgentEvent[] = [];
  let seq = 0;

  return {
    runId,
    events,
    get dropped() {
      return seq - events.length;
    },
    append(agentId, turnIndex, body, detail) {
      const own = listener === undefined ? body : detach(body);
      const at = ports.now();
      // A spread after these takes twice as long (measured).
      const event: AgentEvent = Object.assign({ seq, at, hlc: hlc.tick(at), runId, agentId, turnIndex }, own);
      if (event.type !== "llm-delta") {
        seq += 1;
        if (events.length < limit) events.push(event);
        tap?.(event, detail);
      }
      // Freezing takes a microsecond (measured), which a run without a listener need not pay.
      if (listener !== undefined) tell(listener, Object.freeze(event), ports);
    },
  };
}

function tell(listener: (event: AgentEvent) => unknown, event: AgentEvent, ports: Ports): void {
  const warn = (error: unknown): void => {
    ports.warn(`playhead: an event listener threw at ${event.type}: ${thrownText(error)}`);
  };
  try {
    const result = listener(event);
    // A rejection that nobody takes would end the process.
    if (isThenable(result)) Promise.resolve(result).catch(warn);
  } catch (error) {
    warn(error);
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

/** The body with a sealed copy of what the provider handed in, which it and the listener hold as well. */
function detach(body: EventBody): EventBody {
  if (body.type === "tool-call") return { ...body, arguments: sealed(body.arguments) };
  if (body.type === "llm-turn" && body.usage !== undefined) return { ...body, usage: frozen(body.usage) };
  return body;
}

/** What is no JSON (a Buffer, a cycle, a getter that throws) is passed on as it came, as the conversation keeps it. */
function sealed<T extends object>(value: T): T {
  try {
    return seal(value);
  } catch {
    return value;
  }
}

/** For usage, which is flat: a third of the time that sealing takes (measured). */
function frozen<T extends object>(value: T): T {
  try {
    return Object.freeze({ ...value });
  } catch {
    return value;
  }
}
