// Cases about changes of runs: compare-and-set, release, and final states.

import type { RunStatus } from "../../../core/index.js";
import { assertSame, toClauses, type Clause } from "../../contract/clause.js";
import {
  append,
  begin,
  claim,
  create,
  HOLD,
  pick,
  put,
  reasonOf,
  recordOf,
  SHORT,
  tryClaim,
  type Stand,
} from "./stand.js";

const TERMINAL = ["completed", "error", "cancelled"] as const;

export const updateClauses: readonly Clause<Stand>[] = toClauses<Stand>({
  "changes what it is given, and keeps the rest": {
    advice: "Write status, output and error where they are given. Let the revision grow.",
    async check(stand) {
      await create(stand, "r", { input: "in", dedupeKey: "k" });
      await claim(stand, "r");
      const before = await recordOf(stand, "r");
      const error = { code: "timeout", message: "late", retryable: true };
      const end = await stand.runs.update("r", { status: "error", output: { text: "out" }, error }, { leaseId: "L" });
      const after = await recordOf(stand, "r");
      assertSame("update", end, { ok: true, record: after });
      const fields = ["status", "output", "error", "input", "dedupeKey", "attempt", "createdAtMs"] as const;
      const expected = { ...pick(before, ...fields), status: "error", output: { text: "out" }, error };
      assertSame("the record", pick(after, ...fields), expected);
      assertSame("whether the revision grew", after.revision > before.revision, true);
    },
  },
  "changes the output alone": {
    advice: "Without a status, keep status and lease.",
    async check(stand) {
      await begin(stand, "r");
      const before = await recordOf(stand, "r");
      assertSame("update", reasonOf(await stand.runs.update("r", { output: 1 }, { leaseId: "L" })), "ok");
      const fields = ["status", "lease", "stalls", "output"] as const;
      assertSame("the record", pick(await recordOf(stand, "r"), ...fields), { ...pick(before, ...fields), output: 1 });
    },
  },
  "refuses an update of a run with another status, and shows the run": {
    advice: "Compare with `from`. Return status with the present record, and change nothing.",
    async check(stand) {
      await begin(stand, "r");
      const before = await recordOf(stand, "r");
      const end = await stand.runs.update("r", { status: "completed" }, { from: ["queued", "running"] });
      assertSame("update", end, { ok: false, reason: "status", record: before });
      assertSame("get", await stand.runs.get("r"), before);
    },
  },
  "refuses an update under another lease, and shows the run": {
    advice: "Compare with the latest lease. Return lost-lease with the present record, and change nothing.",
    async check(stand) {
      await begin(stand, "r");
      const before = await recordOf(stand, "r");
      const end = await stand.runs.update("r", { status: "completed" }, { leaseId: "L2" });
      assertSame("update", end, { ok: false, reason: "lost-lease", record: before });
      assertSame("get", await stand.runs.get("r"), before);
    },
  },
  "answers not-found for a run that is not there": {
    advice: "Create nothing by an update.",
    async check(stand) {
      assertSame("update", reasonOf(await stand.runs.update("none", { status: "completed" }, {})), "not-found");
      assertSame("get", await stand.runs.get("none"), null);
    },
  },
  "never changes a run that has ended": {
    advice:
      "Answer status for every update of a completed, failed or cancelled run, also where `from` names its status.",
    async check(stand) {
      for (const status of TERMINAL) {
        await begin(stand, status, { sessionKey: status });
        await put(stand, status, status);
        const before = await recordOf(stand, status);
        for (const next of ["queued", "completed", "cancelled"] as const) {
          const end = await stand.runs.update(status, { status: next, output: "late" }, { from: [status] });
          assertSame(`update of a run that is ${status}`, reasonOf(end), "status");
        }
        assertSame("update of the output", reasonOf(await stand.runs.update(status, { output: 1 }, {})), "status");
        assertSame("get", await stand.runs.get(status), before);
      }
    },
  },
  "refuses the holder's end after a cancel": {
    advice: "A cancel drops the lease, so the end of the turn is refused as lost-lease.",
    async check(stand) {
      await begin(stand, "r");
      await append(stand, "r", 0);
      await put(stand, "r", "cancelled");
      const end = await stand.runs.update("r", { status: "completed" }, { leaseId: "L" });
      assertSame("update", reasonOf(end), "lost-lease");
      assertSame("append", await append(stand, "r", 1), "lost-lease");
      assertSame("the status", (await recordOf(stand, "r")).status, "cancelled");
    },
  },
  "leaves needs-recovery only where `from` names it": {
    advice: "A new status for such a run is a decision. Refuse it without `from`.",
    async check(stand) {
      await begin(stand, "r");
      await put(stand, "r", "needs-recovery");
      for (const status of ["queued", "suspended", "cancelled"] as const)
        assertSame(`update to ${status}`, reasonOf(await stand.runs.update("r", { status }, {})), "status");
      const end = await stand.runs.update("r", { status: "queued" }, { from: ["needs-recovery"] });
      assertSame("update with from", reasonOf(end), "ok");
      assertSame("the status", (await recordOf(stand, "r")).status, "queued");
    },
  },
  "gives no lease by an update": {
    advice: "Only a claim leads from queued or suspended to leased or running.",
    async check(stand) {
      await create(stand, "r");
      for (const status of ["leased", "running"] as const)
        assertSame(`update to ${status}`, reasonOf(await stand.runs.update("r", { status }, {})), "status");
      assertSame("the status", (await recordOf(stand, "r")).status, "queued");
    },
  },
  "D5 drops the lease with each status but leased and running": {
    advice: "Drop it in the same step, whatever `release` says.",
    async check(stand) {
      const statuses: RunStatus[] = ["queued", "suspended", "needs-recovery", ...TERMINAL];
      for (const status of statuses) {
        await begin(stand, status, { sessionKey: status });
        const end = await stand.runs.update(status, { status }, { leaseId: "L", release: false });
        assertSame(`update to ${status}`, reasonOf(end), "ok");
        assertSame(`the lease of a run that is ${status}`, (await recordOf(stand, status)).lease, undefined);
      }
    },
  },
  "D5 drops the hold of a run that ends": {
    advice: "A hold is dropped like a lease.",
    async check(stand) {
      await create(stand, "r", {}, HOLD);
      assertSame("update", reasonOf(await stand.runs.update("r", { status: "cancelled" }, { leaseId: "H" })), "ok");
      assertSame("the hold", (await recordOf(stand, "r")).lease, undefined);
    },
  },
  "keeps the lease of a run that becomes running": {
    advice: "leased and running are held.",
    async check(stand) {
      await begin(stand, "r");
      assertSame("update", reasonOf(await stand.runs.update("r", { status: "running" }, { leaseId: "L" })), "ok");
      assertSame("the lease", (await recordOf(stand, "r")).lease?.leaseId, "L");
      assertSame("claim", await tryClaim(stand, "r", { leaseId: "L2" }), "leased");
    },
  },
  "D2 counts claims without a checkpoint": {
    advice: "Each claim adds a stall.",
    async check(stand) {
      await create(stand, "r");
      for (const count of [1, 2, 3]) {
        await claim(stand, "r", { leaseId: `L${count}`, leaseMs: SHORT });
        await stand.pass();
        const { attempt, stalls } = await recordOf(stand, "r");
        assertSame("the counts", { attempt, stalls }, { attempt: count, stalls: count });
      }
    },
  },
  "D2 takes a released claim out of the stalls": {
    advice: "With `release`, drop the lease and count one stall less. The number of attempts never decreases.",
    async check(stand) {
      await begin(stand, "r");
      const end = await stand.runs.update("r", { status: "queued" }, { leaseId: "L", release: true });
      assertSame("update", reasonOf(end), "ok");
      const { status, attempt, stalls, lease } = await recordOf(stand, "r");
      assertSame("the record", { status, attempt, stalls }, { status: "queued", attempt: 1, stalls: 0 });
      assertSame("the lease", lease, undefined);
      await claim(stand, "r", { leaseId: "L2" });
    },
  },
  "D2 counts no stall below zero": {
    advice: "A release after a checkpoint leaves the stalls at 0.",
    async check(stand) {
      await begin(stand, "r");
      await append(stand, "r", 0);
      assertSame(
        "update",
        reasonOf(await stand.runs.update("r", { status: "suspended" }, { leaseId: "L", release: true })),
        "ok",
      );
      assertSame("the stalls", (await recordOf(stand, "r")).stalls, 0);
    },
  },
  "D2 counts a claim that was not released": {
    advice: "Without `release`, a run that is queued again keeps its stalls.",
    async check(stand) {
      await begin(stand, "r");
      assertSame("update", reasonOf(await stand.runs.update("r", { status: "queued" }, { leaseId: "L" })), "ok");
      assertSame("the stalls", (await recordOf(stand, "r")).stalls, 1);
    },
  },
  "D3 gives a hold back": {
    advice: "With `release`, drop the hold. A hold is not a claim, so the stalls do not change.",
    async check(stand) {
      await create(stand, "r", {}, HOLD);
      assertSame("update", reasonOf(await stand.runs.update("r", {}, { leaseId: "H", release: true })), "ok");
      assertSame("the record", pick(await recordOf(stand, "r"), "status", "stalls", "lease"), {
        status: "queued",
        stalls: 0,
      });
      await claim(stand, "r", { leaseId: "L2" });
    },
  },
});
