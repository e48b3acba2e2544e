// A worker: takes due runs, passes each to `deliver`, and stores the result. It also looks for dead hosts, and sweeps.

import { AgentError, showValue, thrownText, within, type Delivery, type Ports } from "../../core/index.js";
import { assertCount } from "../integer-option.js";
import { DEFAULT_STOP_GRACE_MS, MAX_STOP_GRACE_MS, REAP_MS, REDELIVERY_MS, STOP_ABORT_MS } from "../limits.js";
import { endDelivery, findNext, takeDue, takeQueued, type DeliveryTerms, type DueRun } from "./deliver.js";
import { reapDeadHosts, type LifeTerms } from "./life.js";
import type { CheckedWork } from "./options.js";
import type { Pulse } from "./pulse.js";
import { fireSchedules, type ScheduleTerms } from "./schedules.js";
import { sweep } from "./sweep.js";

/** A worker of a host. */
export interface HostWorker {
  /** The number of current deliveries. */
  readonly running: number;
  /** Takes no more runs, and waits for the current ones. After `graceMs` (default 30,000), their signals fire. Safe to call twice. */
  stop(options?: { readonly graceMs?: number }): Promise<void>;
}

export interface WorkerTerms extends LifeTerms, ScheduleTerms {
  readonly ports: Ports;
  readonly pulse: Pulse;
  readonly sweepMs: number;
  readonly leaseMs: number;
  readonly work: CheckedWork;
  /** Calls `wake` after each commit of this host that makes a run due. Returns a function that stops it. */
  readonly onDue: (wake: () => void) => () => void;
  readonly stopped: () => void;
}

const ADVICE = "Use one queue for one store: give bullmqScheduler a prefix that no other store has.";

export function startWorker(terms: WorkerTerms): HostWorker {
  const { ports, work, access, hostId } = terms;
  const { concurrency, namespaces } = work;
  const delivery: DeliveryTerms = { access, hostId, namespaces };
  const look = createLook(terms, takeWork);
  const deliveries = createDeliveries(terms, () => look.soon());
  const { running } = deliveries;
  const queue = work.options.queue?.open({ namespaces, concurrency, ports, deliver: deliverQueued });
  /** The runs on their way into the queue. */
  const sending = new Map<string, Promise<void>>();
  let stopping: Promise<void> | undefined;

  /** Fires schedules and takes runs. Resolves with the time in ms until the next look. */
  async function takeWork(): Promise<number> {
    const taken = queue === undefined ? running : sending;
    for (;;) {
      const { slotMs = Infinity, dueMs = Infinity } = await findNext(delivery);
      if (slotMs === 0) await fireSchedules(terms, namespaces);
      const free = concurrency - taken.size;
      if (free <= 0) return slotMs;
      if (dueMs > 0 && slotMs > 0) return Math.min(slotMs, dueMs);
      const runs = await takeDue(delivery, free);
      // A run may take longer than the time until its next delivery. It is still ours.
      for (const run of runs) if (!taken.has(run.runId) && stopping === undefined) take(run);
      if (runs.length === 0) return 0;
      // The end of a delivery looks again.
      if (taken.size >= concurrency) return slotMs;
    }
  }

  function take(run: DueRun): void {
    if (queue === undefined) {
      void deliveries.start(run);
      return;
    }
    const sent = queue.send(run).finally(() => {
      sending.delete(run.runId);
      look.soon();
    });
    sending.set(run.runId, sent);
  }

  async function deliverQueued(runId: string): Promise<void> {
    if (running.has(runId) || stopping !== undefined) return;
    const run = await takeQueued(delivery, runId);
    if (run === "unknown") ports.warn(`${showValue(runId)} is not a run of this worker. ${ADVICE}`);
    if (typeof run !== "string" && !running.has(runId)) await deliveries.start(run);
  }

  async function stop(graceMs: number): Promise<void> {
    queue?.pause();
    await within(look.stop(), graceMs, ports).catch(() => undefined);
    await deliveries.stop(graceMs);
    await queue?.close();
    terms.stopped();
  }

  look.soon();
  return {
    get running() {
      return running.size;
    },
    stop: async ({ graceMs = DEFAULT_STOP_GRACE_MS } = {}) => {
      assertCount("graceMs", graceMs, 0, MAX_STOP_GRACE_MS);
      await (stopping ??= stop(graceMs));
    },
  };
}

interface Deliveries {
  readonly running: ReadonlyMap<string, unknown>;
  /** Resolves at the end of the delivery. */
  start(run: DueRun): Promise<void>;
  /** Waits for all of them. After `graceMs`, their signals fire. */
  stop(graceMs: number): Promise<void>;
}

/** The deliveries of one worker. `ended` is called after each. */
function createDeliveries({ ports, work, access, hostId }: WorkerTerms, ended: () => void): Deliveries {
  const running = new Map<string, { readonly end: Promise<void>; readonly abort: AbortController }>();

  async function deliver({ runId, ...run }: DueRun, signal: AbortSignal): Promise<void> {
    const startedAt = ports.now();
    const outcome = await tryDeliver(() => work.options.deliver(runId, { ...run, signal }));
    try {
      await endDelivery(access, hostId, runId, outcome);
      work.options.onDelivery?.({ runId, outcome, ms: ports.now() - startedAt });
    } catch (error) {
      ports.warn(`the result of the delivery of run ${runId} could not be stored: ${thrownText(error)}`);
    }
  }

  return {
    running,
    start(run) {
      const abort = new AbortController();
      const end = deliver(run, abort.signal).finally(() => {
        running.delete(run.runId);
        ended();
      });
      running.set(run.runId, { end, abort });
      return end;
    },
    async stop(graceMs) {
      const ends = () => Promise.all([...running.values()].map(({ end }) => end));
      await within(ends(), graceMs, ports).catch(() => undefined);
      for (const { abort } of running.values()) abort.abort(new AgentError("aborted", "the worker is stopping"));
      await within(ends(), STOP_ABORT_MS, ports).catch(() => ports.warn(`${running.size} deliveries did not end`));
    },
  };
}

async function tryDeliver(deliver: () => Promise<Delivery>): Promise<Delivery> {
  try {
    const outcome = (await deliver()) as Delivery | undefined;
    if (outcome !== undefined && typeof outcome.kind === "string") return outcome;
    return failed("invalid-options", `deliver returned ${showValue(outcome)}, but must return a delivery`);
  } catch (error) {
    return failed(error instanceof AgentError ? error.code : "store-failed", thrownText(error));
  }
}

function failed(code: string, message: string): Delivery {
  return { kind: "failed", error: { code, message, retryable: true } };
}

interface Look {
  soon(): void;
  /** Resolves when the current look has ended. */
  stop(): Promise<void>;
}

/** Looks for work after each commit and when something becomes due. One look at a time. */
function createLook(terms: WorkerTerms, takeWork: () => Promise<number>): Look {
  const { ports, pulse, sweepMs, leaseMs } = terms;
  const now = () => ports.now();
  let looking: Promise<void> | undefined;
  let isWanted = false;
  let isStopped = false;
  let nextAt = 0;
  const reap = createRepeat(REAP_MS, () => reapDeadHosts(terms));
  const heal = createRepeat(sweepMs, () => sweep(terms.access));

  async function lookOnce(): Promise<void> {
    isWanted = false;
    await reap(now());
    await heal(now());
    // The store has its own clock, so only differences between its times count here.
    // A claim by another host wakes nobody, so this looks again at least once per lease.
    nextAt = Math.min(await takeWork(), leaseMs) + now();
  }

  function look(): void {
    isWanted = true;
    lookWith(async () => undefined);
  }

  function lookWith(first: () => Promise<void>): void {
    looking ??= lookOften(first);
  }

  async function lookOften(first: () => Promise<void>): Promise<void> {
    try {
      await first();
      while (isWanted && !isStopped) await lookOnce();
    } catch (error) {
      // The store may recover. The next look finds out.
      nextAt = now() + REDELIVERY_MS;
      ports.warn(`a worker cannot look for runs: ${thrownText(error)}`);
    } finally {
      looking = undefined;
    }
  }

  const stopListening = pulse.listen((news) => {
    if (news?.isDue === true || now() >= nextAt || heal.isDue(now())) look();
    // If a host has died, its runs become due, and that wakes the worker.
    else if (reap.isDue(now())) lookWith(() => reap(now()));
  });
  const stopWaking = terms.onDue(look);
  return {
    soon: look,
    stop: async () => {
      isStopped = true;
      stopListening();
      stopWaking();
      await looking;
    },
  };
}

interface Repeat {
  (nowMs: number): Promise<void>;
  isDue(nowMs: number): boolean;
}

/** Runs `work` at most once per `everyMs`, and again if the clock was set back. */
function createRepeat(everyMs: number, work: () => Promise<void>): Repeat {
  let last = -Infinity;
  const isDue = (nowMs: number): boolean => nowMs - last >= everyMs || nowMs < last;
  return Object.assign(
    async (nowMs: number) => {
      if (!isDue(nowMs)) return;
      last = nowMs;
      await work();
    },
    { isDue },
  );
}
