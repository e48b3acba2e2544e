// The turns of two runs side by side: those with calls paired by the edit script, those between two such pairs by their text.

import { toPointer } from "../../core/index.js";
import type { Cassette } from "../file/format.js";
import { align, type Step } from "./align/align.js";
import type { DriftFact } from "./drift.js";
import type { Item, ItemSet } from "./align/sets.js";

export interface TurnRow {
  old?: number;
  new?: number;
}

/** Lists every turn of both sides once, each side in its order. */
export function rowsOf(
  a: Cassette,
  b: Cassette,
  old: readonly ItemSet[],
  now: readonly ItemSet[],
  steps: readonly Step[],
): TurnRow[] {
  const rows: TurnRow[] = [];
  let [oldNext, newNext] = [0, 0];
  const callers = [new Set(old.flatMap(turnsIn)), new Set(now.flatMap(turnsIn))] as const;
  const fill = (oldEnd: number, newEnd: number): void => {
    const left = textsOf(a, oldNext, oldEnd, callers[0]);
    const right = textsOf(b, newNext, newEnd, callers[1]);
    const texts = left.length === 0 || right.length === 0 ? [] : align(left, right).steps;
    for (const step of texts) {
      if (step.kind === "pair") take(left[step.old]?.[0]?.turn ?? oldEnd, right[step.new]?.[0]?.turn ?? newEnd, true);
    }
    take(oldEnd, newEnd, false);
  };
  const take = (oldEnd: number, newEnd: number, arePaired: boolean): void => {
    while (oldNext < oldEnd) rows.push({ old: oldNext++ });
    while (newNext < newEnd) rows.push({ new: newNext++ });
    if (arePaired) rows.push({ old: oldNext++, new: newNext++ });
  };
  for (const step of steps) {
    if (step.kind !== "pair") continue;
    const [left, right] = [turnsIn(old[step.old] ?? []), turnsIn(now[step.new] ?? [])];
    for (const [index, turn] of left.entries()) {
      const partner = right[index];
      if (partner === undefined) break;
      fill(turn, partner);
      take(turn, partner, true);
    }
  }
  fill(a.entries.length, b.entries.length);
  return rows;
}

function turnsIn(set: ItemSet): number[] {
  return [...new Set(set.map(({ turn }) => turn))].sort((x, y) => x - y);
}

/** The turns from `from` up to `end` without calls, each as a set of its text. */
function textsOf(cassette: Cassette, from: number, end: number, callers: ReadonlySet<number>): ItemSet[] {
  const texts: Item[][] = [];
  for (let turn = from; turn < end; turn++) {
    if (callers.has(turn)) continue;
    texts.push([{ turn, name: "", key: cassette.entries[turn]?.response.message.content ?? "" }]);
  }
  return texts;
}

export function stopFacts(a: Cassette, b: Cassette, rows: readonly TurnRow[]): DriftFact[] {
  return rows.flatMap((row): DriftFact[] => {
    const [oldTurn, newTurn] = [row.old ?? -1, row.new ?? -1];
    const old = a.entries[oldTurn]?.response.stopReason;
    const now = b.entries[newTurn]?.response.stopReason;
    if (old === undefined || now === undefined || old === now) return [];
    const places = { oldTurn, oldPointer: stopPointer(oldTurn), newTurn, newPointer: stopPointer(newTurn) };
    return [{ kind: "stop-changed", old, new: now, ...places }];
  });
}

function stopPointer(turn: number): string {
  return toPointer(["entries", turn, "response", "stopReason"]);
}
