// Any sequence of port calls gives the same answers on SQLite, on PostgreSQL and in memory, and what the worker would be given is what may be claimed.

import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { ExecutionStore } from "../../src/core/index.js";
import { createInMemoryExecutionHost } from "../../src/core/session/index.js";
import { findObstacle, isHead } from "../../src/core/session/memory-host/order.js";
import { takeDue } from "../../src/host/durable/deliver.js";
import type { SqlStore } from "../../src/host/sql/store.js";
import { openSqliteExecutionHost } from "../../src/host/sqlite/open.js";
import { openRawStore } from "../support/postgres-store.js";
import { describePostgres } from "../support/servers.js";
import { answer, one, OWNER, readAll, SESSIONS, type Call } from "../support/store-calls.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const folder = temporaryFolder();
afterAll(() => folder.remove());
let files = 0;

type Step =
  | { readonly kind: "call"; readonly call: Call }
  | { readonly kind: "transaction"; readonly calls: readonly Call[]; readonly throws: boolean }
  | { readonly kind: "wait"; readonly ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: one.map((only) => ({ kind: "call" as const, call: only })) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("transaction" as const),
      calls: fc.array(one, { maxLength: 4 }),
      throws: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.constantFrom(1, 10, 30).map((passed) => ({ kind: "wait" as const, ms: passed })) },
);

const wordsOf = (one: Step): string =>
  one.kind === "call"
    ? one.call.words
    : one.kind === "wait"
      ? `wait ${one.ms}`
      : `[${one.calls.map(({ words }) => words).join("; ")}${one.throws ? "; throw" : ""}]`;

async function take(one: Step, store: ExecutionStore, versions: Map<string, string>): Promise<unknown> {
  if (one.kind === "call") return answer(one.call, store, versions);
  if (one.kind === "wait") return undefined;
  const own = new Map(versions);
  try {
    const answers = await store.transaction(async (tx) => {
      const all = [];
      for (const each of one.calls) all.push(await answer(each, tx, own));
      if (one.throws) throw new Error("undo");
      return all;
    });
    for (const [key, version] of own) versions.set(key, version);
    return answers;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The runs that may be claimed now and that nobody holds, by the order of the store in memory. */
async function freeHeads({ runs }: ExecutionStore, now: number): Promise<string[]> {
  const free: string[] = [];
  for (const key of SESSIONS) {
    const open = await runs.listOpen(OWNER, { sessionKey: key });
    for (const run of open) {
      const isHeld = run.lease !== undefined && run.lease.untilMs > now;
      if (!isHeld && findObstacle(run, "", now) === undefined && isHead(run, open, now)) free.push(run.runId);
    }
  }
  return free.sort();
}

/** A new, empty store with a clock that stands still until it is set. */
interface Opened {
  readonly store: SqlStore;
  setClock(nowMs: number): void | Promise<void>;
  close(): Promise<void>;
}

async function openSqlite(): Promise<Opened> {
  const clock = { now: 0 };
  const file = folder.path(`law-${Date.now()}-${files++}.db`);
  const host = await openSqliteExecutionHost(file, { ports: { now: () => clock.now } });
  return { store: host.store as SqlStore, setClock: (nowMs) => void (clock.now = nowMs), close: () => host.close() };
}

async function assertLaw(
  broken: (store: ExecutionStore) => ExecutionStore = (store) => store,
  open: () => Promise<Opened> = openSqlite,
) {
  const law = fc.asyncProperty(
    fc
      .array(step, { minLength: 20, maxLength: 60, size: "max" })
      .map((steps) => ({ steps, toString: () => steps.map(wordsOf).join("\n") })),
    async ({ steps }) => {
      const clock = { now: 1_000 };
      const memory = createInMemoryExecutionHost({ ports: { now: () => clock.now } });
      const { store: tested, setClock, close } = await open();
      try {
        await setClock(clock.now);
        const stores = [broken(tested), memory.store].map((store) => ({ store, versions: new Map<string, string>() }));
        for (const each of steps) {
          if (each.kind === "wait") await setClock((clock.now += each.ms));
          const answers = [];
          for (const { store, versions } of stores) answers.push(withoutOrder(await take(each, store, versions)));
          expect(answers[0]).toEqual(answers[1]);
        }
        expect(await readAll(tested)).toEqual(await readAll(memory.store));
        const due = await takeDue({ access: tested.access, hostId: "me", namespaces: [OWNER] }, 100);
        expect(due.map(({ runId }) => runId).sort()).toEqual(await freeHeads(memory.store, clock.now));
      } finally {
        await close();
      }
    },
  );
  await fc.assert(law, { numRuns: 40, endOnFailure: true });
}

const withoutOrder = (found: unknown): unknown =>
  found === undefined
    ? undefined
    : JSON.parse(JSON.stringify(found, (name, part: unknown) => (name === "order" ? undefined : part)));

describe("PSS-145 PSS-125 a durable store on SQLite", { timeout: 120_000 }, () => {
  it("answers any sequence of calls like the store in memory, and delivers exactly the heads that nobody holds", async () => {
    await assertLaw();
  });

  it.each<[string, (store: ExecutionStore) => ExecutionStore]>([
    [
      "lets a run begin that is not the head",
      (store) => ({
        ...store,
        runs: { ...store.runs, claim: (id, options) => store.runs.claim(id, { ...options, exclusive: false }) },
      }),
    ],
    ["keeps what a transaction did before it threw", (store) => ({ ...store, transaction: (work) => work(store) })],
    [
      "changes a run without its lease",
      (store) => ({
        ...store,
        runs: {
          ...store.runs,
          update: (id, change, { from, release }) =>
            store.runs.update(id, change, { ...(from && { from }), ...(release !== undefined && { release }) }),
        },
      }),
    ],
  ])("does not answer like one that %s", async (_name, broken) => {
    await expect(assertLaw(broken)).rejects.toThrow(/Property failed/);
  });
});

describePostgres("PSS-145 PSS-125 a durable store on PostgreSQL", (server) => {
  it(
    "answers any sequence of calls like the store in memory, and delivers the same heads",
    { timeout: 300_000 },
    async () => {
      const { store, empty, stopClock, close } = await openRawStore(server);
      const open = async (): Promise<Opened> => {
        await empty();
        return { store, setClock: stopClock, close: async () => undefined };
      };
      await assertLaw(undefined, open).finally(close);
    },
  );
});
