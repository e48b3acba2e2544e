// Reads `extensions.streams` and checks its shape, which the loader does not check. A turn that does not fit is streamed whole and reported.

import { isPlainObject, showValue, toVisible } from "../../core/index.js";
import { extensionsOf, type Cassette } from "../file/format.js";
import type { StreamBoundaries, StreamedTurn } from "./format.js";
import { planStream, type StreamPlan } from "./texts.js";

/** The record of how a cassette's answers arrived. */
export type RecordedStreams =
  | { readonly kind: "none" }
  | {
      readonly kind: "recorded";
      /** Indexes of turns that can be streamed as recorded, in order. */
      readonly turns: readonly number[];
      readonly hasTimes: boolean;
      /** Turns that were streamed but can only be replayed whole, with the reason. */
      readonly whole: readonly WholeTurn[];
    }
  /** The record does not match `docs/cassette-format.md`. Every turn is streamed whole. */
  | { readonly kind: "unreadable"; readonly why: string };

/** A turn that can only be streamed whole. `isChanged`: its recorded boundaries belong to another response. */
export interface WholeTurn {
  readonly turn: number;
  readonly isChanged: boolean;
  readonly why: string;
}

export interface StreamReader {
  readonly state: RecordedStreams;
  /** The deltas of a turn's answer. Undefined if it is streamed whole. */
  planOf(turnIndex: number): StreamPlan | undefined;
}

/** Reads and checks the whole record. Never throws. */
export function readStreams(cassette: Cassette): StreamReader {
  const value = extensionsOf(cassette).streams;
  if (value === undefined) return { state: { kind: "none" }, planOf: () => undefined };
  const why = findFlaw(value, cassette.entries.length);
  if (why !== undefined) return { state: { kind: "unreadable", why }, planOf: () => undefined };

  const records = new Map<number, StreamBoundaries>();
  const whole: WholeTurn[] = [];
  const planned = ({ turn }: StreamedTurn, record: StreamBoundaries): StreamPlan | string => {
    const entry = cassette.entries[turn];
    return entry === undefined ? "the recording has no such turn" : planStream(record, entry.response);
  };
  for (const streamed of value as StreamedTurn[]) {
    const { turn } = streamed;
    if ("unfit" in streamed) {
      whole.push({ turn, isChanged: false, why: `its stored and streamed ${streamed.unfit} differ` });
      continue;
    }
    const plan = planned(streamed, streamed);
    if (typeof plan === "string") {
      whole.push({ turn, isChanged: true, why: `the record of its stream does not fit: ${plan}` });
    } else records.set(turn, streamed);
  }
  const hasTimes = [...records.values()].some(({ end }) => end !== undefined);
  return {
    state: { kind: "recorded", turns: [...records.keys()], hasTimes, whole },
    // Computed on demand: the deltas of a whole recording take many times its size.
    planOf(turnIndex) {
      const record = records.get(turnIndex);
      const plan = record === undefined ? undefined : planned({ turn: turnIndex, ...record }, record);
      return typeof plan === "string" ? undefined : plan;
    },
  };
}

const FIELDS = ["turn", "deltas", "end", "spaces", "respelled", "merged"];

function findFlaw(value: unknown, turns: number): string | undefined {
  if (!Array.isArray(value)) return "it is not a list";
  let last = -1;
  for (const [index, item] of value.entries()) {
    const flaw = isPlainObject(item) ? findTurnFlaw(item, last, turns) : "is not an object";
    if (flaw !== undefined) return `item ${index} ${flaw}`;
    last = (item as StreamedTurn).turn;
  }
  return undefined;
}

function findTurnFlaw(item: Record<string, unknown>, last: number, turns: number): string | undefined {
  const { turn, deltas, unfit, spaces = {}, respelled = [] } = item;
  if (!isCount(turn) || turn <= last || turn >= turns) return "has a turn that is not in the recording or out of order";
  if (unfit !== undefined) {
    if (Object.keys(item).length > 2) return "has fields besides turn and unfit";
    return ["text", "reasoning", "calls"].includes(unfit as string) ? undefined : "has an unknown unfit part";
  }
  const unknown = Object.keys(item).find((name) => !FIELDS.includes(name));
  if (unknown !== undefined) return `has the unknown field ${showValue(unknown)}`;
  if (typeof deltas !== "string") return "has deltas that are not a string";
  if (!isPlainObject(spaces) || !Object.values(spaces).every((runs) => typeof runs === "string")) {
    return "has spaces that are not strings";
  }
  if (!Array.isArray(respelled) || !respelled.every(isCount))
    return "has respelled calls that are not a list of numbers";
  const wrong = ["end", "merged"].find((name) => item[name] !== undefined && !isCount(item[name]));
  return wrong === undefined ? undefined : `has a value of ${wrong} that is not a count`;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Keeps the records of the first `turns` turns of a list by turn. Returns an unreadable value unchanged. */
export function cutStreams(streams: unknown, turns: number): unknown {
  if (!Array.isArray(streams)) return streams;
  return streams.filter((item) => !isPlainObject(item) || !isCount(item["turn"]) || item["turn"] < turns);
}

/** Lists warnings about a record, to print before a replay. It omits turns that a recorder could not cut. */
export function describeStreams(state: RecordedStreams, isTimed: boolean): string[] {
  if (state.kind === "unreadable") {
    return [`extensions.streams cannot be read, so answers are streamed whole: ${toVisible(state.why)}`];
  }
  if (state.kind === "none") return [];
  const [first, ...more] = state.whole.filter(({ isChanged }) => isChanged);
  const also = more.length === 0 ? "" : `, and ${more.length} more turns`;
  return [
    ...(first === undefined ? [] : [`turn ${first.turn} is streamed whole: ${toVisible(first.why)}${also}`]),
    ...(isTimed && !state.hasTimes ? ["no times were recorded, so streams do not wait"] : []),
  ];
}
