// An agent's part in an execution host: its keeper of runs, and the runs that it takes up.

import { toHex } from "../../canon/bytes.js";
import { AgentError } from "../../errors.js";
import { MAX_SESSION_KEY_CHARACTERS, SESSION_GRACE_MS } from "../../limits.js";
import { assertKnownOptions, isObject } from "../../options.js";
import type { Ports } from "../../ports.js";
import { showValue } from "../../text/show.js";
import { isThrown, thrownText } from "../../text/thrown.js";
import { readInput, type AgentInput } from "../input.js";
import type { Session } from "../live/session.js";
import { isTerminal } from "../memory-host/order.js";
import type { Delivery, ExecutionHost } from "../ports/execution-host.js";
import type { RunFailure } from "../ports/run-store.js";
import type { AgentRun, Run, RunOutcome } from "../run/run.js";
import { askAgain } from "../state/ask-store.js";
import { toFailure } from "./stored-run/end-run.js";
import { ExecutionKeeper } from "./execution-keeper.js";
import { toOrder } from "./run-order.js";
import { ExecutionJobs } from "./stored-jobs.js";
import type { ScheduleOptions } from "./stored-run/create-run.js";
import { decide, type RecoveryDecision } from "./recovery.js";

export interface ResumeOptions {
  /** Steps that may begin before the run is suspended again, for a request with a deadline. Default: any number. */
  readonly maxSteps?: number;
}

export interface DrainOptions extends ResumeOptions {
  /** Suspends the run when it fires. */
  readonly signal?: AbortSignal;
}

/** Where the runs of an agent are carried out. */
export interface Place {
  /** The session of the subagent that `path` leads to, or of the agent itself. */
  sessionAt(path: readonly string[], key: string): Promise<Session>;
  leave(runId: string, graceMs: number): Promise<void>;
}

export class Execution {
  readonly #host: ExecutionHost;
  readonly #namespace: string;
  readonly #ports: Ports;
  readonly keeper: ExecutionKeeper;
  /** Present if the host keeps background jobs durably. */
  readonly jobs: ExecutionJobs | undefined;
  #place: Place | undefined;

  constructor(host: ExecutionHost, namespace: string, ports: Ports) {
    this.#host = host;
    this.#namespace = namespace;
    this.#ports = ports;
    this.keeper = new ExecutionKeeper({
      ...{ host, namespace, ports },
      takeOver: async ({ runId }) => {
        const run = this.#place === undefined ? null : await this.resume(this.#place, runId);
        await run?.result();
        return run !== null;
      },
    });
    const isDurable = host.capabilities.backgroundSubagents === "durable";
    this.jobs = isDurable ? new ExecutionJobs({ host, namespace, ports }, this.keeper) : undefined;
  }

  enter(place: Place): void {
    this.#place = place;
  }

  async resume(place: Place, runId: string, options: ResumeOptions = {}): Promise<AgentRun | null> {
    assertResume(options);
    const begun = this.jobs?.tries(runId);
    let run: Run | null = null;
    try {
      run = await this.#begin(place, runId, options);
      return run;
    } finally {
      begun?.(run ?? undefined);
    }
  }

  async #begin(place: Place, runId: string, options: ResumeOptions): Promise<Run | null> {
    const taken = await this.keeper.take(runId);
    if (taken === undefined) return null;
    const { sessionKey, attempt, kind } = taken.record;
    try {
      const order = await toOrder(this.#host.store, this.#ports, taken);
      if (order === undefined) {
        await this.keeper.dismiss(runId);
        return null;
      }
      const { path, read, ...how } = order;
      const session = await place.sessionAt(path, sessionKey);
      const job = kind === "background-subagent" ? this.jobs : undefined;
      return session.resume(runId, read, { ...options, ...how, ...job?.enter(runId) }, attempt === 1);
    } catch (error) {
      await this.keeper.suspend({ runId }, { kind: "cut-off" });
      throw error;
    }
  }

  /** Carries a run out. Undefined: it is not ours to do. */
  async deliver(place: Place, runId: string, { signal, ...options }: DrainOptions): Promise<Delivery | undefined> {
    const run = await this.resume(place, runId, options);
    if (run === null) return undefined;
    const suspend = (): void => void place.leave(runId, SESSION_GRACE_MS);
    if (signal?.aborted === true) suspend();
    signal?.addEventListener("abort", suspend, { once: true });
    try {
      return await this.#toDelivery(runId, await run.result());
    } finally {
      signal?.removeEventListener("abort", suspend);
    }
  }

  recover(runId: string, toolCallId: string, decision: RecoveryDecision): Promise<void> {
    return decide({ host: this.#host, namespace: this.#namespace, ports: this.#ports }, runId, toolCallId, decision);
  }

  /** Returns the run id. */
  async schedule(sessionKey: string, input: AgentInput, options: ScheduleOptions = {}): Promise<string> {
    const read = readInput(input);
    assertSchedule(options);
    const runId = toHex(this.#ports.randomBytes(16));
    return this.keeper.schedule({ runId, sessionKey, input: read.input }, options);
  }

  async #toDelivery(runId: string, { status, error }: RunOutcome): Promise<Delivery> {
    if (status === "suspended") return { kind: "suspended" };
    if (error === undefined) return { kind: "done" };
    if (error.code === "needs-recovery") return { kind: "needs-recovery" };
    const record = await askAgain(this.#ports, "get", () => this.#host.store.runs.get(runId));
    return record === null || isTerminal(record.status)
      ? { kind: "done" }
      : { kind: "failed", error: toFailure(error) };
  }
}

/** A failure as a delivery reports it. */
export function failureOf(error: unknown): RunFailure {
  if (isThrown(error, AgentError)) return toFailure(error);
  return { code: "invalid-options", message: thrownText(error), retryable: false };
}

function assertResume(options: unknown): void {
  if (!isObject(options)) throw new TypeError(`resume was given ${showValue(options)} as options. Pass { maxSteps }.`);
  asTypeError(() => assertKnownOptions("resume", options, ["maxSteps"]));
  const { maxSteps = 1 } = options;
  if (!Number.isSafeInteger(maxSteps) || (maxSteps as number) < 1)
    throw new TypeError(`maxSteps of resume is ${showValue(maxSteps)}. Pass a whole number from 1.`);
}

function assertSchedule(options: unknown): void {
  if (!isObject(options))
    throw new TypeError(`schedule was given ${showValue(options)} as options. Pass { runAfterMs, dedupeKey }.`);
  asTypeError(() => assertKnownOptions("schedule", options, ["runAfterMs", "dedupeKey"]));
  const { runAfterMs = 0, dedupeKey = "-" } = options;
  if (!Number.isSafeInteger(runAfterMs) || (runAfterMs as number) < 0)
    throw new TypeError(`runAfterMs of schedule is ${showValue(runAfterMs)}. Pass whole milliseconds from 0.`);
  const isKey = typeof dedupeKey === "string" && dedupeKey !== "" && dedupeKey.isWellFormed();
  if (!isKey || dedupeKey.length > MAX_SESSION_KEY_CHARACTERS)
    throw new TypeError(
      `dedupeKey of schedule is ${showValue(dedupeKey)}. Pass a string of 1 to ${MAX_SESSION_KEY_CHARACTERS} characters.`,
    );
}

function asTypeError(check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!isThrown(error, AgentError)) throw error;
    throw new TypeError(`${error.message}. ${error.hint ?? ""}`.trim(), { cause: error });
  }
}
