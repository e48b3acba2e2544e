// An input that waits for its place in the session: behind the runs before it, whoever works on them.

import { FIRST_HEAD_WAIT_MS, MAX_HEAD_WAIT_MS, WORKER_GRACE_MS } from "../../limits.js";
import { abortError } from "../../tools/abort.js";
import { findObstacle, isHead } from "../memory-host/order.js";
import type { RunRecord } from "../ports/run-store.js";
import { askAgain } from "../state/ask-store.js";
import type { Claimed, ClaimRefusal, KeeperTerms } from "./stored-run/claim.js";
import { waitForChange } from "./read-run.js";

/** Claims as soon as the run is the head. Undefined: someone else has it, or it is over. Rejects with `aborted`. */
export async function awaitHead(
  terms: KeeperTerms,
  own: { readonly runId: string; readonly sessionKey: string },
  signal: AbortSignal,
  claim: () => Promise<Claimed | ClaimRefusal>,
): Promise<Claimed | undefined> {
  const idle = new Idle(terms);
  for (let wait = FIRST_HEAD_WAIT_MS; ; wait = Math.min(wait * 2, MAX_HEAD_WAIT_MS)) {
    if (signal.aborted) throw abortError(signal);
    const claimed = await claim();
    if (typeof claimed === "object") return claimed;
    if (claimed !== "session-busy") return undefined;
    const head = await findHead(terms, own.sessionKey);
    if (head !== undefined && head.runId !== own.runId && (await idle.takeOver(head))) {
      wait = FIRST_HEAD_WAIT_MS;
      continue;
    }
    const changed = waitForChange(terms.host.store, terms.ports, head?.runId ?? own.runId);
    await changed.within(wait, signal);
    changed.stop();
  }
}

async function findHead({ host, namespace, ports }: KeeperTerms, sessionKey: string): Promise<RunRecord | undefined> {
  const open = await askAgain(ports, "listOpen", () => host.store.runs.listOpen(namespace, { sessionKey }));
  return open.find((run) => isHead(run, open, ports.now()));
}

/** A run that nobody works on is taken over: at once in this process's host, and from a durable one once its workers had their time. */
class Idle {
  readonly #terms: KeeperTerms;
  #runId: string | undefined;
  #since = 0;

  constructor(terms: KeeperTerms) {
    this.#terms = terms;
  }

  /** True if the run was worked on. */
  async takeOver(head: RunRecord): Promise<boolean> {
    const { ports, host, takeOver } = this.#terms;
    const now = ports.now();
    const isFree = findObstacle(head, "", now) === undefined;
    if (!isFree || head.runId !== this.#runId) {
      this.#runId = isFree ? head.runId : undefined;
      this.#since = now;
    }
    const grace = host.capabilities.backgroundSubagents === "durable" ? WORKER_GRACE_MS : 0;
    if (!isFree || now - this.#since < grace) return false;
    return takeOver(head);
  }
}
