// A run that goes on later: its lease or hold ends, and the scheduler delivers it.

import { DEFAULT_LEASE_MS, GIVE_BACK_MS } from "../../../limits.js";
import type { Ports } from "../../../ports.js";
import { sleep } from "../../../time/wait.js";
import { isTerminal } from "../../memory-host/order.js";
import type { RunChange, RunRecord, RunStatus } from "../../ports/run-store.js";
import { askAgain, askStore, isLater } from "../../state/ask-store.js";
import type { Leaving } from "../../state/keeper.js";
import type { KeeperTerms } from "./claim.js";
import type { LiveRun } from "./live-run.js";

type Terms = Pick<KeeperTerms, "host"> & { readonly ports: Pick<Ports, "timer"> };

const CUT_OFF: Leaving = { kind: "cut-off" };

/** `isClaimed`: it is more than an input that waits. If the store fails for now, the run is given back later. */
export async function giveBack(terms: Terms, live: LiveRun, leaving: Leaving, isClaimed: boolean): Promise<void> {
  try {
    await tryGiveBack(terms, live, leaving, isClaimed);
  } catch (error) {
    throw giveBackLater(terms, live, error, leaving.kind === "cut-off" ? leaving : CUT_OFF, isClaimed);
  }
}

/**
 * Returns the error. Tries in the background until the store answers or the lease has ended: nobody else ends a lease of a live host, so
 * the session would stand still. A claim that failed may have been stored, too.
 */
export function giveBackLater(
  terms: Terms,
  live: LiveRun,
  error: unknown,
  leaving = CUT_OFF,
  isClaimed = true,
): unknown {
  const { host, ports } = terms;
  const persist = async (): Promise<void> => {
    let failure = error;
    for (let leftMs = host.leaseMs ?? DEFAULT_LEASE_MS; leftMs > 0 && isLater(failure); leftMs -= GIVE_BACK_MS) {
      await sleep(GIVE_BACK_MS, ports);
      failure = await tryGiveBack(terms, live, leaving, isClaimed).catch((again: unknown) => again);
    }
  };
  void persist();
  return error;
}

async function tryGiveBack(terms: Terms, live: LiveRun, leaving: Leaving, isClaimed: boolean): Promise<void> {
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
