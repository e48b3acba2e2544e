// Our durable host. A job is a run. A step is a checkpoint and an event in one transaction.

import { openSqliteExecutionHost } from "playhead/host";

const OWNER = "bench";

export async function open({ file, postgres, name }) {
  const host =
    file === undefined
      ? await (await import("playhead/postgres")).openPostgresExecutionHost(postgres, { schema: name })
      : await openSqliteExecutionHost(file);
  let worker;
  return {
    async add(id) {
      const run = { runId: id, kind: "user-turn", ownerNamespace: OWNER, sessionKey: id, rootRunId: id };
      await host.store.runs.create(run);
    },
    async start(work, concurrency) {
      const deliver = async (runId) => {
        const leaseId = crypto.randomUUID();
        const claim = await host.store.runs.claim(runId, { leaseId, leaseMs: host.leaseMs, ownerNamespace: OWNER });
        if (!claim.ok) return { kind: "skipped" };
        await work(runId, stepsOf(host.store, runId, leaseId));
        await host.store.runs.update(runId, { status: "completed" }, { leaseId });
        return { kind: "done" };
      };
      worker = host.work({ namespaces: [OWNER], concurrency, deliver });
    },
    async close() {
      await worker?.stop({ graceMs: 0 });
      await host.close();
    },
  };
}

function stepsOf(store, runId, leaseId) {
  let version = 0;
  return async (name, work) => {
    const result = await work();
    const before = version++;
    const checkpoint = {
      ...{ checkpointId: `${runId}-${version}`, runId, version, phases: ["after-model"] },
      ...{ runtimeState: { v: 1, step: version }, appended: [{ name, result }] },
    };
    await store.transaction(async (tx) => {
      await tx.checkpoints.append(checkpoint, { expectedVersion: before, leaseId });
      await tx.events.append(runId, [{ type: "assistant-text", text: name }], { firstOffset: before, leaseId });
    });
    return result;
  };
}
