// Helpers for the cases about an execution host: its parts, its clock, and the shortest way to a run in some state.

import {
  defined,
  sleep,
  systemPorts,
  type CreateOptions,
  type ExecutionHost,
  type ExecutionStore,
  type ExecutionStorePorts,
  type NewNotification,
  type NewRun,
  type RunCheckpoint,
  type RunRecord,
  type RunStatus,
  type SessionEvent,
} from "../../../core/index.js";
import { assertSame, fail } from "../../contract/clause.js";
import { CONFORMANCE_LONG_MS, CONFORMANCE_LOOK_MS, CONFORMANCE_SHORT_MS } from "../../limits.js";

export interface Stand extends ExecutionStorePorts {
  readonly host: ExecutionHost;
  readonly store: ExecutionStore;
  /** Lets a short lease, hold or delay expire. */
  pass(): Promise<void>;
  readonly patienceMs: number;
}

export const OWNER = "agent:a";
export const OTHER_OWNER = "agent:b";
export const LONG = CONFORMANCE_LONG_MS;
export const SHORT = CONFORMANCE_SHORT_MS;
export const HOLD: CreateOptions = { hold: { leaseId: "H", leaseMs: LONG } };

export function newRun(runId: string, fields: Partial<NewRun> = {}): NewRun {
  return { runId, kind: "user-turn", ownerNamespace: OWNER, sessionKey: "s", rootRunId: runId, ...fields };
}

type Ports = Pick<ExecutionStorePorts, "runs" | "checkpoints">;

export async function create(
  { runs }: Pick<Ports, "runs">,
  runId: string,
  fields: Partial<NewRun> = {},
  options?: CreateOptions,
): Promise<RunRecord> {
  const end = await runs.create(newRun(runId, fields), options);
  if (!end.ok) fail(`create of ${runId}`, end, { ok: true });
  return end.record;
}

/** The result of a claim: "ok" or the reason of the refusal. */
export async function tryClaim(
  { runs }: Pick<Ports, "runs">,
  runId: string,
  { leaseId = "L", leaseMs = LONG, exclusive, ownerNamespace = OWNER }: Partial<Claim> = {},
): Promise<string> {
  const end = await runs.claim(runId, { leaseId, leaseMs, ownerNamespace, ...defined({ exclusive }) });
  return end.ok ? "ok" : end.reason;
}

interface Claim {
  readonly leaseId: string;
  readonly leaseMs: number;
  readonly exclusive: boolean | undefined;
  readonly ownerNamespace: string;
}

export async function claim(stand: Pick<Ports, "runs">, runId: string, options: Partial<Claim> = {}): Promise<void> {
  assertSame(`claim of ${runId}`, await tryClaim(stand, runId, options), "ok");
}

/** A run that was created and claimed under the lease L. */
export async function begin(
  stand: Pick<Ports, "runs">,
  runId: string,
  fields: Partial<NewRun> = {},
  leaseMs = LONG,
): Promise<void> {
  await create(stand, runId, fields);
  await claim(stand, runId, { leaseMs, ...defined({ ownerNamespace: fields.ownerNamespace }) });
}

/** Changes the status from any other status, without a lease. */
export async function put({ runs }: Pick<Ports, "runs">, runId: string, status: RunStatus): Promise<void> {
  const from: RunStatus[] = ["queued", "leased", "running", "suspended", "needs-recovery"];
  const end = await runs.update(runId, { status }, { from });
  assertSame(`update of ${runId} to ${status}`, end.ok ? "ok" : end.reason, "ok");
}

export async function recordOf({ runs }: Pick<Ports, "runs">, runId: string): Promise<RunRecord> {
  const record = await runs.get(runId);
  if (record === null) fail(`get of ${runId}`, null, "a record");
  return record;
}

/** Some fields of a record. A missing field is left out. */
export function pick(record: RunRecord | null | undefined, ...names: (keyof RunRecord)[]): object {
  return defined(Object.fromEntries(names.map((name) => [name, record?.[name]])));
}

export function newCheckpoint(runId: string, version: number, fields: Partial<RunCheckpoint> = {}): RunCheckpoint {
  return {
    ...{ checkpointId: `${runId}/${version}`, runId, version, phases: ["after-model"] },
    ...{ runtimeState: { v: 1, step: version }, appended: [{ t: "answer", version }] },
    ...fields,
  };
}

/** Appends the checkpoint after `expectedVersion`. Returns "ok" or the reason. */
export async function append(
  { checkpoints }: Pick<Ports, "checkpoints">,
  runId: string,
  expectedVersion: number,
  fields: Partial<RunCheckpoint> & { leaseId?: string } = {},
): Promise<string> {
  const { leaseId = "L", ...rest } = fields;
  const checkpoint = newCheckpoint(runId, expectedVersion + 1, rest);
  const end = await checkpoints.append(checkpoint, { expectedVersion, leaseId });
  return end.ok ? "ok" : end.reason;
}

export const textEvent = (text: string): SessionEvent => ({ type: "assistant-text", text });

export function newNotification(id: string, fields: Partial<NewNotification> = {}): NewNotification {
  return {
    ...{ notificationId: id, idempotencyKey: `key ${id}`, ownerNamespace: OWNER, sessionKey: "s" },
    ...{ runId: `run of ${id}`, taskIds: ["bg_0123456789abcdef"], input: { type: "user-text", text: id } },
    ...fields,
  };
}

export function reasonOf(end: { ok: boolean; reason?: string }): string {
  return end.ok ? "ok" : (end.reason ?? "no reason");
}

/** Polls until a condition holds, but stops early enough for the case to report what is missing. */
export async function until(isSo: () => boolean, patienceMs: number): Promise<void> {
  for (let left = patienceMs / 2; left > 0 && !isSo(); left -= CONFORMANCE_LOOK_MS)
    await sleep(CONFORMANCE_LOOK_MS, systemPorts);
}
