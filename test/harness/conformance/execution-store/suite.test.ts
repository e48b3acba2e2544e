// The suite against the host in memory, and against a host for each case that is broken on purpose.

import { describe, expect, it } from "vitest";
import { createInMemoryExecutionHost } from "../../../../src/core/session/index.js";
import { executionStoreConformance } from "../../../../src/harness/conformance/execution-store/suite.js";
import { breakPorts, type Break } from "../../../support/broken-hosts.js";
import { rejection } from "../../../support/refusal.js";
import { BROKEN_STORES } from "../session-store/broken-stores.js";
import { BROKEN_JOURNAL, BROKEN_NOTIFICATIONS, BROKEN_TRANSACTIONS } from "./broken-records.js";
import { BROKEN_CLAIMS, BROKEN_CREATION, BROKEN_ORDER, BROKEN_UPDATES } from "./broken-runs.js";

let now = 0;
const options = { pass: (ms: number) => void (now += ms), patienceMs: 3_000 };
const open = () => createInMemoryExecutionHost({ ports: { now: () => now } });
const cases = executionStoreConformance(open, options);

describe("PSS-53 PSS-71 PSS-73 PSS-109 PSS-125 PSS-132 PSS-133 PSS-134 PSS-144 PSS-145 PSS-146 the host in memory", () => {
  for (const { name, run } of cases) it(name, run);

  it("is held to at least 55 cases of its own, among them some of D1 to D5", () => {
    const own = cases.filter(({ name }) => !name.startsWith("sessions: ")).map(({ name }) => name);
    expect(own.length).toBeGreaterThanOrEqual(55);
    const decisions = new Set(own.flatMap((name) => /^D\d(?= )/.exec(name) ?? []));
    expect([...decisions].sort()).toEqual(["D1", "D2", "D3", "D4", "D5"]);
  });
});

describe("the host in memory, in real time", () => {
  const real = executionStoreConformance(() => createInMemoryExecutionHost());
  for (const { name, run } of real.filter((each) => /ran out|delayed|renews/.test(each.name))) it(name, run);
});

const BROKEN: Readonly<Record<string, Break>> = {
  ...BROKEN_CREATION,
  ...BROKEN_CLAIMS,
  ...BROKEN_ORDER,
  ...BROKEN_UPDATES,
  ...BROKEN_JOURNAL,
  ...BROKEN_NOTIFICATIONS,
  ...BROKEN_TRANSACTIONS,
};

describe("a host that is broken on purpose", () => {
  it.each(Object.entries(BROKEN))("is found by: %s", async (name, broken) => {
    const found = executionStoreConformance(() => broken(open()), options).find((each) => each.name === name);
    expect(await rejection(found?.run() as Promise<void>)).toHaveProperty("expected");
  });

  it.each(Object.entries(BROKEN_STORES))("is found by: sessions: %s", async (name, broken) => {
    const host = () => {
      const right = open();
      const { sessions } = right.store;
      return breakPorts(() => ({ sessions: { ...sessions, ...broken(sessions as Required<typeof sessions>) } }))(right);
    };
    const found = executionStoreConformance(host, options).find((each) => each.name === `sessions: ${name}`);
    expect(await rejection(found?.run() as Promise<void>)).toHaveProperty("expected");
  });

  it("is tried in every case", () => {
    const tried = [...Object.keys(BROKEN), ...Object.keys(BROKEN_STORES).map((name) => `sessions: ${name}`)];
    expect(cases.map(({ name }) => name).sort()).toEqual(tried.sort());
  });
});
