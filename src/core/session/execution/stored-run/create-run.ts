// The creation of a run together with its first event.

import { sha256Hex } from "../../../canon/digest.js";
import type { JsonValue } from "../../../canon/value.js";
import type { UserInput } from "../../input.js";
import type { RunOrigin } from "../../state/keeper.js";
import type { ExecutionStorePorts } from "../../ports/execution-host.js";
import type { CreateOptions, NewRun } from "../../ports/run-store.js";
import { askAgain } from "../../state/ask-store.js";
import type { KeeperTerms } from "./claim.js";
import { unexpected } from "../store-errors.js";

export interface ScheduleOptions {
  /** Milliseconds until the run may begin. Default 0. */
  readonly runAfterMs?: number;
  /** 1 to 512 characters. A second call with the same key gets the first one's run. */
  readonly dedupeKey?: string;
}

export interface NewInput {
  readonly runId: string;
  readonly sessionKey: string;
  readonly input: UserInput;
  /** Its input is told when it enters, and not when it is accepted. */
  readonly isNotification?: boolean;
  readonly origin?: RunOrigin;
  /** The first run of the tree, if it is another one. */
  readonly rootRunId?: string;
}

/** Returns the id of the run, which is another one where the dedupe key is taken. */
export async function createRun(
  { host, ports, namespace }: Pick<KeeperTerms, "host" | "ports" | "namespace">,
  input: NewInput,
  { dedupeKey, ...options }: CreateOptions & { readonly dedupeKey?: string },
): Promise<string> {
  const run = toNewRun(namespace, input);
  const key = dedupeKey === undefined ? {} : { dedupeKey: toScheduleKey(input.sessionKey, dedupeKey) };
  return askAgain(ports, "transaction", () =>
    host.store.transaction((tx) => createIn(tx, { ...run, ...key }, input, options)),
  );
}

export async function createIn(
  tx: ExecutionStorePorts,
  run: NewRun,
  { input, isNotification = false }: NewInput,
  options: CreateOptions,
): Promise<string> {
  const created = await tx.runs.create(run, options);
  // Where the id is ours, an earlier try was carried out.
  if (!created.ok) return created.record.runId;
  if (isNotification) return run.runId;
  const told = await tx.events.append(run.runId, [input], { firstOffset: 0 });
  if (!told.ok) throw unexpected(`run ${run.runId} is new and has events`);
  return run.runId;
}

export function toNewRun(ownerNamespace: string, given: NewInput): NewRun {
  const { runId, sessionKey, input, isNotification = false, origin, rootRunId = runId } = given;
  const own = { runId, ownerNamespace, sessionKey, rootRunId };
  if (origin === undefined)
    return { ...own, kind: isNotification ? "notification" : "user-turn", input: input as unknown as JsonValue };
  const { kind, parentRunId, parentSessionKey, callId, path, taskId } = origin;
  const task = taskId === undefined ? {} : { publicTaskId: taskId, groupId: parentRunId };
  const parent = { parentRunId, parentSessionKey, dedupeKey: `${parentRunId}:${callId}`, ...task };
  const routed: RoutedInput = { path, input };
  return { ...own, kind, ...parent, input: routed as unknown as JsonValue };
}

/** The input of a subagent's run, and the way to the subagent: a worker knows the top-level agent alone. */
export interface RoutedInput {
  readonly path: readonly string[];
  readonly input: UserInput;
}

/** Of any length, and apart from the keys that runs of other kinds have. */
function toScheduleKey(sessionKey: string, dedupeKey: string): string {
  return `schedule:${sha256Hex(JSON.stringify([sessionKey, dedupeKey]))}`;
}
