// Keeps the unanswered calls of a run and finds the call for each result. Calls are looked up by id and by name, without a linear search:
// a log may have any number of calls without results, and of results without calls.

import type { LlmToolCall } from "../../../core/index.js";

/** The name of a call or result that is unnamed in the log. Such a call fits every result. */
export const UNKNOWN_TOOL = "unknown";

/** Consecutive assistant messages are one batch: their results come after the last. */
interface OpenCalls {
  add(call: LlmToolCall, logId: string | undefined, batch: number): void;
  /**
   * Takes the call that a result answers, and closes it. The call is found by id, in the latest batch that has it. A result without an id,
   * or with an unknown one, takes the first call of the latest batch that fits its tool's name. For an unknown id, this call must have
   * lost its own id.
   */
  take(logId: string | undefined, name: string | undefined, batch: number): LlmToolCall | undefined;
}

interface OpenCall {
  order: number;
  call: LlmToolCall;
  isTaken: boolean;
}

/** Calls of one batch in their order. A call taken from one queue is skipped in the others. */
interface Pool {
  batch: number;
  all: Queue;
  byName: Map<string, Queue>;
}

interface Queue {
  calls: OpenCall[];
  next: number;
}

export function createOpenCalls(): OpenCalls {
  /** By id, the latest batch last. */
  const byId = new Map<string, Pool[]>();
  let ofBatch = createPool(0);
  let withoutId = createPool(0);
  let order = 0;

  return {
    add(call, logId, batch) {
      if (ofBatch.batch !== batch) [ofBatch, withoutId] = [createPool(batch), createPool(batch)];
      const open: OpenCall = { order: order++, call, isTaken: false };
      addTo(ofBatch, open);
      addTo(logId === undefined ? withoutId : latestPool(byId, logId, batch), open);
    },
    take(logId, name, batch) {
      const same = logId === undefined ? undefined : latestOpen(byId.get(logId));
      const candidates = same ?? (logId === undefined ? ofBatch : withoutId);
      if (candidates.batch !== batch && same === undefined) return undefined;
      const found = firstFitting(candidates, name) ?? (same === undefined ? undefined : first(same.all));
      if (found !== undefined) found.isTaken = true;
      return found?.call;
    },
  };
}

function createPool(batch: number): Pool {
  return { batch, all: { calls: [], next: 0 }, byName: new Map() };
}

function addTo({ all, byName }: Pool, open: OpenCall): void {
  const queue = byName.get(open.call.name) ?? { calls: [], next: 0 };
  byName.set(open.call.name, queue);
  queue.calls.push(open);
  all.calls.push(open);
}

function latestPool(byId: Map<string, Pool[]>, logId: string, batch: number): Pool {
  const pools = byId.get(logId) ?? [];
  byId.set(logId, pools);
  const last = pools.at(-1);
  if (last?.batch === batch) return last;
  const pool = createPool(batch);
  pools.push(pool);
  return pool;
}

/** The last pool that has an open call. Pools after it are dropped. */
function latestOpen(pools: Pool[] | undefined): Pool | undefined {
  while (pools !== undefined && pools.length > 0) {
    const last = pools.at(-1) as Pool;
    if (first(last.all) !== undefined) return last;
    pools.pop();
  }
  return undefined;
}

function firstFitting({ all, byName }: Pool, name: string | undefined): OpenCall | undefined {
  if (name === undefined) return first(all);
  const named = first(byName.get(name));
  const nameless = first(byName.get(UNKNOWN_TOOL));
  if (named === undefined || nameless === undefined) return named ?? nameless;
  return named.order < nameless.order ? named : nameless;
}

function first(queue: Queue | undefined): OpenCall | undefined {
  if (queue === undefined) return undefined;
  while (queue.calls[queue.next]?.isTaken === true) queue.next++;
  return queue.calls[queue.next];
}
