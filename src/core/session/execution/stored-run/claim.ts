// Taking a run: its lease, its first checkpoint or its last one, and the session that it is based on, as one step.

import { toHex } from "../../../canon/bytes.js";
import type { JsonValue } from "../../../canon/value.js";
import { DEFAULT_LEASE_MS, DEFAULT_MAX_ATTEMPTS } from "../../../limits.js";
import type { Ports } from "../../../ports.js";
import type { RunCheckpoint } from "../../ports/checkpoint-store.js";
import type { ExecutionHost, ExecutionStorePorts } from "../../ports/execution-host.js";
import type { RunRecord } from "../../ports/run-store.js";
import type { StoredSession } from "../../ports/session-store.js";
import { askAgain, askStore } from "../../state/ask-store.js";
import type { SessionState } from "../../state/snapshot.js";
import { readRuntimeState, STATE_VERSION, type RuntimeState } from "./journal-items.js";
import { unexpected } from "../store-errors.js";

/** A session as it was read or stored last. */
export interface KnownSession {
  readonly state: SessionState;
  readonly version: string | null;
}

export interface KeeperTerms {
  readonly host: ExecutionHost;
  readonly namespace: string;
  readonly ports: Ports;
  /** Where the state of the session is, if not in the host. */
  readonly outside?: OutsideState;
  readonly exclusive?: boolean;
  /** Works on a run of a session that nobody holds, until it is over or given back. False: someone else has it. */
  readonly takeOver: (run: RunRecord) => Promise<boolean>;
}

export interface OutsideState {
  load(): Promise<StoredSession>;
  save(state: SessionState): Promise<void>;
}

export interface Claimed {
  readonly record: RunRecord;
  /** Undefined if the known state is current, so that nothing was read. Null if nothing is stored yet. */
  readonly session: StoredSession | null | undefined;
  /** The run was begun too often without getting ahead, and must end. */
  readonly isSpent: boolean;
  readonly version: number;
  readonly state: RuntimeState;
  readonly pending: NonNullable<RunCheckpoint["pendingTools"]>;
  readonly journal: readonly JsonValue[];
}

/** `newer`: a later version of this code must go on with the run. */
export type ClaimRefusal = "leased" | "not-claimable" | "not-found" | "session-busy" | "newer";

export async function claimRun(
  terms: KeeperTerms,
  { runId, leaseId }: { readonly runId: string; readonly leaseId: string },
  known: (sessionKey: string) => KnownSession | undefined,
): Promise<Claimed | ClaimRefusal> {
  const { host, ports, namespace, exclusive = true } = terms;
  const { outside: own } = terms;
  const outside = own === undefined ? undefined : await askStore(terms.ports, "loadState", () => own.load());
  const checkpointId = toHex(ports.randomBytes(16));
  const options = { leaseId, leaseMs: host.leaseMs ?? DEFAULT_LEASE_MS, ownerNamespace: namespace, exclusive };
  return askAgain(ports, "transaction", () =>
    host.store.transaction(async (tx) => {
      const claimed = await tx.runs.claim(runId, options);
      const record = claimed.ok ? claimed.record : await ownRecord(tx, runId, leaseId);
      if (record === undefined) return claimed.ok ? "not-found" : claimed.reason;
      const { sessionKey } = record;
      const held = known(sessionKey);
      const isCurrent = held !== undefined && (await tx.sessions.version?.(sessionKey)) === held.version;
      const session = isCurrent ? undefined : (outside ?? (await tx.sessions.load(sessionKey)));
      const base = isCurrent ? held.version : (session?.version ?? null);
      const events = record.kind === "notification" ? 0 : 1;
      const isSpent = record.stalls > (host.maxAttempts ?? DEFAULT_MAX_ATTEMPTS);
      const stored = record.checkpointVersion === 0 ? null : await tx.checkpoints.load(runId);
      if (stored !== null) return toClaimed(tx, { record, session, isSpent }, stored);
      const state: RuntimeState = {
        v: STATE_VERSION,
        base,
        step: 0,
        place: "between",
        spent: null,
        events,
        taken: [],
      };
      const runtimeState = state as unknown as JsonValue;
      const first = { checkpointId, runId, version: 1, phases: ["before-model"], runtimeState, appended: [] } as const;
      if (!isSpent) {
        const appended = await tx.checkpoints.append(first, { expectedVersion: 0, leaseId });
        if (!appended.ok) throw unexpected(`the first checkpoint of run ${runId} was refused: ${appended.reason}`);
      }
      return { record, session, isSpent, version: 1, state, pending: [], journal: [] };
    }),
  );
}

/** The record where an earlier try of ours got the lease. */
async function ownRecord(tx: ExecutionStorePorts, runId: string, leaseId: string): Promise<RunRecord | undefined> {
  const record = await tx.runs.get(runId);
  const isOurs = record?.lease?.leaseId === leaseId && (record.status === "leased" || record.status === "running");
  return isOurs ? record : undefined;
}

async function toClaimed(
  tx: ExecutionStorePorts,
  claimed: Pick<Claimed, "record" | "session" | "isSpent">,
  { checkpoint, journal }: { checkpoint: RunCheckpoint; journal: readonly JsonValue[] },
): Promise<Claimed | "newer"> {
  const { version, pendingTools: pending = [] } = checkpoint;
  const state = readRuntimeState(checkpoint.runtimeState);
  if (state !== undefined) return { ...claimed, version, state, pending, journal };
  const { runId, lease } = claimed.record;
  await tx.runs.update(runId, { status: "suspended" }, { leaseId: lease?.leaseId as string, release: true });
  return "newer";
}
