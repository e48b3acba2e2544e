// The pace of an agent. A recording notes where each control message took effect. A replay holds each control message until the agent
// reaches that place, and holds messages and turns until their control has come.

import type { Ports } from "../../../core/index.js";
import {
  isReached,
  PlumbError,
  type AgentSchedule,
  type ControlPoint,
  type RunPlace,
} from "../../../core/process/index.js";
import { SCHEDULE_PATIENCE_MS } from "../../limits.js";
import type { Bell } from "../bell.js";

export interface PaceOptions {
  /** The schedule to follow, or `record`. Undefined: control takes effect as it comes. */
  readonly schedule: AgentSchedule | "record" | undefined;
  /** The model gets the time of each turn. */
  readonly hasClock: boolean;
  readonly bell: Bell;
  readonly ports: Ports;
  readonly place: () => RunPlace;
  /** False once no more control can come. */
  readonly isControlOpen: () => boolean;
}

export class Pace {
  readonly #options: PaceOptions;
  readonly #followed: AgentSchedule | undefined;
  readonly #control: ControlPoint[] = [];
  readonly #clock: number[] = [];
  #taken = 0;
  #isHolding = false;
  #isFree = false;

  constructor(options: PaceOptions) {
    this.#options = options;
    this.#followed = options.schedule === "record" ? undefined : options.schedule;
  }

  /** What was recorded. Undefined if there is nothing to follow. */
  get schedule(): AgentSchedule | undefined {
    if (this.#control.length + this.#clock.length === 0) return undefined;
    return { version: 1, control: this.#control, clock: this.#clock };
  }

  /** True if the recorded run had taken the next control message here. */
  get isDue(): boolean {
    const next = this.#followed?.control[this.#taken];
    return !this.#isFree && next !== undefined && isReached(next, this.#options.place());
  }

  /** True if a control message that came may be taken. Call it until it is true, and then take the message. */
  mayTakeControl(): boolean {
    const mayTake = this.#isFree || this.#followed === undefined || this.isDue;
    this.#isHolding = !mayTake;
    if (!mayTake) return false;
    if (this.#options.schedule === "record" && !this.#isFree)
      this.#control.push({ n: this.#control.length, ...this.#options.place() });
    this.#taken += 1;
    return true;
  }

  /** Holds nothing from now on. The input has ended, so no prompt depends on control any more. */
  free(): void {
    this.#isFree = true;
    this.#options.bell.ring();
  }

  /** Waits for the control that the recorded run had taken before this turn. Returns the time in ms for the model, if it gets one. */
  beforeTurn(turn: number, isOver: () => boolean): number | undefined | Promise<number | undefined> {
    if (this.#followed === undefined) return this.#readClock();
    const seconds = this.#followed.clock[turn];
    const time = seconds === undefined ? undefined : seconds * 1_000;
    return this.isDue ? this.#awaitControl(`turn ${turn}`, isOver).then(() => time) : time;
  }

  /** Resolves at the next change. Rejects with `schedule-diverged` if `waiting` or control waits in vain for the other. */
  async change(waiting: string | undefined): Promise<void> {
    const { bell, ports, place, isControlOpen } = this.#options;
    if (this.isDue && this.#isHolding) bell.ring();
    const isHeld = waiting !== undefined && this.isDue;
    const isControlHeld = waiting === undefined && this.#isHolding && !this.isDue;
    if (isHeld && !isControlOpen())
      throw diverged(`${waiting} waits for control message ${this.#taken}, but control has ended`);
    if (!isHeld && !isControlHeld) return bell.wait();
    const what = isHeld
      ? `${waiting} waits for control message ${this.#taken}`
      : `control message ${this.#taken} waits for message ${place().input}`;
    let isLate = false;
    const stop = ports.timer(SCHEDULE_PATIENCE_MS, () => {
      isLate = true;
      bell.ring();
    });
    await bell.wait();
    stop();
    if (isLate) throw diverged(what);
  }

  async #awaitControl(waiting: string, isOver: () => boolean): Promise<void> {
    while (this.isDue && !isOver()) await this.change(waiting);
  }

  #readClock(): number | undefined {
    const { schedule, hasClock, ports } = this.#options;
    if (schedule !== "record" || !hasClock) return undefined;
    const now = ports.now();
    this.#clock.push(Math.floor(now / 1_000));
    return now;
  }
}

function diverged(what: string): PlumbError {
  const hint = "Send the messages of the recorded run, or record again. All are counted from 0.";
  return new PlumbError("schedule-diverged", `the run does not follow its recording: ${what}`, hint);
}
