// The suite against the store in memory, and against a store for each case that is broken on purpose.

import { describe, expect, it } from "vitest";
import type { SessionStore } from "../../../../src/core/index.js";
import { MemorySessionStore } from "../../../../src/core/session/index.js";
import { sessionStoreConformance } from "../../../../src/harness/conformance/session-store/suite.js";
import { rejection } from "../../../support/refusal.js";
import { BROKEN_STORES, type BreakStore } from "./broken-stores.js";

const cases = sessionStoreConformance(() => new MemorySessionStore());

describe("PSS-59 PSS-60 PSS-61 PSS-62 PSS-63 PSS-64 PSS-65 PSS-112 sessions in memory", () => {
  for (const { name, run } of cases) it(name, run);

  it("PSS-58 are snapshots alone: the store knows no tasks, leases, checkpoints, notifications or schedules", () => {
    const methods = Object.getOwnPropertyNames(MemorySessionStore.prototype);
    expect(methods.sort()).toEqual(["commit", "constructor", "delete", "load", "version"]);
  });

  it("are held to at least 20 cases", () => {
    expect(cases.length).toBeGreaterThanOrEqual(20);
  });
});

const open = (broken: BreakStore) => (): SessionStore => {
  const store = new MemorySessionStore();
  const right = {
    load: (key: string) => store.load(key),
    commit: (...call: Parameters<SessionStore["commit"]>) => store.commit(...call),
    delete: (key: string) => store.delete(key),
    version: (key: string) => store.version(key),
  };
  return { ...right, ...broken(right) };
};

describe("a store of sessions that is broken on purpose", () => {
  it.each(Object.entries(BROKEN_STORES))("is found by: %s", async (name, broken) => {
    const found = sessionStoreConformance(open(broken)).find((each) => each.name === name);
    expect(await rejection(found?.run() as Promise<void>)).toHaveProperty("expected");
  });

  it("does not hang the process if load always resolves with null, or commit always with a conflict", async () => {
    const doubles: readonly BreakStore[] = [
      () => ({ load: async () => null }),
      () => ({ commit: async () => ({ ok: false, reason: "conflict" }) }),
    ];
    for (const broken of doubles) {
      const name = "loses no increment of concurrent writers";
      const found = sessionStoreConformance(open(broken)).find((each) => each.name === name);
      expect(await rejection(found?.run() as Promise<void>)).toHaveProperty("expected", "at most 1000");
    }
  });

  it("is tried in every case", () => {
    expect(cases.map(({ name }) => name).sort()).toEqual(Object.keys(BROKEN_STORES).sort());
  });
});
