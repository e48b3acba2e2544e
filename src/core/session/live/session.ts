// One session of one agent in this process: a queue of accepted inputs, the turn under way, and how it all ends.

import { toHex } from "../../canon/bytes.js";
import { defined } from "../../defined.js";
import { AgentError } from "../../errors.js";
import { MAX_WAITING_INPUTS, SESSION_GRACE_MS } from "../../limits.js";
import { quoteForeign } from "../../text/mask.js";
import { thrownText } from "../../text/thrown.js";
import { within } from "../../time/wait.js";
import { toPreview } from "../turn/overlay.js";
import { readInput, type ReadInput } from "../input.js";
import { Run, type AgentRun } from "../run/run.js";
import type { RunKeeper, RunOrigin } from "../state/keeper.js";
import { EMPTY_STATE, type SessionState } from "../state/snapshot.js";
import { NO_OUTCOME } from "../turn/ending.js";
import type { TurnOrder } from "../turn/order.js";
import { Turn } from "../turn/turn.js";
import { closedError, CLOSED_TEXTS, full, interrupted, tooLate, type Closed } from "./closed.js";
import type { House } from "./house.js";
import { endUnbegun, endWaiting, type Accepted } from "./waiting.js";

export class Session {
  readonly key: string;
  readonly #house: House;
  readonly #keeper: RunKeeper;
  readonly #queue: Accepted[] = [];
  #overlays: ReadInput[] = [];
  /** The turn that the queue has come to. With an execution host it may wait for runs of other processes. */
  #active: Turn | undefined;
  /** A turn that an earlier process began. It goes before the active one, which then waits. */
  #resumed: Turn | undefined;
  /** Resolves when the active turn, and the one that was resumed, is over. */
  #ending: Promise<unknown> = Promise.resolve();
  /** Resolves when the input before is accepted: the queue has the order of the store. */
  #accepting: Promise<unknown> = Promise.resolve();
  #closed: Closed | undefined;

  constructor(key: string, house: House, keeper: RunKeeper) {
    this.key = key;
    this.#house = house;
    this.#keeper = keeper;
  }

  /** True if nothing would be lost by forgetting this object. */
  get isIdle(): boolean {
    return this.isQuiet && this.#overlays.length === 0 && this.#closed === undefined;
  }

  get isQuiet(): boolean {
    return this.#current === undefined && this.#queue.length === 0;
  }

  /** Queues an input as a turn after those that wait. */
  async send(
    read: ReadInput,
    { origin, ...more }: Pick<TurnOrder, "asked" | "hold"> & { readonly origin?: RunOrigin } = {},
  ): Promise<Run> {
    this.assertOpen();
    if (this.#queue.length >= MAX_WAITING_INPUTS) throw full("inputs wait", this.key);
    const own = this.#newRunId();
    const run = new Run(this.#keeper.accept === undefined ? own : await this.#accept(own, read, origin));
    this.#house.accepted?.();
    // If plugins listen, the turn tells the input, since they see it first.
    const isTold = this.#house.plugins.listeners.length === 0;
    if (isTold) run.tell(read.input);
    this.#queue.push({ run, read, isTold, ...more });
    this.#pump();
    return run;
  }

  /** Starts the turn of a notification behind those that wait. */
  notify(runId: string, read: ReadInput): AgentRun {
    this.assertOpen();
    const run = new Run(runId);
    this.#house.accepted?.();
    this.#queue.push({ run, read, isTold: true, isNotification: true });
    this.#pump();
    return run;
  }

  /** Goes on with a run that the keeper has claimed for this process. `isNew`: nobody has begun it before. */
  resume(
    runId: string,
    read: ReadInput,
    more: Pick<TurnOrder, "maxSteps" | "isNotification" | "brings" | "asked" | "hold"> = {},
    isNew = false,
  ): Run {
    if (isNew) this.#house.accepted?.();
    const run = new Run(runId);
    const turn = this.#turnOf({ run, read, isTold: true, ...more });
    this.#resumed = turn;
    const over = (): void => {
      if (this.#resumed === turn) this.#resumed = undefined;
      if (this.isQuiet) this.#house.family?.idle(this.key);
    };
    this.#ending = Promise.all([this.#ending, turn.perform().then(over, over)]);
    return run;
  }

  /** Suspends the turn of a run, if it is one of this session. */
  async leave(runId: string, graceMs: number): Promise<void> {
    await this.#turns.find(({ run }) => run.runId === runId)?.cutOff(graceMs);
  }

  get #current(): Turn | undefined {
    return this.#resumed ?? this.#active;
  }

  get #turns(): readonly Turn[] {
    return [this.#resumed, this.#active].filter((turn) => turn !== undefined);
  }

  async #accept(runId: string, { input }: ReadInput, origin: RunOrigin | undefined): Promise<string> {
    const kept = { runId, sessionKey: this.key, input, ...defined({ origin }) };
    const accepted = this.#accepting.then(async () => {
      this.assertOpen();
      const id = (await this.#keeper.accept?.(kept)) ?? runId;
      // The caller is told that the input was refused. That of a subagent goes on with its parent, in another process.
      if (this.#closed === "closed" && origin !== undefined) await this.#keeper.suspend?.(kept, { kind: "cut-off" });
      else if (this.#closed !== undefined && id === runId) await this.#keeper.discard?.(kept);
      this.assertOpen();
      return id;
    });
    this.#accepting = accepted.catch(() => undefined);
    return accepted;
  }

  /** Accepts an input into the turn under way, or as a turn. */
  async steer(read: ReadInput): Promise<AgentRun> {
    this.assertOpen();
    const turn = this.#current;
    if (turn === undefined) return this.send(read);
    if (turn.talk.waiting >= MAX_WAITING_INPUTS) throw full("inputs wait", this.key);
    return turn.talk.wait(read) === undefined ? this.send(read) : turn.run;
  }

  /** Accepts an overlay into the turn under way, or for the next one. */
  overlay(read: ReadInput): AgentRun {
    this.assertOpen();
    const turn = this.#current;
    if (turn !== undefined && turn.takeOverlay(read)) return turn.run;
    if (this.#overlays.length >= MAX_WAITING_INPUTS) throw full("overlays wait", this.key);
    this.#overlays.push(read);
    const run = new Run(this.#newRunId());
    run.tell({ type: "overlay-accepted", placement: "turn-start", input: toPreview(read) });
    run.end({ ...NO_OUTCOME, status: "completed" });
    return run;
  }

  /** Aborts the turn under way. What waits is not touched. */
  interrupt(): void {
    this.#current?.abort(interrupted());
  }

  /** Aborts one run, whether it is under way or waits. */
  abortRun(runId: string): void {
    this.#turns.find(({ run }) => run.runId === runId)?.abort(interrupted());
    const index = this.#queue.findIndex(({ run }) => run.runId === runId);
    if (index >= 0) this.#queue.splice(index, 1).forEach(endUnbegun);
  }

  async nextNotification(signal: AbortSignal | undefined): Promise<string | null> {
    this.assertOpen();
    return (await this.#house.family?.nextNotification(this.key, signal)) ?? null;
  }

  /** Ends the session for this agent. Its state stays. */
  async kill(): Promise<void> {
    if (this.#closed === "deleting") throw closedError("deleting");
    const before = this.#closed;
    this.#closed = "killed";
    try {
      await this.#cancel(false);
    } catch (error) {
      this.#closed = before;
      throw error;
    }
  }

  /** Removes the session. The key is free afterwards. */
  async delete(): Promise<void> {
    if (this.#closed !== undefined) throw closedError(this.#closed);
    this.#closed = "deleting";
    try {
      await this.#cancel(true);
      await this.#removeChildren();
      await this.#keeper.remove(this.key);
    } finally {
      this.#closed = undefined;
    }
  }

  /** Ends the session because its agent closes. */
  async close(): Promise<void> {
    this.#closed ??= "closed";
    const waiting = this.#queue.splice(0);
    if (this.#keeper.suspend !== undefined) return this.#giveBack(waiting);
    const error = closedError("closed");
    const { message, code, retryable } = error;
    for (const accepted of waiting)
      endWaiting(accepted, { type: "turn-error", message, code, retryable }, { ...NO_OUTCOME, status: "error", error });
    await this.#active?.close(new AgentError("aborted", "the agent was closed"), SESSION_GRACE_MS);
    await this.#settled();
  }

  /** Gives all runs back, to go on in another process. */
  async #giveBack(waiting: readonly Accepted[]): Promise<void> {
    await Promise.all(this.#turns.map((turn) => turn.cutOff(SESSION_GRACE_MS)));
    for (const { run, read } of waiting) {
      const kept = { runId: run.runId, sessionKey: this.key, input: read.input };
      const given = Promise.resolve(this.#keeper.suspend?.(kept, { kind: "cut-off" }));
      await given.catch((error: unknown) => this.#warn(`run ${run.runId} was not given back`, error));
      run.end({ ...NO_OUTCOME, status: "suspended" });
    }
    await this.#settled();
  }

  /** Cancels everything, in the store first. `isDropped`: nothing of the turn under way is stored. */
  async #cancel(isDropped: boolean): Promise<void> {
    await this.#keeper.cancel(this.key);
    for (const turn of this.#turns) turn.isDropped = isDropped;
    this.#overlays = [];
    const reason = new AgentError("aborted", CLOSED_TEXTS[this.#closed ?? "killed"]);
    for (const turn of this.#turns) turn.abort(reason);
    this.#queue.splice(0).forEach(endUnbegun);
    await Promise.all([this.#settled(), this.#house.family?.cancel(this.key)]);
  }

  /** A state that cannot be read names no children, and must not keep the session from being deleted. */
  async #removeChildren(): Promise<void> {
    const { family } = this.#house;
    if (family === undefined) return;
    const warn = (error: unknown): void => this.#warn(`what is under session ${this.key} was not deleted`, error);
    const read = async (): Promise<SessionState> => this.#keeper.read(this.key);
    const state = await read().catch((error: unknown) => {
      warn(error);
      return EMPTY_STATE;
    });
    await family.remove(this.key, state).catch(warn);
  }

  /** Waits until the aborted turn and refused inputs are over, but not for ever: a tool may ignore its signal. */
  async #settled(): Promise<void> {
    await within(Promise.all([this.#accepting, this.#ending]), SESSION_GRACE_MS, this.#house.ports).catch(() => {
      const what = `a turn of session ${JSON.stringify(this.key)} did not end within ${SESSION_GRACE_MS} ms`;
      this.#house.ports.warn(`playhead: ${what}`);
    });
  }

  #pump(): void {
    if (this.#active !== undefined) return;
    const next = this.#queue.shift();
    if (next === undefined) {
      this.#house.family?.idle(this.key);
      return;
    }
    const turn = this.#turnOf(next);
    this.#active = turn;
    const over = (): void => {
      this.#active = undefined;
      this.#pump();
    };
    const ending = turn.perform().then(over, over);
    this.#ending = this.#resumed === undefined ? ending : Promise.all([this.#ending, ending]);
  }

  #turnOf(accepted: Accepted): Turn {
    const turn: Turn = new Turn({
      house: this.#house,
      keeper: this.#keeper,
      sessionKey: this.key,
      overlays: this.#overlays.splice(0),
      hooks: {
        steer: async (input) =>
          this.#intoTurn("steer", readInput(input), (read) => turn.talk.wait(read) !== undefined, turn),
        overlay: async (input) => this.#intoTurn("overlay", readInput(input), (read) => turn.takeOverlay(read), turn),
      },
      ...accepted,
    });
    return turn;
  }

  /** What a plugin's hook adds belongs to its turn. */
  #intoTurn(name: string, read: ReadInput, take: (read: ReadInput) => boolean, turn: Turn): AgentRun {
    if (take(read)) return turn.run;
    throw tooLate(name);
  }

  assertOpen(): void {
    if (this.#closed !== undefined) throw closedError(this.#closed);
  }

  #warn(what: string, error: unknown): void {
    this.#house.ports.warn(`playhead: ${what}: ${quoteForeign(thrownText(error))}`);
  }

  #newRunId(): string {
    return toHex(this.#house.ports.randomBytes(16));
  }
}
