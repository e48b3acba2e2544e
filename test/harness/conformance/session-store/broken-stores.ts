// A store of sessions that is broken on purpose for each case.

import type { SessionStore, StoredSession } from "../../../../src/core/index.js";

export type BreakStore = (right: Required<SessionStore>) => Partial<SessionStore>;

const later = () => new Promise((resolve) => setTimeout(resolve, 1));

/** Loads the state before the last one. */
const stale: BreakStore = (right) => {
  const before = new Map<string, StoredSession | null>();
  return {
    commit: async (key, ...rest) => {
      const old = await right.load(key);
      const end = await right.commit(key, ...rest);
      if (end.ok) before.set(key, old);
      return end;
    },
    load: async (key) => {
      const old = before.get(key) ?? null;
      before.delete(key);
      return old ?? right.load(key);
    },
  };
};

/** Compares the version, and writes later. */
const racing: BreakStore = (right) => ({
  commit: async (key, next, { expectedVersion }) => {
    if ((await right.version(key)) !== expectedVersion) return { ok: false, reason: "conflict" };
    await later();
    return right.commit(key, next, { expectedVersion: await right.version(key) });
  },
});

/** Counts the versions of each key by itself. */
const counting =
  (isKept: boolean): BreakStore =>
  () => {
    const sessions = new Map<string, StoredSession>();
    let kept = 0;
    return {
      load: async (key) => sessions.get(key) ?? null,
      version: async (key) => sessions.get(key)?.version ?? null,
      commit: async (key, { state }, { expectedVersion }) => {
        const version = sessions.get(key)?.version ?? null;
        if (version !== expectedVersion) return { ok: false, reason: "conflict" };
        const next = String(Number(version ?? (isKept ? kept : 0)) + 1);
        sessions.set(key, { state, version: next });
        return { ok: true, version: next };
      },
      delete: async (key) => {
        kept = Number(sessions.get(key)?.version ?? 0);
        sessions.delete(key);
      },
    };
  };

const keyed =
  (change: (key: string) => string): BreakStore =>
  (right) => ({
    load: (key) => right.load(change(key)),
    commit: (key, ...rest) => right.commit(change(key), ...rest),
    delete: (key) => right.delete(change(key)),
  });

export const BROKEN_STORES: Readonly<Record<string, BreakStore>> = {
  "has nothing of a session that was never stored": (right) => ({
    load: async (key) => (await right.load(key)) ?? (undefined as never),
  }),
  "loads what was committed, at the version that commit returned": (right) => ({
    load: async (key) => {
      const stored = await right.load(key);
      return stored === null ? null : { ...stored, version: `v${stored.version}` };
    },
  }),
  "loads every kind of JSON value": (right) => ({
    load: async (key) => {
      const stored = await right.load(key);
      return stored?.state === null ? null : stored;
    },
  }),
  "refuses a commit at another version, and keeps the state": (right) => ({
    commit: async (key, next) => right.commit(key, next, { expectedVersion: await right.version(key) }),
  }),
  "refuses a first commit to a session that is there": (right) => ({
    commit: async (key, next, { expectedVersion }) =>
      right.commit(key, next, { expectedVersion: expectedVersion ?? (await right.version(key)) }),
  }),
  "refuses a later commit to a session that is not there": (right) => ({
    commit: async (key, next, options) =>
      right.commit(key, next, (await right.version(key)) === null ? { expectedVersion: null } : options),
  }),
  "gives each commit a version of its own, also for an equal state": (right) => ({
    commit: async (key, next, { expectedVersion }) => {
      const stored = await right.load(key);
      const isSame = stored !== null && stored.version === expectedVersion && stored.state === next.state;
      return isSame ? { ok: true, version: stored.version } : right.commit(key, next, { expectedVersion });
    },
  }),
  "never gives a version again after a delete": counting(false),
  "refuses the version of before a delete": counting(false),
  "lets one of many concurrent commits at a version win": racing,
  "lets one of many concurrent first commits win": racing,
  "loses no increment of concurrent writers": racing,
  "reads what it wrote, at once": stale,
  "deletes a session whole": () => ({ delete: async () => undefined }),
  "deletes what is not there without an error": (right) => ({
    delete: async (key) => {
      if ((await right.load(key)) === null) throw new Error("there is no such session");
      await right.delete(key);
    },
  }),
  "begins a deleted session again": (right) => {
    const deleted = new Set<string>();
    return {
      delete: async (key) => (deleted.add(key), right.delete(key)),
      commit: async (key, ...rest) =>
        deleted.has(key) ? { ok: false, reason: "conflict" } : right.commit(key, ...rest),
    };
  },
  "deletes one session and no other": (right) => ({
    delete: async (key) => {
      for (const each of [key, `${key}${key}`]) await right.delete(each);
    },
  }),
  "keeps sessions apart, whatever their keys are": keyed((key) => key.toLowerCase()),
  "takes the longest key": keyed((key) => key.slice(0, 1_000)),
  "refuses keys that it cannot keep": (right) => ({
    load: async (key) => (key === "" ? null : right.load(key)),
  }),
  "shares nothing with what it was given": counting(true),
  "shares nothing with what it returned": (right) => {
    const known = new Map<string, StoredSession>();
    return {
      load: async (key) => {
        const stored = known.get(key) ?? (structuredClone(await right.load(key)) as StoredSession);
        known.set(key, stored);
        return stored;
      },
    };
  },
  "refuses a state that is not JSON, and keeps the one before": (right) => ({
    commit: (key, { state }, options) => {
      const own: unknown = JSON.parse(JSON.stringify(state) ?? "null");
      return right.commit(key, { state: own as never }, options);
    },
  }),
  "keeps the largest state, and refuses a larger one": (right) => ({
    commit: (key, { state }, options) =>
      right.commit(key, { state: typeof state === "string" ? state.slice(0, 1_000) : state }, options),
  }),
  "tells the present version without the state": (right) => ({
    version: async (key) => ((await right.version(key)) === null ? null : "1"),
  }),
};
