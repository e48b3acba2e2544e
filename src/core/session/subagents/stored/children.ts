// The subagents of one session on a durable host. Its jobs and their notifications are stored, so any process may go on with them.

import { AgentError } from "../../../errors.js";
import { FIRST_HEAD_WAIT_MS, MAX_HEAD_WAIT_MS } from "../../../limits.js";
import { sleep, untilAborted } from "../../../time/wait.js";
import type { SessionState } from "../../state/snapshot.js";
import type { TurnSeams, TurnSeat } from "../../turn/seams.js";
import { arrivedAt, idleAt, jobAt } from "../arrivals.js";
import { Book } from "../book.js";
import type { ChildrenParts, SessionChildren } from "../children.js";
import type { StoredJobs } from "../jobs.js";
import { SubagentSeat } from "../seat.js";
import { StoredInbox } from "./inbox.js";

export interface StoredChildrenParts extends ChildrenParts {
  readonly jobs: StoredJobs;
}

export class StoredChildren implements SessionChildren {
  readonly #parts: StoredChildrenParts;
  /** Sessions that dropped turns began, which no snapshot names. */
  readonly #strays = new Map<string, string>();
  readonly #wakes = new Set<() => void>();
  #isStopped = false;

  constructor(parts: StoredChildrenParts) {
    this.#parts = parts;
  }

  get isEmpty(): boolean {
    return this.#strays.size === 0 && this.#wakes.size === 0;
  }

  openTurn(seat: TurnSeat, state: SessionState): TurnSeams {
    const { namespace, path, arrivals, ports, enter, isOurs, writes, tools, jobs, sessionKey } = this.#parts;
    arrivals.enter(sessionKey);
    const desk = jobs.deskOf(sessionKey);
    const inbox = new StoredInbox({ sessionKey, runId: seat.runId, desk, jobs, arrivals, ports });
    const own = { seat, namespace, path, arrivals, ports, enter, isOurs, writes, claimed: [] };
    const before = Book.read(state.children);
    const turn = new SubagentSeat({ ...own, desk, inbox }, before);
    return {
      tools: tools(turn),
      journal: turn.journal,
      arrive: (place) => turn.arrive(place),
      stepEnded: () => turn.stepEnded(),
      children: (only) => (only === "all" ? turn.book : turn.whole).toJson(),
      ended: ({ status }, isKept) => {
        const book = !isKept ? before : status === "completed" ? turn.book : turn.whole;
        for (const [key, subagent] of turn.book.keys) if (!book.keys.has(key)) this.#strays.set(key, subagent);
      },
    };
  }

  idle(): void {
    for (const wake of [...this.#wakes]) wake();
  }

  async nextNotification(signal: AbortSignal | undefined): Promise<string | null> {
    let resolve: () => void = () => undefined;
    const wake = (): void => resolve();
    this.#wakes.add(wake);
    try {
      for (let wait = FIRST_HEAD_WAIT_MS; ; wait = Math.min(wait * 2, MAX_HEAD_WAIT_MS)) {
        if (signal?.aborted === true) throw stopped();
        if (this.#isStopped) return null;
        const changed = new Promise<void>((done) => (resolve = done));
        const found = this.#parts.isIdle() ? await this.#look() : { open: [] };
        if (found === null || typeof found === "string") return found;
        await this.#wait(changed, found.open, wait, signal);
      }
    } finally {
      this.#wakes.delete(wake);
    }
  }

  /** The run of a notification, null if none can come, or the jobs whose end may bring one. */
  async #look(): Promise<string | null | { readonly open: readonly string[] }> {
    const { jobs, sessionKey, arrivals, ports } = this.#parts;
    const { seq, children } = await jobs.read(sessionKey);
    const book = Book.read(children);
    const desk = jobs.deskOf(sessionKey);
    const at = idleAt(seq);
    const expected = arrivals.isReplay ? arrivals.at(sessionKey, at) : undefined;
    for (const id of expected ?? []) await arrivedAt({ desk, ports }, jobAt(book, id, at), at);
    // A job that ends from here on is seen as open, or its notification is there.
    const ids = book.running.map(({ id }) => id);
    const ends = await Promise.all(ids.map(async (id) => desk.endOf(id)));
    const open = ids.filter((_, index) => ends[index] === undefined);
    const isDue = (id: string): boolean => book.isRunning(id) && expected?.includes(id) !== false;
    const pending = (await jobs.pending(sessionKey)).filter((one) => one.ends.some(({ taskId }) => isDue(taskId)));
    if (pending.length === 0) return open.length === 0 ? null : { open };
    const heads = await jobs.heads(sessionKey);
    return pending.find(({ runId }) => heads.includes(runId))?.runId ?? { open };
  }

  async #wait(changed: Promise<void>, open: readonly string[], ms: number, signal?: AbortSignal): Promise<void> {
    const { jobs, sessionKey, ports } = this.#parts;
    const stop = new AbortController();
    const desk = jobs.deskOf(sessionKey);
    const ended = open.map((id) => desk.whenEnded(id, stop.signal));
    const first = Promise.race<unknown>([changed, sleep(ms, ports, stop.signal), ...ended]);
    for (const one of ended) one.catch(() => undefined);
    try {
      await (signal === undefined ? first : untilAborted(first, signal, stopped));
    } finally {
      stop.abort();
    }
  }

  has(): boolean {
    return false;
  }

  claim(): undefined {
    return undefined;
  }

  /** Jobs run on in other processes, and their notifications wait. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.idle();
  }

  keysOf(state: SessionState): ReadonlyMap<string, string> {
    return new Map([...this.#strays, ...Book.read(state.children).keys]);
  }
}

function stopped(): AgentError {
  return new AgentError("aborted", "nextNotification was aborted");
}
