// Cases about runs that are created and found.

import type { RunKind } from "../../../core/index.js";
import { missingMethods } from "../../contract/check-inputs.js";
import { assertSame, toClauses, type Clause } from "../../contract/clause.js";
import { assertFails, NOT_JSON, ODD_IDS, WRONG_IDS } from "../session-store/keys.js";
import {
  claim,
  create,
  HOLD,
  LONG,
  newRun,
  OTHER_OWNER,
  OWNER,
  pick,
  put,
  reasonOf,
  recordOf,
  type Stand,
} from "./stand.js";

const ids = (records: readonly { runId: string }[]) => records.map(({ runId }) => runId);

export const creationClauses: readonly Clause<Stand>[] = toClauses<Stand>({
  "has five ports, transactions and a scheduler, with all their methods": {
    advice: "Give each port the methods of its interface.",
    check({ host, store }) {
      const lacks = [
        ...missingMethods(store, ["transaction"]),
        ...missingMethods(host.scheduler, ["enqueueRun", "cancelRun"]),
        ...missingMethods(store.sessions, ["load", "commit", "delete"]),
        ...missingMethods(store.runs, ["create", "get", "getByDedupeKey", "getByTaskId", "listByParentRunId"]),
        ...missingMethods(store.runs, ["listByGroup", "listOpen", "claim", "renew", "update"]),
        ...missingMethods(store.checkpoints, ["latest", "load", "append", "drop"]),
        ...missingMethods(store.events, ["read", "append"]),
        ...missingMethods(store.notifications, ["getByRunId", "listPending", "enqueue", "settle"]),
      ];
      const isDurable = host.capabilities.backgroundSubagents === "durable";
      assertSame("the missing methods", isDurable ? [...lacks, ...missingMethods(store.runs, ["watch"])] : lacks, []);
    },
  },
  "creates a run that is queued": {
    advice: "A new run has no attempts, stalls, checkpoints or lease.",
    async check(stand) {
      const record = await create(stand, "r");
      const fields = ["status", "attempt", "stalls", "checkpointVersion", "lease"] as const;
      const expected = { status: "queued", attempt: 0, stalls: 0, checkpointVersion: 0 };
      assertSame("the record", pick(record, ...fields), expected);
      const { readyAtMs, createdAtMs, updatedAtMs } = record;
      assertSame("the times", [readyAtMs, updatedAtMs], [createdAtMs, createdAtMs]);
      assertSame("get", await stand.runs.get("r"), record);
    },
  },
  "keeps every field of a run, for each kind": {
    advice: "Store the whole record.",
    async check(stand) {
      const kinds: RunKind[] = ["user-turn", "subagent", "background-subagent", "notification", "tool-recovery"];
      for (const kind of kinds) {
        const run = newRun(kind, {
          ...{ kind, sessionKey: `session of ${kind}`, rootRunId: "root", parentRunId: "parent" },
          ...{ parentSessionKey: "ps", dedupeKey: `key ${kind}`, publicTaskId: "bg_00", groupId: "g" },
          input: { type: "user-text", text: "é\0\u{1f600}" },
          output: [null, 0, { a: [] }],
          error: { code: "timeout", message: "late", retryable: true },
        });
        assertSame(`create of ${kind}`, reasonOf(await stand.runs.create(run)), "ok");
        const record = await stand.runs.get(kind);
        assertSame("get", pick(record, ...(Object.keys(run) as (keyof typeof run)[])), run);
      }
    },
  },
  "finds nothing that was never created": {
    advice: "Return null, and empty lists.",
    async check({ runs }) {
      assertSame("get", await runs.get("r"), null);
      assertSame("getByDedupeKey", await runs.getByDedupeKey(OWNER, "k"), null);
      assertSame("getByTaskId", await runs.getByTaskId(OWNER, "s", "bg_00"), null);
      assertSame("listByParentRunId", await runs.listByParentRunId("r"), []);
      assertSame("listByGroup", await runs.listByGroup("r", "g"), []);
      assertSame("listOpen", await runs.listOpen(OWNER, { sessionKey: "s" }), []);
      assertSame("listOpen", await runs.listOpen(OWNER, { parentSessionKey: "s" }), []);
    },
  },
  "refuses a run id that is taken, and shows the run that has it": {
    advice: "Return duplicate with the record as it is. Change nothing.",
    async check(stand) {
      await create(stand, "r");
      await claim(stand, "r");
      const before = await recordOf(stand, "r");
      const end = await stand.runs.create(newRun("r", { sessionKey: "elsewhere", ownerNamespace: OTHER_OWNER }));
      assertSame("create", end, { ok: false, reason: "duplicate", record: before });
      assertSame("get", await stand.runs.get("r"), before);
    },
  },
  "refuses a dedupe key that is taken, and shows the run that has it": {
    advice: "Make (ownerNamespace, dedupeKey) unique.",
    async check(stand) {
      const first = await create(stand, "r1", { dedupeKey: "k" });
      const end = await stand.runs.create(newRun("r2", { dedupeKey: "k" }));
      assertSame("create", end, { ok: false, reason: "duplicate", record: first });
      assertSame("get", await stand.runs.get("r2"), null);
      assertSame("getByDedupeKey", await stand.runs.getByDedupeKey(OWNER, "k"), first);
    },
  },
  "keeps the dedupe keys of namespaces apart": {
    advice: "A dedupe key belongs to its namespace.",
    async check(stand) {
      const one = await create(stand, "r1", { dedupeKey: "k" });
      const other = await create(stand, "r2", { dedupeKey: "k", ownerNamespace: OTHER_OWNER });
      assertSame("getByDedupeKey", await stand.runs.getByDedupeKey(OWNER, "k"), one);
      assertSame("getByDedupeKey of the other", await stand.runs.getByDedupeKey(OTHER_OWNER, "k"), other);
    },
  },
  "D4 keeps a dedupe key taken after its run has ended": {
    advice: "Never remove the key of a run.",
    async check(stand) {
      await create(stand, "r1", { dedupeKey: "k" });
      await put(stand, "r1", "completed");
      assertSame("create", reasonOf(await stand.runs.create(newRun("r2", { dedupeKey: "k" }))), "duplicate");
      assertSame("getByDedupeKey", (await stand.runs.getByDedupeKey(OWNER, "k"))?.runId, "r1");
    },
  },
  "lets one of many concurrent creates with a dedupe key win": {
    advice: "Use a unique index, and read the winner.",
    async check({ runs }) {
      const creates = Array.from({ length: 12 }, (_, index) => runs.create(newRun(`r${index}`, { dedupeKey: "k" })));
      const ends = await Promise.all(creates);
      assertSame("how many won", ends.filter(({ ok }) => ok).length, 1);
      assertSame("the runs they show", new Set(ends.map(({ record }) => record.runId)).size, 1);
    },
  },
  "finds the newest run of a task, within its namespace and parent session": {
    advice: "A task id may be used again after its session was deleted. Return the run that was created last.",
    async check(stand) {
      const task = { publicTaskId: "bg_00", parentSessionKey: "s", parentRunId: "p" };
      await create(stand, "old", { ...task, sessionKey: "c1" });
      await put(stand, "old", "completed");
      await create(stand, "new", { ...task, sessionKey: "c2" });
      await create(stand, "elsewhere", { ...task, sessionKey: "c3", parentSessionKey: "s2" });
      await create(stand, "foreign", { ...task, sessionKey: "c4", ownerNamespace: OTHER_OWNER });
      const find = async (...key: [string, string, string]) => (await stand.runs.getByTaskId(...key))?.runId;
      assertSame("getByTaskId", await find(OWNER, "s", "bg_00"), "new");
      assertSame("of another session", await find(OWNER, "s2", "bg_00"), "elsewhere");
      assertSame("of another namespace", await find(OTHER_OWNER, "s", "bg_00"), "foreign");
      assertSame("of another task", await find(OWNER, "s", "bg_01"), undefined);
    },
  },
  "lists the children of a run in the order of creation": {
    advice: "List open and ended children. Sort by a sequence, not by time or id.",
    async check(stand) {
      for (const runId of ["c3", "c1", "c2"]) await create(stand, runId, { parentRunId: "p", sessionKey: runId });
      await create(stand, "other", { parentRunId: "p2", sessionKey: "o" });
      await put(stand, "c1", "cancelled");
      assertSame("listByParentRunId", ids(await stand.runs.listByParentRunId("p")), ["c3", "c1", "c2"]);
    },
  },
  "lists the group of a run, and no other": {
    advice: "Compare parent and group.",
    async check(stand) {
      const groups = { c1: "g", c2: "h", c3: "g", c4: undefined };
      for (const [runId, groupId] of Object.entries(groups))
        await create(stand, runId, { parentRunId: "p", sessionKey: runId, ...(groupId && { groupId }) });
      await create(stand, "c5", { parentRunId: "p2", sessionKey: "c5", groupId: "g" });
      assertSame("listByGroup", ids(await stand.runs.listByGroup("p", "g")), ["c1", "c3"]);
    },
  },
  "lists the open runs of a session in the order of creation": {
    advice: "Leave out runs that are completed, failed or cancelled, other sessions and other namespaces.",
    async check(stand) {
      for (const runId of ["r3", "r1", "r2", "r5", "r4"]) await create(stand, runId);
      await create(stand, "else", { sessionKey: "s2" });
      await create(stand, "foreign", { ownerNamespace: OTHER_OWNER });
      await claim(stand, "r3");
      await put(stand, "r1", "completed");
      await put(stand, "r2", "needs-recovery");
      await put(stand, "r5", "suspended");
      const open = await stand.runs.listOpen(OWNER, { sessionKey: "s" });
      assertSame("listOpen", ids(open), ["r3", "r2", "r5", "r4"]);
      for (const [runId, status] of [
        ["r3", "error"],
        ["r4", "cancelled"],
      ] as const)
        await put(stand, runId, status);
      assertSame("listOpen", ids(await stand.runs.listOpen(OWNER, { sessionKey: "s" })), ["r2", "r5"]);
    },
  },
  "lists the open runs below a parent session": {
    advice: "Compare parentSessionKey within the namespace.",
    async check(stand) {
      const below = { parentSessionKey: "s", parentRunId: "p" };
      for (const runId of ["c2", "c1", "c3"]) await create(stand, runId, { ...below, sessionKey: runId });
      await create(stand, "r");
      await create(stand, "foreign", { ...below, ownerNamespace: OTHER_OWNER });
      await put(stand, "c1", "error");
      assertSame("listOpen", ids(await stand.runs.listOpen(OWNER, { parentSessionKey: "s" })), ["c2", "c3"]);
    },
  },
  "keeps runs and sessions apart, whatever their ids are": {
    advice: "Compare ids by all their code units.",
    async check(stand) {
      for (const id of ODD_IDS) await create(stand, id, { sessionKey: id, dedupeKey: id, parentRunId: id });
      for (const id of ODD_IDS) {
        const found = [
          await stand.runs.get(id),
          await stand.runs.getByDedupeKey(OWNER, id),
          ...(await stand.runs.listOpen(OWNER, { sessionKey: id })),
          ...(await stand.runs.listByParentRunId(id)),
        ];
        assertSame(
          `what was found by ${JSON.stringify(id)}`,
          found.map((run) => run?.runId),
          [id, id, id, id],
        );
      }
    },
  },
  "refuses ids and values that it cannot keep": {
    advice: "Reject with AgentError store-failed, not retryable, and keep nothing.",
    async check({ runs }) {
      for (const id of WRONG_IDS) {
        await assertFails("create with that run id", () => runs.create(newRun(id)));
        await assertFails("create with that session key", () => runs.create(newRun("r", { sessionKey: id })));
        await assertFails("create with that dedupe key", () => runs.create(newRun("r", { dedupeKey: id })));
        await assertFails("get", () => runs.get(id));
      }
      for (const input of NOT_JSON.slice(1) as never[])
        await assertFails("create with that input", () => runs.create(newRun("r", { input })));
      assertSame("get", await runs.get("r"), null);
    },
  },
  "shares nothing with what it was given or returned": {
    advice: "Keep a copy, and return copies or deeply frozen values.",
    async check(stand) {
      const input = { list: ["before"] };
      const record = await create(stand, "r", { input });
      input.list.push("given");
      const returned = record.input as unknown as { list: string[] };
      if (!Object.isFrozen(returned.list)) returned.list.push("returned");
      assertSame("the input", (await recordOf(stand, "r")).input, { list: ["before"] });
    },
  },
  "D1 sets the time from which a run is ready": {
    advice: "readyAtMs is the engine's time plus readyAfterMs.",
    async check(stand) {
      const { readyAtMs, createdAtMs } = await create(stand, "r", {}, { readyAfterMs: LONG });
      assertSame("the delay", readyAtMs - createdAtMs, LONG);
    },
  },
  "D3 creates a run with a hold": {
    advice: "Keep the hold as the lease of the queued run.",
    async check(stand) {
      const { status, lease, attempt, stalls } = await create(stand, "r", {}, HOLD);
      assertSame("the record", { status, attempt, stalls }, { status: "queued", attempt: 0, stalls: 0 });
      assertSame("the hold", lease?.leaseId, "H");
    },
  },
});
