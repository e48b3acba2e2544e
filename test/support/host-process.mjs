// A separate process with a durable host on SQLite, or on PostgreSQL if there is a connection string. With one of Redis, its worker uses
// BullMQ. It does what its first argument says until it is killed, and prints one line of JSON for each thing that has happened. Arguments: the task, the host module, the file or schema, and options as JSON.

import { writeSync } from "node:fs";
import { createInterface } from "node:readline";

const [task, door, file, given = "{}"] = process.argv.slice(2);
const options = JSON.parse(given);
const { openSqliteExecutionHost, openPostgresExecutionHost } = await import(door);
const database = process.env.PLAYHEAD_TEST_DATABASE;
const host =
  database === undefined
    ? await openSqliteExecutionHost(file, options.host)
    : await openPostgresExecutionHost(database, { ...options.host, schema: file });
const { runs, checkpoints } = host.store;
const redis = process.env.PLAYHEAD_TEST_REDIS;

async function openQueue() {
  const { bullmqScheduler } = await import(new URL("bullmq.js", door).href);
  for (;;) {
    try {
      return await bullmqScheduler({ connection: redis, prefix: file });
    } catch (error) {
      // Redis may be gone, too.
      if (!error.retryable) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Unlike console.log it is written before the next line of this file, so a kill loses none. */
const say = (line) => writeSync(1, `${JSON.stringify(line)}\n`);
const claim = (runId, leaseId) =>
  runs.claim(runId, { leaseId, leaseMs: options.leaseMs ?? host.leaseMs, ownerNamespace: "shop" });
const checkpoint = (runId, version, phases, appended) => ({
  ...{ checkpointId: `${runId}-${version}`, runId, version, phases, appended, runtimeState: { version } },
});

/** One turn: as many steps as the run says, each stored before the next, then its end. */
async function execute(runId) {
  const leaseId = `${host.hostId}-${Math.random()}`;
  const claimed = await claim(runId, leaseId);
  if (!claimed.ok) return { kind: "skipped" };
  const { input, stalls, checkpointVersion } = claimed.record;
  if (stalls > host.maxAttempts) {
    await runs.update(
      runId,
      { status: "error", error: { code: "gave-up", message: "", retryable: false } },
      { leaseId },
    );
    return { kind: "done" };
  }
  if (input.exits) process.exit(1);
  for (let version = checkpointVersion; version < input.steps; version++) {
    const next = checkpoint(runId, version + 1, ["after-tool"], [version]);
    const stored = await checkpoints.append(next, { expectedVersion: version, leaseId });
    if (!stored.ok) return { kind: "skipped" };
    say({ step: version, runId });
  }
  const ended = await host.store.transaction(async (tx) => {
    const result = await tx.runs.update(runId, { status: "completed", output: host.hostId }, { leaseId });
    if (!result.ok) return false;
    const there = await tx.sessions.load("count");
    const state = (there?.state ?? 0) + 1;
    await tx.sessions.commit("count", { state }, { expectedVersion: there?.version ?? null });
    return true;
  });
  if (ended) say({ ended: runId });
  return { kind: ended ? "done" : "skipped" };
}

const tasks = {
  /** Claims a run, and on each line from its parent tries to write with that lease. */
  async hold({ runId }) {
    await runs.create(
      { runId: `${runId}-held`, kind: "user-turn", ownerNamespace: "shop", sessionKey: "held", rootRunId: "x" },
      { hold: { leaseId: "mine", leaseMs: host.leaseMs } },
    );
    say({ claimed: (await claim(runId, "mine")).ok, hostId: host.hostId });
    for await (const line of createInterface({ input: process.stdin })) {
      const first = checkpoint(runId, 1, ["before-model"], []);
      const answers = [
        await checkpoints.append(first, { expectedVersion: 0, leaseId: "mine" }),
        await runs.update(runId, { status: "completed" }, { leaseId: "mine" }),
        await runs.renew(runId, "mine", 1_000),
        await host.store.events.append(runId, [{ type: "turn-start" }], { firstOffset: 0, leaseId: "mine" }),
      ];
      say({ line, reasons: answers.map(({ reason }) => reason) });
    }
  },
  /** Waits for a line, then claims every run. */
  async race({ ids }) {
    say({ ready: true });
    for await (const _line of createInterface({ input: process.stdin })) break;
    const won = [];
    for (const runId of ids) if ((await claim(runId, host.hostId)).ok) won.push(runId);
    // A host that closes would give its leases back.
    say({ won });
    await new Promise(() => setTimeout(() => undefined, 600_000));
  },
  async work() {
    const queue = redis === undefined ? {} : { queue: await openQueue() };
    host.work({ namespaces: ["shop"], concurrency: 4, deliver: execute, ...queue });
    say({ ready: true });
  },
  /** Accepts runs until it is killed, with a line for each that was acknowledged. */
  async give({ sessions, steps }) {
    for (let count = 0; ; count++) {
      const runId = `${host.hostId.slice(0, 8)}-${count}`;
      const run = { runId, kind: "user-turn", ownerNamespace: "shop", rootRunId: runId, input: { steps } };
      await runs.create({ ...run, sessionKey: `s${count % sessions}` });
      say({ created: runId });
      // Bursts, so that a kill often lands in one, with pauses in which the workers can follow.
      await new Promise((resolve) => setTimeout(resolve, count % 5 === 4 ? 400 : 5));
    }
  },
};

await tasks[task](options);
