// Cases about the order of runs in a session.

import { assertSame, toClauses, type Clause } from "../../contract/clause.js";
import { append, begin, claim, create, LONG, OTHER_OWNER, put, SHORT, tryClaim, type Stand } from "./stand.js";

export const orderClauses: readonly Clause<Stand>[] = toClauses<Stand>({
  "runs one run of a session at a time": {
    advice: "Return session-busy while another run of the session has begun.",
    async check(stand) {
      await begin(stand, "r1");
      await create(stand, "r2");
      assertSame("claim of the second", await tryClaim(stand, "r2"), "session-busy");
      await append(stand, "r1", 0);
      assertSame("claim of the second", await tryClaim(stand, "r2"), "session-busy");
      await put(stand, "r1", "completed");
      assertSame("claim after the end of the first", await tryClaim(stand, "r2"), "ok");
    },
  },
  "lets one of many concurrent claims of a session win": {
    advice: "Check the head and claim it under one lock of the session.",
    async check(stand) {
      const ids = Array.from({ length: 8 }, (_, index) => `r${index}`);
      for (const id of ids) await create(stand, id, { kind: "notification" });
      const ends = await Promise.all(ids.map((id) => tryClaim(stand, id, { leaseId: `lease of ${id}` })));
      assertSame("how many won", ends.filter((end) => end === "ok").length, 1);
    },
  },
  "begins runs in the order of creation": {
    advice: "The head of the queue is the run that was created first, whatever its id is.",
    async check(stand) {
      const order = ["r3", "r1", "r4", "r2"];
      for (const runId of order) await create(stand, runId);
      for (const runId of order) {
        for (const later of order.slice(order.indexOf(runId) + 1))
          assertSame(`claim of ${later} before ${runId}`, await tryClaim(stand, later), "session-busy");
        await claim(stand, runId);
        await put(stand, runId, "completed");
      }
    },
  },
  "D1 begins runs in the order in which they are ready": {
    advice: "Sort by readyAtMs first, then by creation.",
    async check(stand) {
      await create(stand, "delayed", {}, { readyAfterMs: SHORT });
      await create(stand, "ready");
      await stand.pass();
      assertSame("claim of the run that was ready later", await tryClaim(stand, "delayed"), "session-busy");
      await claim(stand, "ready");
      await put(stand, "ready", "completed");
      assertSame("claim afterwards", await tryClaim(stand, "delayed"), "ok");
    },
  },
  "D1 lets a run that is not ready hold up nobody": {
    advice: "Leave runs before their readyAtMs out of the order.",
    async check(stand) {
      await create(stand, "delayed", {}, { readyAfterMs: LONG });
      await create(stand, "r");
      assertSame("claim", await tryClaim(stand, "r"), "ok");
    },
  },
  "lets a queued notification hold up no user turn": {
    advice: "A turn delivers the notifications that are waiting when it starts.",
    async check(stand) {
      await create(stand, "n", { kind: "notification" });
      await create(stand, "r");
      assertSame("claim of the turn", await tryClaim(stand, "r"), "ok");
      assertSame("claim of the notification", await tryClaim(stand, "n"), "session-busy");
    },
  },
  "lets a notification wait for older user turns": {
    advice: "A notification is a head only if no older run of another kind is ready.",
    async check(stand) {
      await create(stand, "r");
      await create(stand, "n", { kind: "notification" });
      assertSame("claim of the notification", await tryClaim(stand, "n"), "session-busy");
      await claim(stand, "r");
      await put(stand, "r", "completed");
      assertSame("claim afterwards", await tryClaim(stand, "n"), "ok");
    },
  },
  "lets a notification that has begun hold up user turns": {
    advice: "Only a queued notification does not block other runs.",
    async check(stand) {
      await begin(stand, "n", { kind: "notification" });
      await create(stand, "r");
      assertSame("claim of the turn", await tryClaim(stand, "r"), "session-busy");
    },
  },
  "keeps a suspended run the head of its session": {
    advice: "A run with a checkpoint is the head until it has ended.",
    async check(stand) {
      await create(stand, "n", { kind: "notification" });
      await begin(stand, "r1");
      await append(stand, "r1", 0, { phases: ["suspended"] });
      await create(stand, "r2");
      for (const other of ["r2", "n"]) assertSame(`claim of ${other}`, await tryClaim(stand, other), "session-busy");
      assertSame("claim of the suspended run", await tryClaim(stand, "r1"), "ok");
    },
  },
  "keeps a run that needs recovery the head of its session": {
    advice: "It holds up the rest until somebody decides.",
    async check(stand) {
      await begin(stand, "r1");
      await append(stand, "r1", 0);
      await put(stand, "r1", "needs-recovery");
      await create(stand, "r2");
      assertSame("claim of the second", await tryClaim(stand, "r2"), "session-busy");
      await put(stand, "r1", "queued");
      assertSame("claim of the second", await tryClaim(stand, "r2"), "session-busy");
      assertSame("claim of the first", await tryClaim(stand, "r1"), "ok");
    },
  },
  "keeps a run the head whose lease ran out after a checkpoint": {
    advice: "A checkpoint makes a run the head until it has ended, with or without a lease.",
    async check(stand) {
      await create(stand, "n", { kind: "notification" });
      await begin(stand, "r1", {}, SHORT);
      await append(stand, "r1", 0);
      await create(stand, "r2");
      await stand.pass();
      for (const other of ["r2", "n"]) assertSame(`claim of ${other}`, await tryClaim(stand, other), "session-busy");
      assertSame("claim of the first", await tryClaim(stand, "r1", { leaseId: "L2" }), "ok");
    },
  },
  "keeps a run the head whose lease ran out before its first checkpoint": {
    advice: "Its last holder may still write, so nobody else may begin before it is claimed again or given back.",
    async check(stand) {
      await create(stand, "n", { kind: "notification" });
      await begin(stand, "r1", {}, SHORT);
      await stand.pass();
      assertSame("claim of the older notification", await tryClaim(stand, "n"), "session-busy");
      assertSame("claim of the run", await tryClaim(stand, "r1", { leaseId: "L2" }), "ok");
    },
  },
  "holds up no other session and no other namespace": {
    advice: "The order is that of one session key in one namespace.",
    async check(stand) {
      await begin(stand, "r1");
      await create(stand, "r2", { sessionKey: "s2" });
      await create(stand, "r3", { ownerNamespace: OTHER_OWNER });
      assertSame("claim in another session", await tryClaim(stand, "r2"), "ok");
      const ownerNamespace = OTHER_OWNER;
      assertSame("claim in another namespace", await tryClaim(stand, "r3", { ownerNamespace }), "ok");
    },
  },
  "claims a run that is not the head where `exclusive` is false": {
    advice: "Skip the check of the head, and no other one.",
    async check(stand) {
      await begin(stand, "r1");
      await create(stand, "r2");
      assertSame("claim", await tryClaim(stand, "r2", { exclusive: false }), "ok");
      assertSame("claim again", await tryClaim(stand, "r2", { exclusive: false, leaseId: "L2" }), "leased");
    },
  },
});
