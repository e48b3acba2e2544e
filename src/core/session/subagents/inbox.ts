// What one session has yet to learn of its jobs: at a boundary of its turns, or by a notification while it has no turn. In a replay it
// learns exactly what the recording says, where it says so.

import { toHex } from "../../canon/bytes.js";
import { AgentError } from "../../errors.js";
import type { Ports } from "../../ports.js";
import { thrownText } from "../../text/thrown.js";
import { andThen, isThenable, untilAborted, type Maybe } from "../../time/wait.js";
import { arrivedAt, idleAt, jobAt, type Arrivals } from "./arrivals.js";
import type { Book, KnownJob } from "./book.js";
import type { JobDesk, JobEnd } from "./jobs.js";
import { toGroups, type EndedJob } from "./reminder.js";

/** The end of jobs that share a reminder, which waits for a turn under a run id of its own. */
export interface Notification {
  readonly runId: string;
  readonly tasks: readonly EndedJob[];
}

/** What arrives at the boundaries of one turn. */
export interface TurnInbox {
  /** Jobs of notifications that came before this turn. */
  before(book: Book, seq: number): Promise<readonly EndedJob[]>;
  /** The jobs whose end becomes known at a boundary, in order. */
  at(book: Book, at: string): Maybe<readonly EndedJob[]>;
  /** Waits in a replay for the end of a job that ended here in the recording. */
  arrived(book: Book, id: string, at: string): Promise<EndedJob>;
  /** Called when the session has learnt of jobs that arrived. */
  entered?(book: Book): void;
}

export interface InboxParts {
  readonly sessionKey: string;
  readonly desk: JobDesk;
  readonly arrivals: Arrivals;
  readonly ports: Pick<Ports, "randomBytes" | "timer" | "warn">;
  readonly onResume: ((runId: string) => void) | undefined;
}

export class Inbox implements TurnInbox {
  readonly #parts: InboxParts;
  /** Jobs that have a notification, so that they get no second one. */
  readonly #notified = new Set<string>();
  #pending: Notification[] = [];
  #wake: (() => void)[] = [];
  #filled: Promise<void> = Promise.resolve();

  constructor(parts: InboxParts) {
    this.#parts = parts;
  }

  get pending(): readonly Notification[] {
    return this.#pending;
  }

  at(book: Book, at: string): Maybe<readonly EndedJob[]> {
    const { isReplay } = this.#parts.arrivals;
    return andThen(isReplay ? this.#replayed(book, at) : this.#due(book), (due) => this.#note(at, due));
  }

  async before(book: Book, seq: number): Promise<readonly EndedJob[]> {
    const { arrivals, sessionKey } = this.#parts;
    const at = idleAt(seq - 1);
    if (arrivals.isReplay) {
      for (const id of arrivals.at(sessionKey, at)) await this.arrived(book, id, at);
      await this.fill(book, seq - 1);
    } else await this.filled();
    return this.#pending.flatMap(({ tasks }) => tasks);
  }

  /** Makes notifications of what an idle session has to learn. `seq` counts the turns before. */
  fill(book: Book, seq: number): Promise<void> {
    // One after the other, so that no job gets two notifications.
    const filled = this.filled().then(() => this.#fill(book, seq));
    this.#filled = filled;
    return filled;
  }

  /** Resolves when no notification is being made. */
  filled(): Promise<void> {
    return this.#filled.catch(() => undefined);
  }

  async #fill(book: Book, seq: number): Promise<void> {
    const { arrivals } = this.#parts;
    const at = idleAt(seq);
    const due = arrivals.isReplay ? await this.#listed(book, at) : await this.#due(book);
    for (const tasks of toGroups(this.#note(at, due))) this.#notify(tasks);
    this.changed();
  }

  /** Takes a notification out, by the id of its run. */
  claim(runId: string): Notification | undefined {
    const found = this.#pending.find((notification) => notification.runId === runId);
    if (found !== undefined) this.#pending = this.#pending.filter((notification) => notification !== found);
    return found;
  }

  /** Drops notifications without a job that the model has yet to learn of. */
  settle(book: Book): void {
    this.#pending = this.#pending.filter(({ tasks }) => tasks.some(({ job }) => book.isRunning(job.id)));
    for (const id of this.#notified) if (!book.isRunning(id)) this.#notified.delete(id);
    this.changed();
  }

  /** Something may have become due. */
  changed(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }

  /** Resolves at the next change. Rejects when `signal` fires. */
  nextChange(signal: AbortSignal | undefined): Promise<void> {
    const next = new Promise<void>((resolve) => void this.#wake.push(resolve));
    if (signal === undefined) return next;
    return untilAborted(next, signal, () => new AgentError("aborted", "nextNotification was aborted"));
  }

  async arrived(book: Book, id: string, at: string): Promise<EndedJob> {
    return arrivedAt(this.#parts, jobAt(book, id, at), at);
  }

  /** Whether the recording has a notification here that is not there yet. */
  isExpecting(seq: number): boolean {
    const { arrivals, sessionKey } = this.#parts;
    return arrivals.isReplay && arrivals.at(sessionKey, idleAt(seq)).some((id) => !this.#notified.has(id));
  }

  #note(at: string, due: readonly EndedJob[]): readonly EndedJob[] {
    const { arrivals, sessionKey } = this.#parts;
    for (const { job } of due) arrivals.note(sessionKey, at, job.id);
    return due;
  }

  #notify(tasks: readonly EndedJob[]): void {
    const { ports, onResume } = this.#parts;
    const runId = toHex(ports.randomBytes(16));
    for (const { job } of tasks) this.#notified.add(job.id);
    this.#pending.push({ runId, tasks });
    try {
      onResume?.(runId);
    } catch (error) {
      ports.warn(`playhead: onResume threw: ${thrownText(error)}`);
    }
  }

  /** Ended jobs that are due: a failed one at once, a completed one when all jobs of its turn have ended. */
  #due(book: Book): Maybe<readonly EndedJob[]> {
    const running = book.running;
    return andThen(this.#ends(running), (ends) => {
      const open = new Set(running.filter((_, index) => ends[index] === undefined).map(({ group }) => group));
      return running.flatMap((job, index) => {
        const end = ends[index];
        if (end === undefined || end.lost === true || this.#notified.has(job.id)) return [];
        return end.status !== "completed" || !open.has(job.group) ? [{ job, end }] : [];
      });
    });
  }

  #ends(jobs: readonly KnownJob[]): Maybe<readonly (JobEnd | undefined)[]> {
    const ends = jobs.map(({ id }) => this.#parts.desk.endOf(id));
    if (ends.some(isThenable)) return Promise.all(ends.map(async (end) => end));
    return ends as readonly (JobEnd | undefined)[];
  }

  async #replayed(book: Book, at: string): Promise<readonly EndedJob[]> {
    const ids = this.#parts.arrivals.at(this.#parts.sessionKey, at);
    const ended: EndedJob[] = [];
    for (const id of ids) ended.push(await this.arrived(book, id, at));
    return ended;
  }

  /** What the recording says of an idle session, as far as the jobs have ended. */
  async #listed(book: Book, at: string): Promise<readonly EndedJob[]> {
    const ids = this.#parts.arrivals.at(this.#parts.sessionKey, at).filter((id) => !this.#notified.has(id));
    const jobs = ids.map((id) => jobAt(book, id, at));
    const ends = await this.#ends(jobs);
    const isOpen = (group: number): boolean =>
      jobs.some((job, index) => job.group === group && ends[index] === undefined);
    const listed: EndedJob[] = [];
    for (const [index, job] of jobs.entries()) {
      const end = ends[index];
      if (end === undefined || (end.status === "completed" && isOpen(job.group))) break;
      listed.push({ job, end });
    }
    return listed;
  }
}
