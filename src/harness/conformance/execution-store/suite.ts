// The contract of an execution host's store as cases for any test runner.

import { sleep, systemPorts, type ExecutionHost } from "../../../core/index.js";
import { missingMethods } from "../../contract/check-inputs.js";
import type { Clause } from "../../contract/clause.js";
import { fail } from "../../contract/clause.js";
import { readPatience, suiteFactory, toCases, type ConformanceCase, type ConformanceOptions } from "../case.js";
import { inTime, sessionStoreClauses } from "../session-store/suite.js";
import { claimClauses } from "./claims.js";
import { creationClauses } from "./creation.js";
import { journalClauses } from "./journal.js";
import { notificationClauses } from "./notifications.js";
import { orderClauses } from "./order.js";
import { SHORT, type Stand } from "./stand.js";
import { transactionClauses } from "./transactions.js";
import { updateClauses } from "./updates.js";

/** Opens a host whose store is new and empty at each call. */
export type OpenExecutionHost = () => ExecutionHost | Promise<ExecutionHost>;

export interface HostConformanceOptions extends ConformanceOptions {
  /** Moves the clock of all hosts by some milliseconds. Without it, the cases wait in real time. */
  readonly pass?: (ms: number) => void | Promise<void>;
}

const OWNER = "executionStoreConformance";

const storeClauses: readonly Clause<Stand>[] = [
  ...creationClauses,
  ...claimClauses,
  ...orderClauses,
  ...updateClauses,
  ...journalClauses,
  ...notificationClauses,
  ...transactionClauses,
  ...sessionStoreClauses.map((clause): Clause<Stand> => ({
    ...clause,
    name: `sessions: ${clause.name}`,
    check: ({ sessions }) => clause.check(sessions),
  })),
];

/** How the cases about hosts let time pass. */
export function readPass({ pass }: HostConformanceOptions): () => Promise<void> {
  return async () => {
    // A little more, because a timer and the clock of an engine do not agree to the millisecond.
    await (pass === undefined ? sleep(2 * SHORT, systemPorts) : pass(2 * SHORT));
  };
}

/**
 * The cases for the store of the execution host that `open` gives: a new and empty one at each call. Each case closes its host. Cases
 * whose names begin with `sessions:` are those of `sessionStoreConformance`. The names of the cases are not stable, and later versions
 * may add cases. Throws `AgentError` `invalid-options` for a value that is not a function, and for an unknown option.
 */
export function executionStoreConformance(
  open: OpenExecutionHost,
  options: HostConformanceOptions = {},
): ConformanceCase[] {
  const patienceMs = readPatience(OWNER, options, ["patienceMs", "pass"]);
  const kind = { suite: OWNER, kind: "execution host", methods: [], patienceMs, made: new WeakSet<object>() };
  const opened = suiteFactory<[], ExecutionHost>(kind, "open", open);
  const pass = readPass(options);
  return toCases(
    inTime(storeClauses, patienceMs),
    async () => toStand(await opened(), pass, patienceMs),
    patienceMs,
    ({ host }) => host.close?.(),
  );
}

function toStand(host: ExecutionHost, pass: () => Promise<void>, patienceMs: number): Stand {
  const { store } = host;
  const lacks = missingMethods(store, ["transaction"]);
  if (lacks.length > 0) fail("the store of the host", "a value without transactions", "an ExecutionStore");
  const { sessions, runs, checkpoints, events, notifications } = store;
  return { host, store, sessions, runs, checkpoints, events, notifications, pass, patienceMs };
}
