// What one turn learns of jobs that are runs of a durable host: a stored notification says that their end is due.

import type { Ports } from "../../../ports.js";
import { arrivedAt, idleAt, jobAt, type Arrivals } from "../arrivals.js";
import type { Book } from "../book.js";
import type { TurnInbox } from "../inbox.js";
import type { JobDesk, StoredJobs, StoredNotification } from "../jobs.js";
import type { EndedJob } from "../reminder.js";

export interface StoredInboxParts {
  readonly sessionKey: string;
  /** The run of the turn. */
  readonly runId: string;
  readonly desk: JobDesk;
  readonly jobs: StoredJobs;
  readonly arrivals: Arrivals;
  readonly ports: Pick<Ports, "timer">;
}

export class StoredInbox implements TurnInbox {
  readonly #parts: StoredInboxParts;
  #pending: readonly StoredNotification[] = [];
  /** Jobs that this turn was given. Its book may not know yet. */
  readonly #given = new Set<string>();

  constructor(parts: StoredInboxParts) {
    this.#parts = parts;
  }

  before(book: Book, seq: number): Promise<readonly EndedJob[]> {
    return this.at(book, idleAt(seq - 1));
  }

  async at(book: Book, at: string): Promise<readonly EndedJob[]> {
    const { sessionKey, arrivals, jobs } = this.#parts;
    if (book.running.length === 0 && !arrivals.isReplay) return [];
    const ended = arrivals.isReplay ? await this.#replayed(book, at) : [];
    if (arrivals.isReplay && ended.length === 0) return [];
    this.#pending = await jobs.pending(sessionKey);
    const arrived = arrivals.isReplay ? ended : this.#due(book);
    for (const { job } of arrived) {
      this.#given.add(job.id);
      arrivals.note(sessionKey, at, job.id);
    }
    return arrived;
  }

  arrived(book: Book, id: string, at: string): Promise<EndedJob> {
    return arrivedAt(this.#parts, jobAt(book, id, at), at);
  }

  /** A notification is taken when the model knows all it tells. */
  entered(book: Book): void {
    const { jobs, runId } = this.#parts;
    for (const { runId: notificationRunId, ends } of this.#pending)
      if (!ends.some(({ taskId }) => book.isRunning(taskId))) jobs.took(runId, notificationRunId);
  }

  async #replayed(book: Book, at: string): Promise<readonly EndedJob[]> {
    const { arrivals, sessionKey } = this.#parts;
    const ended: EndedJob[] = [];
    for (const id of arrivals.at(sessionKey, at)) ended.push(await this.arrived(book, id, at));
    return ended;
  }

  #due(book: Book): readonly EndedJob[] {
    const due = new Map<string, EndedJob>();
    for (const { taskId, end } of this.#pending.flatMap(({ ends }) => ends)) {
      const job = book.job(taskId);
      if (job?.learnt === "running" && !this.#given.has(taskId)) due.set(taskId, { job, end });
    }
    return [...due.values()];
  }
}
