// A run that goes on later: its lease or hold ends, and the scheduler delivers it.

import type { Ports } from "../../../ports.js";
import { isTerminal } from "../../memory-host/order.js";
import type { RunChange, RunRecord, RunStatus } from "../../ports/run-store.js";
import { askAgain, askStore } from "../../state/ask-store.js";
import type { Leaving } from "../../state/keeper.js";
import type { KeeperTerms } from "./claim.js";
import type { LiveRun } from "./live-run.js";

type Terms = Pick<KeeperTerms, "host"> & { readonly ports: Pick<Ports, "timer"> };

/** `isClaimed`: it is more than an input that waits. */
export async function giveBack(terms: Terms, live: LiveRun, leaving: Leaving, isClaimed: boolean): Promise<void> {
  const { host, ports } = terms;
  const { runs } = host.store;
  const { runId, leaseId } = live;
  if (leaving.kind === "between-steps") await live.suspend(leaving.spent);
  else if (leaving.error?.code === "lease-lost") return;
  else {
    const status: RunStatus = leaving.error?.code === "needs-recovery" ? "needs-recovery" : "suspended";
    // The last checkpoint stands. What came after it is done again.
    const change: RunChange = isClaimed ? { status } : {};
    await askAgain(ports, "update", () => runs.update(runId, change, { leaseId, release: status === "suspended" }));
    if (status === "needs-recovery") return;
  }
  const record = await askStore(ports, "get", () => runs.get(runId));
  if (record !== null && !isTerminal(record.status)) await enqueue(terms, record);
}

export async function enqueue(
  { host, ports }: Terms,
  { runId, ownerNamespace, sessionKey, kind }: Pick<RunRecord, "runId" | "ownerNamespace" | "sessionKey" | "kind">,
  runAfterMs = 0,
): Promise<void> {
  const order = { ownerNamespace, sessionKey, kind };
  const late = runAfterMs > 0 ? { ...order, runAfterMs } : order;
  await askAgain(ports, "enqueueRun", () => host.scheduler.enqueueRun(runId, late));
}
