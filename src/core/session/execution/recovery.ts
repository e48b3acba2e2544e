// Decisions about tool calls that may have had their effect. Each is the output of a run of its own, so that it is made once.

import { toHex } from "../../canon/bytes.js";
import { isPlainObject, type JsonValue } from "../../canon/value.js";
import { invalidOptions } from "../../errors.js";
import type { StoredOutcome } from "../../loop/journal.js";
import type { Ports } from "../../ports.js";
import { showValue } from "../../text/show.js";
import { toResultText } from "../../tools/result.js";
import type { ToolExecutionCheckpoint } from "../ports/checkpoint-store.js";
import type { ExecutionHost, ExecutionStore, ExecutionStorePorts } from "../ports/execution-host.js";
import type { RunRecord } from "../ports/run-store.js";
import { askAgain } from "../state/ask-store.js";
import type { TurnControl } from "../state/keeper.js";
import { cancelled, ToolExecutionNeedsRecoveryError } from "./store-errors.js";

/**
 * What is known about a call whose process stopped. `retry`: it had no effect, so run it again. `result` and `fail`: answer it.
 * `abandon`: end the turn, and keep its whole steps.
 */
export type RecoveryDecision =
  | { readonly action: "retry" }
  | { readonly action: "result"; readonly output: unknown }
  | { readonly action: "fail"; readonly message: string }
  | { readonly action: "abandon" };

/** A decision as it is stored. */
type StoredDecision =
  { readonly action: "retry" | "abandon" } | { readonly action: "answer"; readonly outcome: StoredOutcome };

/** The decisions about the calls of one run that is taken up. */
export class Recovery {
  readonly #store: ExecutionStore;
  readonly #run: RunRecord;
  readonly #control: Pick<TurnControl, "abort">;

  constructor(store: ExecutionStore, run: RunRecord, control: Pick<TurnControl, "abort">) {
    this.#store = store;
    this.#run = run;
    this.#control = control;
  }

  /** How often the run was begun without getting ahead. */
  get stalls(): number {
    return this.#run.stalls;
  }

  /** The outcomes that somebody decided on. Throws {@link ToolExecutionNeedsRecoveryError} for a call without a decision. */
  async decide(pending: readonly ToolExecutionCheckpoint[]): Promise<Map<string, StoredOutcome>> {
    const outcomes = new Map<string, StoredOutcome>();
    for (const call of pending) {
      if (call.retryPolicy !== "manual-recovery") continue;
      const decision = await findDecision(this.#store, this.#run, call);
      if (decision === undefined)
        throw new ToolExecutionNeedsRecoveryError(this.#run.runId, call.toolCallId, call.toolName);
      if (decision.action === "answer") outcomes.set(call.toolCallId, decision.outcome);
      if (decision.action !== "abandon") continue;
      const reason = cancelled(this.#run.runId);
      this.#control.abort(reason);
      throw reason;
    }
    return outcomes;
  }
}

async function findDecision(
  { runs }: Pick<ExecutionStorePorts, "runs">,
  { ownerNamespace, runId }: RunRecord,
  call: ToolExecutionCheckpoint,
): Promise<StoredDecision | undefined> {
  const record = await runs.getByDedupeKey(ownerNamespace, keyOf(runId, call));
  return (record?.output ?? undefined) as StoredDecision | undefined;
}

/** A call that stops again needs another decision. */
function keyOf(runId: string, { toolCallId, attempt }: ToolExecutionCheckpoint): string {
  return `${runId}:${toolCallId}:recovery:${attempt}`;
}

/** The call that a session waits for, or undefined. */
export async function findNeed(
  { runs, checkpoints }: ExecutionStorePorts,
  ownerNamespace: string,
  sessionKey: string,
): Promise<ToolExecutionNeedsRecoveryError | undefined> {
  const open = await runs.listOpen(ownerNamespace, { sessionKey });
  const stopped = open.find(({ status }) => status === "needs-recovery");
  if (stopped === undefined) return undefined;
  const call = (await undecided({ runs, checkpoints }, stopped))[0];
  return new ToolExecutionNeedsRecoveryError(stopped.runId, call?.toolCallId ?? "?", call?.toolName ?? "?");
}

async function undecided(
  { runs, checkpoints }: Pick<ExecutionStorePorts, "runs" | "checkpoints">,
  run: RunRecord,
): Promise<readonly ToolExecutionCheckpoint[]> {
  const open: ToolExecutionCheckpoint[] = [];
  for (const call of (await checkpoints.latest(run.runId))?.pendingTools ?? [])
    if (call.retryPolicy === "manual-recovery" && (await findDecision({ runs }, run, call)) === undefined)
      open.push(call);
  return open;
}

export interface DecisionTerms {
  readonly host: ExecutionHost;
  readonly namespace: string;
  readonly ports: Ports;
}

/** Stores a decision. The run goes on once every call has one. Rejects with `invalid-options` for a run or a call that needs none. */
export async function decide(
  { host, namespace, ports }: DecisionTerms,
  runId: string,
  toolCallId: string,
  decision: RecoveryDecision,
): Promise<void> {
  const stored = toStored(decision) as unknown as JsonValue;
  const recoveryId = toHex(ports.randomBytes(16));
  const work = async (tx: ExecutionStorePorts): Promise<RunRecord | undefined> => {
    const run = await tx.runs.get(runId);
    if (run === null || run.ownerNamespace !== namespace)
      throw invalidOptions(`there is no run ${showValue(runId)} of this agent`, "Pass the id that the error names.");
    const calls = (await tx.checkpoints.latest(runId))?.pendingTools ?? [];
    const call = calls.find((each) => each.toolCallId === toolCallId && each.retryPolicy === "manual-recovery");
    // The decision before this call of ours may have been carried out.
    if (call !== undefined && (await findDecision(tx, run, call)) !== undefined) return undefined;
    if (run.status !== "needs-recovery" || call === undefined)
      throw invalidOptions(
        `no call ${showValue(toolCallId)} of run ${runId} waits for a decision: the run is ${run.status}`,
        "Pass the ids that the error with the code needs-recovery names.",
      );
    const { ownerNamespace, sessionKey, rootRunId } = run;
    const own = { ownerNamespace, sessionKey, rootRunId, parentRunId: runId };
    await tx.runs.create({ runId: recoveryId, kind: "tool-recovery", dedupeKey: keyOf(runId, call), ...own });
    await tx.runs.update(recoveryId, { status: "completed", output: stored }, {});
    if ((await undecided(tx, run)).length > 0) return undefined;
    await tx.runs.update(runId, { status: "queued" }, { from: ["needs-recovery"] });
    return run;
  };
  const free = await askAgain(ports, "transaction", () => host.store.transaction(work));
  if (free === undefined) return;
  const { ownerNamespace, sessionKey, kind } = free;
  await askAgain(ports, "enqueueRun", () => host.scheduler.enqueueRun(runId, { ownerNamespace, sessionKey, kind }));
}

const ACTIONS =
  '{ action: "retry" }, { action: "result", output }, { action: "fail", message } or { action: "abandon" }';

function toStored(decision: unknown): StoredDecision {
  if (isPlainObject(decision)) {
    const { action, output, message } = decision;
    if (action === "retry" || action === "abandon") return { action };
    if (action === "result" && output !== undefined) {
      const { text, cut } = toResultText(output);
      return { action: "answer", outcome: { kind: "ok", content: text, cut } };
    }
    if (action === "fail" && typeof message === "string")
      return { action: "answer", outcome: { kind: "failed", content: toResultText(message).text, message } };
  }
  throw invalidOptions(`the decision is ${showValue(decision)}`, `Pass ${ACTIONS}.`);
}
