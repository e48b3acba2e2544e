// Durable hosts for tests: on SQLite, in files of their own, and a clock that a test moves.

import { afterAll, afterEach } from "vitest";
import type { NewRun } from "../../src/core/index.js";
import type { DurableHost } from "../../src/host/durable/host.js";
import { openSqliteExecutionHost, type SqliteExecutionHostOptions } from "../../src/host/sqlite/open.js";
import { temporaryFolder } from "./temporary-folder.js";

export interface DurableHosts {
  /** The path of a new file, or the name of a new schema. */
  file(): string;
  open(options?: SqliteExecutionHostOptions, file?: string): Promise<DurableHost>;
}

/** Closes every host after each test, and deletes the files at the end. */
export function durableHosts(): DurableHosts {
  const folder = temporaryFolder();
  const hosts: DurableHost[] = [];
  let files = 0;
  const file = () => folder.path(`host-${files++}.db`);
  afterEach(async () => {
    await Promise.all(hosts.splice(0).map((host) => host.close()));
  });
  afterAll(() => folder.remove());
  return {
    file,
    async open(options = {}, path = file()) {
      const host = await openSqliteExecutionHost(path, options);
      hosts.push(host);
      return host;
    },
  };
}

/** A clock in ms that stands still until a test moves it. */
export function handClock(start = 1_000_000) {
  let nowMs = start;
  return { now: () => nowMs, pass: (ms: number) => (nowMs += ms) };
}

export function userTurn(runId: string, more: Partial<NewRun> = {}): NewRun {
  return { runId, kind: "user-turn", ownerNamespace: "shop", sessionKey: "ann", rootRunId: runId, ...more };
}

export const lease = (leaseId: string, leaseMs = 60_000) => ({ leaseId, leaseMs, ownerNamespace: "shop" });
