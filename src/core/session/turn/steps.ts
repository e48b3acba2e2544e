// The boundaries of a turn: the loop waits there for plugins and the consumer, and adds the inputs that arrived.

import { closeCalls } from "../../context/open-calls.js";
import type { Boundary, BoundaryDecision } from "../../loop/boundary.js";
import type { Budget } from "../../loop/budget.js";
import type { Ports } from "../../ports.js";
import { andThen, isThenable, untilAborted, within, type Maybe } from "../../time/wait.js";
import { abortError, assertNotAborted } from "../../tools/abort.js";
import type { Placement, SessionEvent } from "../event.js";
import type { PluginSeat } from "../plugins/seat.js";
import type { KeptRun, RunKeeper } from "../state/keeper.js";
import type { Hold } from "./order.js";
import type { ArrivedInput, TurnSeams } from "./seams.js";
import type { Talk } from "./talk.js";

/** The result of a call that did not run because of a cap on tool calls. */
const NOT_RUN = "not run: the budget of tool calls is used up";

/** The reason of a loop that was stopped to continue later. */
export const SUSPENDED = "suspended";

export interface StepsInput {
  readonly talk: Talk;
  readonly seat: PluginSeat;
  readonly keeper: RunKeeper;
  readonly kept: KeptRun;
  readonly signal: AbortSignal;
  readonly tell: (event: SessionEvent) => void;
  /** Steps that may begin before the turn is suspended. */
  readonly maxSteps: number;
  readonly hold: Hold | undefined;
}

export class Steps {
  readonly #input: StepsInput;
  seams: TurnSeams = {};
  readonly #budget: () => Budget;
  /** Steps that have ended. */
  count = 0;
  /** Steps that this process has begun. */
  #begun = 0;
  /** The beginning of the next step was told by an earlier process. */
  hasBegun = false;
  /** The turn stops before its next step, to go on later. */
  isSuspending = false;
  /** Tools of the open step may run. */
  isCalling = false;
  #calmed: (() => void) | undefined;

  constructor(input: StepsInput, budget: () => Budget) {
    this.#input = input;
    this.#budget = budget;
  }

  /** `hasMore`: a function may answer several steps at once. Only the first has a start event, and only the last has an end event. */
  boundaryOf(hasMore: (() => boolean) | undefined): Boundary {
    let isBetween = false;
    return (place) => {
      if (place.at === "before") return this.#beforeStep();
      if (hasMore !== undefined) {
        if (place.at === "begin" && isBetween) return undefined;
        isBetween = place.at === "after" && hasMore() && place.outcome.kind !== "budget";
        if (isBetween) return { kind: "continue" };
      }
      return place.at === "begin" ? this.#beginStep() : this.#endStep(place.outcome.kind);
    };
  }

  /** Calls `abort` once no tool runs, before the loop goes on, or when the time is over. */
  async close(abort: () => void, graceMs: number, ports: Pick<Ports, "timer">): Promise<void> {
    if (!this.isCalling) {
      abort();
      return;
    }
    const calmed = new Promise<void>((resolve) => {
      this.#calmed = () => {
        abort();
        resolve();
      };
    });
    await within(calmed, graceMs, ports).catch(abort);
  }

  /** No tool runs now. */
  calm(): void {
    this.isCalling = false;
    this.#calmed?.();
    this.#calmed = undefined;
  }

  #beforeStep(): BoundaryDecision | undefined {
    if (this.isSuspending || this.#begun >= this.#input.maxSteps) return { kind: "stop", reason: SUSPENDED };
    return undefined;
  }

  #beginStep(): Maybe<undefined> {
    const { talk, seat } = this.#input;
    talk.window = "step-start";
    this.#begun++;
    const isTold = this.hasBegun;
    this.hasBegun = false;
    const asked = isTold ? undefined : seat.at("step.before", { stepIndex: this.count });
    return andThen(asked, () =>
      andThen(isTold ? undefined : this.stand("step-start"), () =>
        andThen(this.#standHeld(), () =>
          andThen(this.enter("step-start", this.count), () => {
            talk.window = undefined;
            return undefined;
          }),
        ),
      ),
    );
  }

  #standHeld(): Maybe<void> {
    const { hold, signal } = this.#input;
    if (hold?.steps !== this.count) return undefined;
    hold.held();
    return untilAborted(new Promise<never>(() => undefined), signal, abortError);
  }

  #endStep(outcome: "continue" | "finished" | "budget"): Maybe<BoundaryDecision | undefined> {
    const { talk, keeper, kept } = this.#input;
    if (outcome === "budget") closeCalls(talk.history, NOT_RUN);
    talk.markWhole();
    this.seams.stepEnded?.();
    this.calm();
    const stored = outcome === "finished" ? keeper.answered?.(kept, this.#budget().spent) : undefined;
    return andThen(stored, () => this.#tellEnd(outcome));
  }

  #tellEnd(outcome: "continue" | "finished" | "budget"): Maybe<BoundaryDecision | undefined> {
    const { talk, seat } = this.#input;
    talk.window = "step-end";
    const result = outcome === "continue" ? "continue" : "completed";
    const asked = seat.at("step.after", { stepIndex: this.count, result });
    return andThen(asked, () => andThen(this.stand("step-end"), () => this.#goFrom(outcome)));
  }

  /** Decides what follows a step whose end the consumer has read. */
  #goFrom(outcome: "continue" | "finished" | "budget"): Maybe<BoundaryDecision | undefined> {
    const { talk } = this.#input;
    const step = this.count++;
    if (outcome === "budget") {
      talk.isOpen = false;
      return undefined;
    }
    return andThen(this.enter("step-end", step), (count) => {
      const isLast = outcome === "finished" && count === 0;
      if (isLast) talk.isOpen = false;
      else talk.window = "step-start";
      return isLast ? undefined : { kind: "continue" };
    });
  }

  /** Emits a boundary and waits for the consumer. Rejects with `aborted` if the turn was aborted meanwhile. */
  stand(type: Placement): Maybe<void> {
    const { keeper, kept, seat, signal } = this.#input;
    const event = { type } as const;
    keeper.told?.(kept, event);
    const stood = seat.stand(event);
    // Whoever waits for this ends with an abort, and what comes late goes no further.
    return isThenable(stood) ? stood.then(() => assertNotAborted(signal)) : stood;
  }

  /** Appends the inputs that enter at a place, and returns their number. Inputs that no step can read stay where they are. */
  enter(placement: Placement, step: number): Maybe<number> {
    const { talk, keeper, kept, tell } = this.#input;
    // The step of `step-start` is already counted.
    if (placement !== "step-start" && talk.waiting > 0 && !this.#canStep()) return talk.waiting;
    return andThen(this.seams.arrive?.({ placement, step }) ?? [], (arrived) => {
      // What came by itself was there before what the caller added in the meantime.
      const inputs: readonly ArrivedInput[] = [...arrived, ...talk.take(placement)];
      for (const { input, message, entered } of inputs) {
        talk.append(message);
        entered?.();
        keeper.appended?.(kept, { kind: "input", message });
        tell({ type: "runtime-input", input, placement });
      }
      return andThen(keeper.reached?.(kept, placement, this.#budget().spent), () => inputs.length);
    });
  }

  #canStep(): boolean {
    const budget = this.#budget();
    if (budget.takeTurn() !== undefined) return false;
    budget.returnTurn();
    return true;
  }
}
