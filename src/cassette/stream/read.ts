// Reads `extensions.streams` and checks its shape, which the loader does not. What does not fit is streamed whole and reported.

import { isPlainObject, showValue, toVisible } from "../../core/index.js";
import { extensionsOf, type Cassette } from "../file/format.js";
import type { StreamBoundaries, StreamedTurn } from "./format.js";
import { planStream, type StreamPlan } from "./texts.js";

/** What a cassette knows of how its answers came. */
export type RecordedStreams =
  | { readonly kind: "none" }
  | {
      readonly kind: "recorded";
      /** Turns that can be streamed as they came, in order. */
      readonly turns: readonly number[];
      readonly hasTimes: boolean;
      /** Turns that were streamed and can only be given whole, and why. */
      readonly whole: readonly WholeTurn[];
    }
  /** Not what `docs/cassette-format.md` describes. Nothing is streamed as it came. */
  | { readonly kind: "unreadable"; readonly why: string };

/** `isChanged`: its boundaries were recorded, and the response is not the one they were recorded of. */
export interface WholeTurn {
  readonly turn: number;
  readonly isChanged: boolean;
  readonly why: string;
}

export interface StreamReader {
  readonly state: RecordedStreams;
  /** How the answer of a turn came; undefined where it is given whole. */
  planOf(turnIndex: number): StreamPlan | undefined;
}

/** Reads and checks all of it at once. Never throws. */
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
      whole.push({ turn, isChanged: false, why: `its ${streamed.unfit} was stored as another than was streamed` });
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
    // Cut again when it is asked for: the deltas of a whole recording take many times its size.
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
  if (!isCount(turn) || turn <= last || turn >= turns) return "has no turn of the recording, or not in order";
  if (unfit !== undefined) {
    if (Object.keys(item).length > 2) return "has more than a turn and unfit";
    return ["text", "reasoning", "calls"].includes(unfit as string) ? undefined : "has an unfit part nobody knows";
  }
  const unknown = Object.keys(item).find((name) => !FIELDS.includes(name));
  if (unknown !== undefined) return `has the unknown field ${showValue(unknown)}`;
  if (typeof deltas !== "string") return "has deltas that are no text";
  if (!isPlainObject(spaces) || !Object.values(spaces).every((runs) => typeof runs === "string")) {
    return "has spaces that are no texts";
  }
  if (!Array.isArray(respelled) || !respelled.every(isCount)) return "has respelled calls that are no list of numbers";
  const wrong = ["end", "merged"].find((name) => item[name] !== undefined && !isCount(item[name]));
  return wrong === undefined ? undefined : `has ${wrong} that is no count`;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** What is known of the first `turns` turns; what cannot be read is left as it is. */
export function cutStreams(streams: unknown, turns: number): unknown {
  if (!Array.isArray(streams)) return streams;
  return streams.filter((item) => !isPlainObject(item) || !isCount(item["turn"]) || item["turn"] < turns);
}

/** What a person should be told of a record before it is played; turns that no recorder could cut are no surprise. */
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
