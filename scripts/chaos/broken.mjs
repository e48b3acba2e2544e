// Stores that are broken on purpose, each in one way. A fault that does not find the break is a bad test.

import { setTimeout as sleep } from "node:timers/promises";

const withPorts = (host, change) => ({
  ...host,
  store: {
    ...host.store,
    ...change(host.store),
    transaction: (work) => host.store.transaction((tx) => work({ ...tx, ...change(tx) })),
  },
});

const BREAKS = {
  /** Answers before it has stored. */
  early: (host) => ({
    ...host,
    scheduler: { ...host.scheduler, enqueueRun: async () => undefined },
    store: {
      ...host.store,
      transaction: (work) =>
        new Promise((answer, reject) => {
          host.store
            .transaction(async (tx) => {
              const result = await work(tx);
              answer(result);
              await sleep(40);
              return result;
            })
            .catch(reject);
        }),
    },
  }),
  /** Keeps what a transaction did before it failed. */
  torn: (host) => ({
    ...host,
    store: {
      ...host.store,
      transaction: (work) => work(host.store),
      transactionWith: (work) =>
        work(host.store, { run: (...given) => host.store.access.write((sql) => sql.run(...given)) }),
    },
  }),
  /** Accepts writes of holders that have lost their lease. */
  unfenced: (host) =>
    withPorts(host, ({ runs }) => ({
      runs: { ...runs, update: (runId, change, { leaseId: _lost, ...rest }) => runs.update(runId, change, rest) },
    })),
  /** Stores a value without comparing versions. */
  blind: (host) =>
    withPorts(host, ({ sessions }) => ({
      sessions: {
        ...sessions,
        commit: async (key, value) => {
          const there = await sessions.load(key);
          return sessions.commit(key, value, { expectedVersion: there?.version ?? null });
        },
      },
    })),
  /** Enqueues nothing. This is a fault that a worker must bear. */
  deaf: (host) => ({ ...host, scheduler: { ...host.scheduler, enqueueRun: async () => undefined } }),
  /** Enqueues nothing, and its workers do not look for runs. */
  sleepy: (host) => ({ ...BREAKS.deaf(host), work: () => ({ running: 0, stop: async () => undefined }) }),
  /** Does not recognise an input that comes twice. */
  forgetful: (host) =>
    withPorts(host, ({ runs }) => ({
      runs: { ...runs, create: ({ dedupeKey: _forgotten, ...run }, options) => runs.create(run, options) },
    })),
  /** Uses the wall clock for its leases. */
  wall: (host) => host,
  /** Stores the effects of a tool outside of its transaction. */
  loose: (host) => host,
  /** Never gives a run up. */
  patient: (host) => ({ ...host, maxAttempts: Infinity }),
};

export const breakStore = (host, name) => (name === undefined ? host : BREAKS[name](host));
