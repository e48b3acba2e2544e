// Cases about commits and their versions.

import { sleep, systemPorts, type JsonValue, type SessionStore } from "../../../core/index.js";
import { assertSame, fail, toClauses, type Clause } from "../../contract/clause.js";

const WRITERS = 8;
const INCREMENTS = 12;
/** Far more than a store needs whose commits take a while. */
const ENDLESS_CONFLICTS = 1_000;

/** Commits and returns the version. Fails for a conflict. */
export async function commit(
  store: SessionStore,
  key: string,
  state: JsonValue,
  expectedVersion: string | null,
): Promise<string> {
  const end = await store.commit(key, { state }, { expectedVersion });
  if (!end.ok || typeof end.version !== "string") fail(`commit of ${key}`, end, { ok: true, version: "a text" });
  return end.version;
}

async function assertConflict(store: SessionStore, key: string, expectedVersion: string | null): Promise<void> {
  const end = await store.commit(key, { state: "late" }, { expectedVersion });
  assertSame(
    `commit at version ${String(expectedVersion)}`,
    { ok: end.ok, reason: "reason" in end ? end.reason : "" },
    {
      ok: false,
      reason: "conflict",
    },
  );
}

const stateOf = async (store: SessionStore, key: string) => (await store.load(key))?.state;

export const commitClauses: readonly Clause<SessionStore>[] = toClauses<SessionStore>({
  "has nothing of a session that was never stored": {
    advice: "Return null from load.",
    async check(store) {
      assertSame("load", await store.load("never"), null);
    },
  },
  "loads what was committed, at the version that commit returned": {
    advice: "Keep state and version together, and return both.",
    async check(store) {
      const state = { schemaVersion: 1, history: [{ role: "user", content: "hi" }] };
      const version = await commit(store, "s", state, null);
      assertSame("load", await store.load("s"), { state, version });
    },
  },
  "loads every kind of JSON value": {
    advice: "Treat the state as opaque JSON: null, false, 0 and empty values are states.",
    async check(store) {
      for (const [index, state] of STATES.entries()) {
        const version = await commit(store, `s${index}`, state, null);
        assertSame(`load of state ${index}`, await store.load(`s${index}`), { state, version });
      }
    },
  },
  "refuses a commit at another version, and keeps the state": {
    advice: "Compare the version and write in one step. A conflict is a value and does not throw.",
    async check(store) {
      const first = await commit(store, "s", 1, null);
      const second = await commit(store, "s", 2, first);
      for (const version of [first, `${second} `, "none"]) await assertConflict(store, "s", version);
      assertSame("load", await store.load("s"), { state: 2, version: second });
    },
  },
  "refuses a first commit to a session that is there": {
    advice: "An expectedVersion of null means that the key must not exist.",
    async check(store) {
      await commit(store, "s", 1, null);
      await assertConflict(store, "s", null);
      assertSame("the state", await stateOf(store, "s"), 1);
    },
  },
  "refuses a later commit to a session that is not there": {
    advice: "Only an expectedVersion of null begins a session.",
    async check(store) {
      const elsewhere = await commit(store, "other", 1, null);
      for (const version of ["1", elsewhere]) await assertConflict(store, "s", version);
      assertSame("load", await store.load("s"), null);
    },
  },
  "gives each commit a version of its own, also for an equal state": {
    advice: "Use a counter or random versions. Do not hash the state.",
    async check(store) {
      const versions = [await commit(store, "s", "same", null)];
      for (let index = 0; index < 5; index++) versions.push(await commit(store, "s", "same", versions.at(-1) ?? null));
      assertSame("the number of versions", new Set(versions).size, versions.length);
    },
  },
  "never gives a version again after a delete": {
    advice: "Keep the count of a deleted key, or use one counter for all keys.",
    async check(store) {
      const versions: string[] = [];
      for (let round = 0; round < 3; round++) {
        versions.push(await commit(store, "s", round, null));
        versions.push(await commit(store, "s", round, versions.at(-1) ?? null));
        await store.delete("s");
      }
      assertSame("the number of versions", new Set(versions).size, versions.length);
    },
  },
  "refuses the version of before a delete": {
    advice: "A session that is created again must have new versions.",
    async check(store) {
      const old = await commit(store, "s", 1, null);
      await store.delete("s");
      await assertConflict(store, "s", old);
      const next = await commit(store, "s", 2, null);
      await assertConflict(store, "s", old);
      assertSame("load", await store.load("s"), { state: 2, version: next });
    },
  },
  "lets one of many concurrent commits at a version win": {
    advice: "Compare and write under one lock, or use a write that fails if the version exists.",
    async check(store) {
      const version = await commit(store, "s", "first", null);
      await assertOneWins(store, version);
    },
  },
  "lets one of many concurrent first commits win": {
    advice: "Create with a write that fails if the key exists.",
    async check(store) {
      await assertOneWins(store, null);
    },
  },
  "loses no increment of concurrent writers": {
    advice: "After a successful commit, the next load must return its state and version.",
    async check(store) {
      const write = async () => {
        for (let left = INCREMENTS, conflicts = 0; left > 0;) {
          const stored = await store.load("count");
          const state = ((stored?.state ?? 0) as number) + 1;
          const end = await store.commit("count", { state }, { expectedVersion: stored?.version ?? null });
          if (end.ok) left -= 1;
          else if (++conflicts > ENDLESS_CONFLICTS)
            fail("the conflicts of one writer", conflicts, `at most ${ENDLESS_CONFLICTS}`);
          // The commit of another writer is under way, perhaps on a disk.
          else await sleep(1, systemPorts);
        }
      };
      await Promise.all(Array.from({ length: WRITERS }, write));
      assertSame("the count", await stateOf(store, "count"), WRITERS * INCREMENTS);
    },
  },
  "reads what it wrote, at once": {
    advice: "Resolve commit and delete only when the next load sees them.",
    async check(store) {
      let version: string | null = null;
      for (let index = 0; index < 10; index++) {
        version = await commit(store, "s", index, version);
        assertSame("load", await store.load("s"), { state: index, version });
      }
      await store.delete("s");
      assertSame("load after delete", await store.load("s"), null);
    },
  },
});

async function assertOneWins(store: SessionStore, expectedVersion: string | null): Promise<void> {
  const commits = Array.from({ length: 12 }, (_, state) => store.commit("s", { state }, { expectedVersion }));
  const ends = await Promise.all(commits);
  assertSame("how many won", ends.filter(({ ok }) => ok).length, 1);
  const winner = ends.findIndex(({ ok }) => ok);
  const end = ends[winner];
  assertSame("load", await store.load("s"), { state: winner, version: end?.ok === true ? end.version : "" });
}

const STATES: readonly JsonValue[] = [
  ...[null, false, true, 0, -1, 1e21, 5e-324, 0.1, "", "text"],
  ...[[], {}, [[]], [null]],
  'é e\u0301 \u{1f600} \u2028 \0 \\ "',
  JSON.parse('{"__proto__":{"a":1},"constructor":[1],"":2,"b":{"c":[{"d":null}]}}') as JsonValue,
];
