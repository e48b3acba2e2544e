// Cases about transactions, about watching runs, and about the end of a host.

import type { ExecutionStorePorts, RunStatus } from "../../../core/index.js";
import { assertSame, fail, toClauses, type Clause } from "../../contract/clause.js";
import { rejection } from "../../contract/waiting.js";
import { assertFails } from "../session-store/keys.js";
import {
  append,
  begin,
  claim,
  create,
  HOLD,
  newNotification,
  newRun,
  OWNER,
  put,
  reasonOf,
  recordOf,
  SHORT,
  textEvent,
  tryClaim,
  until,
  type Stand,
} from "./stand.js";

/** The writes of a turn at its end, and more: they use every port once or twice. */
const OPERATIONS: readonly ((tx: ExecutionStorePorts) => Promise<unknown>)[] = [
  (tx) => tx.runs.create(newRun("new", { sessionKey: "s2", dedupeKey: "k", parentRunId: "r" }), HOLD),
  (tx) => append(tx, "r", 0),
  (tx) => tx.events.append("r", [textEvent("a")], { firstOffset: 0, leaseId: "L" }),
  (tx) => tx.sessions.commit("s", { state: 1 }, { expectedVersion: null }),
  (tx) => tx.sessions.delete("old"),
  (tx) => tx.notifications.enqueue(newNotification("n")),
  (tx) => tx.notifications.settle("waiting", { status: "acked", deliveredBy: "r" }),
  (tx) => tx.runs.renew("r", "L", 120_000),
  (tx) => tx.checkpoints.drop("r"),
  (tx) => tx.runs.update("r", { status: "completed", output: 1 }, { leaseId: "L" }),
  (tx) => tx.runs.claim("next", { leaseId: "L2", leaseMs: 60_000, ownerNamespace: OWNER }),
];

async function prepare(stand: Stand): Promise<void> {
  await begin(stand, "r");
  await create(stand, "next");
  await stand.sessions.commit("old", { state: "old" }, { expectedVersion: null });
  await stand.notifications.enqueue(newNotification("waiting"));
}

/** Everything that the operations may change. */
async function snapshot(ports: ExecutionStorePorts): Promise<unknown> {
  const events = [];
  for await (const { event } of ports.events.read("r")) events.push(event);
  return {
    runs: [await ports.runs.get("r"), await ports.runs.get("new"), await ports.runs.get("next")],
    found: [await ports.runs.getByDedupeKey(OWNER, "k"), await ports.runs.listByParentRunId("r")],
    open: await ports.runs.listOpen(OWNER, { sessionKey: "s" }),
    checkpoint: await ports.checkpoints.load("r"),
    events,
    state: [(await ports.sessions.load("s"))?.state ?? "none", await ports.sessions.load("old")],
    inbox: await ports.notifications.listPending(OWNER, "s"),
  };
}

export const transactionClauses: readonly Clause<Stand>[] = toClauses<Stand>({
  "keeps all of a transaction": {
    advice: "Commit when `work` resolves, and return its value.",
    async check(stand) {
      await prepare(stand);
      const end = await stand.store.transaction(async (tx) => {
        for (const operation of OPERATIONS) await operation(tx);
        return "done";
      });
      assertSame("transaction", end, "done");
      const { status } = await recordOf(stand, "r");
      const state = (await stand.sessions.load("s"))?.state;
      const pending = (await stand.notifications.listPending(OWNER, "s")).map(({ notificationId }) => notificationId);
      const next = (await recordOf(stand, "next")).status;
      const kept = { status, state, pending, next, old: await stand.sessions.load("old") };
      assertSame("what was kept", kept, { status: "completed", state: 1, pending: ["n"], next: "leased", old: null });
    },
  },
  "keeps nothing of a transaction that throws, after any number of operations": {
    advice: "Roll everything back, the order and the keys as well.",
    async check(stand) {
      await prepare(stand);
      const before = await snapshot(stand);
      for (let count = 1; count <= OPERATIONS.length; count++) {
        const work = stand.store.transaction(async (tx) => {
          for (const operation of OPERATIONS.slice(0, count)) await operation(tx);
          throw new Error("stop");
        });
        await rejection(`transaction of ${count} operations`, work);
        assertSame(`what is there after ${count} operations`, await snapshot(stand), before);
      }
      assertSame("claim afterwards", await tryClaim(stand, "next"), "session-busy");
    },
  },
  "rejects with what `work` threw": {
    advice: "Pass the same value on.",
    async check({ store }) {
      const thrown = new Error("mine");
      const error = await rejection(
        "transaction",
        store.transaction(async () => Promise.reject(thrown)),
      );
      if (error !== thrown) fail("transaction", "another error", "the error that was thrown");
    },
  },
  "reads its own writes in a transaction": {
    advice: "Let `tx` read what it has written.",
    async check({ store }) {
      await store.transaction(async (tx) => {
        const first = await tx.sessions.commit("s", { state: 1 }, { expectedVersion: null });
        const version = first.ok ? first.version : "";
        assertSame("load", await tx.sessions.load("s"), { state: 1, version });
        await create(tx, "r");
        await claim(tx, "r");
        assertSame("append", await append(tx, "r", 0), "ok");
        assertSame("latest", (await tx.checkpoints.latest("r"))?.version, 1);
        assertSame("the status", (await tx.runs.get("r"))?.status, "running");
      });
    },
  },
  "shows nothing of a transaction before it is committed": {
    advice: "Let calls outside of it wait, or read what was committed last.",
    async check(stand) {
      await begin(stand, "r");
      let outside: Promise<unknown>[] = [];
      const work = stand.store.transaction(async (tx) => {
        await tx.sessions.commit("s", { state: 1 }, { expectedVersion: null });
        await put(tx, "r", "cancelled");
        outside = [stand.sessions.load("s"), stand.runs.get("r").then((run) => run?.status)];
        for (let left = 5; left > 0; left--) await tx.runs.get("r");
        throw new Error("stop");
      });
      await rejection("transaction", work);
      assertSame("what was read outside", await Promise.all(outside), [null, "leased"]);
    },
  },
  "loses no increment of concurrent transactions": {
    advice: "Run them one after the other, or run one of two that meet again.",
    async check({ store }) {
      const increment = () =>
        store.transaction(async (tx) => {
          const stored = await tx.sessions.load("count");
          const state = ((stored?.state ?? 0) as number) + 1;
          const end = await tx.sessions.commit("count", { state }, { expectedVersion: stored?.version ?? null });
          assertSame("commit", end.ok, true);
        });
      await Promise.all(Array.from({ length: 30 }, increment));
      assertSame("the count", (await store.sessions.load("count"))?.state, 30);
    },
  },
  "lets no two transactions each decide by what the other changes": {
    advice: "Transactions are serialisable. Lock the lists that are read, not only the rows that are written.",
    async check(stand) {
      // The last of two children notifies the parent. With write skew, neither or both do.
      for (const runId of ["c1", "c2"])
        await begin(stand, runId, { parentRunId: "p", groupId: "g", sessionKey: runId });
      const end = (runId: string) =>
        stand.store.transaction(async (tx) => {
          const group = await tx.runs.listByGroup("p", "g");
          await put(tx, runId, "completed");
          const isLast = group.every((other) => other.runId === runId || other.status === "completed");
          if (isLast) await tx.notifications.enqueue(newNotification(`told by ${runId}`));
        });
      await Promise.all([end("c1"), end("c2")]);
      assertSame("how often the parent was told", (await stand.notifications.listPending(OWNER, "s")).length, 1);
    },
  },
  "refuses a whole transaction of a holder whose lease is lost": {
    advice: "A refusal is a value: what `work` does with it decides.",
    async check(stand) {
      await begin(stand, "r", {}, SHORT);
      await stand.pass();
      await claim(stand, "r", { leaseId: "L2" });
      const work = stand.store.transaction(async (tx) => {
        await tx.sessions.commit("s", { state: "late" }, { expectedVersion: null });
        const end = await tx.runs.update("r", { status: "completed" }, { leaseId: "L" });
        if (!end.ok) throw new Error(end.reason);
      });
      assertSame("why it was refused", ((await rejection("transaction", work)) as Error).message, "lost-lease");
      assertSame("load", await stand.sessions.load("s"), null);
    },
  },
  "keeps what a transaction did before it met a refusal": {
    advice: "A refusal undoes nothing by itself.",
    async check(stand) {
      await create(stand, "r");
      await stand.store.transaction(async (tx) => {
        await tx.sessions.commit("s", { state: 1 }, { expectedVersion: null });
        assertSame(
          "update",
          reasonOf(await tx.runs.update("r", { status: "completed" }, { leaseId: "L" })),
          "lost-lease",
        );
      });
      assertSame("the state", (await stand.sessions.load("s"))?.state, 1);
    },
  },
  "tells whoever watches a run of each new status": {
    advice: "Call `changed` after each commit that changes the status. A durable host needs watch.",
    async check(stand) {
      const { runs, patienceMs } = stand;
      if (runs.watch === undefined) return;
      const seen: RunStatus[] = [];
      await create(stand, "r");
      const stop = runs.watch("r", (status) => void seen.push(status));
      await claim(stand, "r");
      await until(() => seen.includes("leased"), patienceMs);
      await put(stand, "r", "completed");
      await until(() => seen.includes("completed"), patienceMs);
      stop();
      assertSame("the statuses", seen, ["leased", "completed"]);
    },
  },
  "tells whoever watches a run nothing of a transaction that throws": {
    advice: "Call `changed` after the commit, with the status that was committed.",
    async check(stand) {
      const { runs, store, patienceMs } = stand;
      if (runs.watch === undefined) return;
      const seen: RunStatus[] = [];
      await begin(stand, "r");
      const stop = runs.watch("r", (status) => void seen.push(status));
      const work = store.transaction(async (tx) => {
        await put(tx, "r", "cancelled");
        throw new Error("stop");
      });
      await rejection("transaction", work);
      await put(stand, "r", "completed");
      await until(() => seen.includes("completed"), patienceMs);
      stop();
      assertSame("the statuses", seen, ["completed"]);
    },
  },
  "tells nobody who has stopped watching": {
    advice: "The function that watch returns ends it, for this watcher alone.",
    async check(stand) {
      const { runs, patienceMs } = stand;
      if (runs.watch === undefined) return;
      const seen: string[] = [];
      await create(stand, "r");
      const stopFirst = runs.watch("r", () => void seen.push("first"));
      const stopSecond = runs.watch("r", () => void seen.push("second"));
      stopFirst();
      await claim(stand, "r");
      await until(() => seen.length > 0, patienceMs);
      stopSecond();
      assertSame("who was told", seen, ["second"]);
    },
  },
  "refuses every call after it was closed": {
    advice: "Reject with AgentError store-failed, not retryable. A second close does nothing.",
    async check(stand) {
      const { host, store } = stand;
      if (host.close === undefined) return;
      await create(stand, "r");
      await host.close();
      await host.close();
      await assertFails("runs.get", () => store.runs.get("r"));
      await assertFails("sessions.load", () => store.sessions.load("s"));
      await assertFails("transaction", () => store.transaction(async () => 1));
      const options = { ownerNamespace: OWNER, sessionKey: "s", kind: "user-turn" as const };
      await assertFails("enqueueRun", () => host.scheduler.enqueueRun("r", options));
    },
  },
});
