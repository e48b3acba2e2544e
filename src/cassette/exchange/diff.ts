// The differences of the exchanges of two recordings: what was asked, and the status of the answer. Bodies of answers are not compared,
// like the results of tools.

import { canonicalize, defined, toVisible, wireOf, type JsonValue } from "../../core/index.js";
import type { Cassette, RecordedExchange } from "../file/format.js";
import { diffValues, type ValueChange } from "../prompt/json-difference.js";
import { nameOf } from "./describe.js";
import { exchangesOf, keyOf } from "./player.js";

/** One difference. Indexes count the exchanges of each side from 0. */
export interface ExchangeChange {
  kind: "added" | "removed" | "changed";
  method: string;
  path: string;
  old?: number;
  new?: number;
  /** Present if `kind` is `changed`. Pointers lead into the exchange. */
  changes?: ValueChange[];
  sentence: string;
}

interface Placed {
  readonly exchange: RecordedExchange;
  readonly index: number;
}

/** Every difference. Equal requests are paired in any order, then those of one method and path in their order. */
export function diffExchanges(a: Cassette, b: Cassette): ExchangeChange[] {
  const [old, now] = [placed(a), placed(b)];
  const same = pairBy(old, now, comparedBy);
  const rest = pairBy(unpaired(old, same, 0), unpaired(now, same, 1), nameOf);
  const pairs = [...same, ...rest];
  return [
    ...pairs.flatMap(([before, after]) => changeOf(before, after) ?? []),
    ...unpaired(old, pairs, 0).map(({ exchange, index }) => sided("removed", exchange, { old: index })),
    ...unpaired(now, pairs, 1).map(({ exchange, index }) => sided("added", exchange, { new: index })),
  ];
}

function comparedBy(exchange: RecordedExchange): string {
  return keyOf(exchange, wireOf);
}

type Pair = readonly [old: Placed, now: Placed];

function placed(cassette: Cassette): Placed[] {
  return exchangesOf(cassette).map((exchange, index) => ({ exchange, index }));
}

function pairBy(old: readonly Placed[], now: readonly Placed[], key: (exchange: RecordedExchange) => string): Pair[] {
  const open = new Map<string, Placed[]>();
  for (const item of now) open.set(key(item.exchange), [...(open.get(key(item.exchange)) ?? []), item]);
  return old.flatMap((item): Pair[] => {
    const partner = open.get(key(item.exchange))?.shift();
    return partner === undefined ? [] : [[item, partner]];
  });
}

function unpaired(items: readonly Placed[], pairs: readonly Pair[], side: 0 | 1): Placed[] {
  const taken = new Set(pairs.map((pair) => pair[side]));
  return items.filter((item) => !taken.has(item));
}

function changeOf(before: Placed, after: Placed): ExchangeChange | undefined {
  const [old, now] = [before.exchange, after.exchange];
  // Numbers of placeholders may differ.
  if (comparedBy(old) === comparedBy(now) && old.status === now.status) return undefined;
  const changes = diffValues(comparable(old), comparable(now));
  const { method, path } = now;
  const sentence = `${nameOf(after.exchange)} changed at ${toVisible(changes[0]?.pointer ?? "")}.`;
  return { kind: "changed", method, path, old: before.index, new: after.index, changes, sentence };
}

function sided(
  kind: "added" | "removed",
  { method, path }: RecordedExchange,
  place: Pick<ExchangeChange, "old" | "new">,
): ExchangeChange {
  return { kind, method, path, ...place, sentence: `${nameOf({ method, path })} was ${kind}.` };
}

function comparable({ query, request, status }: RecordedExchange): JsonValue {
  return JSON.parse(canonicalize(defined({ query, request, status }))) as JsonValue;
}
