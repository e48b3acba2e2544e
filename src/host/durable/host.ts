// A durable host over any engine: the five ports, a scheduler (a column of the runs), workers, schedules and administration.

import {
  assertObjects,
  storeFailed,
  thrownText,
  toHex,
  type ExecutionHost,
  type ExecutionScheduler,
} from "../../core/index.js";
import { MAX_SCHEDULE_MS } from "../limits.js";
import { assertTime, findRun, runHashOf } from "../sql/claims.js";
import { createValues, PLAIN_ID, type ValueCodec } from "../sql/codec.js";
import type { CommitNote, SqlAccess, SqlEngine } from "../sql/engine.js";
import { isHead } from "../sql/lanes.js";
import { createStore } from "../sql/store.js";
import { createAdmin, type HostAdmin } from "./admin.js";
import { CLAIMED, OPEN } from "../sql/schema.js";
import { endHolds, reapDeadHosts, type Lives } from "./life.js";
import { checkWork, type CheckedHostOptions, type WorkOptions } from "./options.js";
import { createPulse } from "./pulse.js";
import { createSchedules, type Schedules } from "./schedules.js";
import { createWatches } from "./watches.js";
import { startWorker, type HostWorker } from "./worker.js";

/** A host whose sessions outlive its process. Several processes may open the same store. */
export interface DurableHost extends ExecutionHost {
  /** 32 hexadecimal digits, new for each open host. */
  readonly hostId: string;
  readonly leaseMs: number;
  readonly maxAttempts: number;
  /** Starts a worker that delivers due runs. */
  work(options: WorkOptions): HostWorker;
  readonly schedules: Schedules;
  readonly admin: HostAdmin;
  /** Call it after closing the agents. Stops the workers, which takes at most 30 seconds, and releases leases and holds. Safe to call twice. */
  close(): Promise<void>;
}

export interface HostTerms {
  readonly engine: SqlEngine;
  readonly lives: Lives;
  readonly hostId: string;
  readonly options: CheckedHostOptions;
}

export const newHostId = ({ ports }: CheckedHostOptions): string => toHex(ports.randomBytes(16));

/** Rejects with `store-failed` if the store was written with another codec. The caller must then close the engine and the lives. */
export async function createHost(terms: HostTerms): Promise<DurableHost> {
  const { engine, lives, hostId, options } = terms;
  const { ports, leaseMs, maxAttempts, sweepMs, codec } = options;
  const values = createValues(codec);
  const pulse = createPulse({
    ports,
    commits: () => engine.commits(),
    onCommit: (heard) => engine.onCommit?.(heard),
  });
  const watches = createWatches({ ports, pulse, read: (work) => engine.read(work) });
  const wakes = new Set<() => void>();
  const workers = new Set<HostWorker>();
  const committed = (note: CommitNote): void => {
    watches.committed(note);
    if (note.isDue) for (const wake of [...wakes]) wake();
    if (engine.announce === undefined || (!note.isDue && note.statuses.size === 0)) return;
    const runs = new Set([...note.statuses.keys()].map((runId) => toHex(runHashOf(runId))));
    engine.announce({ isDue: note.isDue, runs });
  };
  const store = createStore({
    ...{ engine, values, holder: hostId, committed },
    randomBytes: (length) => ports.randomBytes(length),
    watch: (runId, changed) => watches.watch(runId, changed),
  });
  const { access } = store;
  const life = { access, lives, hostId };
  await assertCodec(access, codec);
  await reapDeadHosts(life);
  const opened = await access.read((sql) => sql.now());

  const onDue = (wake: () => void): (() => void) => {
    wakes.add(wake);
    return () => wakes.delete(wake);
  };
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    await Promise.all([...workers].map((worker) => worker.stop()));
    watches.close();
    try {
      await access.write((sql) => endHolds(sql, hostId));
    } catch (error) {
      // The life lock is released below, so another host ends the leases.
      ports.warn(`leases could not be released: ${thrownText(error)}`);
    }
    await engine.close();
    await lives.release();
  }

  return {
    capabilities: { backgroundSubagents: "durable" },
    store,
    scheduler: createScheduler(access),
    hostId,
    leaseMs,
    maxAttempts,
    schedules: createSchedules({ access, values }),
    admin: createAdmin({ ...life, engine, values, opened }),
    work(given) {
      const work = checkWork(given);
      if (closing !== undefined) throw storeFailed("the host is closed", "Start workers before you close it.");
      const worker = startWorker({
        ...{ ...life, store, values, ports, pulse, sweepMs, leaseMs, work, onDue },
        stopped: () => workers.delete(worker),
      });
      workers.add(worker);
      return worker;
    },
    close: () => (closing ??= close()),
  };
}

/** The due time of a run is its place in the queue. */
function createScheduler(access: SqlAccess): ExecutionScheduler {
  return {
    async enqueueRun(runId, options) {
      assertObjects("enqueueRun(runId, { ownerNamespace, sessionKey, kind })", options);
      const { runAfterMs = 0 } = options;
      assertTime("runAfterMs", runAfterMs, MAX_SCHEDULE_MS, 0);
      const hash = runHashOf(runId);
      await access.write(async (sql) => {
        const row = await findRun(sql, "run_hash", hash);
        if (row === undefined) return;
        const clock = await sql.now();
        if (!(await isHead(sql, row, clock))) return;
        const dueAt = clock.wallMs + runAfterMs;
        const changed = await sql.run(
          `UPDATE runs SET due_at = ? WHERE seq = ? AND ${OPEN} AND status <> 'needs-recovery'
             AND (lease_until IS NULL OR lease_until <= ?) AND (due_at IS NULL OR due_at > ?)`,
          ...[dueAt, row.seq, clock.leaseMs, dueAt],
        );
        if (changed > 0) sql.note.isDue = true;
      });
    },
    async cancelRun(runId) {
      const hash = runHashOf(runId);
      await access.write(async (sql) => {
        await sql.run(`UPDATE runs SET due_at = NULL WHERE run_hash = ? AND NOT (${CLAIMED})`, hash);
      });
    },
  };
}

async function assertCodec(access: SqlAccess, codec: ValueCodec | undefined): Promise<void> {
  const id = codec?.id ?? PLAIN_ID;
  const [there] = await access.read((sql) => sql.all("SELECT value FROM meta WHERE name = 'codec'"));
  const found = there?.value ?? (await writeCodec(access, id));
  if (found === id) return;
  throw storeFailed(
    `the store was written with the codec ${String(found)}, not with ${id}`,
    "Open it with the codec that wrote it.",
  );
}

async function writeCodec(access: SqlAccess, id: string): Promise<unknown> {
  return access.write(async (sql) => {
    await sql.run("INSERT INTO meta (name, value) VALUES ('codec', ?) ON CONFLICT (name) DO NOTHING", id);
    const [row] = await sql.all("SELECT value FROM meta WHERE name = 'codec'");
    return row?.value;
  });
}
