// The run of one accepted input: a stream of events that drives the turn. The turn waits at each boundary until the consumer requests
// the next event.

import { AgentError } from "../../errors.js";
import type { LlmMessage } from "../../model/message.js";
import type { UsageTotal } from "../../model/usage.js";
import type { SessionEvent, TurnStop } from "../event.js";
import type { UserInput } from "../input.js";

/** How a run ended. */
export interface RunOutcome {
  /** `suspended`: the run has not ended. Another process, or a later `resume`, continues it. */
  readonly status: "completed" | "aborted" | "error" | "suspended";
  /** The text of the last step. */
  readonly text: string;
  /** The cap that ended the turn. */
  readonly stop?: TurnStop;
  readonly error?: AgentError;
  readonly steps: number;
  readonly toolCalls: number;
  readonly usage: UsageTotal;
  /** Accepted inputs that no step read. Send them again if they still matter. */
  readonly unapplied: readonly UserInput[];
}

/** The work on one accepted input. */
export interface AgentRun {
  /** 32 hex digits. */
  readonly runId: string;
  /**
   * The events, for one consumer, which drives the run. The run pauses at `turn-start`, `step-start` and `step-end` until the next event
   * is requested. If the consumer leaves early, the remaining events are dropped and the run continues without it. Throws at a second call.
   */
  events(): AsyncIterable<SessionEvent>;
  /** Drives the run if it has no consumer. Resolves when the run ends, however it ends. Never rejects. */
  result(): Promise<RunOutcome>;
}

const ONCE = "AgentRun.events() can only be consumed once";

/** `free`: no consumer yet. `read`: a consumer reads the events. `driven`: the run continues without a consumer. */
type Mode = "free" | "read" | "driven";

export class Run implements AgentRun {
  readonly runId: string;
  /** Answers of the model so far. */
  answers = 0;
  #messages: readonly LlmMessage[] = [];
  readonly #events: SessionEvent[] = [];
  readonly #outcome: Promise<RunOutcome>;
  #settle: (outcome: RunOutcome) => void = () => undefined;
  #mode: Mode = "free";
  #isOver = false;
  /** The consumer has read a boundary and not yet requested the next event. */
  #isHeld = false;
  #goOn: (() => void) | undefined;
  #wake: (() => void) | undefined;

  /** Calls of the model under way, also those that an aborted turn has left. */
  readonly #calls = new Set<Promise<void>>();

  /** Resolves when the run is over or given back. Does not drive it. */
  get over(): Promise<unknown> {
    return this.#outcome;
  }

  /** Resolves once the run is over and no call of its model is under way. */
  get quiet(): Promise<unknown> {
    return this.#outcome.then(() => Promise.all(this.#calls));
  }

  /** Begins a call of the model. Call the result when it has ended. */
  called(): () => void {
    let end: () => void = () => undefined;
    const call = new Promise<void>((resolve) => (end = resolve));
    this.#calls.add(call);
    return () => {
      this.#calls.delete(call);
      end();
    };
  }

  /** The conversation of the turn, instructions first, for callers inside. Empty before the turn begins. */
  static messagesOf(run: AgentRun): readonly LlmMessage[] {
    return #messages in run ? run.#messages : [];
  }

  /** The turn begins with this conversation, and extends it. */
  begin(messages: readonly LlmMessage[]): void {
    this.#messages = messages;
  }

  constructor(runId: string) {
    this.runId = runId;
    this.#outcome = new Promise((resolve) => (this.#settle = resolve));
  }

  /** Adds an event. */
  tell(event: SessionEvent): void {
    if (this.#isOver || this.#mode === "driven") return;
    const last = this.#events.at(-1);
    if (last !== undefined && isDelta(event) && last.type === event.type)
      this.#events[this.#events.length - 1] = Object.freeze({
        ...event,
        text: last.text + event.text,
      });
    else this.#events.push(Object.freeze(event));
    this.#wake?.();
  }

  /** Adds a boundary. The promise resolves once the consumer requests the event after it. */
  stand(event: SessionEvent): Promise<void> | undefined {
    this.tell(event);
    if (this.#mode === "driven" || this.#isOver) return undefined;
    return new Promise((resolve) => (this.#goOn = resolve));
  }

  /** Adds the last event, if the run is over, and ends the stream. */
  end(outcome: RunOutcome, last?: SessionEvent): void {
    if (last !== undefined) this.tell(last);
    this.#isOver = true;
    this.#wake?.();
    this.#settle(outcome);
  }

  events(): AsyncIterable<SessionEvent> {
    if (this.#mode === "driven") throw consumed(`${ONCE}: result() drives this run already`);
    if (this.#mode === "read") throw consumed(ONCE);
    this.#mode = "read";
    const iterator: AsyncIterableIterator<SessionEvent> = {
      next: () => this.#next(),
      return: () => {
        this.#drive();
        return Promise.resolve({ done: true, value: undefined });
      },
      [Symbol.asyncIterator]: () => iterator,
    };
    return iterator;
  }

  result(): Promise<RunOutcome> {
    if (this.#mode === "free") this.#drive();
    return this.#outcome;
  }

  /** There is no consumer from now on, so the run does not wait. */
  #drive(): void {
    this.#mode = "driven";
    this.#events.length = 0;
    this.#isHeld = false;
    this.#goOn?.();
    this.#goOn = undefined;
    this.#wake?.();
  }

  async #next(): Promise<IteratorResult<SessionEvent>> {
    if (this.#wake !== undefined)
      throw consumed("AgentRun.events() is read by one consumer: await next() before the next call");
    if (this.#isHeld) {
      this.#isHeld = false;
      this.#goOn?.();
      this.#goOn = undefined;
    }
    while (this.#events.length === 0 && !this.#isOver && this.#mode === "read") {
      await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#wake = undefined;
    }
    const event = this.#events.shift();
    if (event === undefined) return { done: true, value: undefined };
    this.#isHeld = isBoundary(event);
    return { done: false, value: event };
  }
}

function isBoundary({ type }: SessionEvent): boolean {
  return type === "turn-start" || type === "step-start" || type === "step-end";
}

function isDelta(event: SessionEvent): event is Extract<SessionEvent, { type: `assistant-${string}-delta` }> {
  return event.type === "assistant-text-delta" || event.type === "assistant-reasoning-delta";
}

function consumed(message: string): AgentError {
  return new AgentError("session-closed", message, { hint: "Read the events in one loop, or await result()." });
}
