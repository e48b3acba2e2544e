// The inside of a fabric as one state machine without time: what its agents send goes in, what they are to read comes out. It holds no
// process and no clock, so a test drives it through thousands of schedules.

import { plural } from "../../text/show.js";
import { PlumbError } from "../errors.js";
import type { WireItem } from "../wire/item.js";
import { Barrier } from "./barrier.js";
import { Drain } from "./drain.js";
import { nodeOf, streamOf, type Edge, type Layout } from "./graph.js";
import { isDrained, markersOver } from "./markers.js";
import { Merge, MergeInput } from "./merge.js";

/** The inputs of the messages that each merge passed on. Only merges with a choice are listed. */
export type MergeOrder = Readonly<Record<string, readonly number[]>>;

export interface NetworkOptions {
  /** Messages that one channel outside of loops, and all channels of one loop, hold before their source waits. */
  readonly window: number;
  /** Messages that all sources may send. */
  readonly maxMessages: number;
  /** The order of a recorded run, for a replay. */
  readonly schedule?: MergeOrder;
}

/** Something that can happen now. */
export interface Move {
  readonly merge: Merge;
  readonly input: number;
}

/** Where an edge ends: an input of a merge or a barrier. Every other port has a merge of one input. */
type Place = { readonly merge: Merge; readonly index: number } | { readonly barrier: Barrier; readonly index: number };

export class Network {
  readonly #layout: Layout;
  readonly #options: NetworkOptions;
  readonly #merges = new Map<string, Merge>();
  readonly #barriers = new Map<string, Barrier>();
  readonly #places: readonly Place[];
  readonly #edgesFrom = new Map<string, number[]>();
  readonly #drains: readonly Drain[];
  readonly #abandoned = new Set<string>();
  #messages = 0;

  constructor(layout: Layout, options: NetworkOptions) {
    this.#layout = layout;
    this.#options = options;
    for (const [index, { from }] of layout.edges.entries())
      this.#edgesFrom.set(from, [...(this.#edgesFrom.get(from) ?? []), index]);
    for (const name of layout.barriers) this.#barriers.set(name, this.#makeBarrier(name));
    for (const port of new Set(layout.edges.map(({ to }) => to)))
      if (!this.#barriers.has(port)) this.#merges.set(port, this.#makeMerge(port));
    const counts = new Map<string, number>();
    this.#places = layout.edges.map(({ to }) => this.#place(to, counts));
    const loops = Math.max(0, ...[...layout.loopOf.values()].map((loop) => loop + 1));
    this.#drains = Array.from({ length: loops }, (_, loop) => this.#makeDrain(loop));
    this.#settle();
  }

  /** Ports at which items wait to be taken: agents, inline wires, control inputs and outputs. */
  get ports(): readonly string[] {
    return [...this.#merges.keys()];
  }

  /** The rounds of each loop so far. */
  get rounds(): readonly number[] {
    return this.#drains.map(({ rounds }) => rounds);
  }

  /** Messages that were lost: none, unless an agent breaks the protocol. */
  get lost(): number {
    return this.#drains.reduce((sum, { lost }) => sum + lost, 0);
  }

  /** Messages that found no partner in a barrier. */
  get unpaired(): number {
    return [...this.#barriers.values()].reduce((sum, { unpaired }) => sum + unpaired, 0);
  }

  /** What the merges chose, for a schedule. */
  get order(): MergeOrder {
    const chosen = [...this.#merges.values()].filter(({ inputs }) => inputs.length > 1);
    return Object.fromEntries(chosen.map(({ port, order }) => [port, [...order]]));
  }

  /**
   * Takes what a source sent. Check `hasRoom` first.
   * Throws `PlumbError` `too-many-messages` or `schedule-diverged`.
   */
  push(from: string, item: WireItem): void {
    if (item.kind === "message" && ++this.#messages > this.#options.maxMessages) {
      throw new PlumbError(
        "too-many-messages",
        `the fabric reached its limit of ${plural(this.#options.maxMessages, "message")}`,
        "Check that each loop ends, or raise maxMessages.",
      );
    }
    for (const index of this.#edgesFrom.get(from) ?? []) this.#send(index, item);
    this.#settle();
  }

  /** False while a channel behind the source is full. Channels in loops and into barriers never count, since a wait there may not end. */
  hasRoom(from: string): boolean {
    return (this.#edgesFrom.get(from) ?? []).every((index) => {
      const place = this.#places[index] as Place;
      if (!("merge" in place) || this.#isInner(this.#layout.edges[index] as Edge)) return true;
      // A merge that follows a schedule may wait for a message behind the one that its source cannot send.
      if (place.merge.schedule !== undefined) return true;
      return (place.merge.inputs[place.index]?.queue.length ?? 0) < this.#options.window;
    });
  }

  /** All that can happen now. The order of a run is a choice among these. */
  moves(): Move[] {
    return [...this.#merges.values()].flatMap((merge) =>
      merge.ready(this.#mayEnter(merge)).map((input) => ({ merge, input })),
    );
  }

  do({ merge, input }: Move): void {
    const item = merge.take(input);
    if (item === undefined) return;
    if (item.kind === "message" && merge.isDrained && merge.inputs[input]?.isFeedback === true)
      this.#drainOf(merge.port)?.move();
    if (this.#abandoned.has(merge.port)) merge.out.length = 0;
    this.#settle();
  }

  /** Does all that can happen. */
  run(): void {
    for (let isDone = false; !isDone;) {
      isDone = true;
      for (const merge of this.#merges.values()) {
        for (;;) {
          const input = merge.choose(merge.ready(this.#mayEnter(merge)));
          if (input === undefined) break;
          this.do({ merge, input });
          isDone = false;
        }
      }
    }
  }

  peek(port: string): WireItem | undefined {
    return this.#merges.get(port)?.out[0];
  }

  take(port: string): WireItem | undefined {
    return this.#merges.get(port)?.out.shift();
  }

  /** Nobody takes from this port any more. What comes there is dropped. */
  abandon(port: string): void {
    this.#abandoned.add(port);
    const merge = this.#merges.get(port);
    if (merge !== undefined) merge.out.length = 0;
  }

  /** What a run that follows a schedule waits for: "judge waits for a message of skeptic". */
  awaited(): string[] {
    return [...this.#merges.values()].flatMap(({ port, awaited }) => {
      const from = this.#layout.edges.filter(({ to }) => to === port)[awaited ?? -1]?.from;
      return from === undefined ? [] : [`${port} waits for a message of ${from}`];
    });
  }

  #send(index: number, item: WireItem): void {
    const { to } = this.#layout.edges[index] as Edge;
    const drain = this.#drainOf(to);
    if (item.kind === "message") drain?.enter();
    const place = this.#places[index] as Place;
    if ("barrier" in place) {
      place.barrier.push(place.index, item, drain?.rounds ?? 0);
      return;
    }
    const input = place.merge.inputs[place.index] as MergeInput;
    if (!input.ended) input.queue.push(item);
    else if (item.kind === "message" && drain !== undefined) drain.lost++;
    if (item.kind === "message") this.#assertScheduled(place.merge);
  }

  /** A message beyond the schedule means that the run went another way. */
  #assertScheduled({ port, schedule, order }: Merge): void {
    if (schedule === undefined || order.length < schedule.length) return;
    throw new PlumbError(
      "schedule-diverged",
      `${port} was sent a message after the ${plural(schedule.length, "message")} of its schedule`,
      "Record the run again.",
    );
  }

  #settle(): void {
    for (const [loop, drain] of this.#drains.entries()) {
      drain.settle(this.#isForwardEnded(loop));
      for (const [name, barrier] of this.#barriers)
        if (this.#layout.loopOf.get(name) === loop) barrier.flush(drain.rounds);
    }
  }

  /** True once nothing more enters the loop from outside. */
  #isForwardEnded(loop: number): boolean {
    return this.#layout.edges.every((edge, index) => {
      if (this.#layout.loopOf.get(edge.to) !== loop || this.#isInner(edge)) return true;
      const place = this.#places[index] as Place;
      return "barrier" in place ? place.barrier.hasEnd(place.index) : place.merge.inputs[place.index]?.ended === true;
    });
  }

  /** Both ends are in one loop. */
  #isInner({ from, to }: Edge): boolean {
    const loop = this.#layout.loopOf.get(to);
    return loop !== undefined && this.#layout.loopOf.get(nodeOf(from)) === loop;
  }

  #drainOf(port: string): Drain | undefined {
    const loop = this.#layout.loopOf.get(port);
    return loop === undefined ? undefined : this.#drains[loop];
  }

  /** A message from outside enters a loop, or the channel behind a merge, only while it is not full. */
  #mayEnter(merge: Merge): boolean {
    const loop = this.#layout.loopOf.get(merge.port);
    if (this.#abandoned.has(merge.port)) return true;
    if (loop === undefined) return merge.out.length < this.#options.window;
    let held = 0;
    for (const { port, out, inputs } of this.#merges.values()) {
      if (this.#layout.loopOf.get(port) !== loop) continue;
      held += out.length + inputs.reduce((sum, { isFeedback, queue }) => sum + (isFeedback ? queue.length : 0), 0);
    }
    return held < this.#options.window;
  }

  #makeMerge(port: string): Merge {
    const layout = this.#layout;
    const own = layout.edges.filter(({ to }) => to === port);
    const inputs = own.map((edge) => new MergeInput(this.#isInner(edge), markersOver(layout, edge.from)));
    const schedule = own.length > 1 ? this.#options.schedule?.[port] : undefined;
    return new Merge({ port, isDrained: isDrained(layout, port), inputs, schedule });
  }

  #makeBarrier(name: string): Barrier {
    const inputs = this.#layout.edges.filter(({ to }) => to === name);
    const loop = this.#layout.loopOf.get(name);
    const expected = inputs.map(({ from }) =>
      loop !== undefined && this.#layout.loopOf.get(nodeOf(from)) === loop
        ? markersOver(this.#layout, from)
        : new Set<string>(),
    );
    return new Barrier(expected, (item) => {
      for (const index of this.#edgesFrom.get(name) ?? []) this.#send(index, item);
    });
  }

  #makeDrain(loop: number): Drain {
    const { edges, loopOf } = this.#layout;
    const merges = [...this.#merges.values()].filter(({ port, isDrained }) => isDrained && loopOf.get(port) === loop);
    const hasSide = edges.some(
      (edge) => loopOf.get(edge.to) === loop && this.#isInner(edge) && streamOf(edge.from) !== "",
    );
    return new Drain(merges, hasSide);
  }

  #place(port: string, counts: Map<string, number>): Place {
    const index = counts.get(port) ?? 0;
    counts.set(port, index + 1);
    const barrier = this.#barriers.get(port);
    return barrier === undefined ? { merge: this.#merges.get(port) as Merge, index } : { barrier, index };
  }
}
