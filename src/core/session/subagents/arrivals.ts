// When a model learns of background jobs, in logical time. A recording notes each arrival, and a replay waits for exactly those.

import { defined } from "../../defined.js";
import { AgentError } from "../../errors.js";
import { ARRIVAL_WAIT_MS } from "../../limits.js";
import type { Ports } from "../../ports.js";
import { within } from "../../time/wait.js";
import type { Book, KnownJob } from "./book.js";
import type { JobDesk } from "./jobs.js";
import type { EndedJob } from "./reminder.js";

/** The end of one background job became known to the session that launched it, or it was cancelled. */
export interface Arrival {
  /** The session, counted from 0 in the order of first use. */
  readonly session: number;
  readonly task: string;
  /** `<turn>.<step>.<boundary>`, `<turn>.<step>.call.<index>`, or `<turn>.idle` between that turn and the next. */
  readonly at: string;
  /** For a job that was cancelled: the answers that its model had given. */
  readonly steps?: number;
}

/** What a recorder of sessions must know besides the turns of the model. */
export type SessionNote =
  { readonly type: "accepted"; readonly agent: string } | { readonly type: "arrival"; readonly arrival: Arrival };

/** The arrivals of one agent: those that it replays, or none, and where new ones are noted. */
export class Arrivals {
  readonly #given: ReadonlyMap<string, readonly string[]> | undefined;
  readonly #note: ((note: SessionNote) => void) | undefined;
  readonly #cancelled = new Map<string, number>();
  readonly #numbers = new Map<string, number>();

  constructor(given: readonly Arrival[] | undefined, note: ((note: SessionNote) => void) | undefined) {
    const ended = given?.filter(({ steps }) => steps === undefined);
    if (ended !== undefined) this.#given = group(ended);
    const hasEnded = new Set(ended?.map(({ session, task }) => `${session} ${task}`));
    for (const { session, task, steps } of given ?? []) {
      const key = `${session} ${task}`;
      // A failed turn may forget that a job ended, and the next turn cancels it. A replay must not hold that job.
      if (steps !== undefined && !hasEnded.has(key)) this.#cancelled.set(key, steps);
    }
    this.#note = note;
  }

  /** True: jobs become known where the recording says, and nowhere else. */
  get isReplay(): boolean {
    return this.#given !== undefined;
  }

  /** True: somebody records. */
  get isNoted(): boolean {
    return this.#note !== undefined;
  }

  /** Numbers a session at its first use. */
  enter(sessionKey: string): void {
    if (this.isReplay || this.isNoted) this.#numberOf(sessionKey);
  }

  /** The jobs that arrive at a place of a replay, in order. */
  at(sessionKey: string, at: string): readonly string[] {
    return this.#given?.get(`${this.#numberOf(sessionKey)} ${at}`) ?? [];
  }

  #numberOf(sessionKey: string): number {
    const number = this.#numbers.get(sessionKey) ?? this.#numbers.size;
    this.#numbers.set(sessionKey, number);
    return number;
  }

  /** In a replay: after how many answers a job of a session is cancelled. */
  cancelledAfter(sessionKey: string, task: string): number | undefined {
    return this.#cancelled.get(`${this.#numberOf(sessionKey)} ${task}`);
  }

  /** In a replay too, so that what is left of a recording can be told. */
  note(sessionKey: string, at: string, task: string, steps?: number): void {
    if (this.#note === undefined) return;
    this.#note({ type: "arrival", arrival: { session: this.#numberOf(sessionKey), task, at, ...defined({ steps }) } });
  }

  noteAccepted(agent: string): void {
    this.#note?.({ type: "accepted", agent });
  }
}

function group(given: readonly Arrival[]): ReadonlyMap<string, readonly string[]> {
  const places = new Map<string, string[]>();
  for (const { session, task, at } of given) {
    const place = `${session} ${at}`;
    const tasks = places.get(place);
    if (tasks === undefined) places.set(place, [task]);
    else tasks.push(task);
  }
  return places;
}

/** The place between a turn, counted from 1, and the next one. */
export function idleAt(seq: number): string {
  return `${seq}.idle`;
}

/** A job that ended at this place in the recording. Throws `arrival-drift` unless its end is still unknown. */
export function jobAt(book: Book, id: string, at: string): KnownJob {
  const job = book.job(id);
  if (job?.learnt === "running") return job;
  throw arrivalDrift(id, at, job === undefined ? "no such job was launched" : "its end is known already");
}

/** Waits in a replay for the end of a job that ended here in the recording. */
export async function arrivedAt(
  { desk, ports }: { readonly desk: JobDesk; readonly ports: Pick<Ports, "timer"> },
  job: KnownJob,
  at: string,
): Promise<EndedJob> {
  const stop = new AbortController();
  const late = (): AgentError => arrivalDrift(job.id, at, `it is still running after ${ARRIVAL_WAIT_MS} ms`);
  try {
    const end = await within(desk.whenEnded(job.id, stop.signal), ARRIVAL_WAIT_MS, ports, late);
    return { job, end };
  } finally {
    stop.abort();
  }
}

export function arrivalDrift(task: string, at: string, why: string): AgentError {
  return new AgentError("arrival-drift", `the recording has job ${task} end at ${at}, but ${why}`, {
    hint: "The run no longer takes the recorded way. Undo the change, or record again.",
  });
}
