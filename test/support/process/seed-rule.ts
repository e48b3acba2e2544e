// The drain rule as the seed text has it: each merge for itself, and a marker passes a barrier at once. It is here to show what it loses.

import type { JsonValue } from "../../../src/core/canon/value.js";
import { nodeOf, type Layout } from "../../../src/core/process/fabric/graph.js";
import type { WireItem } from "../../../src/core/process/wire/item.js";
import type { Machine } from "./schedule.js";

interface SeedMerge {
  readonly port: string;
  readonly isLoop: boolean;
  readonly inputs: { readonly queue: WireItem[]; readonly isFeedback: boolean; ended: boolean }[];
  readonly out: WireItem[];
  entered: boolean;
  moved: boolean;
  isProbing: boolean;
  ended: boolean;
}

/** `foreign`: what a merge does with the marker of another one. The text says both. */
export function seedMachine({ edges, loopOf, barriers }: Layout, foreign: "drop" | "forward"): Machine {
  const isInner = (from: string, to: string): boolean =>
    loopOf.get(to) !== undefined && loopOf.get(nodeOf(from)) === loopOf.get(to);
  const ports = [...new Set(edges.map(({ to }) => to))].filter((port) => !barriers.includes(port));
  const merges = new Map<string, SeedMerge>(
    ports.map((port) => {
      const inputs = edges
        .filter(({ to }) => to === port)
        .map(({ from }) => ({ queue: [], isFeedback: isInner(from, port), ended: false }));
      const state = { entered: false, moved: false, isProbing: false, ended: false };
      return [port, { port, isLoop: loopOf.has(port) && inputs.length > 1, inputs, out: [], ...state }];
    }),
  );
  const slots = new Map<string, WireItem[][]>(
    barriers.map((name) => [name, edges.filter(({ to }) => to === name).map(() => [])]),
  );
  const endedBarriers = new Set<string>();
  let lost = 0;

  const finish = (merge: SeedMerge): void => {
    if (merge.ended || !merge.inputs.every(({ ended }) => ended)) return;
    merge.ended = true;
    merge.out.push({ kind: "eof" });
  };
  const close = (merge: SeedMerge): void => {
    for (const input of merge.inputs.filter(({ isFeedback }) => isFeedback)) {
      lost += input.queue.splice(0).filter(({ kind }) => kind === "message").length;
      input.ended = true;
    }
    finish(merge);
  };
  const probe = (merge: SeedMerge): void => {
    Object.assign(merge, { isProbing: true, moved: false });
    merge.out.push({ kind: "marker", name: merge.port });
  };
  const settle = (merge: SeedMerge): void => {
    if (!merge.isLoop || merge.ended || merge.isProbing) return;
    if (!merge.inputs.every(({ isFeedback, ended }) => isFeedback || ended)) return;
    if (merge.entered) probe(merge);
    else close(merge);
  };
  const toBarrier = (name: string, slot: number, item: WireItem): void => {
    if (item.kind === "marker") send(name, item);
    if (item.kind === "marker" || endedBarriers.has(name)) return;
    const queues = slots.get(name) as WireItem[][];
    queues[slot]?.push(item);
    for (;;) {
      const heads = queues.map(([head]) => head);
      if (heads.some((head) => head?.kind === "eof")) {
        endedBarriers.add(name);
        return send(name, { kind: "eof" });
      }
      if (heads.some((head) => head === undefined)) return;
      const value = queues.map((queue) => (queue.shift() as { value: JsonValue }).value);
      send(name, { kind: "message", value });
    }
  };
  const send = (from: string, item: WireItem): void => {
    for (const [index, edge] of edges.entries()) {
      if (edge.from !== from) continue;
      const slot = edges.slice(0, index).filter(({ to }) => to === edge.to).length;
      const merge = merges.get(edge.to);
      if (merge === undefined) toBarrier(edge.to, slot, item);
      else if (merge.inputs[slot]?.ended !== true) merge.inputs[slot]?.queue.push(item);
      else if (item.kind === "message") lost++;
    }
  };
  const take = (merge: SeedMerge, slot: number): void => {
    const input = merge.inputs[slot] as SeedMerge["inputs"][number];
    const item = input.queue.shift() as WireItem;
    if (item.kind === "eof") {
      input.ended = true;
      finish(merge);
    } else if (item.kind === "message") {
      if (input.isFeedback) merge.moved = true;
      else merge.entered = true;
      merge.out.push(item);
    } else if (!merge.isLoop) merge.out.push(item);
    else if (item.name !== merge.port) {
      if (foreign === "forward") merge.out.push(item);
    } else if (input.isFeedback && merge.isProbing) {
      if (merge.moved) probe(merge);
      else close(merge);
    }
    settle(merge);
  };
  for (const merge of merges.values()) settle(merge);

  return {
    ports,
    get lost() {
      return lost;
    },
    push: send,
    moves: () =>
      [...merges.values()].flatMap((merge) =>
        merge.inputs.flatMap(({ queue }, slot) => (queue.length > 0 ? [{ merge, slot }] : [])),
      ),
    do: ({ merge, slot }: { merge: SeedMerge; slot: number }) => take(merge, slot),
    peek: (port) => merges.get(port)?.out[0],
    take: (port) => merges.get(port)?.out.shift(),
  };
}
