// The events of a run as they are stored: for a reader that comes later, reconnects, or is another process.

import { invalidOptions, AgentError, type AgentErrorCode } from "../../errors.js";
import { FIRST_HEAD_WAIT_MS, MAX_HEAD_WAIT_MS } from "../../limits.js";
import { systemPorts, type Ports } from "../../ports.js";
import { showValue } from "../../text/show.js";
import { sleep } from "../../time/wait.js";
import { isPlainObject, type JsonValue } from "../../canon/value.js";
import { isTerminal } from "../memory-host/order.js";
import type { EventCursor, StoredSessionEvent } from "../ports/event-store.js";
import type { ExecutionHost, ExecutionStore } from "../ports/execution-host.js";
import type { RunRecord } from "../ports/run-store.js";
import type { RunOutcome } from "../run/run.js";
import { askAgain } from "../state/ask-store.js";
import type { FollowedRun } from "../state/keeper.js";

export interface ReadRunOptions {
  /** Where to go on: the cursor of the last event that was read. Default: at the first event. */
  readonly cursor?: EventCursor;
  /** Waits for more until the run is over. Default: ends with what is stored. */
  readonly follow?: boolean;
  /** Ends the reading. */
  readonly signal?: AbortSignal;
}

/**
 * Reads the stored events of a run, each once and in order, without the pieces of streamed answers. Throws `AgentError`
 * `invalid-options` if there is no such run, and `store-failed`.
 */
export async function* readRun(
  host: ExecutionHost,
  runId: string,
  options: ReadRunOptions = {},
): AsyncGenerator<StoredSessionEvent> {
  yield* followRun(host.store, systemPorts, runId, options);
}

export async function* followRun(
  store: ExecutionStore,
  ports: Pick<Ports, "timer">,
  runId: string,
  { cursor, follow = false, signal }: ReadRunOptions,
): AsyncGenerator<StoredSessionEvent> {
  let from = cursor ?? { offset: 0 };
  let wait = FIRST_HEAD_WAIT_MS;
  for (;;) {
    const changed = waitForChange(store, ports, runId);
    try {
      const run = await store.runs.get(runId);
      if (run === null) throw invalidOptions(`there is no run ${showValue(runId)}`, "Pass the runId of a run.");
      const before = from.offset;
      for await (const stored of store.events.read(runId, from)) {
        if (signal?.aborted === true) return;
        from = stored.cursor;
        yield stored;
      }
      if (!follow || isTerminal(run.status) || run.status === "needs-recovery" || signal?.aborted === true) return;
      wait = from.offset > before ? FIRST_HEAD_WAIT_MS : Math.min(wait * 2, MAX_HEAD_WAIT_MS);
      await changed.within(wait, signal);
    } finally {
      changed.stop();
    }
  }
}

/** A run that another process works on. */
export function toFollowed({ host, ports }: FollowTerms, runId: string, signal: AbortSignal): FollowedRun {
  return {
    events: followRun(host.store, ports, runId, { cursor: { offset: 1 }, follow: true, signal }),
    outcome: async () => outcomeOfRecord(await askAgain(ports, "get", () => host.store.runs.get(runId))),
  };
}

interface FollowTerms {
  readonly host: ExecutionHost;
  readonly ports: Pick<Ports, "timer">;
}

/** Waits for another status of a run, where the store can tell. */
export function waitForChange(store: ExecutionStore, ports: Pick<Ports, "timer">, runId: string) {
  let fire: () => void = () => undefined;
  const changed = new Promise<void>((resolve) => (fire = resolve));
  const stop = store.runs.watch?.(runId, () => fire()) ?? (() => undefined);
  const ends = new AbortController();
  return {
    /** Resolves at a change, after `ms`, or when `signal` fires. */
    async within(ms: number, signal?: AbortSignal): Promise<void> {
      const given = signal === undefined ? ends.signal : AbortSignal.any([signal, ends.signal]);
      await Promise.race([changed, sleep(ms, ports, given).catch(() => undefined)]);
    },
    stop(): void {
      stop();
      ends.abort();
    },
  };
}

/** What a run has come to, by its record. */
export function outcomeOfRecord(run: RunRecord | null): RunOutcome {
  const { status = "cancelled", output, error } = run ?? {};
  const kept = isPlainObject(output) ? (output as Partial<RunOutcome>) : {};
  return {
    text: "",
    steps: 0,
    toolCalls: 0,
    usage: { inputTokens: 0, outputTokens: 0 },
    unapplied: [],
    ...kept,
    status: STATUSES[status] ?? "suspended",
    ...(error === undefined
      ? {}
      : {
          error: new AgentError(error.code as AgentErrorCode, error.message, {
            retryable: error.retryable,
            hint: "Another process ended this run.",
          }),
        }),
  };
}

const STATUSES: Partial<Record<RunRecord["status"], RunOutcome["status"]>> = {
  completed: "completed",
  cancelled: "aborted",
  error: "error",
};

/** What a record keeps of an outcome. */
export function toOutput({ text, stop, steps, toolCalls, usage, unapplied }: RunOutcome): JsonValue {
  const output = { text, steps, toolCalls, usage, unapplied, ...(stop === undefined ? {} : { stop }) };
  return output as unknown as JsonValue;
}
