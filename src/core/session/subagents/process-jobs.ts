// Background jobs in this process: each is a run of a session of its own, which is removed when the job has ended.

import { untilAborted } from "../../time/wait.js";
import type { Session } from "../live/session.js";
import type { Run } from "../run/run.js";
import { runChild } from "./child-run.js";
import { GONE, type JobDesk, type JobEnd, type NewJob } from "./jobs.js";

interface Handle {
  readonly abort: AbortController;
  readonly ended: Promise<JobEnd>;
  readonly held: Promise<void>;
  run?: Pick<Run, "answers" | "quiet">;
  end?: JobEnd;
}

const CANCELLED: JobEnd = { status: "cancelled" };

export class ProcessJobs implements JobDesk {
  readonly #handles = new Map<string, Handle>();
  readonly #enter: (subagent: string, key: string) => Promise<Session>;
  readonly #ended: () => void;

  /** `ended` is called when a job has ended that was not cancelled. */
  constructor(enter: (subagent: string, key: string) => Promise<Session>, ended: () => void) {
    this.#enter = enter;
    this.#ended = ended;
  }

  get size(): number {
    return this.#handles.size;
  }

  get ids(): readonly string[] {
    return [...this.#handles.keys()];
  }

  launch(job: NewJob, asked: () => void, update: (type: string) => void): void {
    const { taskId, subagent, childKey, prompt, holdAfter, origin } = job;
    const abort = new AbortController();
    let held: () => void = () => undefined;
    const isHeld = new Promise<void>((resolve) => (held = resolve));
    const hold = holdAfter === undefined ? undefined : { steps: holdAfter, held };
    const accepted = (own: Pick<Run, "answers" | "quiet">): void => void (handle.run = own);
    const enter = (): Promise<Session> => this.#enter(subagent, childKey);
    const run = async (): Promise<JobEnd> => {
      const end = await runChild(enter, { prompt, signal: abort.signal, asked, update, accepted, hold, origin });
      await this.#remove(enter);
      // What a cancelled job did reaches nobody.
      if (abort.signal.aborted) return CANCELLED;
      handle.end = end;
      this.#ended();
      return end;
    };
    const handle: Handle = { abort, ended: run(), held: isHeld };
    this.#handles.set(taskId, handle);
  }

  endOf(taskId: string): JobEnd | undefined {
    const handle = this.#handles.get(taskId);
    return handle === undefined ? GONE : handle.end;
  }

  whenEnded(taskId: string, signal: AbortSignal): Promise<JobEnd> {
    const handle = this.#handles.get(taskId);
    return handle === undefined ? Promise.resolve(GONE) : untilAborted(handle.ended, signal);
  }

  async whenHeld(taskId: string, signal: AbortSignal): Promise<void> {
    const handle = this.#handles.get(taskId);
    if (handle !== undefined) await untilAborted(Promise.race([handle.held, handle.ended]), signal);
  }

  async whenStopped(taskId: string, signal: AbortSignal): Promise<number | undefined> {
    const handle = this.#handles.get(taskId);
    if (handle === undefined) return undefined;
    await untilAborted(handle.ended, signal);
    if (handle.run !== undefined) await untilAborted(handle.run.quiet, signal);
    return handle.run?.answers ?? 0;
  }

  cancel(taskIds: readonly string[]): void {
    for (const taskId of taskIds) {
      const handle = this.#handles.get(taskId);
      if (handle === undefined) continue;
      handle.end ??= CANCELLED;
      handle.abort.abort();
    }
  }

  /** Cancels all, and resolves when their work has stopped. */
  async stop(): Promise<void> {
    const handles = [...this.#handles.values()];
    this.cancel(this.ids);
    this.#handles.clear();
    await Promise.all(handles.map(({ ended }) => ended));
  }

  forget(taskId: string): void {
    this.#handles.delete(taskId);
  }

  /** Nobody else may read the session of a job. */
  async #remove(enter: () => Promise<Session>): Promise<void> {
    try {
      await (await enter()).delete();
    } catch {
      // The session is closed, or its store failed: a snapshot stays that no key leads to.
    }
  }
}
