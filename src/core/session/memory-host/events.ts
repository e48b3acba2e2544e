// Events of runs in memory.

import { EVENT_PAGE, MAX_KEPT_EVENTS } from "../../limits.js";
import { showValue } from "../../text/show.js";
import { canonicalize } from "../../canon/json.js";
import type { SessionEvent } from "../event.js";
import type { EventStore, StoredSessionEvent } from "../ports/event-store.js";
import type { Desk } from "./desk.js";
import type { Changes, Tables } from "./tables.js";
import { assertObjects, assertStoreIds, ownStoredValue, storeFailed } from "../../canon/stored-value.js";

export function createEvents({ tables, call }: Desk): EventStore {
  return {
    async *read(runId, cursor = { offset: 0 }) {
      for (let offset = cursor.offset; ;) {
        const page = await call(() => {
          assertStoreIds({ runId });
          assertOffset(offset);
          return (tables.events.get(runId) ?? []).slice(offset, offset + EVENT_PAGE);
        });
        for (const [index, event] of page.entries()) {
          const cursor = Object.freeze({ offset: offset + index + 1 });
          yield Object.freeze<StoredSessionEvent>({ cursor, runId, event });
        }
        if (page.length === 0) return;
        offset += page.length;
      }
    },
    append: (runId, events, options) =>
      call((changes) => {
        assertObjects("append(runId, events, { firstOffset })", events, options);
        return append(tables, changes, runId, events, options);
      }),
  };
}

function append(
  tables: Tables,
  changes: Changes,
  runId: string,
  events: readonly SessionEvent[],
  { firstOffset, leaseId }: { firstOffset: number; leaseId?: string },
): Awaited<ReturnType<EventStore["append"]>> {
  assertStoreIds({ runId, leaseId });
  assertOffset(firstOffset);
  const run = tables.runs.get(runId);
  const log = tables.events.get(runId) ?? [];
  const cursor = { offset: log.length };
  if (leaseId !== undefined && run?.lease?.leaseId !== leaseId) return { ok: false, reason: "lost-lease", cursor };
  if (run === undefined) throw storeFailed(`there is no run ${showValue(runId)}`, "Create the run before its events.");
  const own = ownStoredValue(() => `the events of run ${JSON.stringify(runId)}`, events);
  const known = log.slice(firstOffset, firstOffset + own.length);
  const isSame = known.every((event, index) => canonicalize(event) === canonicalize(own[index]));
  if (firstOffset > log.length || !isSame) return { ok: false, reason: "gap", cursor };
  const added = own.slice(known.length);
  if (log.length + added.length > MAX_KEPT_EVENTS) {
    throw storeFailed(
      `run ${showValue(runId)} would exceed the limit of ${MAX_KEPT_EVENTS} events`,
      "Set a budget for the turn.",
    );
  }
  changes.put(tables.events, runId, log);
  changes.extend(log, added);
  return { ok: true, cursor: { offset: log.length } };
}

function assertOffset(offset: unknown): void {
  if (Number.isSafeInteger(offset) && (offset as number) >= 0) return;
  throw storeFailed(`the offset of an event is ${showValue(offset)}`, "Pass a whole number of 0 or more.");
}
