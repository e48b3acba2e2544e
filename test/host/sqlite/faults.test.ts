// Every statement of every flow fails once: before it runs, after it ran, and at the commit. The store is then as before the flow or as
// after it, and the flow can be done again.

import { afterAll, describe, expect, it } from "vitest";
import { AgentError, systemPorts, type ExecutionStore, type ExecutionStorePorts } from "../../../src/core/index.js";
import { createValues } from "../../../src/host/sql/codec.js";
import type { SqlEngine } from "../../../src/host/sql/engine.js";
import { createStore } from "../../../src/host/sql/store.js";
import { loadSqlite, type SqliteDatabase } from "../../../src/host/sqlite/driver.js";
import { createSqliteEngine } from "../../../src/host/sqlite/engine.js";
import { openSqliteFile } from "../../../src/host/sqlite/file.js";
import { SESSIONS } from "../../../src/host/sqlite/open.js";
import { lease, userTurn } from "../../support/durable-host.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const folder = temporaryFolder();
afterAll(() => folder.remove());
let files = 0;

/** When the next fault comes, counted in statements of transactions. A commit counts as one. */
interface Fault {
  at: number;
  kind: "before" | "after";
  seen: number;
  /** The next transaction begins, and reports an error all the same. */
  begins?: "badly" | "well";
}

const broken = () => new AgentError("store-failed", "a fault", { retryable: true });

/** Fails a statement in the database, so that SQLite and the engine are as after a real fault. */
function faulty(database: SqliteDatabase, fault: Fault): SqliteDatabase {
  const count = <T>(work: () => T): T => {
    fault.seen += 1;
    if (fault.seen === fault.at && fault.kind === "before") throw broken();
    const result = work();
    if (fault.seen === fault.at) throw broken();
    return result;
  };
  return {
    close: () => database.close(),
    exec: (text) => {
      if (text === "COMMIT") return count(() => database.exec(text));
      database.exec(text);
      if (text !== "BEGIN IMMEDIATE" || fault.begins !== "badly") return;
      fault.begins = "well";
      throw broken();
    },
    prepare: (text) => {
      const statement = database.prepare(text);
      return {
        get: (...values) => statement.get(...values),
        run: (...values) => count(() => statement.run(...values)),
        all: (...values) => count(() => statement.all(...values)),
      };
    },
  };
}

async function openStore(fault: Fault) {
  const open = await loadSqlite();
  const terms = { kind: SESSIONS, path: folder.path(`fault-${files++}.db`), busyTimeoutMs: 5_000, maxFileBytes: 1e9 };
  const writer = await openSqliteFile(open, terms);
  const reader = await openSqliteFile(open, terms);
  const engine: SqlEngine = createSqliteEngine({
    ...{ path: terms.path, busyTimeoutMs: 5_000, ports: systemPorts, reader },
    writer: faulty(writer, fault),
    clock: () => ({ leaseMs: 1_000, wallMs: 1_000 }),
  });
  let version = 0;
  const store = createStore({
    ...{
      engine,
      values: createValues(undefined),
      holder: "me",
      committed: () => undefined,
      watch: () => () => undefined,
    },
    // The same versions in each round.
    randomBytes: (length) => new Uint8Array(length).fill(++version),
  });
  return { store, engine, reader };
}

const tables = ["sessions", "runs", "checkpoints", "events", "inbox"];
const dump = (reader: SqliteDatabase) =>
  JSON.stringify(
    tables.map((table) => reader.prepare(`SELECT * FROM ${table} ORDER BY rowid`).all()),
    (name, value: unknown) =>
      value instanceof Uint8Array
        ? Buffer.from(value).toString("hex")
        : name === "version" && typeof value === "string"
          ? "any"
          : value,
  );

const checkpoint = (version: number, phases: "after-model"[] | "suspended"[] = ["after-model"]) => ({
  ...{ checkpointId: `c${version}`, runId: "a", version, phases, appended: [version], runtimeState: { version } },
});

const begin = async ({ runs, checkpoints }: ExecutionStorePorts) => {
  await runs.claim("a", lease("l"));
  await checkpoints.append(checkpoint(1), { expectedVersion: 0, leaseId: "l" });
};

/** The flows of a turn, each with what comes before it. A flow is one transaction, or one call. */
const flows: readonly [
  string,
  (ports: ExecutionStorePorts) => Promise<unknown>,
  (store: ExecutionStore) => Promise<unknown>,
][] = [
  [
    "accept",
    async () => undefined,
    (store) =>
      store.transaction(async (tx) => {
        await tx.runs.create(userTurn("b", { dedupeKey: "k" }), { hold: { leaseId: "h", leaseMs: 1_000 } });
        await tx.events.append("b", [{ type: "user-text", text: "hi" }], { firstOffset: 0 });
      }),
  ],
  ["schedule", async () => undefined, (store) => store.runs.create(userTurn("b"), { readyAfterMs: 1_000 })],
  ["begin", async () => undefined, (store) => store.transaction(begin)],
  [
    "step",
    begin,
    (store) =>
      store.transaction(async (tx) => {
        await tx.checkpoints.append(checkpoint(2), { expectedVersion: 1, leaseId: "l" });
        await tx.events.append("a", [{ type: "step-start" }, { type: "step-end" }], { firstOffset: 0, leaseId: "l" });
      }),
  ],
  [
    "suspend",
    begin,
    (store) => store.checkpoints.append(checkpoint(2, ["suspended"]), { expectedVersion: 1, leaseId: "l" }),
  ],
  [
    "child's end",
    begin,
    (store) =>
      store.transaction(async (tx) => {
        await tx.runs.update("a", { status: "completed", output: 1 }, { leaseId: "l" });
        await tx.runs.create(userTurn("n", { kind: "notification", sessionKey: "parent" }));
        await tx.notifications.enqueue({
          ...{ notificationId: "n", idempotencyKey: "a:t", ownerNamespace: "shop", sessionKey: "parent", runId: "n" },
          ...{ taskIds: ["t"], input: "text" },
        });
      }),
  ],
  [
    "end",
    async (ports) => {
      await begin(ports);
      await ports.runs.create(userTurn("b"));
      await ports.runs.create(userTurn("n", { kind: "notification" }));
      await ports.notifications.enqueue({
        ...{ notificationId: "n", idempotencyKey: "k", ownerNamespace: "shop", sessionKey: "ann", runId: "n" },
        ...{ taskIds: [], input: "text" },
      });
    },
    (store) =>
      store.transaction(async (tx) => {
        await tx.events.append("a", [{ type: "turn-end" }], { firstOffset: 0, leaseId: "l" });
        await tx.sessions.commit("ann", { state: ["text"] }, { expectedVersion: null });
        await tx.notifications.settle("n", { status: "acked", deliveredBy: "a" });
        await tx.runs.update("n", { status: "completed" }, {});
        await tx.runs.update("a", { status: "completed" }, { leaseId: "l" });
        await tx.checkpoints.drop("a");
      }),
  ],
];

describe("PSS-145 a fault at any statement", { timeout: 120_000 }, () => {
  it.each(flows)("leaves the old or the new state: %s", async (_name, prepare, flow) => {
    const setUp = async () => {
      const fault: Fault = { at: 0, kind: "before", seen: 0 };
      const opened = await openStore(fault);
      await opened.store.runs.create(userTurn("a"));
      await opened.store.transaction(prepare);
      fault.seen = 0;
      return { ...opened, fault };
    };
    const whole = await setUp();
    const old = dump(whole.reader);
    await flow(whole.store);
    const next = dump(whole.reader);
    const statements = whole.fault.seen;
    await whole.engine.close();
    expect(statements).toBeGreaterThan(2);
    expect(next).not.toBe(old);

    const ends = new Set<string>();
    for (let at = 1; at <= statements; at++) {
      for (const kind of ["before", "after"] as const) {
        const { store, engine, reader, fault } = await setUp();
        Object.assign(fault, { at, kind });
        await expect(flow(store)).rejects.toMatchObject({ code: "store-failed", retryable: true });
        const found = dump(reader);
        // Only a commit whose answer was lost has happened.
        expect(found).toBe(at === statements && kind === "after" ? next : old);
        ends.add(found);
        if (found === old) {
          await flow(store);
          expect(dump(reader)).toBe(next);
        }
        await engine.close();
      }
    }
    expect(ends).toEqual(new Set([old, next]));
  });

  it("ends a transaction that has begun with an error, so that the next one can begin, also in another process", async () => {
    const fault: Fault = { at: 0, kind: "before", seen: 0, begins: "badly" };
    const { store, engine, reader } = await openStore(fault);
    const create = () => store.runs.create(userTurn("a"));
    await expect(create()).rejects.toMatchObject({ code: "store-failed" });
    // The reader is another connection, for which the file is free.
    reader.exec("BEGIN IMMEDIATE; ROLLBACK");
    expect(await create()).toMatchObject({ ok: true });
    await engine.close();
  });

  it("is found by this test when a store commits half of a flow", async () => {
    const fault: Fault = { at: 0, kind: "before", seen: 0 };
    const { store, engine, reader } = await openStore(fault);
    const old = dump(reader);
    // Two transactions where the contract wants one.
    const torn = async () => {
      await store.runs.create(userTurn("a"));
      fault.at = fault.seen + 2;
      await store.runs.create(userTurn("b"));
    };
    await expect(torn()).rejects.toMatchObject({ code: "store-failed" });
    expect(dump(reader)).not.toBe(old);
    await engine.close();
  });
});
