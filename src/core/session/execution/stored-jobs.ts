// Background jobs as runs of a durable host: launched together with a checkpoint of their parent, carried out by whoever takes them, and
// found by their task ids.

import { toHex } from "../../canon/bytes.js";
import { defined } from "../../defined.js";
import { FIRST_HEAD_WAIT_MS, MAX_HEAD_WAIT_MS } from "../../limits.js";
import { untilAborted } from "../../time/wait.js";
import { abortError } from "../../tools/abort.js";
import { readInput } from "../input.js";
import { isHead, isTerminal } from "../memory-host/order.js";
import type { ExecutionStorePorts } from "../ports/execution-host.js";
import type { RunRecord } from "../ports/run-store.js";
import type { Run } from "../run/run.js";
import { askAgain } from "../state/ask-store.js";
import type { SessionState } from "../state/snapshot.js";
import type { JobDesk, JobEnd, NewJob, StoredJobs, StoredNotification } from "../subagents/jobs.js";
import type { Hold, TurnOrder } from "../turn/order.js";
import type { ExecutionKeeper } from "./execution-keeper.js";
import { waitForChange } from "./read-run.js";
import type { KeeperTerms } from "./stored-run/claim.js";
import { enqueue } from "./stored-run/give-back.js";
import { cancelTask, endOfTask, endsIn, isTask } from "./stored-run/job-end.js";

type Terms = Pick<KeeperTerms, "host" | "namespace" | "ports">;

/** A job as this process carries it out, or is to. */
interface LocalJob {
  /** The turn of each try to take up the job, or undefined for a try that failed. */
  readonly tries?: readonly Promise<Run | undefined>[];
  readonly hold?: Hold;
  /** Resolves when the job stands where it is to be cancelled. */
  readonly held?: Promise<void>;
}

type LocalJobs = Map<string, LocalJob>;

function toHeld(steps: number): LocalJob {
  let held: () => void = () => undefined;
  const stands = new Promise<void>((resolve) => (held = resolve));
  return { hold: { steps, held }, held: stands };
}

export class ExecutionJobs implements StoredJobs {
  readonly #terms: Terms;
  readonly #keeper: ExecutionKeeper;
  readonly #local: LocalJobs = new Map();

  constructor(terms: Terms, keeper: ExecutionKeeper) {
    this.#terms = terms;
    this.#keeper = keeper;
  }

  deskOf(sessionKey: string): JobDesk {
    return new StoredDesk(this.#terms, this.#keeper, sessionKey, this.#local);
  }

  /** Notes that this process tries to take up a run. Call the result with its turn, or with undefined if the try failed. */
  tries(runId: string): (run: Run | undefined) => void {
    let begun: (run: Run | undefined) => void = () => undefined;
    const turn = new Promise<Run | undefined>((resolve) => (begun = resolve));
    const before = this.#local.get(runId);
    this.#local.set(runId, { ...before, tries: [...(before?.tries ?? []), turn] });
    void turn.then((run) => run?.over).then(() => this.#over(runId, turn));
    return begun;
  }

  #over(runId: string, turn: Promise<Run | undefined>): void {
    const { tries = [], ...held } = this.#local.get(runId) ?? {};
    const others = tries.filter((other) => other !== turn);
    if (others.length > 0) this.#local.set(runId, { ...held, tries: others });
    else if (tries.length > 0 && held.hold !== undefined) this.#local.set(runId, held);
    else this.#local.delete(runId);
  }

  /** What the turn of a job that this process takes up is given. */
  enter(runId: string): Pick<TurnOrder, "asked" | "hold"> {
    // With it, the answers of its model are counted.
    const asked = (): void => undefined;
    return { asked, ...defined({ hold: this.#local.get(runId)?.hold }) };
  }

  async pending(sessionKey: string): Promise<readonly StoredNotification[]> {
    const { host, ports, namespace } = this.#terms;
    const { notifications } = host.store;
    const all = await askAgain(ports, "listPending", () => notifications.listPending(namespace, sessionKey));
    const ofJobs = all.filter(({ taskIds }) => taskIds.length > 0);
    return ofJobs.map((notification) => ({ runId: notification.runId, ends: endsIn(notification) }));
  }

  async heads(sessionKey: string): Promise<readonly string[]> {
    const { host, ports, namespace } = this.#terms;
    const open = await askAgain(ports, "listOpen", () => host.store.runs.listOpen(namespace, { sessionKey }));
    // The clock of the store is not ours. Whatever is ready before a run is ready when the run is.
    return open
      .filter((run) => (run.status === "queued" || run.status === "suspended") && isHead(run, open, run.readyAtMs))
      .map(({ runId }) => runId);
  }

  took(turnRunId: string, notificationRunId: string): void {
    this.#keeper.took(turnRunId, notificationRunId);
  }

  read(sessionKey: string): Promise<SessionState> {
    return this.#keeper.read(sessionKey);
  }
}

class StoredDesk implements JobDesk {
  readonly #terms: Terms;
  readonly #keeper: ExecutionKeeper;
  readonly #sessionKey: string;
  readonly #local: LocalJobs;
  /** Jobs that this turn has cancelled. */
  readonly #cancelled = new Map<string, LocalJob>();

  constructor(terms: Terms, keeper: ExecutionKeeper, sessionKey: string, local: LocalJobs) {
    this.#local = local;
    this.#terms = terms;
    this.#keeper = keeper;
    this.#sessionKey = sessionKey;
  }

  async launch(
    { parentRunId, childKey: sessionKey, prompt, origin, holdAfter }: NewJob,
    asked: () => void,
  ): Promise<void> {
    const { namespace: ownerNamespace, ports } = this.#terms;
    const { input } = readInput(prompt);
    const child = { runId: toHex(ports.randomBytes(16)), sessionKey, input, origin };
    const runId = await this.#keeper.link(child, parentRunId);
    if (holdAfter !== undefined) this.#local.set(runId, toHeld(holdAfter));
    await enqueue(this.#terms, { runId, ownerNamespace, sessionKey, kind: origin.kind });
    // Its requests are made elsewhere, and nothing waits for them.
    asked();
  }

  async endOf(taskId: string): Promise<JobEnd | undefined> {
    return endOfTask(await this.#find(taskId));
  }

  async whenEnded(taskId: string, signal: AbortSignal): Promise<JobEnd> {
    const { host, ports } = this.#terms;
    for (let wait = FIRST_HEAD_WAIT_MS; ; wait = Math.min(wait * 2, MAX_HEAD_WAIT_MS)) {
      if (signal.aborted) throw abortError(signal);
      const run = await this.#find(taskId);
      const changed = waitForChange(host.store, ports, run?.runId ?? taskId);
      try {
        // It may have ended before the watch began.
        const end = endOfTask(run) ?? (await this.endOf(taskId));
        if (end !== undefined) return end;
        await changed.within(wait, signal);
      } finally {
        changed.stop();
      }
    }
  }

  async cancel(taskIds: readonly string[]): Promise<void> {
    for (const taskId of taskIds) await this.#cancel(taskId);
  }

  async #cancel(taskId: string): Promise<void> {
    const { host, ports, namespace } = this.#terms;
    const work = async (tx: ExecutionStorePorts) => {
      const run = await tx.runs.getByTaskId(namespace, this.#sessionKey, taskId);
      if (run === null || !isTask(run)) return undefined;
      // The model of a run that nobody has begun gave no answers.
      const local = this.#local.get(run.runId) ?? (run.attempt === 0 ? {} : undefined);
      if (local !== undefined) this.#cancelled.set(taskId, local);
      if (isTerminal(run.status)) return undefined;
      return { runId: run.runId, created: await cancelTask(tx, run) };
    };
    const cancelled = await askAgain(ports, "transaction", () => host.store.transaction(work));
    if (cancelled === undefined) return;
    await askAgain(ports, "cancelRun", () => host.scheduler.cancelRun(cancelled.runId));
    for (const each of cancelled.created) await enqueue(this.#terms, each);
  }

  async whenHeld(taskId: string, signal: AbortSignal): Promise<void> {
    const { runId = "" } = (await this.#find(taskId)) ?? {};
    const stop = new AbortController();
    try {
      const ended = this.whenEnded(taskId, stop.signal);
      ended.catch(() => undefined);
      await untilAborted(Promise.race([ended, this.#local.get(runId)?.held ?? ended]), signal);
    } finally {
      stop.abort();
    }
  }

  async whenStopped(taskId: string, signal: AbortSignal): Promise<number | undefined> {
    const local = this.#cancelled.get(taskId);
    if (local === undefined) return undefined;
    let answers = 0;
    for (const run of await untilAborted(Promise.all(local.tries ?? []), signal)) {
      if (run === undefined) continue;
      await untilAborted(run.quiet, signal);
      answers += run.answers;
    }
    return answers;
  }

  /** The run keeps the result. */
  forget(): void {}

  #find(taskId: string): Promise<RunRecord | null> {
    const { host, ports, namespace } = this.#terms;
    const { runs } = host.store;
    return askAgain(ports, "getByTaskId", () => runs.getByTaskId(namespace, this.#sessionKey, taskId));
  }
}
