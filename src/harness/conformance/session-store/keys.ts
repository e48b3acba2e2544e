// Cases about keys, deletion, and values that are not shared or cannot be kept.

import { AgentError, MAX_STORE_ID_CHARACTERS, MAX_STORED_VALUE_BYTES } from "../../../core/index.js";
import type { JsonValue, SessionStore } from "../../../core/index.js";
import { assertSame, fail, toClauses, type Clause } from "../../contract/clause.js";
import { describeThrown } from "../../contract/thrown.js";
import { commit } from "./commits.js";

/** Fails unless `work` rejects with `store-failed` that is not retryable. */
export async function assertFails(what: string, work: () => Promise<unknown>): Promise<void> {
  const expected = "AgentError store-failed, not retryable";
  let value: unknown;
  try {
    value = await work();
  } catch (error) {
    if (error instanceof AgentError && error.code === "store-failed" && !error.retryable) return;
    fail(what, describeThrown(error), expected);
  }
  fail(what, value, expected);
}

/** Ids that a store must distinguish. */
export const ODD_IDS: readonly string[] = [
  ...["a", "A", "a ", " a", "a:", "a/b", "a\\b", "../a", "a.json", "%61", "é", "e\u0301", "\u{1f600}", "\uffff"],
  ...["__proto__", "constructor", "'", '"', "a\0b", "a\n", "CON", "-", ".", "..", "1", "01", "a_b", "a%b"],
];

/** Ids that no store keeps. */
export const WRONG_IDS: readonly string[] = ["", "x".repeat(MAX_STORE_ID_CHARACTERS + 1), "half \ud800"];

/** Values that are not plain JSON. */
export const NOT_JSON: readonly unknown[] = [
  ...[undefined, NaN, Infinity, 1n, () => 1, Symbol("s"), new Date(0), new Map(), "half \ud800"],
  ...[{ deep: [NaN] }, [undefined], { list: [new Set()] }],
];

export const keyClauses: readonly Clause<SessionStore>[] = toClauses<SessionStore>({
  "deletes a session whole": {
    advice: "Remove state and version, so that load returns null.",
    async check(store) {
      const version = await commit(store, "s", 1, null);
      await commit(store, "s", 2, version);
      await store.delete("s");
      assertSame("load", await store.load("s"), null);
    },
  },
  "deletes what is not there without an error": {
    advice: "Resolve delete for a key that does not exist.",
    async check(store) {
      await store.delete("never");
      await commit(store, "s", 1, null);
      await store.delete("s");
      await store.delete("s");
      assertSame("load", await store.load("s"), null);
    },
  },
  "begins a deleted session again": {
    advice: "After delete, accept an expectedVersion of null.",
    async check(store) {
      await commit(store, "s", 1, null);
      await store.delete("s");
      const version = await commit(store, "s", 2, null);
      assertSame("load", await store.load("s"), { state: 2, version });
    },
  },
  "deletes one session and no other": {
    advice: "Compare complete keys.",
    async check(store) {
      for (const key of ["s", "ss", "s:1"]) await commit(store, key, key, null);
      await store.delete("s");
      assertSame("load of ss", (await store.load("ss"))?.state, "ss");
      assertSame("load of s:1", (await store.load("s:1"))?.state, "s:1");
    },
  },
  "keeps sessions apart, whatever their keys are": {
    advice: "Compare keys by all their code units. Hash them if names are restricted.",
    async check(store) {
      for (const key of ODD_IDS) await commit(store, key, key, null);
      for (const key of ODD_IDS) assertSame(`load of ${JSON.stringify(key)}`, (await store.load(key))?.state, key);
    },
  },
  "takes the longest key": {
    advice: `Keep keys of ${MAX_STORE_ID_CHARACTERS} UTF-16 units, even if they take three bytes each.`,
    async check(store) {
      for (const unit of ["k", "\u4e00"]) {
        const key = unit.repeat(MAX_STORE_ID_CHARACTERS);
        await commit(store, key, unit, null);
        assertSame("load", (await store.load(key))?.state, unit);
        assertSame("load of a shorter key", await store.load(key.slice(1)), null);
      }
    },
  },
  "refuses keys that it cannot keep": {
    advice:
      "Reject with AgentError store-failed: the empty key, keys that are too long, and text that is not well-formed.",
    async check(store) {
      for (const key of WRONG_IDS) {
        await assertFails("load", () => store.load(key));
        await assertFails("commit", () => store.commit(key, { state: 1 }, { expectedVersion: null }));
        await assertFails("delete", () => store.delete(key));
      }
    },
  },
  "shares nothing with what it was given": {
    advice: "Keep a copy, such as the JSON text.",
    async check(store) {
      const state = { list: [{ text: "before" }] };
      await commit(store, "s", state, null);
      (state.list[0] as { text: string }).text = "after";
      state.list.push({ text: "more" });
      assertSame("the state", (await store.load("s"))?.state, { list: [{ text: "before" }] });
    },
  },
  "shares nothing with what it returned": {
    advice: "Return a copy at each load, or a deeply frozen value.",
    async check(store) {
      await commit(store, "s", { list: [{ text: "before" }] }, null);
      const stored = await store.load("s");
      const { list } = (stored?.state ?? { list: [] }) as { list: { text: string }[] };
      const [item] = list;
      if (item !== undefined && !Object.isFrozen(item)) item.text = "after";
      if (!Object.isFrozen(list)) list.length = 0;
      assertSame("the state", (await store.load("s"))?.state, { list: [{ text: "before" }] });
    },
  },
  "refuses a state that is not JSON, and keeps the one before": {
    advice: "Check the state before anything is written, and reject with AgentError store-failed.",
    async check(store) {
      const version = await commit(store, "s", "before", null);
      for (const state of NOT_JSON as JsonValue[])
        await assertFails("commit", () => store.commit("s", { state }, { expectedVersion: version }));
      assertSame("load", await store.load("s"), { state: "before", version });
    },
  },
  "keeps the largest state, and refuses a larger one": {
    advice: `Measure the canonical JSON in bytes of UTF-8. The limit is ${MAX_STORED_VALUE_BYTES}.`,
    async check(store) {
      // Two bytes for each letter, and the quotes.
      const largest = "é".repeat(MAX_STORED_VALUE_BYTES / 2 - 1);
      const version = await commit(store, "s", largest, null);
      await assertFails("commit", () => store.commit("s", { state: `${largest}x` }, { expectedVersion: version }));
      assertSame("whether the state was kept", (await store.load("s"))?.state === largest, true);
    },
  },
  "tells the present version without the state": {
    advice: "Return the version of load, or null for a key that does not exist. A store may omit `version`.",
    async check(store) {
      if (store.version === undefined) return;
      assertSame("version of nothing", await store.version("s"), null);
      const first = await commit(store, "s", 1, null);
      assertSame("version", await store.version("s"), first);
      const second = await commit(store, "s", 2, first);
      assertSame("version", await store.version("s"), second);
      await store.delete("s");
      assertSame("version after delete", await store.version("s"), null);
    },
  },
});
