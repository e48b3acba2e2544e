// Records of runs in memory: created, claimed, renewed, changed, found.

import { seal } from "../../canon/copy.js";
import { defined } from "../../defined.js";
import { MAX_HOST_RUNS, MAX_TIMER_MS } from "../../limits.js";
import { showValue } from "../../text/show.js";
import type {
  ClaimOptions,
  CreateOptions,
  Kept,
  NewRun,
  RunChange,
  RunExpectation,
  RunRecord,
  RunStore,
  Taken,
} from "../ports/run-store.js";
import type { Desk } from "./desk.js";
import { findObstacle, isHead, isHeld, isTerminal } from "./order.js";
import { noteEnd } from "./prune.js";
import { keyOf, type Changes, type Tables } from "./tables.js";
import { assertObjects, assertStoreId, assertStoreIds, ownStoredValue, storeFailed } from "../../canon/stored-value.js";

type Runs = Omit<RunStore, "watch">;

/** `watch` is missing: it needs no desk. */
export function createRuns({ tables, now, call }: Desk): Runs {
  const { runs } = tables;
  const find = (runId: string | undefined) => (runId === undefined ? null : (runs.get(runId) ?? null));
  const list = (ids: readonly string[] | undefined) => recordsOf(tables, ids);
  return {
    create: (run, options = {}) =>
      call((changes) => {
        assertObjects("create(run, options)", run, options);
        return create(tables, changes, now(), run, options);
      }),
    get: (runId) => call(() => (assertStoreIds({ runId }), find(runId))),
    getByDedupeKey: (ownerNamespace, dedupeKey) =>
      call(
        () => (
          assertStoreIds({ ownerNamespace, dedupeKey }),
          find(tables.dedupeKeys.get(keyOf(ownerNamespace, dedupeKey)))
        ),
      ),
    getByTaskId: (ownerNamespace, parentSessionKey, publicTaskId) =>
      call(() => {
        assertStoreIds({ ownerNamespace, parentSessionKey, publicTaskId });
        return find(tables.tasks.get(keyOf(ownerNamespace, parentSessionKey, publicTaskId)));
      }),
    listByParentRunId: (parentRunId) =>
      call(() => (assertStoreIds({ parentRunId }), list(tables.children.get(parentRunId)))),
    listByGroup: (parentRunId, groupId) =>
      call(() => {
        assertStoreIds({ parentRunId, groupId });
        return list(tables.children.get(parentRunId)).filter((run) => run.groupId === groupId);
      }),
    listOpen: (ownerNamespace, where) =>
      call(() => {
        assertObjects("listOpen(ownerNamespace, where)", where);
        const [lanes, key] =
          "sessionKey" in where ? [tables.lanes, where.sessionKey] : [tables.parentLanes, where.parentSessionKey];
        assertStoreIds({ ownerNamespace, key });
        return list(lanes.get(keyOf(ownerNamespace, key)));
      }),
    claim: (runId, options) =>
      call((changes) => {
        assertObjects("claim(runId, options)", options);
        return claim(tables, changes, now(), runId, options);
      }),
    renew: (runId, leaseId, leaseMs) => call((changes) => renew(tables, changes, now(), runId, { leaseId, leaseMs })),
    update: (runId, change, expected) =>
      call((changes) => {
        assertObjects("update(runId, change, expected)", change, expected);
        return update(tables, changes, now(), runId, change, expected);
      }),
  };
}

function recordsOf({ runs }: Tables, ids: readonly string[] = []): RunRecord[] {
  return ids.map((id) => runs.get(id) as RunRecord);
}

/** The open runs of the session of `run`, in the order of creation. */
export function laneOf(tables: Tables, run: Pick<RunRecord, "ownerNamespace" | "sessionKey">): RunRecord[] {
  return recordsOf(tables, tables.lanes.get(keyOf(run.ownerNamespace, run.sessionKey)));
}

/** The next state of a record. `lease: undefined` drops lease or hold. Values of others in `fields` must be owned already. */
export function changeRun(
  tables: Tables,
  changes: Changes,
  now: number,
  run: RunRecord,
  fields: { readonly [Field in keyof RunRecord]?: RunRecord[Field] | undefined },
): RunRecord {
  const changed = { ...run, ...fields, updatedAtMs: now, revision: run.revision + 1 } as RunRecord;
  // All that a record holds is frozen, but for a new lease. A lease that is dropped leaves no key.
  const next = "lease" in fields ? seal(changed) : Object.freeze(changed);
  if (next.status !== run.status) changes.noteStatus(run.runId, run.status);
  changes.put(tables.runs, run.runId, next);
  if (!isTerminal(next.status)) return next;
  changes.unlink(tables.lanes, keyOf(run.ownerNamespace, run.sessionKey), run.runId);
  if (run.parentSessionKey !== undefined)
    changes.unlink(tables.parentLanes, keyOf(run.ownerNamespace, run.parentSessionKey), run.runId);
  noteEnd(tables, changes, next);
  return next;
}

function create(
  tables: Tables,
  changes: Changes,
  now: number,
  run: NewRun,
  { hold, readyAfterMs = 0 }: CreateOptions,
): Kept<RunRecord> | Taken<RunRecord> {
  const { runId, ownerNamespace, sessionKey, rootRunId, parentRunId, parentSessionKey, dedupeKey } = run;
  const { publicTaskId, groupId, kind, input, output, error } = run;
  assertStoreId("runId", runId);
  assertStoreId("ownerNamespace", ownerNamespace);
  assertStoreId("sessionKey", sessionKey);
  assertStoreId("rootRunId", rootRunId);
  assertStoreIds({ parentRunId, parentSessionKey, dedupeKey, publicTaskId, groupId, "hold.leaseId": hold?.leaseId });
  assertMs("readyAfterMs", readyAfterMs, Number.MAX_SAFE_INTEGER);
  if (hold !== undefined) assertMs("hold.leaseMs", hold.leaseMs);
  const keyed = dedupeKey === undefined ? undefined : tables.dedupeKeys.get(keyOf(ownerNamespace, dedupeKey));
  const taken = tables.runs.get(runId) ?? tables.runs.get(keyed ?? "");
  if (taken !== undefined) return { ok: false, reason: "duplicate", record: taken };
  if (tables.runs.size - tables.ended.size >= MAX_HOST_RUNS) {
    throw storeFailed(
      `the in-memory execution host has reached its limit of ${MAX_HOST_RUNS} open runs`,
      "Create a new host, or use one that keeps its runs in a database.",
    );
  }
  const ids = { runId, kind, ownerNamespace, sessionKey, rootRunId, parentRunId, parentSessionKey, dedupeKey };
  const record = ownStoredValue(`run ${JSON.stringify(runId)}`, {
    ...ids,
    ...defined({ publicTaskId, groupId, input, output, error }),
    status: "queued",
    attempt: 0,
    stalls: 0,
    lease: hold && { leaseId: hold.leaseId, untilMs: now + hold.leaseMs },
    checkpointVersion: 0,
    readyAtMs: now + readyAfterMs,
    createdAtMs: now,
    updatedAtMs: now,
    revision: 1,
  } as RunRecord);
  changes.noteStatus(runId, undefined);
  changes.put(tables.runs, runId, record);
  changes.link(tables.lanes, keyOf(ownerNamespace, sessionKey), runId);
  if (dedupeKey !== undefined) changes.put(tables.dedupeKeys, keyOf(ownerNamespace, dedupeKey), runId);
  if (parentRunId !== undefined) changes.link(tables.children, parentRunId, runId);
  if (parentSessionKey !== undefined) {
    changes.link(tables.parentLanes, keyOf(ownerNamespace, parentSessionKey), runId);
    if (publicTaskId !== undefined)
      changes.put(tables.tasks, keyOf(ownerNamespace, parentSessionKey, publicTaskId), runId);
  }
  return { ok: true, record };
}

function claim(
  tables: Tables,
  changes: Changes,
  now: number,
  runId: string,
  { leaseId, leaseMs, ownerNamespace, exclusive = true }: ClaimOptions,
): Awaited<ReturnType<RunStore["claim"]>> {
  assertStoreIds({ runId, leaseId, ownerNamespace });
  assertMs("leaseMs", leaseMs);
  const run = tables.runs.get(runId);
  if (run === undefined || run.ownerNamespace !== ownerNamespace) return { ok: false, reason: "not-found" };
  const obstacle = findObstacle(run, leaseId, now);
  if (obstacle !== undefined) return { ok: false, reason: obstacle };
  if (exclusive && !isHead(run, laneOf(tables, run), now)) return { ok: false, reason: "session-busy" };
  const record = changeRun(tables, changes, now, run, {
    status: "leased",
    attempt: run.attempt + 1,
    stalls: run.stalls + 1,
    lease: { leaseId, untilMs: now + leaseMs },
  });
  return { ok: true, record };
}

function renew(
  tables: Tables,
  changes: Changes,
  now: number,
  runId: string,
  { leaseId, leaseMs }: { leaseId: string; leaseMs: number },
): Awaited<ReturnType<RunStore["renew"]>> {
  assertStoreIds({ runId, leaseId });
  assertMs("leaseMs", leaseMs);
  const run = tables.runs.get(runId);
  if (run === undefined) return { ok: false, reason: "lost", status: "gone" };
  if (run.lease?.leaseId !== leaseId) return { ok: false, reason: "lost", status: run.status };
  changeRun(tables, changes, now, run, { lease: { leaseId, untilMs: now + leaseMs } });
  return { ok: true };
}

function update(
  tables: Tables,
  changes: Changes,
  now: number,
  runId: string,
  { status, output, error }: RunChange,
  { leaseId, from, release = false }: RunExpectation,
): Awaited<ReturnType<RunStore["update"]>> {
  assertStoreIds({ runId, leaseId });
  const run = tables.runs.get(runId);
  if (run === undefined) return { ok: false, reason: "not-found" };
  if (leaseId !== undefined && run.lease?.leaseId !== leaseId) return { ok: false, reason: "lost-lease", record: run };
  if (!mayBecome(run, status, from)) return { ok: false, reason: "status", record: run };
  const own = ownStoredValue(`the change of run ${JSON.stringify(runId)}`, defined({ status, output, error }));
  const next = status ?? run.status;
  const isKept = isHeld({ ...run, status: next });
  const isGiven = release && run.lease !== undefined;
  const record = changeRun(tables, changes, now, run, {
    ...own,
    ...(isGiven || (status !== undefined && !isKept) ? { lease: undefined } : {}),
    ...(isGiven && isHeld(run) ? { stalls: Math.max(0, run.stalls - 1) } : {}),
  });
  return { ok: true, record };
}

/** A terminal run never changes. A run leaves `needs-recovery` only if the caller expects that status. Only a claim creates a lease. */
function mayBecome(run: RunRecord, status: RunRecord["status"] | undefined, from: RunExpectation["from"]): boolean {
  if (isTerminal(run.status) || from?.includes(run.status) === false) return false;
  if (status === undefined || status === run.status) return true;
  if (run.status === "needs-recovery" && from === undefined) return false;
  return isHeld(run) || !isHeld({ ...run, status });
}

function assertMs(name: string, ms: unknown, most = MAX_TIMER_MS): void {
  if (Number.isSafeInteger(ms) && (ms as number) >= 0 && (ms as number) <= most) return;
  throw storeFailed(`${name} is ${showValue(ms)}`, `Pass whole milliseconds from 0 to ${most}.`);
}
