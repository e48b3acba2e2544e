// A barrier takes one message of each input and sends them on as one list. A marker waits for the messages before it, and leaves once even
// if several inputs bring it.

import type { JsonValue } from "../../canon/value.js";
import { EOF, type WireItem } from "../wire/item.js";

class BarrierInput {
  readonly queue: WireItem[] = [];
  readonly arrived = new Map<string, number>();
  readonly passed = new Map<string, number>();

  readonly expected: ReadonlySet<string>;

  constructor(expected: ReadonlySet<string>) {
    this.expected = expected;
  }
}

export class Barrier {
  readonly #inputs: readonly BarrierInput[];
  readonly #send: (item: WireItem) => void;
  readonly #emitted = new Map<string, number>();
  ended = false;
  /** Messages that found no partner before the end. */
  unpaired = 0;

  /** `expected`: the markers that arrive at each input in each round. */
  constructor(expected: readonly ReadonlySet<string>[], send: (item: WireItem) => void) {
    this.#send = send;
    this.#inputs = expected.map((names) => new BarrierInput(names));
  }

  /** True once the end of an input has arrived, even if messages before it still wait. */
  hasEnd(index: number): boolean {
    return this.ended || this.#inputs[index]?.queue.at(-1)?.kind === "eof";
  }

  /** Messages that wait for a partner. */
  get waiting(): number {
    return this.#inputs.reduce((sum, { queue }) => sum + queue.filter(isMessage).length, 0);
  }

  /** `round`: the current round of its loop, or 0 outside a loop. */
  push(index: number, item: WireItem, round: number): void {
    if (this.ended) {
      if (item.kind === "message") this.unpaired++;
      return;
    }
    const input = this.#inputs[index] as BarrierInput;
    input.queue.push(item);
    if (item.kind === "marker") count(input.arrived, item.name);
    this.#settle();
    this.flush(round);
  }

  /**
   * Lets the markers of a round pass messages that wait. What waits finds a partner only after a message entered the loop again, and then
   * there is a further round. If an input has ended, its missing markers are sent in its place.
   */
  flush(round: number): void {
    if (round === 0 || this.ended || !this.#hasRound(round)) return;
    for (const { queue, passed } of this.#inputs) {
      const stuck = queue.filter((item) => item.kind === "marker");
      if (stuck.length === 0) continue;
      queue.splice(0, Infinity, ...queue.filter(({ kind }) => kind !== "marker"));
      for (const { name } of stuck) count(passed, name);
    }
    for (const name of new Set(this.#inputs.flatMap(({ expected }) => [...expected]))) {
      if ((this.#emitted.get(name) ?? 0) >= round) continue;
      this.#emitted.set(name, round);
      this.#send({ kind: "marker", name });
    }
  }

  #settle(): void {
    for (;;) {
      for (const input of this.#inputs) this.#passHead(input);
      const heads = this.#inputs.map(({ queue }) => queue[0]);
      if (heads.some((head) => head?.kind === "eof")) {
        this.#end();
        return;
      }
      if (!heads.every(isMessage)) return;
      for (const { queue } of this.#inputs) queue.shift();
      this.#send({ kind: "message", value: heads.map(({ value }) => value) as JsonValue });
    }
  }

  #passHead(input: BarrierInput): void {
    for (let [head] = input.queue; head?.kind === "marker"; [head] = input.queue) {
      input.queue.shift();
      this.#pass(input, head.name);
    }
  }

  #pass(input: BarrierInput, name: string): void {
    const times = count(input.passed, name);
    if (times <= (this.#emitted.get(name) ?? 0)) return;
    this.#emitted.set(name, times);
    this.#send({ kind: "marker", name });
  }

  /** Everything that was on its way here when the round began has arrived. */
  #hasRound(round: number): boolean {
    return this.#inputs.every(
      ({ expected, arrived, queue }) =>
        queue.at(-1)?.kind === "eof" || [...expected].every((name) => (arrived.get(name) ?? 0) >= round),
    );
  }

  #end(): void {
    this.unpaired += this.waiting;
    this.ended = true;
    for (const { queue } of this.#inputs) queue.length = 0;
    this.#send(EOF);
  }
}

function isMessage(item: WireItem | undefined): item is Extract<WireItem, { kind: "message" }> {
  return item?.kind === "message";
}

function count(counts: Map<string, number>, name: string): number {
  const times = (counts.get(name) ?? 0) + 1;
  counts.set(name, times);
  return times;
}
