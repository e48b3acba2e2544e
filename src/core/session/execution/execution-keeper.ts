// Keeps the runs of an agent in an execution host: each step is stored, so that another process can go on where this one stopped.

import { toHex } from "../../canon/bytes.js";
import { defined } from "../../defined.js";
import { BUSY_REDELIVERY_MS, DEFAULT_LEASE_MS } from "../../limits.js";
import type { BudgetSpent } from "../../loop/budget.js";
import type { Placement, SessionEvent } from "../event.js";
import type { CreateOptions, RunStatus } from "../ports/run-store.js";
import { askAgain, askStore } from "../state/ask-store.js";
import type {
  AppendedMessage,
  BegunTurn,
  FollowedRun,
  KeptRun,
  Leaving,
  RunKeeper,
  TurnControl,
  TurnEnd,
} from "../state/keeper.js";
import { EMPTY_STATE, readSnapshot, type SessionState } from "../state/snapshot.js";
import { conflictOf } from "../turn/ending.js";
import { cancelSession, discardRun } from "./cancel.js";
import { removeSession } from "./stored-run/cancel-run.js";
import { claimRun, type Claimed, type ClaimRefusal, type KeeperTerms } from "./stored-run/claim.js";
import { createIn, createRun, toNewRun, type NewInput, type ScheduleOptions } from "./stored-run/create-run.js";
import { dismissRun, endRun } from "./stored-run/end-run.js";
import { readJournal } from "./stored-run/journal-items.js";
import { enqueue, giveBack, giveBackLater } from "./stored-run/give-back.js";
import { KnownSessions } from "./stored-run/known-sessions.js";
import { Lease } from "./stored-run/lease.js";
import { awaitHead } from "./line.js";
import { LiveRun } from "./stored-run/live-run.js";
import { toFollowed } from "./read-run.js";
import { findNeed, Recovery } from "./recovery.js";
import type { TakenRun } from "./run-order.js";
import { cancelled, gaveUp, leaseLost } from "./store-errors.js";

/** A run that this process holds or has claimed. */
interface Live extends LiveRun {
  readonly lease: Lease;
  claimed?: Claimed;
  stopWatch?: (() => void) | undefined;
}

export class ExecutionKeeper implements RunKeeper {
  readonly #terms: KeeperTerms;
  readonly #live = new Map<string, Live>();
  readonly #known = new KnownSessions();

  constructor(terms: KeeperTerms) {
    this.#terms = terms;
  }

  async accept(run: KeptRun): Promise<string> {
    const { sessionKey } = run;
    const { host, ports } = this.#terms;
    const need = await askAgain(ports, "listOpen", () => findNeed(host.store, this.#terms.namespace, sessionKey));
    if (need !== undefined) throw need;
    return (await this.#hold(run)).runId;
  }

  async discard({ runId }: KeptRun): Promise<void> {
    const live = this.#live.get(runId);
    try {
      await discardRun(this.#terms, runId);
    } finally {
      if (live !== undefined) this.#forget(live);
    }
  }

  /** Stores an input that a worker begins. Returns the id of its run, or of the run that has the dedupe key. */
  async schedule(run: NewInput, { runAfterMs = 0, dedupeKey }: ScheduleOptions = {}): Promise<string> {
    const runId = await createRun(this.#terms, run, { readyAfterMs: runAfterMs, ...defined({ dedupeKey }) });
    const { namespace: ownerNamespace } = this.#terms;
    const order = { runId, ownerNamespace, sessionKey: run.sessionKey, kind: "user-turn" } as const;
    await enqueue(this.#terms, order, runAfterMs);
    return runId;
  }

  /** Claims a run for this process. Undefined: it is another agent's, it is over, someone has it, or its session is busy. */
  async take(runId: string): Promise<TakenRun | undefined> {
    const { host, ports, namespace } = this.#terms;
    const found = await askAgain(ports, "get", () => host.store.runs.get(runId));
    // Of several calls at once, one asks the store.
    if (found === null || found.ownerNamespace !== namespace || this.#live.has(runId)) return undefined;
    const live = this.#open(runId, found.sessionKey);
    this.#live.set(runId, live);
    const claimed = await this.#claim(live).catch((error: unknown) => {
      this.#forget(live);
      throw giveBackLater(this.#terms, live, error);
    });
    if (typeof claimed === "object") {
      live.claimed = claimed;
      const { record, state, journal } = claimed;
      const children = () => readJournal(journal, state).children ?? this.#known.of(claimed).state.children;
      return { record, taken: state.taken, children };
    }
    this.#forget(live);
    if (claimed === "session-busy") await enqueue(this.#terms, found, BUSY_REDELIVERY_MS);
    return undefined;
  }

  async begin(run: KeptRun, control: TurnControl): Promise<BegunTurn | FollowedRun> {
    const live = this.#live.get(run.runId) ?? (await this.#hold(run));
    const claimed = live.claimed ?? (await this.#awaitClaim(live, control.signal));
    if (claimed === undefined) {
      this.#forget(live);
      return toFollowed(this.#terms, run.runId, control.signal);
    }
    const { record, state, version, pending, journal } = claimed;
    const { resumed, results, children } = readJournal(journal, state);
    const recovery = new Recovery(this.#terms.host.store, record, control);
    live.enter({ control, attempt: record.attempt, version, state, pending, results, recovery });
    this.#watch(live, control);
    if (claimed.isSpent) throw gaveUp(run.runId, record.stalls - 1);
    const session = this.#known.of(claimed);
    if (session.version !== state.base) throw conflictOf(run.sessionKey);
    const begun = { state: { ...session.state, ...defined({ children }) }, journal: live.journal };
    return resumed === undefined ? begun : { ...begun, resumed };
  }

  appended({ runId }: KeptRun, message: AppendedMessage): void {
    this.#live.get(runId)?.appended(message);
  }

  told({ runId }: KeptRun, event: SessionEvent): void {
    this.#live.get(runId)?.told(event);
  }

  reached({ runId }: KeptRun, _placement: Placement, spent: BudgetSpent): Promise<void> {
    return this.#of(runId).reached(spent);
  }

  answered({ runId }: KeptRun, spent: BudgetSpent): Promise<void> {
    return this.#of(runId).answered(spent);
  }

  async end(run: KeptRun, turn: TurnEnd): Promise<"kept" | "conflict" | "cancelled"> {
    const live = this.#live.get(run.runId);
    if (live === undefined) return "cancelled";
    const { host, ports, outside } = this.#terms;
    const { state } = turn;
    // An abort ends the wait for a checkpoint that is being written, and not the writing.
    await live.written;
    if (state !== undefined && outside !== undefined) await askStore(ports, "saveState", () => outside.save(state));
    const inside = outside === undefined ? turn : { ...turn, state: undefined };
    const isDurable = host.capabilities.backgroundSubagents === "durable";
    const ended = await askAgain(ports, "transaction", () =>
      host.store.transaction((tx) => endRun(tx, live, inside, isDurable)),
    );
    if (ended === "conflict") {
      this.drop(run.sessionKey);
      return ended;
    }
    this.#forget(live);
    if (ended === "lost") throw leaseLost(run.runId);
    if (ended === "cancelled") return ended;
    const { version, created = [] } = ended;
    this.#known.set(run.sessionKey, version === undefined || state === undefined ? undefined : { state, version });
    for (const each of created) await enqueue(this.#terms, each);
    return "kept";
  }

  /** Gives a run back. It goes on later, or waits for a decision. */
  async suspend({ runId }: Pick<KeptRun, "runId">, leaving: Leaving): Promise<void> {
    const live = this.#live.get(runId);
    if (live === undefined) return;
    try {
      await giveBack(this.#terms, live, leaving, live.claimed !== undefined);
    } finally {
      this.#forget(live);
    }
  }

  /** Resolves once no tool of the run is running. */
  async quiet({ runId }: KeptRun): Promise<void> {
    await this.#live.get(runId)?.quiet();
  }

  async cancel(sessionKey: string): Promise<void> {
    const { namespace } = this.#terms;
    await cancelSession(this.#terms, namespace, sessionKey);
    for (const live of [...this.#live.values()])
      if (live.sessionKey === sessionKey && live.control === undefined) this.#forget(live);
  }

  /** Creates the run of a subagent together with a checkpoint of its parent. Returns the id of the run that its call has. */
  async link(run: KeptRun, parentRunId: string, options: CreateOptions = {}): Promise<string> {
    const parent = this.#of(parentRunId);
    const child = { ...run, rootRunId: parent.claimed?.record.rootRunId ?? parentRunId };
    let { runId } = run;
    await parent.save(["before-child-run", "child-linked"], async (tx) => {
      runId = await createIn(tx, toNewRun(this.#terms.namespace, child), child, options);
    });
    return runId;
  }

  /** Notes that a turn has taken a notification. */
  took(turnRunId: string, notificationRunId: string): void {
    this.#live.get(turnRunId)?.took(notificationRunId);
  }

  /** Ends a notification that has nothing to tell. */
  async dismiss(runId: string): Promise<void> {
    const live = this.#of(runId);
    const { host, ports } = this.#terms;
    await askAgain(ports, "transaction", () => host.store.transaction((tx) => dismissRun(tx, live)));
    this.#forget(live);
  }

  async read(sessionKey: string): Promise<SessionState> {
    const { host, ports } = this.#terms;
    const stored = await askAgain(ports, "load", () => host.store.sessions.load(sessionKey));
    return stored === null ? EMPTY_STATE : readSnapshot(stored.state);
  }

  async remove(sessionKey: string): Promise<void> {
    const { host, ports, namespace } = this.#terms;
    this.drop(sessionKey);
    // The turn under way is not ended in the store.
    for (const live of [...this.#live.values()]) if (live.sessionKey === sessionKey) this.#forget(live);
    await askAgain(ports, "transaction", () =>
      host.store.transaction((tx) => removeSession(tx, { ownerNamespace: namespace, sessionKey })),
    );
  }

  drop(sessionKey: string): void {
    this.#known.set(sessionKey, undefined);
  }

  get #leaseMs(): number {
    return this.#terms.host.leaseMs ?? DEFAULT_LEASE_MS;
  }

  #open(runId: string, sessionKey: string): Live {
    const { host, ports } = this.#terms;
    const { store } = host;
    const leaseId = toHex(ports.randomBytes(16));
    const live = new LiveRun({ store, runId, sessionKey, leaseId, ports });
    const lost = (status: RunStatus | "gone" | "expired"): void =>
      live.control?.abort(status === "cancelled" ? cancelled(runId) : leaseLost(runId));
    const lease = new Lease({ runs: store.runs, runId, leaseId, leaseMs: this.#leaseMs, ports, lost });
    return Object.assign(live, { lease });
  }

  /** Creates a run that only this process may begin, as long as it lives. Where the run is there already, it is not held. */
  async #hold(run: KeptRun): Promise<Live> {
    const live = this.#open(run.runId, run.sessionKey);
    const given = live.lease.ask();
    const hold = { leaseId: live.leaseId, leaseMs: this.#leaseMs };
    let runId: string | undefined;
    try {
      const { parentRunId = "" } = run.origin ?? {};
      const isLinked = this.#live.has(parentRunId);
      runId = isLinked ? await this.link(run, parentRunId, { hold }) : await createRun(this.#terms, run, { hold });
      // The turn of another run claims it as it is.
      const held = runId === run.runId ? live : this.#open(runId, run.sessionKey);
      this.#live.set(runId, held);
      return held;
    } finally {
      given(runId === run.runId);
    }
  }

  #of(runId: string): Live {
    const live = this.#live.get(runId);
    if (live === undefined) throw leaseLost(runId);
    return live;
  }

  #forget(live: Live): void {
    live.lease.stop();
    live.stopWatch?.();
    if (this.#live.get(live.runId) === live) this.#live.delete(live.runId);
  }

  async #claim(live: Live): Promise<Claimed | ClaimRefusal> {
    const given = live.lease.ask();
    let claimed: Claimed | ClaimRefusal = "leased";
    try {
      claimed = await claimRun(this.#terms, live, (sessionKey) => this.#known.get(sessionKey));
    } finally {
      given(typeof claimed === "object");
    }
    return claimed;
  }

  /** Waits until the run is the head of its session. Undefined: it is another process's, or over. */
  async #awaitClaim(live: Live, signal: AbortSignal): Promise<Claimed | undefined> {
    const claimed = await awaitHead(this.#terms, live, signal, () => this.#claim(live));
    if (claimed !== undefined) live.claimed = claimed;
    return claimed;
  }

  #watch(live: Live, { abort }: TurnControl): void {
    live.stopWatch = this.#terms.host.store.runs.watch?.(live.runId, (status) => {
      if (status === "cancelled") abort(cancelled(live.runId));
    });
  }
}
