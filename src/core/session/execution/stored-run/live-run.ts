// One run that this process holds: what happened since the last checkpoint, and the writing of the next one.

import { toHex } from "../../../canon/bytes.js";
import { sealOwn } from "../../../canon/copy.js";
import type { JsonValue } from "../../../canon/value.js";
import type { AgentError } from "../../../errors.js";
import { STORE_RETRIES } from "../../../limits.js";
import type { BudgetSpent } from "../../../loop/budget.js";
import type { Journal, JournalBatch, StoredOutcome } from "../../../loop/journal.js";
import { isLiveOnly, type SessionEvent } from "../../event.js";
import type { CheckpointPhase, ToolExecutionCheckpoint } from "../../ports/checkpoint-store.js";
import type { ExecutionStorePorts } from "../../ports/execution-host.js";
import { askAgain } from "../../state/ask-store.js";
import type { AppendedMessage, TurnControl } from "../../state/keeper.js";
import { STATE_VERSION, type JournalItem, type RuntimeState, type StepPlace } from "./journal-items.js";
import { appendCheckpoint } from "./append-checkpoint.js";
import type { LiveRunTerms, RunEntry } from "./run-entry.js";
import type { Recovery } from "../recovery.js";
import { cancelled, leaseLost, unexpected } from "../store-errors.js";

export class LiveRun {
  readonly runId: string;
  readonly sessionKey: string;
  readonly leaseId: string;
  readonly #terms: LiveRunTerms;
  attempt = 0;
  control: TurnControl | undefined;
  #state: RuntimeState | undefined;
  #recovery: Recovery | undefined;
  #version = 0;
  #place: StepPlace = "between";
  #step = 0;
  #offset = 1;
  #spent: BudgetSpent | null = null;
  #items: JournalItem[] = [];
  #events: SessionEvent[] = [];
  #phases: CheckpointPhase[] = [];
  /** Inputs entered since the last checkpoint that a caller was told are accepted. */
  #hasInput = false;
  /** Calls of the batch that may have begun and have no result. */
  readonly #pending = new Map<number, ToolExecutionCheckpoint>();
  #results = new Map<number, StoredOutcome>();
  readonly #taken: string[] = [];
  /** What was stored of the session's subagents last. */
  #children: string | undefined;
  /** Results of the batch that were told. */
  #told = 0;
  /** The events of subagents in the open step that are told. */
  readonly #jobs = new Set<string>();
  /** What is stored together with the next checkpoint. */
  #inside: ((tx: ExecutionStorePorts) => Promise<void>)[] = [];
  #isQuiet: (() => void) | undefined;
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(terms: LiveRunTerms) {
    this.#terms = terms;
    this.runId = terms.runId;
    this.sessionKey = terms.sessionKey;
    this.leaseId = terms.leaseId;
  }

  enter({ control, attempt, version, state, pending, results, recovery }: RunEntry): void {
    this.control = control;
    this.attempt = attempt;
    this.#version = version;
    this.#state = state;
    this.#place = state.place;
    this.#step = state.step;
    this.#offset = state.events;
    this.#spent = state.spent;
    for (const key of state.jobs ?? []) this.#jobs.add(key);
    this.#taken.push(...state.taken);
    this.#results = new Map(results);
    this.#recovery = recovery;
    for (const [index, call] of pending.entries()) this.#pending.set(-1 - index, call);
  }

  /** The version of the session that the turn is based on. */
  get base(): string | null {
    return this.#state?.base ?? null;
  }

  /** The runs of the notifications that the turn has taken. */
  get taken(): readonly string[] {
    return this.#taken;
  }

  took(notificationRunId: string): void {
    if (this.#taken.includes(notificationRunId)) return;
    this.#taken.push(notificationRunId);
    this.#phases.push("before-notification", "after-notification");
  }

  /** The place of the next event in the log, and the events that are not stored yet. */
  get unstored(): { readonly firstOffset: number; readonly events: readonly SessionEvent[] } {
    return { firstOffset: this.#offset, events: this.#events };
  }

  appended(appended: AppendedMessage): void {
    if (appended.kind === "answer") {
      this.#place = "answer";
      this.#items.push({ t: "answer", message: appended.message, turnIndex: appended.turnIndex });
      this.#results.clear();
      this.#told = 0;
      return;
    }
    // The user's message begins the journal. Without it a turn begins again.
    this.#hasInput ||= this.#step > 0 || this.#items.length > 0 || this.#version > 1;
    this.#items.push({ t: "input", message: appended.message });
  }

  told(event: SessionEvent): void {
    if (isLiveOnly(event)) return;
    if (event.type === "step-start") this.#place = "begun";
    if (event.type === "subagent-job-start" || event.type === "subagent-job-end") {
      // A call that runs again tells of its subagent again.
      const key = `${event.type}:${event.delegateToolCallId}`;
      if (this.#jobs.has(key)) return;
      this.#jobs.add(key);
    }
    if (event.type === "step-end") {
      this.#jobs.clear();
      this.#place = "between";
      this.#step++;
    }
    if (event.type === "tool-result") {
      const callIndex = this.#told++;
      if (!this.#results.has(callIndex)) this.#items.push({ t: "refused", callIndex, content: event.output });
    }
    this.#events.push(sealOwn(event));
  }

  /** Stores the inputs that entered at a boundary, since their callers were told so. */
  async reached(spent: BudgetSpent): Promise<void> {
    const isWhole = this.control?.isFunction === true && this.#place === "between" && this.#items.length > 1;
    if (!this.#hasInput && !isWhole) return;
    // A step that has begun takes its turn from the budget again.
    this.#spent = this.#place === "begun" ? { ...spent, turns: spent.turns - 1 } : spent;
    await this.save(["before-model"]);
  }

  /** Stores a final answer. */
  async answered(spent: BudgetSpent): Promise<void> {
    if (this.#items.length === 0) return;
    this.#spent = spent;
    await this.save(["after-model"]);
  }

  /** Stores the turn as it stands between two steps, and gives the run back. */
  async suspend(spent: BudgetSpent): Promise<void> {
    this.#spent = spent;
    await this.save(["suspended"]);
  }

  /** Resolves once no checkpoint is being written. */
  get written(): Promise<void> {
    return this.#last;
  }

  /** Resolves once no tool is running. */
  async quiet(): Promise<void> {
    if (this.#running > 0) await new Promise<void>((resolve) => (this.#isQuiet = resolve));
    await this.#last;
  }

  #running = 0;

  readonly journal: Journal = {
    begin: (batch) => this.#begin(batch),
    known: (callIndex) => this.#results.get(callIndex),
    attempt: (callIndex) => {
      this.#running++;
      return this.#pending.get(callIndex)?.attempt ?? 1;
    },
    end: (callIndex, outcome) => this.#end(callIndex, outcome),
  };

  async #begin(batch: JournalBatch): Promise<void> {
    const before = [...this.#pending.values()];
    this.#pending.clear();
    this.#spent = batch.spent;
    this.#running = 0;
    this.#told = 0;
    for (const { callIndex, call, retryPolicy } of batch.calls) {
      if (this.#results.has(callIndex)) continue;
      const toolCallId = (this.control as TurnControl).callId(batch.turnIndex, callIndex, call.id);
      const old = before.find((each) => each.toolCallId === toolCallId);
      const idempotencyKey = `${this.runId}:${toolCallId}`;
      this.#pending.set(callIndex, old ?? { toolCallId, toolName: call.name, attempt: 1, idempotencyKey, retryPolicy });
    }
    if (batch.resumed) return this.#resume();
    if (this.control?.isFunction === true) return;
    await this.save(this.#pending.size > 0 ? ["after-model", "before-tool"] : ["after-model"]);
  }

  /** Applies the decisions about calls that may have had their effect, and counts the calls that run again. */
  async #resume(): Promise<void> {
    const answers = (await this.#recovery?.decide([...this.#pending.values()])) ?? new Map<string, StoredOutcome>();
    let isRepeating = false;
    for (const [callIndex, call] of this.#pending) {
      const outcome = answers.get(call.toolCallId);
      if (outcome !== undefined) {
        this.#keepResult(callIndex, outcome);
        continue;
      }
      isRepeating ||= call.retryPolicy === "manual-recovery";
      this.#pending.set(callIndex, { ...call, attempt: call.attempt + (this.#recovery?.stalls ?? 0) });
    }
    // A decision is used up before the tool runs again, so that it runs no third time by itself.
    if (isRepeating || answers.size > 0) await this.save(["before-tool"]);
  }

  async #end(callIndex: number, outcome: StoredOutcome): Promise<void> {
    this.#keepResult(callIndex, outcome);
    try {
      if (this.control?.isFunction !== true)
        await this.save(this.#pending.size === 0 ? ["after-tool", "before-model"] : ["after-tool"]);
    } finally {
      if (--this.#running <= 0) this.#isQuiet?.();
    }
  }

  #keepResult(callIndex: number, outcome: StoredOutcome): void {
    this.#results.set(callIndex, outcome);
    this.#items.push({ t: "result", callIndex, outcome });
    this.#pending.delete(callIndex);
  }

  /** Stores what happened since the last checkpoint. Calls that end while one is written share the next. */
  save(phases: readonly CheckpointPhase[], inside?: (tx: ExecutionStorePorts) => Promise<void>): Promise<void> {
    this.#phases.push(...phases);
    if (inside !== undefined) this.#inside.push(inside);
    this.#next ??= this.#last.then(() => this.#write());
    this.#last = this.#next.catch(() => undefined);
    return this.#next;
  }

  async #write(): Promise<void> {
    this.#next = undefined;
    this.#noteChildren();
    const { ports } = this.#terms;
    const items = this.#items;
    const events = this.#events;
    const inside = this.#inside;
    const pendingTools = [...this.#pending.values()];
    const checkpoint = {
      checkpointId: toHex(ports.randomBytes(16)),
      runId: this.runId,
      phases: [...new Set(this.#phases)],
      ...(pendingTools.length > 0 ? { pendingTools } : {}),
      runtimeState: this.#stateAt(this.#offset + events.length) as unknown as JsonValue,
      appended: items as unknown as readonly JsonValue[],
    };
    const own = { leaseId: this.leaseId, events: sealOwn(events), firstOffset: this.#offset, inside };
    this.#items = [];
    this.#events = [];
    this.#phases = [];
    this.#inside = [];
    this.#hasInput = false;
    for (let tries = 0; ; tries++) {
      const version = this.#version + 1;
      // A store keeps a sealed value as it is. Any other it must copy.
      const next = sealOwn({ ...checkpoint, version });
      const stored = await askAgain(ports, "transaction", () =>
        this.#terms.store.transaction((tx) => appendCheckpoint(tx, next, own)),
      );
      if (stored === "stored") {
        this.#version = version;
        this.#offset += events.length;
        return;
      }
      if (stored === "lost") throw await this.lose();
      if (tries === STORE_RETRIES) throw unexpected(`checkpoint ${version} of run ${this.runId} is always stale`);
      this.#version = stored;
    }
  }

  #noteChildren(): void {
    const children = this.control?.children();
    const text = children === undefined ? undefined : JSON.stringify(children);
    if (children === undefined || text === this.#children) return;
    this.#children = text;
    this.#items.push({ t: "children", children });
  }

  #stateAt(events: number): RuntimeState {
    const jobs = this.#jobs.size > 0 ? { jobs: [...this.#jobs] } : {};
    const place = { step: this.#step, place: this.#place, spent: this.#spent, events };
    return { v: STATE_VERSION, base: this.base, taken: [...this.#taken], ...place, ...jobs };
  }

  /** Ends the turn, because the run is no longer ours. Returns why. */
  async lose(): Promise<AgentError> {
    const record = await this.#terms.store.runs.get(this.runId).catch(() => null);
    const reason = record?.status === "cancelled" ? cancelled(this.runId) : leaseLost(this.runId);
    this.control?.abort(reason);
    return reason;
  }
}
