// One turn: an accepted input from its place in the queue to its last event, driven by the one loop.

import { defined } from "../../defined.js";
import { AgentError } from "../../errors.js";
import type { EventBody, EventDetail } from "../../events/event.js";
import type { LoopInput, LoopStop } from "../../loop/boundary.js";
import { createBudget, type Budget, type BudgetCap } from "../../loop/budget.js";
import { Pacer, type RunControl, type RunReceipts } from "../../loop/run-control.js";
import { openRunScope, type RunScope } from "../../memory/run-memory.js";
import { openRunLog, type RunLog } from "../../runtime/run-log.js";
import { warnUncapped } from "../../runtime/visit.js";
import { quoteForeign } from "../../text/mask.js";
import { thrownText } from "../../text/thrown.js";
import { isThenable, untilAborted, within } from "../../time/wait.js";
import { abortError, assertNotAborted } from "../../tools/abort.js";
import type { SessionEvent } from "../event.js";
import type { ReadInput } from "../input.js";
import { compactIfDue } from "../plugins/compaction.js";
import { PluginSeat, type TurnView } from "../plugins/seat.js";
import type { Run } from "../run/run.js";
import type { BegunTurn, FollowedRun, KeptRun, Leaving, TurnEnding } from "../state/keeper.js";
import type { SessionState } from "../state/snapshot.js";
import type { Family } from "../subagents/family.js";
import { CallIds } from "./call-ids.js";
import { endAs, endingOf, lastEvents, outcomeOf, storeEnd, type EndExtent } from "./ending.js";
import { endLeft, follow, leavingBy, release } from "./leaving.js";
import { toLoopInput } from "./loop-input.js";
import { toPreview } from "./overlay.js";
import type { TurnOrder } from "./order.js";
import { Projection } from "./project.js";
import { goOn, takeUp } from "./resume.js";
import { Steps, SUSPENDED } from "./steps.js";
import { Talk } from "./talk.js";

export class Turn {
  readonly run: Run;
  readonly talk = new Talk();
  readonly #order: TurnOrder;
  readonly #kept: KeptRun;
  readonly #ends = new AbortController();
  readonly #ids = new CallIds();
  readonly #seat: PluginSeat;
  readonly #steps: Steps;
  readonly #projection: Projection;
  readonly #log: RunLog;
  readonly #scope: RunScope;
  #budget: Budget;
  #begun: BegunTurn | undefined;
  #followed: FollowedRun | undefined;
  #lastTurn = -1;
  #isOver = false;
  /** The model is writing a summary, which is not a step. */
  #isAside = false;
  /** True: the turn's work is not stored, because the session is being deleted. */
  isDropped = false;
  /** True: the turn was aborted to go on later. */
  #isCutOff = false;

  constructor(order: TurnOrder) {
    const { house, keeper, run, read, sessionKey, hooks, maxSteps = Infinity, isNotification = false, hold } = order;
    const { talk } = this;
    const { signal } = this.#ends;
    const tell = (event: SessionEvent): void => this.tell(event);
    this.run = run;
    run.begin(talk.history);
    this.#order = order;
    this.#kept = { runId: run.runId, sessionKey, input: read.input, isNotification };
    const view: TurnView = { sessionKey, ...hooks, signal, callId: this.#ids.of, history: () => talk.history };
    this.#seat = new PluginSeat(house.plugins, view, run, house.ports);
    this.#budget = createBudget(house.definition.budget);
    const parts = { talk, seat: this.#seat, keeper, kept: this.#kept, signal, tell, maxSteps, hold };
    this.#steps = new Steps(parts, () => this.#budget);
    this.#projection = new Projection(this.#ids, tell);
    this.#log = openRunLog(house, run.runId);
    this.#scope = openRunScope(house.memory, run.runId);
    for (const overlay of order.overlays) talk.overlays.add({ ...overlay, placement: "turn-start" });
  }

  /** Ends the turn. If the code of the reason is not `aborted`, it ends as a failure. */
  abort(reason: AgentError): void {
    this.#ends.abort(reason);
  }

  /** Stops the turn before its next step, to continue later. */
  suspend(): void {
    this.#steps.isSuspending = true;
  }

  /** Cuts the turn off, to go on later from what is stored of it. A tool that runs may end first. */
  async cutOff(graceMs: number): Promise<void> {
    const { keeper, house } = this.#order;
    this.suspend();
    await within(Promise.resolve(keeper.quiet?.(this.#kept)), graceMs, house.ports).catch(() => undefined);
    this.#isCutOff = true;
    this.abort(new AgentError("aborted", "the turn goes on later"));
  }

  /** Ends the turn. A tool that runs may end first: then its step is kept. */
  close(reason: AgentError, graceMs: number): Promise<void> {
    return this.#steps.close(() => this.abort(reason), graceMs, this.#order.house.ports);
  }

  /** Adds an event, unless the turn is over. */
  tell(event: SessionEvent): void {
    if (this.#isOver) return;
    this.#order.keeper.told?.(this.#kept, event);
    this.#seat.tell(event);
  }

  /** Adds an overlay. False: no step can follow. */
  takeOverlay(read: ReadInput): boolean {
    if (!this.talk.isOpen) return false;
    const placement = this.talk.window ?? "step-end";
    this.talk.overlays.add({ ...read, placement });
    this.tell({ type: "overlay-accepted", placement, input: toPreview(read) });
    return true;
  }

  /** Runs the turn. Never rejects. */
  async perform(): Promise<void> {
    const { house, read, isTold } = this.#order;
    if (!isTold) this.#seat.tell(read.input);
    let ending: TurnEnding = { status: "completed" };
    let stop: LoopStop | undefined;
    try {
      stop = await house.receipts.of(this.run.runId, this.#ends.signal, (own) => this.#work(own));
      await this.#seat.delivered();
    } catch (error) {
      ending = endingOf(this.#seat.failure ?? error, this.#ends.signal);
    }
    this.talk.isOpen = false;
    // Late work of an aborted turn reaches neither events nor the store.
    this.#isOver = true;
    this.#steps.calm();
    this.#endLog(ending, stop);
    const leaving = this.#leavingBy(ending, stop);
    if (this.#followed !== undefined) this.run.end(await follow(this.run, this.#followed, this.talk));
    else if (leaving !== undefined) await this.#leave(leaving);
    else await this.#finish(ending, stop?.kind === "budget" ? stop.cap : undefined);
  }

  #leavingBy(ending: TurnEnding, stop: LoopStop | undefined): Leaving | undefined {
    if (this.#order.keeper.suspend === undefined) return undefined;
    return leavingBy(ending, stop, { isCutOff: this.#isCutOff, spent: this.#budget.spent });
  }

  /** `stopped`: another process works on the run, or it is to go on later. */
  async #work(receipts: RunReceipts | undefined): Promise<LoopStop> {
    const { house, keeper, read } = this.#order;
    const { signal } = this.#ends;
    const begun = await keeper.begin(this.#kept, {
      signal,
      abort: (reason) => this.abort(reason),
      callId: (turnIndex, callIndex, id) => this.#ids.of(turnIndex, callIndex, id),
      children: () => this.#steps.seams.children?.("all"),
      isFunction: house.openModel !== undefined,
    });
    if ("events" in begun) {
      this.#followed = begun;
      return { kind: "stopped", at: "before", reason: SUSPENDED };
    }
    this.#begun = begun;
    this.talk.begin(house.system, begun.state.history);
    const { content } = read.message;
    const goal = typeof content === "string" ? content : JSON.stringify(content);
    this.#log.append(house.definition.id, -1, { type: "run-start", goal });
    assertNotAborted(signal);
    if (house.family !== undefined) await this.#openSeams(begun.state, house.family);
    const control: RunControl = { pacer: new Pacer(house.ports), ...defined({ receipts }), closeCalls: undefined };
    const loop = this.#loop(control);
    try {
      if (begun.resumed === undefined) await untilAborted(this.#open(), signal, abortError);
      // A notification whose jobs the model knows of by now.
      if (!this.talk.hasBegun) return { kind: "finished", finalAnswer: "" };
      const stop = await untilAborted(goOn(loop, begun.resumed), signal, abortError);
      if (stop.kind === "finished") {
        this.#isAside = true;
        await untilAborted(compactIfDue(house, this.talk, loop), signal, abortError);
      }
      return stop;
    } finally {
      control.closeCalls?.();
    }
  }

  async #openSeams(state: SessionState, family: Family): Promise<void> {
    const { sessionKey, run } = this.#order;
    const steps = this.#steps;
    const place = { runId: run.runId, sessionKey, seq: state.seq + 1, step: () => steps.count, callId: this.#ids.of };
    const own = {
      tell: (event: SessionEvent) => this.tell(event),
      fail: (error: AgentError) => this.abort(error),
      leave: () => void this.cutOff(0),
    };
    steps.seams = await family.openSeams({ ...place, ...own, signal: this.#ends.signal }, state);
  }

  /** The beginning of a turn that was not begun before. */
  async #open(): Promise<void> {
    const { read, keeper, isNotification = false, brings = false } = this.#order;
    if (brings) this.talk.wait(read);
    await this.#seat.at("turn.before", { input: read.input });
    await this.#steps.stand("turn-start");
    if (!isNotification) {
      this.talk.append(read.message);
      keeper.appended?.(this.#kept, { kind: "input", message: read.message });
    }
    await this.#steps.enter("turn-start", -1);
    this.talk.window = "step-start";
  }

  #loop(control: RunControl): LoopInput {
    const { house, asked } = this.#order;
    const { talk } = this;
    const resumed = this.#begun?.resumed;
    if (resumed !== undefined) {
      this.#budget = createBudget(house.definition.budget, undefined, resumed.spent);
      takeUp(resumed, { talk, ids: this.#ids, projection: this.#projection, steps: this.#steps });
    }
    return toLoopInput({
      ...{ house, talk, control, resumed, steps: this.#steps, seat: this.#seat, budget: this.#budget },
      ...{ runId: this.run.runId, signal: this.#ends.signal, memory: this.#scope.viewOf(house.definition.id) },
      ...{ emit: this.#emit, callId: this.#ids.of, asked },
      ...{ called: () => this.run.called(), answered: () => this.run.answers++ },
      journal: this.#begun?.journal,
    });
  }

  readonly #emit = (turnIndex: number, body: EventBody, detail?: EventDetail): void => {
    if (this.#isOver) return;
    const { house, keeper } = this.#order;
    this.#lastTurn = turnIndex;
    this.#log.append(house.definition.id, turnIndex, body, detail);
    if (this.#isAside) return;
    if (body.type === "tool-call") this.#steps.isCalling = true;
    this.#projection.take(turnIndex, body, detail);
    if (detail?.kind !== "turn") return;
    warnUncapped({ agent: house.definition, ports: house.ports }, detail.response);
    keeper.appended?.(this.#kept, { kind: "answer", message: detail.response.message, turnIndex });
  };

  #endLog({ status }: TurnEnding, stop: LoopStop | undefined): void {
    const { id } = this.#order.house.definition;
    const end = status !== "completed" ? "failed" : stop?.kind === "budget" ? "budget" : "finished";
    if (this.#begun !== undefined) this.#log.append(id, this.#lastTurn, { type: "run-end", stop: end });
    const forgotten = this.#budget.toolCalls === 0 ? undefined : this.#scope.forget();
    // The next turn has its own scope, so nothing waits for this.
    if (isThenable(forgotten))
      void Promise.resolve(forgotten).catch((error: unknown) => this.#warn("a turn's memory was not cleared", error));
  }

  /** Gives the run back: it is not over. Nothing of the way it stops is stored. */
  async #leave(leaving: Leaving): Promise<void> {
    await this.#release(leaving);
    endLeft(this.run, leaving, this.talk, (ending) => this.#outcome(ending, undefined));
  }

  #release(leaving: Leaving): Promise<void> {
    const warn = (error: unknown): void => this.#warn("a run could not be released", error);
    return release(this.#order.keeper, this.#kept, leaving, warn);
  }

  async #finish(first: TurnEnding, cap: BudgetCap | undefined): Promise<void> {
    const ending = this.isDropped ? first : await this.#keep(first, cap);
    const leaving = ending.status === "error" ? this.#leavingBy(ending, undefined) : undefined;
    if (leaving !== undefined) return this.#leave(leaving);
    this.#seat.isStored = true;
    try {
      await this.#steps.seams.ended?.(ending, ending.status !== "error" && !this.isDropped);
    } catch (error) {
      this.#warn("the end of a turn failed", error);
    }
    await this.#seat.at("turn.after", { input: this.#order.read.input, result: ending.status });
    for (const event of lastEvents(ending, cap, this.talk)) this.#seat.tell(event);
    await this.#seat.delivered();
    this.run.end(this.#outcome(ending, cap));
  }

  async #keep(ending: TurnEnding, cap: BudgetCap | undefined): Promise<TurnEnding> {
    const { keeper, sessionKey } = this.#order;
    const from = this.#begun?.state;
    const parts = { from, cap, order: this.#order, talk: this.talk, seams: this.#steps.seams };
    const store = (how: TurnEnding, extent: EndExtent) =>
      keeper.end(this.#kept, endAs(how, extent, { ...parts, outcome: this.#outcome(how, cap) }));
    const kept = await storeEnd(sessionKey, ending, store, () => this.#release({ kind: "cut-off" }));
    this.isDropped ||= kept === "cancelled";
    return kept === "cancelled" ? { status: "aborted" } : kept;
  }

  #outcome(ending: TurnEnding, cap: BudgetCap | undefined) {
    const { usage, toolCalls } = this.#budget;
    return outcomeOf(ending, cap, this.talk, { steps: this.#steps.count, toolCalls, usage });
  }

  #warn(what: string, error: unknown): void {
    this.#order.house.ports.warn(`playhead: ${what}: ${quoteForeign(thrownText(error))}`);
  }
}
