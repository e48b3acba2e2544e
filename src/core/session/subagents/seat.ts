// Subagents in one turn: the tools its model calls, what arrives at its boundaries, and what the session knows afterwards.

import { sha256Hex } from "../../canon/digest.js";
import { defined } from "../../defined.js";
import { AgentError } from "../../errors.js";
import { DEFAULT_JOB_WAIT_MS, MAX_JOB_WAIT_MS } from "../../limits.js";
import type { Journal } from "../../loop/journal.js";
import { isThrown } from "../../text/thrown.js";
import { within } from "../../time/wait.js";
import type { Ports } from "../../ports.js";
import type { CustomToolContext } from "../../tools/tool.js";
import { childKey } from "../namespace.js";
import type { RunOrigin } from "../state/keeper.js";
import type { ArrivalPlace, ArrivedInput, TurnSeat } from "../turn/seams.js";
import type { Arrivals } from "./arrivals.js";
import type { Book, KnownJob } from "./book.js";
import { CallOrder } from "./call-order.js";
import { runChild } from "./child-run.js";
import type { TurnInbox } from "./inbox.js";
import { answerOf, updateOf, type JobDesk, type JobEnd } from "./jobs.js";
import type { Session } from "../live/session.js";
import { toGroups, toReminder, type EndedJob } from "./reminder.js";

export interface SeatParts {
  /** The names of the subagents from the top-level agent to this one. */
  readonly path: readonly string[];
  readonly seat: TurnSeat;
  /** The namespace of the agent. */
  readonly namespace: string;
  readonly desk: JobDesk;
  readonly inbox: TurnInbox;
  readonly arrivals: Arrivals;
  readonly ports: Pick<Ports, "timer">;
  /** The session of a subagent. */
  readonly enter: (subagent: string, key: string) => Promise<Session>;
  readonly isOurs: (tool: string) => boolean;
  readonly writes: (tool: string) => boolean;
  /** What a notification run was started for. */
  readonly claimed: readonly EndedJob[];
}

export interface DelegateArgs {
  readonly prompt: string;
  readonly description?: string;
  readonly sessionKey?: string;
  readonly run_in_background?: boolean;
}

export interface OutputArgs {
  readonly task_id: string;
  readonly block?: boolean;
  readonly timeout?: number;
}

export class SubagentSeat {
  readonly #parts: SeatParts;
  readonly #order = new CallOrder();
  /** What the session knows now, and what it knew when the last step ended. */
  readonly book: Book;
  whole: Book;

  constructor(parts: SeatParts, book: Book) {
    this.#parts = parts;
    this.book = book.copy();
    this.whole = book.copy();
  }

  stepEnded(): void {
    this.whole = this.book.copy();
  }

  readonly journal = (own: Journal | undefined): Journal => {
    const { seat, isOurs, writes } = this.#parts;
    const isKnown = (callIndex: number): boolean => own?.known(callIndex) !== undefined;
    return {
      begin: (batch) => {
        this.#order.begin(batch, seat, isOurs, isKnown, writes);
        return own?.begin(batch);
      },
      known: (callIndex) => own?.known(callIndex),
      attempt: (callIndex) => own?.attempt?.(callIndex) ?? 1,
      end: (callIndex, outcome) => {
        this.#order.ended(callIndex);
        return own?.end(callIndex, outcome);
      },
      denied: (callIndex) => {
        this.#order.ended(callIndex);
        own?.denied?.(callIndex);
      },
    };
  };

  /** Reminders of what has ended. */
  async arrive({ placement, step }: ArrivalPlace): Promise<readonly ArrivedInput[]> {
    const { seat, inbox, claimed } = this.#parts;
    const at = `${seat.seq}.${Math.max(step, 0)}.${placement}`;
    const before = placement === "turn-start" ? [...claimed, ...(await inbox.before(this.book, seat.seq))] : [];
    const ended = [...before, ...(await inbox.at(this.book, at))];
    return toGroups(ended.filter(({ job }) => this.book.isRunning(job.id))).map((group) => ({
      ...toReminder(group),
      entered: () => {
        for (const { job, end } of group) this.#learn(job, end, "told");
        this.stepEnded();
        inbox.entered?.(this.book);
      },
    }));
  }

  async delegate(subagent: string, args: DelegateArgs, context: CustomToolContext): Promise<unknown> {
    const { toolCallId, signal } = context;
    await this.#order.toBegin(toolCallId, signal);
    return args.run_in_background === true
      ? this.#launch(subagent, args, toolCallId, signal)
      : this.#run(subagent, args, toolCallId, signal);
  }

  async output({ task_id: id, ...how }: OutputArgs, { toolCallId, signal }: CustomToolContext): Promise<unknown> {
    await this.#order.toBegin(toolCallId, signal);
    const done = this.#order.onTask(id, () => this.#output(id, how, toolCallId, signal));
    this.#order.begun(toolCallId);
    return done;
  }

  async cancel({ task_id: id }: { task_id: string }, { toolCallId, signal }: CustomToolContext): Promise<unknown> {
    await this.#order.toBegin(toolCallId, signal);
    const done = this.#order.onTask(id, async () => {
      const job = this.#jobOf(id);
      if (job.learnt !== "running") return answerOf(job, { status: job.status });
      await this.#order.toTell(toolCallId, signal);
      await this.#cancel(id, toolCallId, signal);
      this.#learn(job, { status: "cancelled" }, "cancelled");
      return answerOf(job, { status: "cancelled" });
    });
    this.#order.begun(toolCallId);
    return done;
  }

  async #run(subagent: string, args: DelegateArgs, callId: string, signal: AbortSignal): Promise<unknown> {
    const { seat, enter } = this.#parts;
    const { prompt, description, sessionKey: suffix } = args;
    const key = this.#childKey(subagent, suffix);
    if (!this.book.addKey(key, subagent))
      return { status: "error", error: "this session has too many sessions of subagents. Use an earlier sessionKey." };
    const fields = { delegateToolCallId: callId, subagent };
    seat.tell({ type: "subagent-job-start", ...fields, run_in_background: false, ...defined({ description }) });
    const end = await runChild(() => enter(subagent, key), {
      prompt,
      signal,
      asked: () => this.#order.begun(callId),
      update: (type) => seat.tell(updateOf(fields, type)),
      origin: this.#originOf("subagent", subagent, callId),
      left: () => seat.leave(),
    });
    await this.#order.toTell(callId, signal);
    const { status, error, text } = end;
    seat.tell({ type: "subagent-job-end", ...fields, status, ...defined({ error }) });
    return status === "completed" ? (text ?? "") : { status, error };
  }

  #originOf(kind: RunOrigin["kind"], subagent: string, callId: string): RunOrigin {
    const { seat, path } = this.#parts;
    const { runId: parentRunId, sessionKey: parentSessionKey } = seat;
    return { kind, parentRunId, parentSessionKey, callId, path: [...path, subagent] };
  }

  async #launch(subagent: string, args: DelegateArgs, callId: string, signal: AbortSignal): Promise<unknown> {
    const { seat, desk, arrivals } = this.#parts;
    const { prompt, description, sessionKey: suffix } = args;
    const taskId = `bg_${sha256Hex(JSON.stringify([seat.seq, callId])).slice(0, 16)}`;
    const begun = (): void => this.#order.begun(callId);
    // A launch that a crash cut off runs again.
    if (this.book.isFull && this.book.job(taskId) === undefined) {
      begun();
      const message = "Too many background tasks run in this session. Retrieve or cancel one, then try again.";
      return { task_id: taskId, subagent, status: "cancelled", message };
    }
    const key = this.#childKey(subagent, suffix, taskId);
    const fields = { delegateToolCallId: callId, subagent, task_id: taskId };
    this.book.add({ id: taskId, subagent, call: callId, group: seat.seq, key, ...defined({ description }) });
    seat.tell({ type: "subagent-job-start", ...fields, run_in_background: true, ...defined({ description }) });
    const holdAfter = arrivals.isReplay ? arrivals.cancelledAfter(seat.sessionKey, taskId) : undefined;
    const origin = { ...this.#originOf("background-subagent", subagent, callId), taskId };
    const job = {
      taskId,
      parentRunId: seat.runId,
      callId,
      subagent,
      childKey: key,
      prompt,
      origin,
      ...defined({ holdAfter }),
    };
    try {
      await desk.launch(job, begun, (type) => seat.tell(updateOf(fields, type)));
    } catch (error) {
      // The model cannot correct a store that fails.
      if (isThrown(error, AgentError)) seat.fail(error);
      throw error;
    }
    // What the turn asks next comes behind the first request of the job.
    await this.#order.hasBegun(callId, signal);
    const message = "The task runs in the background. Wait for its <system-reminder> before you retrieve the output.";
    return { task_id: taskId, subagent, status: "running", message };
  }

  async #output(id: string, how: Omit<OutputArgs, "task_id">, callId: string, signal: AbortSignal): Promise<unknown> {
    const { desk, seat } = this.#parts;
    const job = this.#jobOf(id);
    if (job.learnt === "cancelled") return answerOf(job, { status: "cancelled" });
    const by = `${seat.seq}:${callId}`;
    if (job.learnt === "retrieved" && job.by !== by) throw new Error(`the result of task ${id} was already retrieved`);
    const isTold = job.learnt !== "running";
    let end: JobEnd | undefined;
    try {
      end = isTold ? await desk.endOf(id) : await this.#newEnd(job, how, callId, signal);
    } catch (error) {
      // A replay that drifts ends the turn, since the model cannot correct it.
      if (isThrown(error, AgentError) && error.code === "arrival-drift") seat.fail(error);
      throw error;
    }
    if (end === undefined) return answerOf(job, { status: "running" });
    await this.#order.toTell(callId, signal);
    this.#learn(job, end, "retrieved", by);
    return answerOf(job, end);
  }

  /** The end of a job that the model does not know of, or undefined if it is to see the job as running. */
  async #newEnd(
    job: KnownJob,
    { block = false, timeout = DEFAULT_JOB_WAIT_MS }: Omit<OutputArgs, "task_id">,
    callId: string,
    signal: AbortSignal,
  ): Promise<JobEnd | undefined> {
    const { arrivals, seat, inbox, desk, ports } = this.#parts;
    const { sessionKey } = seat;
    const at = this.#placeOf(callId);
    if (arrivals.isReplay) {
      if (!arrivals.at(sessionKey, at).includes(job.id)) return undefined;
      const { end } = await inbox.arrived(this.book, job.id, at);
      arrivals.note(sessionKey, at, job.id);
      return end;
    }
    let end = await desk.endOf(job.id);
    if (end === undefined && block) {
      const wait = within(desk.whenEnded(job.id, signal), Math.min(timeout, MAX_JOB_WAIT_MS), ports, () => LATE);
      end = await wait.catch((error: unknown) => {
        if (error === LATE) return undefined;
        throw error;
      });
    }
    if (end !== undefined) arrivals.note(sessionKey, at, job.id);
    return end;
  }

  /** Cancels after the same answer in a recording and in its replay. */
  async #cancel(id: string, callId: string, signal: AbortSignal): Promise<void> {
    const { arrivals, desk, seat } = this.#parts;
    if (arrivals.isReplay) await desk.whenHeld(id, signal);
    await desk.cancel([id]);
    if (!arrivals.isNoted) return;
    // An answer on its way is recorded too, so a recording waits until no more can come.
    const steps = await desk.whenStopped(id, signal);
    if (steps !== undefined) arrivals.note(seat.sessionKey, this.#placeOf(callId), id, steps);
  }

  #placeOf(callId: string): string {
    const { seat } = this.#parts;
    return `${seat.seq}.${seat.step()}.call.${this.#order.indexOf(callId)}`;
  }

  /** One text for whatever is not a task of this session. */
  #jobOf(id: string): KnownJob {
    if (!id.startsWith("bg_")) throw new Error(`${JSON.stringify(id)} is not a task_id: it must begin with "bg_"`);
    const job = this.book.job(id);
    if (job === undefined) throw new Error(`unknown task ${JSON.stringify(id)}`);
    return job;
  }

  #learn(job: KnownJob, end: JobEnd, learnt: "told" | "retrieved" | "cancelled", by?: string): void {
    const isNew = this.book.isRunning(job.id);
    this.book.learn(job.id, learnt, end.status, by);
    if (!isNew) return;
    const { id, call, subagent } = job;
    const { status, error } = end;
    const fields = { delegateToolCallId: call, subagent, task_id: id, status, ...defined({ error }) };
    this.#parts.seat.tell({ type: "subagent-job-end", ...fields });
  }

  #childKey(subagent: string, suffix: string | undefined, taskId?: string): string {
    const { namespace, seat } = this.#parts;
    return childKey({ namespace, sessionKey: seat.sessionKey, subagent, ...defined({ suffix, taskId }) });
  }
}

const LATE = Symbol("late");
