// Execution hosts that are broken in one place, also inside their transactions.

import type {
  CheckpointStore,
  EventStore,
  ExecutionHost,
  ExecutionStorePorts,
  NotificationInbox,
  RunRecord,
  RunStore,
} from "../../src/core/index.js";

export type Break = (host: ExecutionHost) => ExecutionHost;

export function breakPorts(change: (ports: ExecutionStorePorts) => Partial<ExecutionStorePorts>): Break {
  return (host) => ({
    ...host,
    store: {
      ...host.store,
      ...change(host.store),
      transaction: (work) => host.store.transaction((tx) => work({ ...tx, ...change(tx) })),
    },
  });
}

export const breakRuns = (change: (runs: RunStore, ports: ExecutionStorePorts) => Partial<RunStore>): Break =>
  breakPorts((ports) => ({ runs: { ...ports.runs, ...change(ports.runs, ports) } }));

export const breakCheckpoints = (
  change: (checkpoints: CheckpointStore, ports: ExecutionStorePorts) => Partial<CheckpointStore>,
): Break => breakPorts((ports) => ({ checkpoints: { ...ports.checkpoints, ...change(ports.checkpoints, ports) } }));

export const breakEvents = (change: (events: EventStore, ports: ExecutionStorePorts) => Partial<EventStore>): Break =>
  breakPorts((ports) => ({ events: { ...ports.events, ...change(ports.events, ports) } }));

export const breakInbox = (change: (inbox: NotificationInbox) => Partial<NotificationInbox>): Break =>
  breakPorts((ports) => ({ notifications: { ...ports.notifications, ...change(ports.notifications) } }));

/** `get` and the answers of `create` and `claim` show other fields. */
export const showRun = (fields: (run: RunRecord) => Partial<RunRecord>): Break =>
  breakRuns((runs) => {
    const change = (run: RunRecord): RunRecord => ({ ...run, ...fields(run) });
    return {
      get: async (runId) => {
        const run = await runs.get(runId);
        return run === null ? null : change(run);
      },
      create: async (...call) => {
        const end = await runs.create(...call);
        return { ...end, record: change(end.record) };
      },
    };
  });

export const claimAs = (
  options: (given: Parameters<RunStore["claim"]>[1]) => Parameters<RunStore["claim"]>[1],
): Break => breakRuns((runs) => ({ claim: (runId, given) => runs.claim(runId, options(given)) }));

/** Something happens to the run before it is claimed. */
export const beforeClaim = (
  work: (ports: ExecutionStorePorts, run: RunRecord, leaseId: string) => Promise<unknown>,
): Break =>
  breakRuns((runs, ports) => ({
    claim: async (runId, options) => {
      const run = await runs.get(runId);
      if (run !== null) await work(ports, run, options.leaseId);
      return runs.claim(runId, options);
    },
  }));

/** A claim that meets this refusal of a run that `isWrong` is granted by force. */
export const grant = (reason: string, isWrong: (run: RunRecord) => boolean = () => true): Break =>
  breakRuns((runs) => ({
    claim: async (runId, options) => {
      const end = await runs.claim(runId, options);
      const run = await runs.get(runId);
      if (end.ok || end.reason !== reason || run === null || !isWrong(run)) return end;
      return { ok: true, record: run };
    },
  }));

/** A claim of a run that `isWrong` is refused. */
export const refuseClaim = (
  reason: "session-busy" | "leased" | "not-claimable",
  isWrong: (run: RunRecord) => boolean,
): Break =>
  breakRuns((runs) => ({
    claim: async (runId, options) => {
      const run = await runs.get(runId);
      return run !== null && isWrong(run) ? { ok: false, reason } : runs.claim(runId, options);
    },
  }));

export const updateAs = (
  change: (
    ...given: [Parameters<RunStore["update"]>[1], Parameters<RunStore["update"]>[2]]
  ) => [Parameters<RunStore["update"]>[1], Parameters<RunStore["update"]>[2]],
): Break => breakRuns((runs) => ({ update: (runId, ...given) => runs.update(runId, ...change(...given)) }));
