// A host that is broken on purpose for each case about checkpoints, events, notifications, transactions, and the host itself.

import type { ExecutionStorePorts, RunStatus, StoredSessionEvent } from "../../../../src/core/index.js";
import {
  breakCheckpoints,
  breakEvents,
  breakInbox,
  breakPorts,
  breakRuns,
  showRun,
  updateAs,
  type Break,
} from "../../../support/broken-hosts.js";

const later = () => new Promise((resolve) => setTimeout(resolve, 1));

export const BROKEN_JOURNAL: Readonly<Record<string, Break>> = {
  "has no checkpoint of a run without one": breakCheckpoints((right) => ({
    load: async (id) => (await right.load(id)) ?? (undefined as never),
  })),
  "keeps the latest checkpoint with all its fields": breakCheckpoints((right) => ({
    append: ({ pendingTools: _, ...checkpoint }, options) => right.append(checkpoint, options),
  })),
  "sets version and status of the run with each checkpoint": showRun(({ status }) =>
    status === "running" ? { status: "leased" } : {},
  ),
  "D2 sets the stalls to 0 with each checkpoint": showRun(({ attempt }) => ({ stalls: attempt })),
  "suspends a run by a checkpoint": breakCheckpoints((right) => ({
    append: ({ phases, ...checkpoint }, options) =>
      right.append({ ...checkpoint, phases: phases.filter((phase) => phase !== "suspended") }, options),
  })),
  "refuses a checkpoint at another version": breakCheckpoints((right) => ({
    append: async (checkpoint, options) => {
      const end = await right.append(checkpoint, options);
      return !end.ok && end.reason === "stale-version" ? { ok: true, version: checkpoint.version } : end;
    },
  })),
  "refuses a checkpoint without the lease": breakCheckpoints((right, { runs }) => ({
    append: async (checkpoint, options) => {
      const leaseId = (await runs.get(checkpoint.runId))?.lease?.leaseId ?? options.leaseId;
      return right.append(checkpoint, { ...options, leaseId });
    },
  })),
  "lets one of many concurrent checkpoints at a version win": breakCheckpoints((right, { runs }) => ({
    append: async (checkpoint, options) => {
      const isRight = (await runs.get(checkpoint.runId))?.checkpointVersion === options.expectedVersion;
      await later();
      const expectedVersion = (await runs.get(checkpoint.runId))?.checkpointVersion ?? 0;
      if (!isRight) return right.append(checkpoint, options);
      return right.append({ ...checkpoint, version: expectedVersion + 1 }, { ...options, expectedVersion });
    },
  })),
  "joins the journal of all checkpoints in order": breakCheckpoints((right) => ({
    load: async (id) => {
      const kept = await right.load(id);
      return kept === null ? null : { ...kept, journal: kept.checkpoint.appended };
    },
  })),
  "keeps journals of runs apart": breakCheckpoints((right) => ({
    drop: async (id) => {
      for (const each of [id, `${id}${id}`]) await right.drop(each);
    },
  })),
  "drops the checkpoints of a run": breakCheckpoints(() => ({ drop: async () => undefined })),
  "keeps the largest state of a checkpoint, and refuses a larger one": breakCheckpoints((right) => ({
    append: (checkpoint, options) =>
      right.append({ ...checkpoint, runtimeState: JSON.stringify(checkpoint.runtimeState).slice(0, 100) }, options),
  })),
  "refuses a checkpoint whose version is not the next one": breakCheckpoints((right) => ({
    append: (checkpoint, options) => right.append({ ...checkpoint, version: options.expectedVersion + 1 }, options),
  })),
  "reads the events of a run in order, with their cursors": breakEvents((right) => ({
    async *read(id, cursor) {
      for await (const stored of right.read(id, cursor))
        yield { ...stored, cursor: { offset: stored.cursor.offset - 1 } };
    },
  })),
  "reads events from a cursor on: none twice, none left out": breakEvents((right) => ({
    read: (id, { offset } = { offset: 0 }) => right.read(id, { offset: Math.max(0, offset - 1) }),
  })),
  "reads the events of a long run": breakEvents((right) => ({
    async *read(id, cursor) {
      let left = 1_000;
      for await (const stored of right.read(id, cursor)) if (left-- > 0) yield stored;
    },
  })),
  "refuses events that would leave a gap": breakEvents((right) => ({
    append: async (id, events, options) => {
      const end = await right.append(id, events, options);
      return !end.ok && end.reason === "gap" ? { ok: true, cursor: end.cursor } : end;
    },
  })),
  "changes nothing when the same events come again": breakEvents((right) => ({
    append: async (id, events, options) => {
      const end: StoredSessionEvent[] = [];
      for await (const stored of right.read(id)) end.push(stored);
      return right.append(id, events, { ...options, firstOffset: Math.max(options.firstOffset, end.length) });
    },
  })),
  "refuses other events at offsets that are taken": breakEvents((right) => ({
    append: async (id, events, options) => {
      const end = await right.append(id, events, options);
      return !end.ok && end.cursor.offset > options.firstOffset ? { ok: true, cursor: end.cursor } : end;
    },
  })),
  "lets one of many concurrent writers append at an offset": breakEvents((right) => ({
    append: async (id, events, options) => {
      const end = await right.append(id, events, options);
      return !end.ok && end.reason === "gap"
        ? right.append(id, events, { ...options, firstOffset: end.cursor.offset })
        : end;
    },
  })),
  "refuses events under another lease": breakEvents((right) => ({
    append: (id, events, { firstOffset }) => right.append(id, events, { firstOffset }),
  })),
  "keeps the events of runs apart": breakEvents((right) => ({
    append: (_id, events, options) => right.append("r", events, options),
  })),
};

export const BROKEN_NOTIFICATIONS: Readonly<Record<string, Break>> = {
  "keeps a notification pending, with all its fields": breakInbox((right) => ({
    enqueue: (notification) => right.enqueue({ ...notification, taskIds: notification.taskIds.slice(0, 1) }),
  })),
  "finds no notification that was never enqueued": breakInbox((right) => ({
    getByRunId: async (id) => (await right.getByRunId(id)) ?? (undefined as never),
  })),
  "refuses a key that is taken, also after the notification was settled": breakInbox((right) => ({
    enqueue: async (notification) => {
      const end = await right.enqueue(notification);
      if (end.ok || end.record.status === "pending") return end;
      return right.enqueue({ ...notification, idempotencyKey: `${notification.idempotencyKey} again` });
    },
  })),
  "keeps the keys of namespaces apart": (() => {
    const keys = new Map<string, string>();
    return breakInbox((right) => ({
      enqueue: async (notification) => {
        const { idempotencyKey, ownerNamespace, runId } = notification;
        const first = await right.getByRunId(keys.get(idempotencyKey) ?? "none");
        if (first !== null && first.ownerNamespace !== ownerNamespace)
          return { ok: false, reason: "duplicate", record: first };
        keys.set(idempotencyKey, runId);
        return right.enqueue(notification);
      },
    }));
  })(),
  "lets one of many concurrent enqueues with a key win": breakInbox((right) => ({
    enqueue: async (notification) => {
      const { notificationId } = notification;
      return right.enqueue({ ...notification, idempotencyKey: `${notification.idempotencyKey} ${notificationId}` });
    },
  })),
  "lists what is pending in the order in which it came": breakInbox((right) => ({
    listPending: async (...call) =>
      [...(await right.listPending(...call))].sort((a, b) => (a.notificationId < b.notificationId ? -1 : 1)),
  })),
  "lists the notifications of one session in one namespace": breakInbox((right) => ({
    listPending: async (owner, key) => {
      const all = await Promise.all(["s", "s2"].map((each) => right.listPending(owner, each)));
      return key === "s" ? all.flat() : (all[1] ?? []);
    },
  })),
  "acknowledges a notification once": breakInbox((right) => ({
    settle: async (id, change) => {
      const end = await right.settle(id, change);
      return !end.ok && end.reason === "settled" ? { ok: true } : end;
    },
  })),
  "cancels a notification": breakInbox((right) => ({
    settle: async (id, change) => (change.status === "cancelled" ? { ok: true } : right.settle(id, change)),
  })),
  "lets one of many concurrent settles win": breakInbox((right) => ({
    settle: async (id, change) => {
      const end = await right.settle(id, change);
      return !end.ok && end.reason === "settled" ? { ok: true } : end;
    },
  })),
  "answers not-found for a notification that is not there": breakInbox((right) => ({
    settle: async (id, change) => {
      const end = await right.settle(id, change);
      return !end.ok && end.reason === "not-found" ? { ok: false, reason: "settled" } : end;
    },
  })),
};

/** A host whose `transaction` is this one. */
const transact = (
  transaction: (
    store: ExecutionStorePorts & { transaction<T>(work: (tx: ExecutionStorePorts) => Promise<T>): Promise<T> },
    work: (tx: ExecutionStorePorts) => Promise<unknown>,
  ) => Promise<unknown>,
): Break => {
  return (host) => ({
    ...host,
    store: { ...host.store, transaction: (work) => transaction(host.store, work) as ReturnType<typeof work> },
  });
};

export const BROKEN_TRANSACTIONS: Readonly<Record<string, Break>> = {
  "keeps all of a transaction": transact(async (store, work) => {
    await store
      .transaction(async (tx) => {
        await work(tx);
        throw new Error("lost");
      })
      .catch(() => undefined);
    return "done";
  }),
  "keeps nothing of a transaction that throws, after any number of operations": transact((store, work) => work(store)),
  "rejects with what `work` threw": transact((store, work) =>
    store.transaction(work).catch((error: unknown) => {
      throw new Error("failed", { cause: error });
    }),
  ),
  "reads its own writes in a transaction": transact((store, work) =>
    store.transaction((tx) => work({ ...tx, sessions: { ...tx.sessions, load: async () => null } })),
  ),
  "shows nothing of a transaction before it is committed": transact((store, work) => work(store)),
  "loses no increment of concurrent transactions": transact((store, work) => work(store)),
  "lets no two transactions each decide by what the other changes": transact((store, work) => work(store)),
  "refuses a whole transaction of a holder whose lease is lost": updateAs((change, { leaseId: _, ...expected }) => [
    change,
    expected,
  ]),
  "keeps what a transaction did before it met a refusal": transact((store, work) =>
    store
      .transaction((tx) => {
        const update: typeof tx.runs.update = async (...call) => {
          const end = await tx.runs.update(...call);
          if (!end.ok) throw new Error(end.reason);
          return end;
        };
        return work({ ...tx, runs: { ...tx.runs, update } });
      })
      .catch(() => undefined),
  ),
  "tells whoever watches a run of each new status": breakRuns((runs) => ({
    watch: (id, changed) =>
      runs.watch?.(id, (status) => status === "completed" || changed(status)) ?? (() => undefined),
  })),
  "tells whoever watches a run nothing of a transaction that throws": (() => {
    const watchers = new Set<(status: RunStatus) => void>();
    return breakPorts(({ runs }) => ({
      runs: {
        ...runs,
        watch: (_id, changed) => (watchers.add(changed), () => watchers.delete(changed)),
        update: async (id, change, expected) => {
          const end = await runs.update(id, change, expected);
          for (const changed of watchers) if (change.status !== undefined) changed(change.status);
          return end;
        },
      },
    }));
  })(),
  "tells nobody who has stopped watching": breakRuns((runs) => ({
    watch: (id, changed) => {
      runs.watch?.(id, changed);
      return () => undefined;
    },
  })),
  "refuses every call after it was closed": (host) => ({ ...host, close: async () => undefined }),
};
