// The calls of one batch that concern subagents run at once, and yet begin, and report, in call order. So what a model is asked does not
// depend on timing.

import type { JournalBatch } from "../../loop/journal.js";
import { untilAborted } from "../../time/wait.js";
import type { TurnSeat } from "../turn/seams.js";

interface Latch {
  readonly passed: Promise<void>;
  pass(): void;
}

interface Call {
  readonly id: string;
  readonly index: number;
  /** A call behind this one may begin. */
  readonly begun: Latch;
  /** A call behind this one may report its end. */
  readonly told: Latch;
}

export class CallOrder {
  #calls: readonly Call[] = [];
  /** A batch with a tool that writes runs one call after the other. */
  #isSerial = false;
  readonly #tasks = new Map<string, Promise<void>>();

  /** `isOurs`: a tool of this file's kind. `isKnown`: the call has its result already, and does not run. */
  begin(
    { turnIndex, calls }: JournalBatch,
    seat: Pick<TurnSeat, "callId">,
    isOurs: (name: string) => boolean,
    isKnown: (callIndex: number) => boolean,
    writes: (name: string) => boolean,
  ): void {
    this.#isSerial = calls.some(({ call }) => writes(call.name));
    this.#tasks.clear();
    this.#calls = calls
      .filter(({ call, callIndex }) => isOurs(call.name) && !isKnown(callIndex))
      .map(({ call, callIndex }) => ({
        id: seat.callId(turnIndex, callIndex, call.id),
        index: callIndex,
        begun: openLatch(),
        told: openLatch(),
      }));
  }

  /** The index of a call among all calls of its batch. */
  indexOf(id: string): number {
    return this.#find(id)?.index ?? 0;
  }

  /** Resolves when every earlier call has begun. */
  async toBegin(id: string, signal: AbortSignal): Promise<void> {
    for (const call of this.#before(id)) await untilAborted(call.begun.passed, signal);
  }

  begun(id: string): void {
    this.#find(id)?.begun.pass();
  }

  /** Resolves when this call has begun. */
  async hasBegun(id: string, signal: AbortSignal): Promise<void> {
    const call = this.#find(id);
    if (call !== undefined) await untilAborted(call.begun.passed, signal);
  }

  /** Resolves when this call may report: every earlier one has, and none has yet to begin. */
  async toTell(id: string, signal: AbortSignal): Promise<void> {
    for (const call of this.#before(id)) await untilAborted(call.told.passed, signal);
    if (this.#isSerial) return;
    for (const call of this.#calls) await untilAborted(call.begun.passed, signal);
  }

  /** A call has its result, whether its tool ran or not. */
  ended(callIndex: number): void {
    const call = this.#calls.find(({ index }) => index === callIndex);
    call?.begun.pass();
    call?.told.pass();
  }

  /** Runs work on one job after the work of earlier calls on the same job. */
  onTask<T>(taskId: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tasks.get(taskId) ?? Promise.resolve();
    const done = before.then(work);
    this.#tasks.set(
      taskId,
      done.then(
        () => undefined,
        () => undefined,
      ),
    );
    return done;
  }

  #find(id: string): Call | undefined {
    return this.#calls.find((call) => call.id === id);
  }

  #before(id: string): readonly Call[] {
    const own = this.#calls.findIndex((call) => call.id === id);
    return this.#calls.slice(0, Math.max(0, own));
  }
}

function openLatch(): Latch {
  let pass: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => (pass = resolve));
  return { passed, pass };
}
