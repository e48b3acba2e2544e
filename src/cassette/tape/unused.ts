// The unused results of a tape, by the key of their call. Equal calls are answered in order, each result once, the closest first.

import type { JsonObject } from "../../core/index.js";
import { callKey } from "../diff/calls/calls.js";
import { alignNumbers } from "../redact/placeholder.js";
import type { Tolerances } from "../tolerance/tolerances.js";
import { createUseCounter, type ToleranceUse } from "../tolerance/uses.js";
import type { TapeResult } from "./tape.js";

export interface UnusedResults {
  readonly used: ReadonlySet<TapeResult>;
  /** Uses the next result of a call, first the one of this call id. Undefined if none is left. */
  take(name: string, args: JsonObject, callId?: string): TapeResult | undefined;
  /** Uses the first unused result that differs only in the numbers of placeholders. */
  takeRenumbered(name: string, args: JsonObject): TapeResult | undefined;
  /** True if the result may answer the call, used or not. */
  answers(result: TapeResult, name: string, args: JsonObject): boolean;
  /** The tolerances that let calls with other arguments be answered. */
  uses(): ToleranceUse[];
  reset(): void;
}

export function createUnusedResults(results: readonly TapeResult[], tolerances: Tolerances): UnusedResults {
  const used = new Set<TapeResult>();
  const counter = createUseCounter();
  const [exact, normal, near] = [createQueues(used), createQueues(used), createQueues(used)];
  for (const result of results) {
    if (result.content === undefined) continue;
    const { key, skeleton } = keysOf(result, tolerances);
    exact.add(result.key, result);
    normal.add(key, result);
    near.add(skeleton, result);
  }

  function find(name: string, args: JsonObject): TapeResult | undefined {
    const { key, skeleton } = tolerances.normalise(name, args);
    const same = exact.first(callKey({ name, arguments: args })) ?? normal.first(key);
    if (same !== undefined || skeleton === key) return same;
    return near.first(skeleton, (result) => tolerances.alike(name, result.arguments, args));
  }

  const byId = new Map<string, TapeResult[]>();
  for (const result of results) byId.set(result.callId, [...(byId.get(result.callId) ?? []), result]);
  const answers = (result: TapeResult, name: string, args: JsonObject): boolean => {
    if (result.key === callKey({ name, arguments: args })) return true;
    return result.name === name && !result.isMalformed && tolerances.alike(name, result.arguments, args);
  };
  const ofCall = (callId: string, name: string, args: JsonObject): TapeResult | undefined =>
    byId
      .get(callId)
      ?.find((result) => !used.has(result) && result.content !== undefined && answers(result, name, args));

  return {
    used,
    take(name, args, callId) {
      const result = (callId === undefined ? undefined : ofCall(callId, name, args)) ?? find(name, args);
      if (result === undefined) return undefined;
      used.add(result);
      if (result.key !== callKey({ name, arguments: args })) {
        counter.add(tolerances.compare(name, result.arguments, args).uses);
      }
      return result;
    },
    takeRenumbered(name, args) {
      const key = callKey({ name, arguments: args });
      const open = results.filter(
        (result) => result.name === name && result.content !== undefined && !used.has(result),
      );
      const found = open.find((result) => alignNumbers(result.key, key) !== undefined);
      if (found !== undefined) used.add(found);
      return found;
    },
    answers,
    uses: () => counter.list(),
    reset() {
      used.clear();
      counter.clear();
      for (const queues of [exact, normal, near]) queues.reset();
    },
  };
}

/** Malformed arguments are equal only to themselves. */
function keysOf(result: TapeResult, tolerances: Tolerances): { key: string; skeleton: string } {
  if (!result.isMalformed) return tolerances.normalise(result.name, result.arguments);
  return { key: result.key, skeleton: result.key };
}

/** Queues of results by a text. Used results at the front of a queue are skipped for good. */
function createQueues(used: ReadonlySet<TapeResult>) {
  const queues = new Map<string, { results: TapeResult[]; at: number }>();
  return {
    add(key: string, result: TapeResult): void {
      const queue = queues.get(key) ?? { results: [], at: 0 };
      queue.results.push(result);
      queues.set(key, queue);
    },
    first(key: string, fits: (result: TapeResult) => boolean = () => true): TapeResult | undefined {
      const queue = queues.get(key);
      if (queue === undefined) return undefined;
      const { results } = queue;
      for (let next = results[queue.at]; next !== undefined && used.has(next); next = results[queue.at]) queue.at++;
      for (let index = queue.at; index < results.length; index++) {
        const result = results[index] as TapeResult;
        if (!used.has(result) && fits(result)) return result;
      }
      return undefined;
    },
    reset(): void {
      for (const queue of queues.values()) queue.at = 0;
    },
  };
}
