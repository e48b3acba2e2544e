// Up to five random transactions that run at once end as they would have one after another, in some order. The orders are tried on the
// store in memory, which runs one call at a time.

import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { canonicalize, type ExecutionStore } from "../../src/core/index.js";
import { createInMemoryExecutionHost } from "../../src/core/session/index.js";
import { openSqliteExecutionHost } from "../../src/host/sqlite/open.js";
import { openRawStore } from "../support/postgres-store.js";
import { describePostgres } from "../support/servers.js";
import { answer, look, one, readAll, type Call } from "../support/store-calls.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const folder = temporaryFolder();
afterAll(() => folder.remove());
let files = 0;

/** Time stands still, so that leases and delays mean the same in each order. */
const NOW_MS = 1_000;
const ports = { now: () => NOW_MS };

interface Transaction {
  /** Each call with the time in ms before it. */
  readonly calls: readonly (readonly [call: Call, pauseMs: number])[];
  readonly throws: boolean;
}

interface Scenario {
  readonly before: readonly Call[];
  readonly together: readonly Transaction[];
}

const anyCall = fc.oneof({ weight: 3, arbitrary: one }, { weight: 2, arbitrary: look });
const transaction: fc.Arbitrary<Transaction> = fc.record({
  calls: fc.array(fc.tuple(anyCall, fc.nat(2)), { minLength: 1, maxLength: 4 }),
  throws: fc.constantFrom(false, false, false, true),
});

const scenario: fc.Arbitrary<Scenario> = fc
  .record({
    before: fc.array(one, { maxLength: 8 }),
    together: fc.array(transaction, { minLength: 2, maxLength: 5, size: "max" }),
  })
  .map((found) => ({ ...found, toString: () => wordsOf(found) }));

const wordsOf = ({ before, together }: Scenario): string =>
  [
    ...before.map(({ words }) => words),
    ...together.map(
      ({ calls, throws }) => `[${calls.map(([{ words }]) => words).join("; ")}${throws ? "; throw" : ""}]`,
    ),
  ].join("\n");

/** A store after the calls of the scenario that come first. */
interface Prepared {
  readonly store: ExecutionStore;
  readonly versions: ReadonlyMap<string, string>;
}

async function prepare(store: ExecutionStore, { before }: Scenario): Promise<Prepared> {
  const versions = new Map<string, string>();
  for (const call of before) await answer(call, store, versions);
  return { store, versions };
}

async function run({ store, versions }: Prepared, { calls, throws }: Transaction, waits: boolean): Promise<string> {
  const undo = new Error("undo");
  try {
    return await store.transaction(async (tx) => {
      // The work may run more than once.
      const own = new Map(versions);
      const answers = [];
      for (const [call, pauseMs] of calls) {
        if (waits) await setTimeout(pauseMs);
        answers.push(await answer(call, tx, own));
      }
      if (throws) throw undo;
      return toText(answers);
    });
  } catch (error) {
    if (error === undo) return "undone";
    throw error;
  }
}

/** The order of notifications grows, but not by the same steps. */
const toText = (value: unknown): string =>
  canonicalize(JSON.parse(JSON.stringify(value, (name, part: unknown) => (name === "order" ? undefined : part))));

/** True if one order of the transactions gives these answers and this end. */
async function isExplained(whole: Scenario, answers: readonly string[], end: string): Promise<boolean> {
  const replay = async (order: readonly number[]): Promise<boolean> => {
    const prepared = await prepare(createInMemoryExecutionHost({ ports }).store, whole);
    let last = "";
    for (const index of order) last = await run(prepared, whole.together[index] as Transaction, false);
    if (order.length > 0 && last !== answers[order.at(-1) as number]) return false;
    if (order.length === answers.length) return toText(await readAll(prepared.store)) === end;
    for (const next of answers.keys()) {
      if (!order.includes(next) && (await replay([...order, next]))) return true;
    }
    return false;
  };
  return replay([]);
}

interface Opened {
  readonly store: ExecutionStore;
  close(): Promise<void>;
}

async function assertLaw(open: () => Promise<Opened>, numRuns: number): Promise<void> {
  const law = fc.asyncProperty(scenario, async (whole) => {
    const { store, close } = await open();
    try {
      const prepared = await prepare(store, whole);
      const answers = await Promise.all(whole.together.map((each) => run(prepared, each, true)));
      const end = toText(await readAll(store));
      expect(await isExplained(whole, answers, end), `no order gives\n${answers.join("\n")}\n${end}`).toBe(true);
    } finally {
      await close();
    }
  });
  // How the transactions meet does not repeat, so a smaller scenario may pass.
  await fc.assert(law, { numRuns, endOnFailure: true });
}

/** Each call of a transaction is a step of its own. */
const torn = (store: ExecutionStore): ExecutionStore => ({ ...store, transaction: (work) => work(store) });

async function openMemory(): Promise<Opened> {
  const { store, close } = createInMemoryExecutionHost({ ports });
  return { store, close };
}

describe("PSS-145 transactions that run at once, in memory", { timeout: 120_000 }, () => {
  it("end as one after another", async () => {
    await assertLaw(openMemory, 100);
  });

  it("differ from calls outside of a transaction", async () => {
    const broken = async (): Promise<Opened> => {
      const { store, close } = await openMemory();
      return { store: torn(store), close };
    };
    await expect(assertLaw(broken, 100)).rejects.toThrow(/Property failed/);
  });
});

describe("PSS-145 transactions that run at once, on SQLite", { timeout: 120_000 }, () => {
  it("end as one after another", async () => {
    await assertLaw(() => openSqliteExecutionHost(folder.path(`serial-${files++}.db`), { ports }), 30);
  });
});

type Broken = Parameters<typeof openRawStore>[1];

describePostgres("PSS-145 transactions that run at once, on PostgreSQL", (server) => {
  async function assertOnPostgres(numRuns: number, broken?: Broken): Promise<void> {
    const raw = await openRawStore(server, broken);
    await raw.stopClock(NOW_MS);
    const open = async (): Promise<Opened> => {
      await raw.empty();
      return { store: raw.store, close: async () => undefined };
    };
    await assertLaw(open, numRuns).finally(() => raw.close());
  }

  it("end as one after another", { timeout: 300_000 }, async () => {
    await assertOnPostgres(60);
  });

  it.each<[string, Broken]>([
    ["locks no list", (sql) => ({ ...sql, lockList: async () => false })],
    ["locks no row", (sql) => ({ ...sql, forUpdate: "" })],
    ["has no transactions", "torn"],
  ])("are told apart from those of a store that %s", { timeout: 600_000 }, async (_name, broken) => {
    await expect(assertOnPostgres(1_000, broken)).rejects.toThrow(/Property failed/);
  });
});
