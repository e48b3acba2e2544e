// The suite against the host in memory, and against a host for each case that is broken on purpose.

import { describe, expect, it } from "vitest";
import type { ExecutionHost } from "../../../../src/core/index.js";
import { createInMemoryExecutionHost } from "../../../../src/core/session/index.js";
import { schedulerConformance } from "../../../../src/harness/conformance/scheduler/suite.js";
import { fixedClock } from "../../../../src/harness/doubles/clock.js";
import { rejection } from "../../../support/refusal.js";

type Deliver = (runId: string) => void;

const clock = fixedClock();
const options = { pass: (ms: number) => clock.advance(ms) };
const open = (onResume: Deliver) => createInMemoryExecutionHost({ onResume, ports: clock });
const cases = schedulerConformance(open, options);

describe("PSS-71 PSS-73 PSS-74 the scheduler of the host in memory", () => {
  for (const { name, run } of cases) it(name, run);

  it("is held to at least 10 cases", () => {
    expect(cases.length).toBeGreaterThanOrEqual(10);
  });
});

type Scheduler = ExecutionHost["scheduler"];

const scheduling =
  (change: (right: Scheduler, deliver: Deliver) => Partial<Scheduler>) =>
  (deliver: Deliver): ExecutionHost => {
    const host = open(deliver);
    return { ...host, scheduler: { ...host.scheduler, ...change(host.scheduler, deliver) } };
  };

/** A host that delivers only what `isSeen`, which may look at the store. */
const delivering =
  (isSeen: (runId: string, count: number, host: ExecutionHost) => boolean | Promise<boolean>) =>
  (deliver: Deliver): ExecutionHost => {
    const counts = new Map<string, number>();
    const host: ExecutionHost = open(async (runId) => {
      const count = (counts.get(runId) ?? 0) + 1;
      counts.set(runId, count);
      if (await isSeen(runId, count, host)) deliver(runId);
    });
    return host;
  };

const statusOf = async ({ store }: ExecutionHost, runId: string) => (await store.runs.get(runId))?.status;
const attemptsOf = async ({ store }: ExecutionHost, runId: string) => (await store.runs.get(runId))?.attempt ?? 0;
const nothing = async () => undefined;

/** Without a sweep: only what is enqueued is delivered. */
const unswept = (deliver: Deliver): ExecutionHost => {
  const enqueued = new Set<string>();
  const host = open((runId) => void (enqueued.has(runId) && deliver(runId)));
  const { enqueueRun } = host.scheduler;
  return {
    ...host,
    scheduler: { ...host.scheduler, enqueueRun: (id, ...rest) => (enqueued.add(id), enqueueRun(id, ...rest)) },
  };
};

const BROKEN: Readonly<Record<string, (deliver: Deliver) => ExecutionHost>> = {
  "delivers a run that was enqueued": delivering(() => false),
  "delivers the ids of runs as they are": (deliver) => open((runId) => deliver(encodeURIComponent(runId))),
  "delivers a run that nobody enqueued": unswept,
  "D1 delivers a delayed run when it is ready": unswept,
  "delivers a run no sooner than its delay": scheduling((right) => ({
    enqueueRun: (runId, { runAfterMs: _, ...rest }) => right.enqueueRun(runId, rest),
  })),
  "lets the earlier of two times win": (deliver) => {
    const late = new Set<string>();
    const host = open((runId) => void (late.has(runId) || deliver(runId)));
    return {
      ...host,
      scheduler: {
        ...host.scheduler,
        async enqueueRun(runId, { runAfterMs = 0 }) {
          if (runAfterMs > 0) late.add(runId);
          else if (!late.has(runId)) deliver(runId);
        },
      },
    };
  },
  "does not deliver a run that was cancelled": scheduling((_right, deliver) => ({
    enqueueRun: async (runId, { runAfterMs = 0 }) => void clock.timer(runAfterMs, () => deliver(runId)),
    cancelRun: nothing,
  })),
  "cancels what is not there without an error": scheduling((right) => ({
    cancelRun: async (runId) => {
      if (runId === "none") throw new Error("there is no such delivery");
      await right.cancelRun(runId);
    },
  })),
  "delivers a run whose holder died": delivering(async (id, _count, host) => (await statusOf(host, id)) !== "leased"),
  "D3 delivers a run whose hold ran out": delivering(
    async (id, _count, host) => (await host.store.runs.get(id))?.lease === undefined,
  ),
  "delivers a suspended run": delivering(async (id, _count, host) => (await statusOf(host, id)) !== "suspended"),
  "delivers the next run of a session after the one before it": delivering(async (id, _count, host) => {
    return id === "r1" || (await attemptsOf(host, id)) > 0;
  }),
  "delivers a run again until somebody claims it": delivering((_id, count) => count === 1),
  "delivers nothing after it was closed": (deliver) => ({ ...open(deliver), close: nothing }),
};

describe("a scheduler that is broken on purpose", () => {
  it.each(Object.entries(BROKEN))("is found by: %s", async (name, broken) => {
    const found = schedulerConformance(broken, options).find((each) => each.name === name);
    expect(await rejection(found?.run() as Promise<void>)).toHaveProperty("expected");
  });

  it("is tried in every case", () => {
    expect(cases.map(({ name }) => name).sort()).toEqual(Object.keys(BROKEN).sort());
  });
});
