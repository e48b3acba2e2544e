// The durable host on SQLite: a step of a turn (a checkpoint and two events in one transaction) against its bare statements.

import { join } from "node:path";
import { openSqliteExecutionHost } from "playhead/host";
import { measure } from "./measure.mjs";
import { closeScratch, openScratch } from "./scratch.mjs";

// Node 20 has none of its own.
const { DatabaseSync } = process.getBuiltinModule?.("node:sqlite") ?? (await import("@photostructure/sqlite"));

export const OWNER = "bench";
export const EVENTS = [
  { type: "step-start" },
  { type: "assistant-text", text: "A line of about eighty characters. ".repeat(3) },
];
export const checkpointOf = (version) => ({
  checkpointId: `c${version}`,
  runId: "run",
  version,
  phases: ["after-model", "before-tool"],
  runtimeState: { v: 1, step: version, spent: { turns: version, toolCalls: version } },
  appended: [{ t: "answer", message: { role: "assistant", content: "word ".repeat(40) } }],
});

export async function* durable(options = {}) {
  const folder = openScratch("durable");
  try {
    yield await step(folder, options);
  } finally {
    closeScratch(folder);
  }
}

async function step(folder, options) {
  const host = await openWithRun(join(folder, "host.db"));
  await (await openWithRun(join(folder, "hand.db"))).close();
  const hand = openByHand(join(folder, "hand.db"));
  let version = 0;
  const contestants = [
    {
      name: "a step on the durable host",
      units: 1,
      run: () => stepOnHost(host, version++),
      check: (version) => assertEvents(version),
    },
    { name: "its bare statements", units: 1, run: () => hand.step(), check: (version) => assertEvents(version) },
  ];
  const rows = await measure(contestants, options);
  await host.close();
  hand.close();
  return { key: "step", title: "a step of a turn on SQLite", unit: "µs", rows };
}

async function openWithRun(path) {
  const host = await openSqliteExecutionHost(path);
  await host.store.runs.create({
    runId: "run",
    kind: "user-turn",
    ownerNamespace: OWNER,
    sessionKey: "s",
    rootRunId: "run",
  });
  await host.store.runs.claim("run", { leaseId: "lease", leaseMs: host.leaseMs, ownerNamespace: OWNER });
  return host;
}

export function stepOnHost({ store }, before) {
  return store.transaction(async (tx) => {
    await tx.checkpoints.append(checkpointOf(before + 1), { expectedVersion: before, leaseId: "lease" });
    const firstOffset = before * EVENTS.length;
    return (await tx.events.append("run", EVENTS, { firstOffset, leaseId: "lease" })).cursor?.offset;
  });
}

/** The same changes of the same tables, flushed as ours are. */
function openByHand(path) {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA synchronous = FULL; UPDATE runs SET lease_id = 'lease', status = 'leased';");
  const { run_hash: hash } = database.prepare("SELECT run_hash FROM runs").get();
  const advance = database.prepare(
    `UPDATE runs SET checkpoint_version = ?, status = 'running', stalls = 0, revision = revision + 1, updated_at = ?
     WHERE run_hash = ? AND lease_id = 'lease' AND checkpoint_version = ?`,
  );
  const insert = database.prepare("INSERT INTO checkpoints (run_hash, version, head, appended) VALUES (?, ?, ?, ?)");
  const note = database.prepare("INSERT INTO events (run_hash, place, event) VALUES (?, ?, ?), (?, ?, ?)");
  const move = database.prepare("UPDATE runs SET event_end = ? WHERE run_hash = ? AND lease_id = 'lease'");
  let before = 0;
  return {
    step() {
      const { appended, ...head } = checkpointOf(before + 1);
      database.exec("BEGIN IMMEDIATE");
      advance.run(before + 1, Date.now(), hash, before);
      insert.run(hash, before + 1, JSON.stringify(head), JSON.stringify(appended));
      const first = before * EVENTS.length;
      note.run(...EVENTS.flatMap((event, index) => [hash, first + index, JSON.stringify(event)]));
      move.run(first + EVENTS.length, hash);
      database.exec("COMMIT");
      before += 1;
      return first + EVENTS.length;
    },
    close: () => database.close(),
  };
}

function assertEvents(offset) {
  if (!(offset > 0)) throw new Error(`the log ends at ${offset}`);
}
