// The contract of a scheduler as cases for any test runner: every due run is delivered at least once.

import type { ExecutionHost } from "../../../core/index.js";
import { assertSame, toClauses, type Clause } from "../../contract/clause.js";
import { readPatience, suiteFactory, toCases, type ConformanceCase } from "../case.js";
import {
  append,
  begin,
  claim,
  create,
  HOLD,
  LONG,
  OWNER as NAMESPACE,
  put,
  SHORT,
  until,
} from "../execution-store/stand.js";
import { readPass, type HostConformanceOptions } from "../execution-store/suite.js";
import { assertFails, ODD_IDS } from "../session-store/keys.js";
import { inTime } from "../session-store/suite.js";

/** Opens a host with a new, empty store at each call. The host passes the runs of every namespace to `deliver`. */
export type OpenScheduler = (deliver: (runId: string) => void) => ExecutionHost | Promise<ExecutionHost>;

const OWNER = "schedulerConformance";

interface Stand {
  readonly host: ExecutionHost;
  readonly runs: ExecutionHost["store"]["runs"];
  readonly checkpoints: ExecutionHost["store"]["checkpoints"];
  /** The ids in the order of delivery. */
  readonly delivered: string[];
  pass(): Promise<void>;
  /** Lets up to 30 seconds of the clock pass, and fails unless the run is delivered. */
  assertDelivered(runId: string): Promise<void>;
}

const SCOPE = { ownerNamespace: NAMESPACE, sessionKey: "s", kind: "user-turn" as const };

const clauses: readonly Clause<Stand>[] = toClauses<Stand>({
  "delivers a run that was enqueued": {
    advice: "Deliver the id of the run.",
    async check(stand) {
      await create(stand, "r");
      await stand.host.scheduler.enqueueRun("r", SCOPE);
      await stand.assertDelivered("r");
    },
  },
  "delivers the ids of runs as they are": {
    advice: "Map ids for queues that restrict their names.",
    async check(stand) {
      for (const id of ODD_IDS) {
        await create(stand, id, { sessionKey: id });
        await stand.host.scheduler.enqueueRun(id, { ...SCOPE, sessionKey: id });
      }
      for (const id of ODD_IDS) await stand.assertDelivered(id);
    },
  },
  "delivers a run that nobody enqueued": {
    advice:
      "A process may die between create and enqueueRun, so look for runs that can be claimed and that nobody holds.",
    async check(stand) {
      await create(stand, "r");
      await stand.assertDelivered("r");
    },
  },
  "D1 delivers a delayed run when it is ready": {
    advice: "A run is due at its readyAtMs.",
    async check(stand) {
      await create(stand, "late", { sessionKey: "s2" }, { readyAfterMs: LONG });
      await create(stand, "r", {}, { readyAfterMs: SHORT });
      await stand.pass();
      await stand.assertDelivered("r");
      assertSame("whether a run was delivered that is not ready", stand.delivered.includes("late"), false);
    },
  },
  "delivers a run no sooner than its delay": {
    advice: "Wait for runAfterMs.",
    async check(stand) {
      await begin(stand, "other");
      await create(stand, "r", {}, HOLD);
      await stand.host.scheduler.enqueueRun("r", { ...SCOPE, runAfterMs: LONG });
      await stand.pass();
      assertSame("whether it was delivered", stand.delivered.includes("r"), false);
    },
  },
  "lets the earlier of two times win": {
    advice: "A second enqueueRun must never delay a run.",
    async check(stand) {
      for (const [id, delays] of [
        ["r1", [LONG, 0]],
        ["r2", [0, LONG]],
      ] as const) {
        await create(stand, id, { sessionKey: id });
        for (const runAfterMs of delays)
          await stand.host.scheduler.enqueueRun(id, { ...SCOPE, sessionKey: id, runAfterMs });
      }
      await stand.assertDelivered("r1");
      await stand.assertDelivered("r2");
    },
  },
  "does not deliver a run that was cancelled": {
    advice: "Drop the delivery in cancelRun. A run that has ended is never delivered.",
    async check(stand) {
      await create(stand, "r");
      await stand.host.scheduler.enqueueRun("r", { ...SCOPE, runAfterMs: SHORT });
      await put(stand, "r", "cancelled");
      await stand.host.scheduler.cancelRun("r");
      // It may have been delivered at once, when it was created.
      stand.delivered.length = 0;
      await stand.pass();
      assertSame("whether it was delivered", stand.delivered.includes("r"), false);
    },
  },
  "cancels what is not there without an error": {
    advice: "Resolve cancelRun for a run that is unknown, delivered or ended.",
    async check(stand) {
      await stand.host.scheduler.cancelRun("none");
      await create(stand, "r");
      await stand.host.scheduler.enqueueRun("r", SCOPE);
      await stand.assertDelivered("r");
      await put(stand, "r", "completed");
      await stand.host.scheduler.cancelRun("r");
      await stand.host.scheduler.cancelRun("r");
    },
  },
  "delivers a run whose holder died": {
    advice: "When a lease has expired, deliver the run again.",
    async check(stand) {
      await begin(stand, "r", {}, SHORT);
      stand.delivered.length = 0;
      await stand.pass();
      await stand.assertDelivered("r");
    },
  },
  "D3 delivers a run whose hold ran out": {
    advice: "When a hold has expired, deliver the run.",
    async check(stand) {
      await create(stand, "r", {}, { hold: { leaseId: "H", leaseMs: SHORT } });
      stand.delivered.length = 0;
      await stand.pass();
      await stand.assertDelivered("r");
    },
  },
  "delivers a suspended run": {
    advice: "A suspended run can be claimed, and no worker holds it. Deliver it.",
    async check(stand) {
      await begin(stand, "r");
      await append(stand, "r", 0, { phases: ["suspended"] });
      stand.delivered.length = 0;
      await stand.assertDelivered("r");
    },
  },
  "delivers the next run of a session after the one before it": {
    advice: "When a run has ended, deliver the next head of its session.",
    async check(stand) {
      await begin(stand, "r1");
      await create(stand, "r2");
      await stand.pass();
      stand.delivered.length = 0;
      await put(stand, "r1", "completed");
      await stand.assertDelivered("r2");
      await claim(stand, "r2");
    },
  },
  "delivers a run again until somebody claims it": {
    advice: "Repeat a delivery that had no effect.",
    async check(stand) {
      await create(stand, "r");
      await stand.host.scheduler.enqueueRun("r", SCOPE);
      await stand.assertDelivered("r");
      stand.delivered.length = 0;
      await stand.assertDelivered("r");
    },
  },
  "delivers nothing after it was closed": {
    advice: "Stop all timers and workers in close.",
    async check(stand) {
      if (stand.host.close === undefined) return;
      await create(stand, "r", {}, { readyAfterMs: SHORT });
      await stand.host.scheduler.enqueueRun("r", { ...SCOPE, runAfterMs: SHORT });
      await stand.host.close();
      await stand.pass();
      assertSame("what was delivered", stand.delivered, []);
      await assertFails("enqueueRun", () => stand.host.scheduler.enqueueRun("r", SCOPE));
    },
  },
});

/** Seconds of the clock within which a due run must be delivered. */
const DUE_SECONDS = 30;

/**
 * The cases for the scheduler of the host that `open` returns, a new and empty one at each call. Each case closes its host. The names of
 * the cases are not stable, and later versions may add cases. Throws `AgentError` `invalid-options` for a value that is not a function,
 * and for an unknown option.
 */
export function schedulerConformance(open: OpenScheduler, options: HostConformanceOptions = {}): ConformanceCase[] {
  const patienceMs = readPatience(OWNER, options, ["patienceMs", "pass"]);
  const kind = { suite: OWNER, kind: "execution host", methods: [], patienceMs, made: new WeakSet<object>() };
  const opened = suiteFactory(kind, "open", open);
  const { pass } = options;
  const toStand = async (): Promise<Stand> => {
    const delivered: string[] = [];
    const host = await opened((runId) => void delivered.push(runId));
    return {
      ...{ host, delivered, pass: readPass(options), runs: host.store.runs, checkpoints: host.store.checkpoints },
      async assertDelivered(runId) {
        const isThere = () => delivered.includes(runId);
        if (pass === undefined) await until(isThere, patienceMs);
        else for (let left = DUE_SECONDS; left > 0 && !isThere(); left--) await pass(1_000);
        assertSame(`whether ${JSON.stringify(runId)} was delivered`, isThere(), true);
      },
    };
  };
  return toCases(inTime(clauses, patienceMs), toStand, patienceMs, ({ host }) => host.close?.());
}
