// The subagents and background jobs of one session in this process.

import type { ReadInput } from "../input.js";
import type { TurnEnding } from "../state/keeper.js";
import type { SessionState } from "../state/snapshot.js";
import type { TurnSeams, TurnSeat } from "../turn/seams.js";
import { Book } from "./book.js";
import { Inbox, type InboxParts, type Notification } from "./inbox.js";
import { ProcessJobs } from "./process-jobs.js";
import { toReminder } from "./reminder.js";
import { SubagentSeat, type SeatParts } from "./seat.js";
import type { ToolSet } from "../../tools/registry.js";

export interface ChildrenParts extends Omit<InboxParts, "desk"> {
  readonly namespace: string;
  readonly path: SeatParts["path"];
  readonly enter: SeatParts["enter"];
  readonly tools: (seat: SubagentSeat) => ToolSet;
  readonly isOurs: SeatParts["isOurs"];
  readonly writes: SeatParts["writes"];
  /** Whether the session has no turn under way and none waits. */
  readonly isIdle: () => boolean;
}

/** The subagents of one session, wherever their jobs run. */
export interface SessionChildren {
  /** True if nothing would be lost by forgetting this object. */
  readonly isEmpty: boolean;
  openTurn(seat: TurnSeat, state: SessionState): TurnSeams;
  /** The session has no turn any more. */
  idle(): void;
  nextNotification(signal: AbortSignal | undefined): Promise<string | null>;
  has(runId: string): boolean;
  /** Takes a notification for a turn. Undefined: it was taken already, or its jobs are known. */
  claim(runId: string): ReadInput | undefined;
  /** Ends what runs in this process for good. */
  stop(): Promise<void>;
  /** The sessions under this one: the subagent of each key. */
  keysOf(state: SessionState): ReadonlyMap<string, string>;
}

/** Its jobs run in this process. */
export class Children implements SessionChildren {
  readonly #parts: ChildrenParts;
  readonly #jobs: ProcessJobs;
  readonly #inbox: Inbox;
  readonly #claimed = new Map<string, Notification>();
  /** What the session knows since its last turn. */
  #book = new Book();
  #seq = 0;
  /** Sessions that dropped turns began, which no snapshot names. */
  readonly #strays = new Map<string, string>();
  #isStopped = false;

  constructor(parts: ChildrenParts) {
    this.#parts = parts;
    this.#jobs = new ProcessJobs(parts.enter, () => this.#jobEnded());
    this.#inbox = new Inbox({ ...parts, desk: this.#jobs });
  }

  get isEmpty(): boolean {
    return this.#jobs.size === 0 && this.#inbox.pending.length === 0 && this.#claimed.size + this.#strays.size === 0;
  }

  openTurn(seat: TurnSeat, state: SessionState): TurnSeams {
    const { namespace, path, arrivals, ports, enter, isOurs, writes, tools } = this.#parts;
    arrivals.enter(seat.sessionKey);
    const claimed = this.#claimed.get(seat.runId)?.tasks ?? [];
    this.#claimed.delete(seat.runId);
    const own = { seat, namespace, path, arrivals, ports, enter, isOurs, writes, claimed };
    const before = Book.read(state.children);
    this.#seq = seat.seq;
    const turn = new SubagentSeat({ ...own, desk: this.#jobs, inbox: this.#inbox }, before);
    return {
      tools: tools(turn),
      journal: turn.journal,
      arrive: (place) => turn.arrive(place),
      stepEnded: () => turn.stepEnded(),
      children: (only) => (only === "all" ? turn.book : turn.whole).toJson(),
      ended: (ending, isKept) => this.#turnEnded(turn, isKept ? bookAfter(turn, ending) : before),
    };
  }

  idle(): void {
    if (this.#isStopped) return;
    // A drift is reported at the next turn, or where somebody waits.
    this.#inbox.fill(this.#book, this.#seq).catch(() => undefined);
  }

  async nextNotification(signal: AbortSignal | undefined): Promise<string | null> {
    for (;;) {
      const changed = this.#inbox.nextChange(signal);
      // Waited for only where there is nothing to give.
      changed.catch(() => undefined);
      if (signal?.aborted === true) await changed;
      await this.#inbox.filled();
      const isIdle = this.#parts.isIdle();
      if (isIdle && this.#inbox.isExpecting(this.#seq)) await this.#inbox.before(this.#book, this.#seq + 1);
      const [oldest] = this.#inbox.pending;
      if (oldest !== undefined) return oldest.runId;
      if (this.#isStopped || (isIdle && this.#areSettled())) return null;
      await changed;
    }
  }

  has(runId: string): boolean {
    return this.#inbox.pending.some((notification) => notification.runId === runId);
  }

  claim(runId: string): ReadInput | undefined {
    this.#inbox.settle(this.#book);
    const notification = this.#inbox.claim(runId);
    if (notification === undefined) return undefined;
    this.#claimed.set(runId, notification);
    return toReminder(notification.tasks);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { runId } of this.#inbox.pending) this.#inbox.claim(runId);
    this.#inbox.changed();
    await this.#jobs.stop();
  }

  keysOf(state: SessionState): ReadonlyMap<string, string> {
    return new Map([...this.#strays, ...Book.read(state.children).keys]);
  }

  #turnEnded(turn: SubagentSeat, book: Book): void {
    const dropped = this.#jobs.ids.filter((id) => book.job(id) === undefined);
    this.#jobs.cancel(dropped);
    for (const id of dropped) this.#jobs.forget(id);
    for (const { id, learnt } of book.jobs) if (learnt === "retrieved" || learnt === "cancelled") this.#jobs.forget(id);
    for (const [key, subagent] of turn.book.keys) if (!book.keys.has(key)) this.#strays.set(key, subagent);
    this.#book = book;
    this.#inbox.settle(book);
  }

  #jobEnded(): void {
    if (this.#parts.isIdle()) this.idle();
    else this.#inbox.changed();
  }

  #areSettled(): boolean {
    return this.#book.running.every(({ id }) => this.#jobs.endOf(id) !== undefined);
  }
}

function bookAfter(turn: SubagentSeat, { status }: TurnEnding): Book {
  return status === "completed" ? turn.book : turn.whole;
}
