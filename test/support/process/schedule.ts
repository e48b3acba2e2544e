// A fabric without processes: agents are functions, and a seed decides what happens next. It runs our network and the rule of the seed text.

import type { JsonValue } from "../../../src/core/canon/value.js";
import type { WireItem } from "../../../src/core/process/wire/item.js";

/** What a schedule drives. */
export interface Machine {
  readonly ports: readonly string[];
  readonly lost: number;
  push(from: string, item: WireItem): void;
  moves(): readonly unknown[];
  do(move: never): void;
  peek(port: string): WireItem | undefined;
  take(port: string): WireItem | undefined;
  /** False: the source has to wait. Default: it never has to. */
  hasRoom?(from: string): boolean;
}

/** The answers of an agent to one message. None for a message that an inline wire drops. */
export type Answer = (value: JsonValue) => readonly JsonValue[];

export interface Run {
  readonly machine: Machine;
  /** Agents and inline wires by the port that they read. */
  readonly nodes: Readonly<Record<string, Answer>>;
  readonly inputs: readonly JsonValue[];
  readonly seed: number;
  /** Further ports of an agent. It sends each answer, marker and end there too. */
  readonly sides?: Readonly<Record<string, readonly string[]>>;
  /** Messages that an agent holds. Default 4. */
  readonly hold?: number;
  /** Called before each step. */
  readonly watch?: () => void;
}

export interface End {
  /** Every port was ended. */
  readonly isOver: boolean;
  readonly outputs: readonly JsonValue[];
  /** What each node read, in order. */
  readonly read: Readonly<Record<string, readonly JsonValue[]>>;
  readonly lost: number;
  readonly dropped: number;
}

/** A small generator of numbers below `limit`. */
export function randomNumbers(seed: number): (limit: number) => number {
  let state = (seed + 0x9e3779b9) >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let word = Math.imul(state ^ (state >>> 15), 1 | state);
    word = (word + Math.imul(word ^ (word >>> 7), 61 | word)) ^ word;
    return ((word ^ (word >>> 14)) >>> 0) % limit;
  };
}

/** Steps after which a run counts as one that never ends. */
const PATIENCE_STEPS = 20_000;

/** Runs one schedule: inputs, moves of the machine, reads and answers come in any order. */
export function runSchedule({ machine, nodes, inputs, seed, sides = {}, hold = 4, watch }: Run): End {
  const pick = randomNumbers(seed);
  const waiting: WireItem[] = [...inputs.map((value): WireItem => ({ kind: "message", value })), { kind: "eof" }];
  const held: Record<string, WireItem[]> = {};
  const read: Record<string, JsonValue[]> = {};
  const ended = new Set<string>();
  const outputs: JsonValue[] = [];
  let dropped = 0;
  for (const port of machine.ports) [held[port], read[port]] = [[], []];

  const take = (port: string): void => {
    const item = machine.take(port) as WireItem;
    if (item.kind === "message") read[port]?.push(item.value);
    if (nodes[port] !== undefined) {
      held[port]?.push(item);
      return;
    }
    if (item.kind === "eof") ended.add(port);
    if (item.kind === "message" && port === "output") outputs.push(item.value);
  };
  const answer = (port: string): void => {
    const item = held[port]?.shift() as WireItem;
    if (item.kind === "eof") ended.add(port);
    const send = (sent: WireItem): void => {
      for (const from of [port, ...(sides[port] ?? [])]) machine.push(from, sent);
    };
    if (item.kind !== "message") {
      send(item);
      return;
    }
    const answers = nodes[port]?.(item.value) ?? [];
    if (answers.length === 0) dropped++;
    for (const value of answers) send({ kind: "message", value });
  };

  // One agent is slow: the order of events is then far from the usual one.
  const slow = machine.ports[pick(machine.ports.length)];
  const hasRoom = (from: string): boolean => machine.hasRoom?.(from) ?? true;
  for (let step = 0; step < PATIENCE_STEPS; step++) {
    const steps: (() => void)[] = machine.moves().map((move) => () => machine.do(move as never));
    const late: (() => void)[] = [];
    if (waiting.length > 0 && hasRoom("input")) steps.push(() => machine.push("input", waiting.shift() as WireItem));
    for (const port of machine.ports) {
      const own = port === slow ? late : steps;
      if (machine.peek(port) !== undefined && (held[port]?.length ?? 0) < hold) own.push(() => take(port));
      if ((held[port]?.length ?? 0) > 0 && hasRoom(port)) own.push(() => answer(port));
    }
    if (steps.length === 0 || pick(16) === 0) steps.push(...late);
    if (steps.length === 0) break;
    watch?.();
    steps[pick(steps.length)]?.();
  }
  return { isOver: machine.ports.every((port) => ended.has(port)), outputs, read, lost: machine.lost, dropped };
}
