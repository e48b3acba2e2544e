// The order of runs in a session, their due times, holds, leases, releases and stalls: any sequence of calls gives the answers of a
// plain list. Stores that are broken on purpose do not.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ExecutionStore, RunKind, RunRecord, RunStatus, RunStore } from "../../src/core/index.js";
import { createInMemoryExecutionHost } from "../../src/core/session/index.js";

interface Item {
  readonly runId: string;
  readonly kind: RunKind;
  readonly sessionKey: string;
  readonly readyAtMs: number;
  status: RunStatus;
  attempt: number;
  stalls: number;
  checkpointVersion: number;
  lease?: { leaseId: string; untilMs: number } | undefined;
}

const ENDED: readonly RunStatus[] = ["completed", "error", "cancelled"];

/** The list. `items` are in the order of creation. */
class Model {
  now = 1_000;
  readonly items: Item[] = [];

  at(index: number): Item | undefined {
    return this.items[index % Math.max(1, this.items.length)];
  }

  create(kind: RunKind, sessionKey: string, delayMs: number, hold: { leaseId: string; leaseMs: number } | undefined) {
    const runId = `run-${this.items.length}`;
    const lease = hold && { leaseId: hold.leaseId, untilMs: this.now + hold.leaseMs };
    this.items.push({
      ...{ runId, kind, sessionKey, readyAtMs: this.now + delayMs, status: "queued", lease },
      ...{ attempt: 0, stalls: 0, checkpointVersion: 0 },
    });
    return "ok";
  }

  claim(item: Item, leaseId: string, leaseMs: number, exclusive: boolean): string {
    const heads = this.heads(item.sessionKey);
    const isLive = item.lease !== undefined && item.lease.untilMs > this.now;
    if (ENDED.includes(item.status) || item.status === "needs-recovery") return "not-claimable";
    if (item.status === "queued" && item.checkpointVersion === 0 && item.readyAtMs > this.now) return "not-claimable";
    if (isLive && !(item.status === "queued" && item.lease?.leaseId === leaseId)) return "leased";
    if (exclusive && !heads.includes(item)) return "session-busy";
    item.status = "leased";
    item.attempt += 1;
    item.stalls += 1;
    item.lease = { leaseId, untilMs: this.now + leaseMs };
    return "ok";
  }

  renew(item: Item, leaseId: string, leaseMs: number): string {
    if (item.lease?.leaseId !== leaseId) return item.status;
    item.lease.untilMs = this.now + leaseMs;
    return "ok";
  }

  update(item: Item, status: RunStatus | undefined, leaseId: string | undefined, from: RunStatus[], release: boolean) {
    if (leaseId !== undefined && item.lease?.leaseId !== leaseId) return "lost-lease";
    if (ENDED.includes(item.status) || !from.includes(item.status)) return "status";
    const isWorking = item.status === "leased" || item.status === "running";
    const willWork = status === undefined ? isWorking : status === "leased" || status === "running";
    if (willWork && !isWorking) return "status";
    if (release && isWorking && item.lease !== undefined) item.stalls = Math.max(0, item.stalls - 1);
    if (release || (status !== undefined && !willWork)) item.lease = undefined;
    item.status = status ?? item.status;
    return "ok";
  }

  append(item: Item, leaseId: string, expectedVersion: number, isSuspended: boolean): string {
    if (item.lease?.leaseId !== leaseId || !["leased", "running"].includes(item.status)) return "lost-lease";
    if (item.checkpointVersion !== expectedVersion) return "stale-version";
    item.checkpointVersion += 1;
    item.stalls = 0;
    item.status = isSuspended ? "suspended" : "running";
    if (isSuspended) item.lease = undefined;
    return "ok";
  }

  /** The runs of a session that may be worked on: one that has begun, or the first of the queue and the notifications in front of it. */
  private heads(sessionKey: string): Item[] {
    const open = this.items.filter((item) => item.sessionKey === sessionKey && !ENDED.includes(item.status));
    const queue = open.sort((a, b) => a.readyAtMs - b.readyAtMs || this.items.indexOf(a) - this.items.indexOf(b));
    const begun = queue.filter(({ status, checkpointVersion }) => status !== "queued" || checkpointVersion > 0);
    if (begun.length > 0) return begun.slice(0, 1);
    const ready = queue.filter(({ readyAtMs }) => readyAtMs <= this.now);
    const first = ready.findIndex(({ kind }) => kind !== "notification");
    return first < 0 ? ready : ready.slice(0, first + 1);
  }
}

interface Real {
  readonly store: ExecutionStore;
  readonly clock: { now: number };
}

const OWNER = "agent";

async function assertAlike(model: Model, { store }: Real): Promise<void> {
  for (const item of model.items) {
    const { runId, status, attempt, stalls, checkpointVersion, lease, readyAtMs } = (await store.runs.get(
      item.runId,
    )) as RunRecord;
    const { kind: _kind, sessionKey: _key, ...known } = item;
    expect({ runId, status, attempt, stalls, checkpointVersion, lease, readyAtMs }).toEqual(known);
  }
  for (const sessionKey of SESSIONS) {
    const open = await store.runs.listOpen(OWNER, { sessionKey });
    const known = model.items.filter((item) => item.sessionKey === sessionKey && !ENDED.includes(item.status));
    expect(open.map(({ runId }) => runId)).toEqual(known.map(({ runId }) => runId));
  }
}

/** One call on both, with the words that a counterexample shows. */
class Call implements fc.AsyncCommand<Model, Real> {
  readonly #words: string;
  readonly #work: (model: Model, real: Real) => Promise<[string | undefined, string | undefined]>;

  constructor(words: string, work: (model: Model, real: Real) => Promise<[string | undefined, string | undefined]>) {
    this.#words = words;
    this.#work = work;
  }

  check(): boolean {
    return true;
  }

  async run(model: Model, real: Real): Promise<void> {
    const [answer, expected] = await this.#work(model, real);
    expect(answer).toBe(expected);
    await assertAlike(model, real);
  }

  toString(): string {
    return this.#words;
  }
}

const outcome = (answer: { ok: boolean; reason?: string }) => (answer.ok ? "ok" : answer.reason);

const SESSIONS = ["a", "b"];
const index = fc.nat({ max: 5 });
const lease = fc.constantFrom("L0", "L1", "L2");
const ms = fc.constantFrom(0, 10, 20, 50);
const statuses: RunStatus[] = ["queued", "running", "suspended", "needs-recovery", "completed", "cancelled"];

const created = fc.record({
  kind: fc.constantFrom<RunKind>("user-turn", "user-turn", "notification", "subagent"),
  sessionKey: fc.constantFrom("a", "a", "a", "b"),
  delayMs: fc.constantFrom(0, 0, 10, 30),
  hold: fc.option(fc.record({ leaseId: lease, leaseMs: ms }), { nil: undefined, freq: 2 }),
});

const commands = [
  created.map(
    ({ kind, sessionKey, delayMs, hold }) =>
      new Call(`create ${kind} ${sessionKey} +${delayMs} ${JSON.stringify(hold)}`, async (model, { store }) => {
        const runId = `run-${model.items.length}`;
        const answer = await store.runs.create(
          { runId, kind, sessionKey, ownerNamespace: OWNER, rootRunId: runId },
          { readyAfterMs: delayMs, ...(hold === undefined ? {} : { hold }) },
        );
        return [outcome(answer), model.create(kind, sessionKey, delayMs, hold)];
      }),
  ),
  fc.tuple(index, lease, ms, fc.constantFrom(true, true, true, false)).map(([at, leaseId, leaseMs, exclusive]) => {
    return new Call(`claim ${at} ${leaseId} ${leaseMs} ${exclusive}`, async (model, { store }) => {
      const item = model.at(at);
      if (item === undefined) return [undefined, undefined];
      const answer = await store.runs.claim(item.runId, { leaseId, leaseMs, ownerNamespace: OWNER, exclusive });
      return [outcome(answer), model.claim(item, leaseId, leaseMs, exclusive)];
    });
  }),
  fc.tuple(index, lease, ms).map(([at, leaseId, leaseMs]) => {
    return new Call(`renew ${at} ${leaseId} ${leaseMs}`, async (model, { store }) => {
      const item = model.at(at);
      if (item === undefined) return [undefined, undefined];
      const answer = await store.runs.renew(item.runId, leaseId, leaseMs);
      return [answer.ok ? "ok" : answer.status, model.renew(item, leaseId, leaseMs)];
    });
  }),
  fc
    .tuple(
      index,
      fc.option(fc.constantFrom(...statuses), { nil: undefined }),
      fc.option(lease, { nil: undefined }),
      fc.subarray<RunStatus>(["queued", "leased", "running", "suspended", "needs-recovery", "completed"], {
        minLength: 3,
      }),
      fc.boolean(),
    )
    .map(([at, status, leaseId, from, release]) => {
      const words = `update ${at} ${status} ${leaseId} from ${from.join()} ${release ? "release" : ""}`;
      return new Call(words, async (model, { store }) => {
        const item = model.at(at);
        if (item === undefined) return [undefined, undefined];
        const answer = await store.runs.update(
          item.runId,
          { ...(status === undefined ? {} : { status }) },
          { from, release, ...(leaseId === undefined ? {} : { leaseId }) },
        );
        return [outcome(answer), model.update(item, status, leaseId, from, release)];
      });
    }),
  fc.tuple(index, lease, fc.constantFrom(0, 0, 0, 1), fc.boolean()).map(([at, leaseId, off, isSuspended]) => {
    return new Call(`append ${at} ${leaseId} ${off} ${isSuspended}`, async (model, { store }) => {
      const item = model.at(at);
      if (item === undefined) return [undefined, undefined];
      const expectedVersion = item.checkpointVersion + off;
      const answer = await store.checkpoints.append(
        {
          ...{ checkpointId: "c", runId: item.runId, version: expectedVersion + 1, appended: [], runtimeState: null },
          phases: isSuspended ? ["after-tool", "suspended"] : ["after-model"],
        },
        { expectedVersion, leaseId },
      );
      return [outcome(answer), model.append(item, leaseId, expectedVersion, isSuspended)];
    });
  }),
  fc.constantFrom(1, 10, 30, 60).map(
    (passed) =>
      new Call(`wait ${passed}`, async (model, { clock }) => {
        clock.now += passed;
        model.now += passed;
        return [undefined, undefined];
      }),
  ),
];

async function assertLaw(broken: (runs: RunStore, store: ExecutionStore) => Partial<RunStore> = () => ({})) {
  const law = fc.asyncProperty(fc.commands(commands, { maxCommands: 40 }), async (drawn) => {
    const clock = { now: 1_000 };
    const { store } = createInMemoryExecutionHost({ ports: { now: () => clock.now } });
    const runs = { ...store.runs, ...broken(store.runs, store) };
    await fc.asyncModelRun(() => ({ model: new Model(), real: { store: { ...store, runs }, clock } }), drawn);
  });
  await fc.assert(law, { numRuns: 600, endOnFailure: true });
}

describe("PSS-125 the order of runs in a session", () => {
  it("is that of a plain list", async () => {
    await assertLaw();
  });

  it.each<[string, (runs: RunStore, store: ExecutionStore) => Partial<RunStore>]>([
    [
      "lets a run begin that is not the head",
      (runs) => ({ claim: (runId, options) => runs.claim(runId, { ...options, exclusive: false }) }),
    ],
    [
      "lets a notification wait for no older turn",
      (runs) => ({
        claim: async (runId, options) => {
          const isNotification = (await runs.get(runId))?.kind === "notification";
          return runs.claim(runId, isNotification ? { ...options, exclusive: false } : options);
        },
      }),
    ],
    [
      "ignores holds",
      (runs) => ({
        claim: async (runId, options) => {
          const answer = await runs.claim(runId, options);
          const isHeld = !answer.ok && answer.reason === "leased" && (await runs.get(runId))?.status === "queued";
          if (!isHeld) return answer;
          await runs.update(runId, {}, { release: true });
          return runs.claim(runId, options);
        },
      }),
    ],
    [
      "ignores leases",
      (runs) => ({
        claim: async (runId, options) => {
          const answer = await runs.claim(runId, options);
          if (answer.ok || answer.reason !== "leased") return answer;
          await runs.update(runId, {}, { release: true });
          return runs.claim(runId, options);
        },
      }),
    ],
    [
      "counts stalls over checkpoints",
      (runs) => ({
        get: async (runId) => {
          const run = await runs.get(runId);
          return run === null ? null : { ...run, stalls: run.attempt };
        },
      }),
    ],
    [
      "keeps the lease of a run that is suspended or over",
      (runs) => {
        const leases = new Map<string, RunRecord["lease"]>();
        return {
          get: async (runId) => {
            const run = await runs.get(runId);
            if (run?.lease !== undefined) leases.set(runId, run.lease);
            const lease = leases.get(runId);
            return run === null || run.status !== "suspended" || lease === undefined ? run : { ...run, lease };
          },
        };
      },
    ],
    [
      "makes every run ready at once",
      (runs) => ({
        create: (run, options) => runs.create(run, { ...options, readyAfterMs: 0 }),
        get: async (runId) => runs.get(runId),
      }),
    ],
    [
      "takes a release for no release",
      (runs) => ({ update: (runId, change, expected) => runs.update(runId, change, { ...expected, release: false }) }),
    ],
  ])("is not that of a store that %s", async (_name, broken) => {
    await expect(assertLaw(broken)).rejects.toThrow(/Property failed/);
  });
});
