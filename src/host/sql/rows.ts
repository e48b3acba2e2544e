// Converts rows to records. Each column is checked, because a person or another version may have changed the database.

import {
  defined,
  tryParseJson,
  type NotificationRecord,
  type RunFailure,
  type RunKind,
  type RunRecord,
  type RunStatus,
} from "../../core/index.js";
import type { Values } from "./codec.js";
import type { SqlRow } from "./engine.js";
import { damagedRow } from "./failure.js";
import { RUN_KINDS, RUN_STATUSES } from "./schema.js";

/** The ids of a run, which never change. */
export type RunIdentity = Pick<
  RunRecord,
  | "runId"
  | "ownerNamespace"
  | "sessionKey"
  | "rootRunId"
  | "parentRunId"
  | "parentSessionKey"
  | "dedupeKey"
  | "publicTaskId"
  | "groupId"
>;

export type NotificationIdentity = Pick<
  NotificationRecord,
  "notificationId" | "idempotencyKey" | "ownerNamespace" | "sessionKey" | "runId" | "taskIds"
>;

/** A row of `runs` whose values are still text. */
export interface RunRow {
  readonly seq: number;
  readonly runHash: Uint8Array;
  readonly lane: Uint8Array;
  readonly identity: RunIdentity;
  readonly kind: RunKind;
  readonly status: RunStatus;
  readonly attempt: number;
  readonly stalls: number;
  readonly checkpointVersion: number;
  readonly eventEnd: number;
  readonly revision: number;
  readonly lease: { readonly leaseId: string; readonly untilMs: number } | undefined;
  readonly readyAtMs: number;
  readonly isDelayed: boolean;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly input: string | null;
  readonly output: string | null;
  readonly error: string | null;
}

const REQUIRED_RUN_IDS = ["runId", "ownerNamespace", "sessionKey", "rootRunId"];
const RUN_IDS = [...REQUIRED_RUN_IDS, "parentRunId", "parentSessionKey", "dedupeKey", "publicTaskId", "groupId"];
const NOTIFICATION_IDS = ["notificationId", "idempotencyKey", "ownerNamespace", "sessionKey", "runId"];

export function readRun(row: SqlRow): RunRow {
  const column = readColumns("runs", String(row.seq), row);
  const identity = column.ids("identity", REQUIRED_RUN_IDS, RUN_IDS) as unknown as RunIdentity;
  const leaseId = column.textOrNull("lease_id");
  return {
    seq: column.integer("seq"),
    runHash: column.bytes("run_hash"),
    lane: column.bytes("lane"),
    identity,
    kind: column.word("kind", RUN_KINDS),
    status: column.word("status", RUN_STATUSES),
    attempt: column.integer("attempt"),
    stalls: column.integer("stalls"),
    checkpointVersion: column.integer("checkpoint_version"),
    eventEnd: column.integer("event_end"),
    revision: column.integer("revision"),
    lease: leaseId === null ? undefined : { leaseId, untilMs: column.integer("lease_until") },
    readyAtMs: column.integer("ready_at"),
    isDelayed: column.integer("delayed") === 1,
    createdAtMs: column.integer("created_at"),
    updatedAtMs: column.integer("updated_at"),
    input: column.textOrNull("input"),
    output: column.textOrNull("output"),
    error: column.textOrNull("error"),
  };
}

export async function toRunRecord(row: RunRow, values: Values): Promise<RunRecord> {
  const { identity, kind, status, attempt, stalls, lease, checkpointVersion } = row;
  const { readyAtMs, createdAtMs, updatedAtMs, revision } = row;
  const read = async (what: string, text: string | null) =>
    text === null ? undefined : values.toValue(`the ${what} of run ${identity.runId}`, text);
  const optional = {
    input: await read("input", row.input),
    output: await read("output", row.output),
    error: (await read("error", row.error)) as RunFailure | undefined,
    lease,
  };
  const state = { kind, status, attempt, stalls, checkpointVersion, readyAtMs, createdAtMs, updatedAtMs, revision };
  return { ...identity, ...state, ...defined(optional) };
}

/** `input` is null once the notification is pruned. */
export async function toNotification(row: SqlRow, values: Values): Promise<NotificationRecord> {
  const column = readColumns("inbox", String(row.ord), row);
  const identity = column.ids("identity", NOTIFICATION_IDS, NOTIFICATION_IDS, "taskIds");
  const input = column.textOrNull("input");
  return {
    ...(identity as unknown as NotificationIdentity),
    input: input === null ? null : await values.toValue(`notification ${String(row.ord)}`, input),
    status: column.word("status", ["pending", "acked", "cancelled"]),
    ...defined({ deliveredBy: column.textOrNull("delivered_by") ?? undefined }),
    order: column.integer("ord"),
  };
}

/** Reads the columns of one row. Throws `store-failed` with table, key and column for a value that this version never writes. */
export function readColumns(table: string, key: string, row: SqlRow) {
  const refuse = (column: string): never => {
    throw damagedRow(table, key, column, row[column]);
  };
  const text = (column: string): string => {
    const value = row[column];
    return typeof value === "string" ? value : refuse(column);
  };
  return {
    text,
    textOrNull: (column: string): string | null => (row[column] === null ? null : text(column)),
    integer: (column: string): number => {
      const value = row[column];
      return typeof value === "number" && Number.isSafeInteger(value) ? value : refuse(column);
    },
    bytes: (column: string): Uint8Array => {
      const value = row[column];
      return value instanceof Uint8Array ? value : refuse(column);
    },
    word: <T extends string>(column: string, words: readonly T[]): T => {
      const value = row[column];
      return words.find((word) => word === value) ?? refuse(column);
    },
    /** JSON of an object of strings, with one list of strings under `list`. */
    ids: (column: string, required: readonly string[], known: readonly string[], list?: string) => {
      const value = tryParseIds(text(column));
      const isText = (name: string): boolean => typeof value?.[name] === "string";
      if (value === undefined || !required.every(isText)) return refuse(column);
      const others = Object.keys(value).filter((name) => name !== list);
      if (!others.every((name) => known.includes(name) && isText(name))) return refuse(column);
      if (list !== undefined && !isTextList(value[list])) return refuse(column);
      return value;
    },
  };
}

function tryParseIds(text: string): Record<string, unknown> | undefined {
  const value = tryParseJson(text);
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
