// Cases about checkpoints and events.

import { MAX_RUNTIME_STATE_BYTES, type EventCursor, type StoredSessionEvent } from "../../../core/index.js";
import { assertSame, toClauses, type Clause } from "../../contract/clause.js";
import { assertFails } from "../session-store/keys.js";
import {
  append,
  begin,
  claim,
  create,
  newCheckpoint,
  pick,
  put,
  reasonOf,
  recordOf,
  SHORT,
  textEvent,
  type Stand,
} from "./stand.js";

const EVENTS = ["a", "b", "c", "d", "e"].map(textEvent);

async function read({ events }: Stand, runId: string, cursor?: EventCursor): Promise<StoredSessionEvent[]> {
  const found: StoredSessionEvent[] = [];
  for await (const stored of events.read(runId, cursor)) found.push(stored);
  return found;
}

const stored = (runId: string, from = 0) =>
  EVENTS.slice(from).map((event, index) => ({ cursor: { offset: from + index + 1 }, runId, event }));

export const journalClauses: readonly Clause<Stand>[] = toClauses<Stand>({
  "has no checkpoint of a run without one": {
    advice: "Return null from latest and load.",
    async check(stand) {
      await create(stand, "r");
      for (const runId of ["r", "none"]) {
        assertSame("latest", await stand.checkpoints.latest(runId), null);
        assertSame("load", await stand.checkpoints.load(runId), null);
        await stand.checkpoints.drop(runId);
      }
    },
  },
  "keeps the latest checkpoint with all its fields": {
    advice: "Store the whole checkpoint.",
    async check(stand) {
      await begin(stand, "r");
      const pending = { toolCallId: "call_1", toolName: "pay", attempt: 1, idempotencyKey: "r:call_1" };
      const full = newCheckpoint("r", 1, {
        ...{ phases: ["after-model", "before-tool"], childRunId: "child" },
        pendingTools: [{ ...pending, retryPolicy: "manual-recovery" }],
      });
      const { checkpoints } = stand;
      const end = await checkpoints.append(full, { expectedVersion: 0, leaseId: "L" });
      assertSame("append", end, { ok: true, version: 1 });
      assertSame("latest", await checkpoints.latest("r"), full);
      assertSame("load", await checkpoints.load("r"), { checkpoint: full, journal: full.appended });
    },
  },
  "sets version and status of the run with each checkpoint": {
    advice: "Write checkpoint and run in one step.",
    async check(stand) {
      await begin(stand, "r");
      for (const version of [1, 2, 3]) {
        assertSame("append", await append(stand, "r", version - 1), "ok");
        const { status, checkpointVersion, lease } = await recordOf(stand, "r");
        const expected = { status: "running", checkpointVersion: version, leaseId: "L" };
        assertSame("the run", { status, checkpointVersion, leaseId: lease?.leaseId }, expected);
      }
    },
  },
  "D2 sets the stalls to 0 with each checkpoint": {
    advice: "A checkpoint is progress.",
    async check(stand) {
      await begin(stand, "r", {}, SHORT);
      await stand.pass();
      await claim(stand, "r", { leaseId: "L2" });
      assertSame("append", await append(stand, "r", 0, { leaseId: "L2" }), "ok");
      assertSame("the counts", pick(await recordOf(stand, "r"), "attempt", "stalls"), { attempt: 2, stalls: 0 });
    },
  },
  "suspends a run by a checkpoint": {
    advice: "With the phase suspended, set that status and drop the lease.",
    async check(stand) {
      await begin(stand, "r");
      assertSame("append", await append(stand, "r", 0, { phases: ["after-tool", "suspended"] }), "ok");
      const expected = { status: "suspended", checkpointVersion: 1 };
      assertSame("the run", pick(await recordOf(stand, "r"), "status", "checkpointVersion", "lease"), expected);
      assertSame("append afterwards", await append(stand, "r", 1), "lost-lease");
    },
  },
  "refuses a checkpoint at another version": {
    advice: "Compare with the version of the run. Return stale-version with the current version.",
    async check(stand) {
      await begin(stand, "r");
      await append(stand, "r", 0);
      for (const expectedVersion of [0, 2, 7]) {
        const checkpoint = newCheckpoint("r", expectedVersion + 1, { runtimeState: "late" });
        const end = await stand.checkpoints.append(checkpoint, { expectedVersion, leaseId: "L" });
        assertSame("append", end, { ok: false, reason: "stale-version", currentVersion: 1 });
      }
      assertSame("latest", await stand.checkpoints.latest("r"), newCheckpoint("r", 1));
    },
  },
  "refuses a checkpoint without the lease": {
    advice: "Return lost-lease with the current version, unless the run is held under this lease.",
    async check(stand) {
      const tryAppend = (runId: string, leaseId: string, expectedVersion = 0) =>
        stand.checkpoints.append(newCheckpoint(runId, expectedVersion + 1), { expectedVersion, leaseId });
      const lost = (currentVersion: number) => ({ ok: false, reason: "lost-lease", currentVersion });
      assertSame("append to no run", await tryAppend("none", "L"), lost(0));
      await create(stand, "held", { sessionKey: "s2" }, { hold: { leaseId: "H", leaseMs: 60_000 } });
      assertSame("append under a hold", await tryAppend("held", "H"), lost(0));
      await begin(stand, "r");
      await append(stand, "r", 0);
      assertSame("append under another lease", await tryAppend("r", "L2", 1), lost(1));
      await put(stand, "r", "completed");
      assertSame("append after the end", await tryAppend("r", "L", 1), lost(1));
    },
  },
  "lets one of many concurrent checkpoints at a version win": {
    advice: "Write by one update that checks the version.",
    async check(stand) {
      await begin(stand, "r");
      const tries = Array.from({ length: 8 }, (_, index) => append(stand, "r", 0, { runtimeState: index }));
      const ends = await Promise.all(tries);
      assertSame("how many won", ends.filter((end) => end === "ok").length, 1);
      assertSame("the state", (await stand.checkpoints.latest("r"))?.runtimeState, ends.indexOf("ok"));
    },
  },
  "joins the journal of all checkpoints in order": {
    advice: "Keep the items that each version appended, and return all of them in the order of versions.",
    async check(stand) {
      await begin(stand, "r");
      const parts = [[1, "two"], [], [{ three: null }], [[4], 5]];
      for (const [version, appended] of parts.entries())
        assertSame("append", await append(stand, "r", version, { appended }), "ok");
      const loaded = await stand.checkpoints.load("r");
      assertSame("the journal", loaded?.journal, parts.flat());
      assertSame("the version", loaded?.checkpoint.version, parts.length);
    },
  },
  "keeps journals of runs apart": {
    advice: "Compare complete run ids.",
    async check(stand) {
      for (const runId of ["r", "rr"]) {
        await begin(stand, runId, { sessionKey: runId });
        await append(stand, runId, 0, { appended: [runId] });
      }
      await stand.checkpoints.drop("r");
      assertSame("load", (await stand.checkpoints.load("rr"))?.journal, ["rr"]);
    },
  },
  "drops the checkpoints of a run": {
    advice: "Remove checkpoint and journal. The run keeps its version.",
    async check(stand) {
      await begin(stand, "r");
      await append(stand, "r", 0);
      await stand.checkpoints.drop("r");
      assertSame("latest", await stand.checkpoints.latest("r"), null);
      assertSame("load", await stand.checkpoints.load("r"), null);
      assertSame("the version", (await recordOf(stand, "r")).checkpointVersion, 1);
    },
  },
  "keeps the largest state of a checkpoint, and refuses a larger one": {
    advice: `Measure the canonical JSON of runtimeState. The limit is ${MAX_RUNTIME_STATE_BYTES} bytes.`,
    async check(stand) {
      await begin(stand, "r");
      const largest = "x".repeat(MAX_RUNTIME_STATE_BYTES - 2);
      await assertFails("append", () => append(stand, "r", 0, { runtimeState: `${largest}x` }));
      assertSame("append of the largest", await append(stand, "r", 0, { runtimeState: largest }), "ok");
    },
  },
  "refuses a checkpoint whose version is not the next one": {
    advice: "Reject with AgentError store-failed: it would leave a gap.",
    async check(stand) {
      await begin(stand, "r");
      const gap = newCheckpoint("r", 2);
      await assertFails("append", () => stand.checkpoints.append(gap, { expectedVersion: 0, leaseId: "L" }));
      assertSame("latest", await stand.checkpoints.latest("r"), null);
    },
  },
  "reads the events of a run in order, with their cursors": {
    advice: "The cursor of an event is the number of events up to it.",
    async check(stand) {
      await create(stand, "r");
      assertSame("read of no events", await read(stand, "r"), []);
      const one = await stand.events.append("r", EVENTS.slice(0, 2), { firstOffset: 0 });
      assertSame("append", one, { ok: true, cursor: { offset: 2 } });
      const two = await stand.events.append("r", EVENTS.slice(2), { firstOffset: 2 });
      assertSame("append", two, { ok: true, cursor: { offset: 5 } });
      assertSame("read", await read(stand, "r"), stored("r"));
    },
  },
  "reads events from a cursor on: none twice, none left out": {
    advice: "Begin after the number of events that the cursor names.",
    async check(stand) {
      await create(stand, "r");
      await stand.events.append("r", EVENTS, { firstOffset: 0 });
      for (let offset = 0; offset <= EVENTS.length; offset++)
        assertSame(`read from ${offset}`, await read(stand, "r", { offset }), stored("r", offset));
    },
  },
  "reads the events of a long run": {
    advice: "Read all pages.",
    async check(stand) {
      await create(stand, "r");
      const many = Array.from({ length: 1_500 }, (_, index) => textEvent(`${index}`));
      await stand.events.append("r", many, { firstOffset: 0 });
      const found = await read(stand, "r", { offset: 3 });
      assertSame(
        "read",
        found.map(({ event }) => event),
        many.slice(3),
      );
    },
  },
  "refuses events that would leave a gap": {
    advice: "Return gap with the current end, and keep nothing.",
    async check(stand) {
      await create(stand, "r");
      await stand.events.append("r", EVENTS.slice(0, 1), { firstOffset: 0 });
      const end = await stand.events.append("r", EVENTS.slice(2), { firstOffset: 2 });
      assertSame("append", end, { ok: false, reason: "gap", cursor: { offset: 1 } });
      assertSame("how many events there are", (await read(stand, "r")).length, 1);
    },
  },
  "changes nothing when the same events come again": {
    advice: "Compare the events at these offsets. Equal events are a repeated call.",
    async check(stand) {
      await create(stand, "r");
      await stand.events.append("r", EVENTS, { firstOffset: 0 });
      const whole = await stand.events.append("r", EVENTS, { firstOffset: 0 });
      assertSame("append again", whole, { ok: true, cursor: { offset: 5 } });
      const part = await stand.events.append("r", EVENTS.slice(1, 3), { firstOffset: 1 });
      assertSame("append of a part again", part, { ok: true, cursor: { offset: 5 } });
      assertSame("read", await read(stand, "r"), stored("r"));
    },
  },
  "refuses other events at offsets that are taken": {
    advice: "Return gap with the current end, and keep the stored events.",
    async check(stand) {
      await create(stand, "r");
      await stand.events.append("r", EVENTS, { firstOffset: 0 });
      const end = await stand.events.append("r", [textEvent("other")], { firstOffset: 2 });
      assertSame("append", end, { ok: false, reason: "gap", cursor: { offset: 5 } });
      assertSame("read", await read(stand, "r"), stored("r"));
    },
  },
  "lets one of many concurrent writers append at an offset": {
    advice: "Make (run, offset) unique.",
    async check(stand) {
      await create(stand, "r");
      const tries = EVENTS.map((event) => stand.events.append("r", [event], { firstOffset: 0 }));
      const ends = (await Promise.all(tries)).map(reasonOf);
      assertSame("how many won", ends.filter((end) => end === "ok").length, 1);
      assertSame(
        "read",
        (await read(stand, "r")).map(({ event }) => event),
        [EVENTS[ends.indexOf("ok")]],
      );
    },
  },
  "refuses events under another lease": {
    advice: "With a leaseId, compare it with the latest lease of the run.",
    async check(stand) {
      await begin(stand, "r");
      const tell = (leaseId: string) => stand.events.append("r", EVENTS.slice(0, 1), { firstOffset: 0, leaseId });
      assertSame("append", await tell("L2"), { ok: false, reason: "lost-lease", cursor: { offset: 0 } });
      assertSame("append under the lease", reasonOf(await tell("L")), "ok");
      await put(stand, "r", "cancelled");
      assertSame("append after the end", reasonOf(await tell("L")), "lost-lease");
    },
  },
  "keeps the events of runs apart": {
    advice: "Offsets count from 0 in each run.",
    async check(stand) {
      for (const runId of ["r", "rr"]) {
        await create(stand, runId, { sessionKey: runId });
        await stand.events.append(runId, EVENTS, { firstOffset: 0 });
      }
      assertSame("read", await read(stand, "rr"), stored("rr"));
      assertSame("read of no run", await read(stand, "none"), []);
    },
  },
});
