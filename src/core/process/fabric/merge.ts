// Several edges into one port. In a loop it removes every marker that arrives. Elsewhere it passes them on.

import { EOF, type WireItem } from "../wire/item.js";

export class MergeInput {
  readonly queue: WireItem[] = [];
  readonly seen = new Set<string>();
  ended = false;

  /** Its edge begins in the loop of the merge. */
  readonly isFeedback: boolean;
  /** The markers that arrive here in each round. */
  readonly expected: ReadonlySet<string>;

  constructor(isFeedback: boolean, expected: ReadonlySet<string>) {
    this.isFeedback = isFeedback;
    this.expected = expected;
  }

  /** Everything that was under way when the round began has arrived. */
  get isQuiet(): boolean {
    return this.ended || [...this.expected].every((name) => this.seen.has(name));
  }
}

export class Merge {
  readonly port: string;
  readonly isDrained: boolean;
  readonly inputs: readonly MergeInput[];
  /** The order to follow. Undefined: as they arrive. */
  readonly schedule: readonly number[] | undefined;
  readonly out: WireItem[] = [];
  /** The inputs of the messages that it passed on, in order. */
  readonly order: number[] = [];
  ended = false;
  #last = -1;

  constructor(from: Pick<Merge, "port" | "isDrained" | "inputs" | "schedule">) {
    this.port = from.port;
    this.isDrained = from.isDrained;
    this.inputs = from.inputs;
    this.schedule = from.schedule;
  }

  /**
   * The inputs that can be taken now. Feedback goes first, so that a loop does not fill up. `mayEnter`: there is room for a message from
   * outside the loop.
   */
  ready(mayEnter: boolean): number[] {
    const quick: number[] = [];
    const feedback: number[] = [];
    const forward: number[] = [];
    const wanted = this.schedule?.[this.order.length];
    for (const [index, { queue, isFeedback }] of this.inputs.entries()) {
      const [head] = queue;
      if (head === undefined) continue;
      if (head.kind !== "message") quick.push(index);
      else if (this.schedule !== undefined) {
        if (index === wanted) feedback.push(index);
      } else if (isFeedback) feedback.push(index);
      else if (mayEnter) forward.push(index);
    }
    return [...quick, ...(feedback.length > 0 ? feedback : forward)];
  }

  /** The next of `ready` in turn, so that no input waits for ever. */
  choose(ready: readonly number[]): number | undefined {
    return ready.find((index) => index > this.#last) ?? ready[0];
  }

  /** Takes the head of an input. Returns what it was. */
  take(index: number): WireItem | undefined {
    const input = this.inputs[index];
    const item = input?.queue.shift();
    if (input === undefined || item === undefined) return undefined;
    switch (item.kind) {
      case "message":
        this.out.push(item);
        this.order.push(index);
        this.#last = index;
        break;
      case "marker":
        if (!this.isDrained) this.out.push(item);
        else if (input.isFeedback && input.expected.has(item.name)) input.seen.add(item.name);
        break;
      case "eof":
        input.ended = true;
        this.endIfDone();
    }
    return item;
  }

  endIfDone(): void {
    if (this.ended || !this.inputs.every(({ ended }) => ended)) return;
    this.ended = true;
    this.out.push(EOF);
  }

  /** A scheduled message that has not come, by the index of its input. */
  get awaited(): number | undefined {
    return this.ended ? undefined : this.schedule?.[this.order.length];
  }
}
