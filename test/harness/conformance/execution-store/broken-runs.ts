// A host that is broken on purpose for each case about runs.

import { defined } from "../../../../src/core/defined.js";
import type { NewRun, RunStore } from "../../../../src/core/index.js";
import {
  beforeClaim,
  breakRuns,
  claimAs,
  grant,
  refuseClaim,
  showRun,
  updateAs,
  type Break,
} from "../../../support/broken-hosts.js";

const LONG = 60_000;
const createAs = (
  change: (run: NewRun, options: Parameters<RunStore["create"]>[1]) => Parameters<RunStore["create"]>,
) => breakRuns((runs) => ({ create: (run, options) => runs.create(...change(run, options)) }));

export const BROKEN_CREATION: Readonly<Record<string, Break>> = {
  "has five ports, transactions and a scheduler, with all their methods": breakRuns(() => ({
    listByGroup: undefined as never,
  })),
  "creates a run that is queued": showRun(() => ({ attempt: 1 })),
  "keeps every field of a run, for each kind": createAs(({ groupId: _, ...run }, options) => [run, options]),
  "finds nothing that was never created": breakRuns((runs) => ({
    getByTaskId: async (...key) => (await runs.getByTaskId(...key)) ?? (undefined as never),
  })),
  "refuses a run id that is taken, and shows the run that has it": breakRuns((runs) => ({
    create: async (run, options) => {
      const end = await runs.create(run, options);
      return end.ok ? end : { ok: true, record: end.record };
    },
  })),
  "refuses a dedupe key that is taken, and shows the run that has it": createAs(({ dedupeKey: _, ...run }, options) => [
    run,
    options,
  ]),
  "keeps the dedupe keys of namespaces apart": breakRuns((runs) => ({
    create: async (run, options) => {
      const taken = run.dedupeKey === undefined ? null : await runs.getByDedupeKey("agent:a", run.dedupeKey);
      return taken === null ? runs.create(run, options) : { ok: false, reason: "duplicate", record: taken };
    },
  })),
  "D4 keeps a dedupe key taken after its run has ended": breakRuns((runs) => ({
    create: async (run, options) => {
      const taken = await runs.getByDedupeKey(run.ownerNamespace, run.dedupeKey ?? "none");
      const { dedupeKey: _, ...rest } = run;
      return runs.create(taken?.status === "completed" ? rest : run, options);
    },
  })),
  "lets one of many concurrent creates with a dedupe key win": breakRuns((runs) => ({
    create: async (run, options) => {
      const { dedupeKey = "none", ...rest } = run;
      const taken = await runs.getByDedupeKey(run.ownerNamespace, dedupeKey);
      await new Promise((resolve) => setTimeout(resolve, 1));
      return taken === null ? runs.create(rest, options) : { ok: false, reason: "duplicate", record: taken };
    },
  })),
  "finds the newest run of a task, within its namespace and parent session": breakRuns((runs) => ({
    getByTaskId: async (owner, parent, task) => {
      const newest = await runs.getByTaskId(owner, parent, task);
      const all = newest === null ? [] : await runs.listByParentRunId(newest.parentRunId ?? "");
      return all[0] ?? newest;
    },
  })),
  "lists the children of a run in the order of creation": breakRuns((runs) => ({
    listByParentRunId: async (id) =>
      [...(await runs.listByParentRunId(id))].sort((a, b) => (a.runId < b.runId ? -1 : 1)),
  })),
  "lists the group of a run, and no other": breakRuns((runs) => ({ listByGroup: (id) => runs.listByParentRunId(id) })),
  "lists the open runs of a session in the order of creation": breakRuns((runs) => ({
    listOpen: async (...call) => (await runs.listOpen(...call)).filter(({ status }) => status !== "needs-recovery"),
  })),
  "lists the open runs below a parent session": breakRuns((runs) => ({
    listOpen: (owner, where) =>
      runs.listOpen(owner, "sessionKey" in where ? where : { sessionKey: where.parentSessionKey }),
  })),
  "keeps runs and sessions apart, whatever their ids are": breakRuns((runs) => ({
    get: (id) => runs.get(id.normalize("NFC")),
    create: (run, options) => runs.create({ ...run, runId: run.runId.normalize("NFC") }, options),
  })),
  "refuses ids and values that it cannot keep": breakRuns((runs) => ({
    get: async (id) => (id.length > 1_024 ? null : runs.get(id)),
  })),
  "shares nothing with what it was given or returned": (() => {
    const inputs = new Map<string, NewRun["input"]>();
    return breakRuns((runs) => ({
      create: async (run, options) => (inputs.set(run.runId, run.input), runs.create(run, options)),
      get: async (id) => {
        const run = await runs.get(id);
        return run === null ? null : { ...run, ...defined({ input: inputs.get(id) }) };
      },
    }));
  })(),
  "D1 sets the time from which a run is ready": showRun(({ createdAtMs }) => ({ readyAtMs: createdAtMs })),
  "D3 creates a run with a hold": createAs((run) => [run, {}]),
};

export const BROKEN_CLAIMS: Readonly<Record<string, Break>> = {
  "claims a queued run": showRun(() => ({ stalls: 0 })),
  "returns the record of the claim": breakRuns((runs) => ({
    claim: async (id, options) => {
      const before = await runs.get(id);
      const end = await runs.claim(id, options);
      return end.ok && before !== null ? { ok: true, record: before } : end;
    },
  })),
  "hides a run from another namespace": breakRuns((runs) => ({
    claim: async (id, options) => {
      const ownerNamespace = (await runs.get(id))?.ownerNamespace ?? options.ownerNamespace;
      return runs.claim(id, { ...options, ownerNamespace });
    },
  })),
  "refuses a claim while a lease is live": beforeClaim(async ({ runs }, { runId, lease, status }, leaseId) => {
    if (status !== "queued" && lease?.leaseId === leaseId) await runs.update(runId, {}, { release: true });
  }),
  "lets one of many concurrent claims win": grant("leased"),
  "gives a run whose lease ran out to the next claim": refuseClaim("leased", ({ status }) => status === "leased"),
  "refuses every write under a lease that another claim replaced": breakRuns((runs) => ({
    update: async (id, change, { leaseId: _, ...expected }) => runs.update(id, change, expected),
  })),
  "lets the last holder write until somebody else claims": breakRuns((runs) => ({
    renew: async (id, leaseId, leaseMs) => {
      const run = await runs.get(id);
      // A store that looks at its clock in `renew`: a short lease has run out, since nothing else is renewed for a short time.
      if (leaseMs < LONG && run?.status === "running") return { ok: false, reason: "lost", status: run.status };
      return runs.renew(id, leaseId, leaseMs);
    },
  })),
  "does not claim what has ended or waits for a decision": grant("not-claimable", ({ status }) => status === "error"),
  "claims a suspended run": refuseClaim("not-claimable", ({ status }) => status === "suspended"),
  "D1 claims a delayed run only when it is ready": createAs((run, options) => [run, { ...options, readyAfterMs: 0 }]),
  "D3 lets only its holder claim a run on hold": beforeClaim(async ({ runs }, { runId, status }) => {
    if (status === "queued") await runs.update(runId, {}, { release: true });
  }),
  "D3 gives a run whose hold ran out to anybody": createAs((run, { hold, ...options } = {}) => [
    run,
    { ...options, ...(hold && { hold: { ...hold, leaseMs: LONG } }) },
  ]),
  "renews a lease": breakRuns((runs) => ({
    renew: async (id, leaseId, leaseMs) => {
      const isLease = (await runs.get(id))?.status !== "queued";
      return isLease ? { ok: true } : runs.renew(id, leaseId, leaseMs);
    },
  })),
  "D3 renews a hold": breakRuns((runs) => ({
    renew: async (id, leaseId, leaseMs) => {
      const run = await runs.get(id);
      return run?.status === "queued"
        ? { ok: false, reason: "lost", status: "queued" }
        : runs.renew(id, leaseId, leaseMs);
    },
  })),
  "tells whose lease is lost what became of the run": breakRuns((runs) => ({
    renew: async (...call) => {
      const end = await runs.renew(...call);
      return end.ok ? end : { ...end, status: "gone" };
    },
  })),
};

const isNotification = ({ kind }: { kind: string }) => kind === "notification";

export const BROKEN_ORDER: Readonly<Record<string, Break>> = {
  "runs one run of a session at a time": claimAs((options) => ({ ...options, exclusive: false })),
  "lets one of many concurrent claims of a session win": grant("session-busy", isNotification),
  "begins runs in the order of creation": grant("session-busy", ({ runId }) => runId === "r1"),
  "D1 begins runs in the order in which they are ready": grant("session-busy", ({ runId, createdAtMs, readyAtMs }) => {
    return runId === "delayed" && readyAtMs > createdAtMs;
  }),
  "D1 lets a run that is not ready hold up nobody": breakRuns((runs) => ({
    claim: async (id, options) => {
      const run = await runs.get(id);
      const open = run === null ? [] : await runs.listOpen(run.ownerNamespace, { sessionKey: run.sessionKey });
      const isFirst = open[0]?.runId === id;
      return isFirst || open.length === 0 ? runs.claim(id, options) : { ok: false, reason: "session-busy" };
    },
  })),
  "lets a queued notification hold up no user turn": createAs((run, options) => [
    { ...run, kind: "user-turn" },
    options,
  ]),
  "lets a notification wait for older user turns": grant("session-busy", isNotification),
  "lets a notification that has begun hold up user turns": breakRuns((runs) => ({
    claim: async (id, options) => {
      const run = await runs.get(id);
      const open = run === null ? [] : await runs.listOpen(run.ownerNamespace, { sessionKey: run.sessionKey });
      const exclusive = open.filter(({ runId }) => runId !== id).some(({ kind }) => kind !== "notification");
      return runs.claim(id, { ...options, exclusive });
    },
  })),
  "keeps a suspended run the head of its session": breakRuns((runs) => ({
    claim: async (id, options) => {
      const run = await runs.get(id);
      const open = run === null ? [] : await runs.listOpen(run.ownerNamespace, { sessionKey: run.sessionKey });
      const isFree = open.every(({ status }) => status === "queued" || status === "suspended");
      return runs.claim(id, { ...options, exclusive: !isFree });
    },
  })),
  "keeps a run that needs recovery the head of its session": breakRuns((runs) => ({
    claim: async (id, options) => {
      const run = await runs.get(id);
      const open = run === null ? [] : await runs.listOpen(run.ownerNamespace, { sessionKey: run.sessionKey });
      const isFree = open.every(({ status }) => status === "queued" || status === "needs-recovery");
      return runs.claim(id, { ...options, exclusive: !isFree });
    },
  })),
  "keeps a run the head whose lease ran out after a checkpoint": grant("session-busy", isNotification),
  "keeps a run the head whose lease ran out before its first checkpoint": grant("session-busy", isNotification),
  "holds up no other session and no other namespace": createAs((run, options) => [
    { ...run, sessionKey: "s" },
    options,
  ]),
  "claims a run that is not the head where `exclusive` is false": claimAs((options) => ({
    ...options,
    exclusive: true,
  })),
};

export const BROKEN_UPDATES: Readonly<Record<string, Break>> = {
  "changes what it is given, and keeps the rest": updateAs(({ output: _, ...change }, expected) => [change, expected]),
  "changes the output alone": updateAs((change, expected) => [{ status: "suspended", ...change }, expected]),
  "refuses an update of a run with another status, and shows the run": updateAs((change, { from: _, ...expected }) => [
    change,
    expected,
  ]),
  "refuses an update under another lease, and shows the run": breakRuns((runs) => ({
    update: async (...call) => {
      const end = await runs.update(...call);
      return end.ok ? end : { ok: false, reason: end.reason };
    },
  })),
  "answers not-found for a run that is not there": breakRuns((runs) => ({
    update: async (...call) => {
      const end = await runs.update(...call);
      return !end.ok && end.reason === "not-found" ? { ...end, reason: "status" } : end;
    },
  })),
  "never changes a run that has ended": breakRuns((runs) => ({
    update: async (...call) => {
      const end = await runs.update(...call);
      const isEnd = !end.ok && end.reason === "status" && end.record?.status === "completed";
      return isEnd && end.record !== undefined ? { ok: true, record: end.record } : end;
    },
  })),
  "refuses the holder's end after a cancel": breakRuns((runs) => ({
    update: async (id, change, expected) => {
      const end = await runs.update(id, change, expected);
      return !end.ok && end.record?.status === "cancelled" ? { ok: true, record: end.record } : end;
    },
  })),
  "leaves needs-recovery only where `from` names it": updateAs((change, expected) => [
    change,
    { from: ["queued", "leased", "running", "suspended", "needs-recovery"], ...expected },
  ]),
  "gives no lease by an update": breakRuns((runs) => ({
    update: async (id, change, expected) => {
      const run = await runs.get(id);
      if (run?.status === "queued" && change.status === "running") return { ok: true, record: run };
      return runs.update(id, change, expected);
    },
  })),
  "D5 drops the lease with each status but leased and running": showRun(({ status }) =>
    status === "suspended" ? { lease: { leaseId: "L", untilMs: 1 } } : {},
  ),
  "D5 drops the hold of a run that ends": showRun(({ status }) =>
    status === "cancelled" ? { lease: { leaseId: "H", untilMs: 1 } } : {},
  ),
  "keeps the lease of a run that becomes running": updateAs((change, expected) => [
    change,
    change.status === "running" ? { ...expected, release: true } : expected,
  ]),
  "D2 counts claims without a checkpoint": showRun(({ stalls }) => ({ stalls: Math.min(stalls, 1) })),
  "D2 takes a released claim out of the stalls": updateAs((change, expected) => [
    change,
    { ...expected, release: false },
  ]),
  "D2 counts no stall below zero": showRun(({ status, stalls }) =>
    status === "suspended" ? { stalls: -1 } : { stalls },
  ),
  "D2 counts a claim that was not released": updateAs((change, expected) => [change, { ...expected, release: true }]),
  "D3 gives a hold back": updateAs((change, expected) => [change, { ...expected, release: false }]),
};
