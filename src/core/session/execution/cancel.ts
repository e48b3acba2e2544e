// Cancelling runs in the store, before anything is aborted: whoever works on them learns of it.

import { STORE_RETRIES } from "../../limits.js";
import { systemPorts, type Ports } from "../../ports.js";
import type { AgentHost, ExecutionHost } from "../ports/execution-host.js";
import type { RunRecord } from "../ports/run-store.js";
import { askAgain } from "../state/ask-store.js";
import { readSnapshot } from "../state/snapshot.js";
import { cancelRun, keysIn, OPEN } from "./stored-run/cancel-run.js";
import { enqueue } from "./stored-run/give-back.js";
import { cancelTask, isTask, type Created } from "./stored-run/job-end.js";

type Terms = { readonly host: ExecutionHost; readonly ports: Pick<Ports, "timer"> };

/** Cancels every open run of a session and of the sessions below it. */
export async function cancelSession(
  terms: Terms,
  namespace: string,
  sessionKey: string,
  seen: Set<string> = new Set(),
): Promise<void> {
  // A store may name a session as its own subagent's.
  if (seen.has(sessionKey)) return;
  seen.add(sessionKey);
  const { host, ports } = terms;
  const { runs } = host.store;
  // What is created meanwhile is found in the next round.
  for (let round = 0; round <= STORE_RETRIES; round++) {
    const own = await askAgain(ports, "listOpen", () => runs.listOpen(namespace, { sessionKey }));
    const below = await askAgain(ports, "listOpen", () => runs.listOpen(namespace, { parentSessionKey: sessionKey }));
    if (own.length === 0 && below.length === 0) break;
    for (const run of [...own, ...below]) await cancelTree(terms, run);
  }
  // The run that launched a job from the session of a subagent may have ended long ago.
  for (const key of await keysBelow(terms, sessionKey)) await cancelSession(terms, namespace, key, seen);
}

async function keysBelow({ host, ports }: Terms, sessionKey: string): Promise<readonly string[]> {
  if (host.capabilities.backgroundSubagents !== "durable") return [];
  const stored = await askAgain(ports, "load", () => host.store.sessions.load(sessionKey));
  try {
    return stored === null ? [] : keysIn(readSnapshot(stored.state).children);
  } catch {
    return [];
  }
}

/**
 * Cancels the open runs that a run has launched, and what they launched. Does nothing for a host that does not keep background work
 * durably. Rejects with `store-failed`.
 */
export async function cancelDurableChildRuns(host: AgentHost, parentRunId: string): Promise<void> {
  if (!("store" in host) || host.capabilities.backgroundSubagents !== "durable") return;
  const terms = { host, ports: systemPorts };
  const children = await askAgain(systemPorts, "listByParentRunId", () =>
    host.store.runs.listByParentRunId(parentRunId),
  );
  for (const child of children) if (OPEN.includes(child.status)) await cancelTree(terms, child, true);
}

/** Cancels a run that was created a moment ago. */
export async function discardRun(terms: Terms, runId: string): Promise<void> {
  const run = await askAgain(terms.ports, "get", () => terms.host.store.runs.get(runId));
  if (run !== null) await cancelTree(terms, run);
}

/** Cancels a run and what it launched. A session that goes on is notified of the other jobs of the group, if that has ended. */
export async function cancelTree({ host, ports }: Terms, run: RunRecord, notifies = false): Promise<void> {
  const work = (): Promise<readonly Created[]> =>
    host.store.transaction(async (tx) => {
      if (notifies && isTask(run)) return cancelTask(tx, run);
      await cancelRun(tx, run);
      return [];
    });
  const created = await askAgain(ports, "transaction", work);
  await askAgain(ports, "cancelRun", () => host.scheduler.cancelRun(run.runId));
  for (const each of created) await enqueue({ host, ports }, each);
}
