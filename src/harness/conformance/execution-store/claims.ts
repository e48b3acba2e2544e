// Cases about claims, leases and holds.

import { assertSame, toClauses, type Clause } from "../../contract/clause.js";
import {
  append,
  begin,
  claim,
  create,
  HOLD,
  LONG,
  OTHER_OWNER,
  pick,
  put,
  reasonOf,
  recordOf,
  SHORT,
  textEvent,
  tryClaim,
  type Stand,
} from "./stand.js";

export const claimClauses: readonly Clause<Stand>[] = toClauses<Stand>({
  "claims a queued run": {
    advice: "Set status leased and the lease, and count the attempt and the stall.",
    async check(stand) {
      const before = await create(stand, "r");
      await claim(stand, "r");
      const after = await recordOf(stand, "r");
      const fields = ["status", "attempt", "stalls", "checkpointVersion"] as const;
      const expected = { status: "leased", attempt: 1, stalls: 1, checkpointVersion: 0 };
      assertSame("the record", pick(after, ...fields), expected);
      assertSame("the lease", after.lease?.leaseId, "L");
      assertSame("whether the revision grew", after.revision > before.revision, true);
    },
  },
  "returns the record of the claim": {
    advice: "Return the record as it is after the claim.",
    async check(stand) {
      await create(stand, "r", { input: "go" });
      const end = await stand.runs.claim("r", { leaseId: "L", leaseMs: LONG, ownerNamespace: "agent:a" });
      assertSame("claim", end, { ok: true, record: await recordOf(stand, "r") });
    },
  },
  "hides a run from another namespace": {
    advice: "Return not-found, as for a run that does not exist.",
    async check(stand) {
      await create(stand, "r");
      const ownerNamespace = OTHER_OWNER;
      assertSame("claim of a foreign run", await tryClaim(stand, "r", { ownerNamespace }), "not-found");
      assertSame("claim of no run", await tryClaim(stand, "none"), "not-found");
      assertSame("the attempts", (await recordOf(stand, "r")).attempt, 0);
    },
  },
  "refuses a claim while a lease is live": {
    advice: "Return leased to every caller, even with the same leaseId: a claim is not a renewal.",
    async check(stand) {
      await begin(stand, "r");
      assertSame("claim by another", await tryClaim(stand, "r", { leaseId: "L2" }), "leased");
      assertSame("claim by the same", await tryClaim(stand, "r"), "leased");
      await append(stand, "r", 0);
      assertSame("claim of a running run", await tryClaim(stand, "r", { leaseId: "L2" }), "leased");
      assertSame("the attempts", (await recordOf(stand, "r")).attempt, 1);
    },
  },
  "lets one of many concurrent claims win": {
    advice: "Claim by one update that checks status and lease.",
    async check(stand) {
      await create(stand, "r");
      const claims = Array.from({ length: 12 }, (_, index) => tryClaim(stand, "r", { leaseId: `L${index}` }));
      const ends = await Promise.all(claims);
      assertSame("how many won", ends.filter((end) => end === "ok").length, 1);
      assertSame("the attempts", (await recordOf(stand, "r")).attempt, 1);
    },
  },
  "gives a run whose lease ran out to the next claim": {
    advice: "Compare the lease with the clock of the engine. Count one more attempt and stall.",
    async check(stand) {
      await begin(stand, "r", {}, SHORT);
      await stand.pass();
      await claim(stand, "r", { leaseId: "L2" });
      const { attempt, stalls, lease } = await recordOf(stand, "r");
      assertSame("the record", { attempt, stalls, leaseId: lease?.leaseId }, { attempt: 2, stalls: 2, leaseId: "L2" });
    },
  },
  "refuses every write under a lease that another claim replaced": {
    advice: "Compare the leaseId in each write.",
    async check(stand) {
      await begin(stand, "r", {}, SHORT);
      await stand.pass();
      await claim(stand, "r", { leaseId: "L2" });
      const { runs, events } = stand;
      const before = await recordOf(stand, "r");
      assertSame("update", reasonOf(await runs.update("r", { status: "completed" }, { leaseId: "L" })), "lost-lease");
      assertSame("checkpoints.append", await append(stand, "r", 0), "lost-lease");
      const end = await events.append("r", [textEvent("late")], { firstOffset: 0, leaseId: "L" });
      assertSame("events.append", reasonOf(end), "lost-lease");
      assertSame("renew", await runs.renew("r", "L", LONG), { ok: false, reason: "lost", status: "leased" });
      assertSame("the record", await recordOf(stand, "r"), before);
    },
  },
  "lets the last holder write until somebody else claims": {
    advice: "An expired lease is still the latest lease. Refuse only a lease that another claim replaced.",
    async check(stand) {
      await begin(stand, "r", {}, SHORT);
      await stand.pass();
      assertSame("checkpoints.append", await append(stand, "r", 0), "ok");
      assertSame("renew", reasonOf(await stand.runs.renew("r", "L", SHORT)), "ok");
      await stand.pass();
      const end = await stand.runs.update("r", { status: "completed" }, { leaseId: "L" });
      assertSame("update", reasonOf(end), "ok");
    },
  },
  "does not claim what has ended or waits for a decision": {
    advice: "Return not-claimable for completed, error, cancelled and needs-recovery.",
    async check(stand) {
      for (const status of ["completed", "error", "cancelled", "needs-recovery"] as const) {
        await begin(stand, status, { sessionKey: status });
        await put(stand, status, status);
        assertSame(`claim of a run that is ${status}`, await tryClaim(stand, status), "not-claimable");
      }
    },
  },
  "claims a suspended run": {
    advice: "A suspended run has no lease, and any worker may continue it.",
    async check(stand) {
      await begin(stand, "r");
      assertSame("append", await append(stand, "r", 0, { phases: ["suspended"] }), "ok");
      await claim(stand, "r", { leaseId: "L2" });
      const { status, attempt } = await recordOf(stand, "r");
      assertSame("the record", { status, attempt }, { status: "leased", attempt: 2 });
    },
  },
  "D1 claims a delayed run only when it is ready": {
    advice: "Return not-claimable until readyAtMs.",
    async check(stand) {
      await create(stand, "late", { sessionKey: "s1" }, { readyAfterMs: LONG });
      await create(stand, "soon", { sessionKey: "s2" }, { readyAfterMs: SHORT });
      assertSame("claim of a delayed run", await tryClaim(stand, "late"), "not-claimable");
      await stand.pass();
      assertSame("claim when it is ready", await tryClaim(stand, "soon"), "ok");
    },
  },
  "D3 lets only its holder claim a run on hold": {
    advice: "Return leased to others while the hold is live.",
    async check(stand) {
      await create(stand, "r", {}, HOLD);
      assertSame("claim by another", await tryClaim(stand, "r", { leaseId: "L2" }), "leased");
      assertSame("claim by the holder", await tryClaim(stand, "r", { leaseId: "H" }), "ok");
      assertSame("the status", (await recordOf(stand, "r")).status, "leased");
    },
  },
  "D3 gives a run whose hold ran out to anybody": {
    advice: "Compare the hold with the clock of the engine.",
    async check(stand) {
      await create(stand, "r", {}, { hold: { leaseId: "H", leaseMs: SHORT } });
      await stand.pass();
      assertSame("claim", await tryClaim(stand, "r", { leaseId: "L2" }), "ok");
    },
  },
  "renews a lease": {
    advice: "Let the lease end leaseMs from now.",
    async check(stand) {
      await begin(stand, "r", {}, SHORT);
      assertSame("renew", await stand.runs.renew("r", "L", LONG), { ok: true });
      await stand.pass();
      assertSame("claim", await tryClaim(stand, "r", { leaseId: "L2" }), "leased");
    },
  },
  "D3 renews a hold": {
    advice: "Let renew extend the hold of a queued run as well.",
    async check(stand) {
      await create(stand, "r", {}, { hold: { leaseId: "H", leaseMs: SHORT } });
      assertSame("renew", await stand.runs.renew("r", "H", LONG), { ok: true });
      await stand.pass();
      assertSame("claim", await tryClaim(stand, "r", { leaseId: "L2" }), "leased");
      assertSame("the status", (await recordOf(stand, "r")).status, "queued");
    },
  },
  "tells whose lease is lost what became of the run": {
    advice: "Return lost with the current status, or gone for a run that does not exist.",
    async check(stand) {
      const renew = (runId: string, leaseId: string) => stand.runs.renew(runId, leaseId, LONG);
      assertSame("renew of no run", await renew("none", "L"), { ok: false, reason: "lost", status: "gone" });
      await begin(stand, "r");
      assertSame("renew by another", await renew("r", "L2"), { ok: false, reason: "lost", status: "leased" });
      await put(stand, "r", "cancelled");
      assertSame("renew after the end", await renew("r", "L"), { ok: false, reason: "lost", status: "cancelled" });
    },
  },
});
