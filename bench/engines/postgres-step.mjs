// A step of the durable host on PostgreSQL, and the same changes by hand on one connection.

import pg from "pg";
import { openPostgresExecutionHost } from "playhead/postgres";
import { EVENTS, OWNER, checkpointOf, stepOnHost } from "../durable.mjs";
import { measure } from "../measure.mjs";

export async function postgresStep(url, options) {
  const host = await openWithRun(url, "step_host");
  await (await openWithRun(url, "step_hand")).close();
  const hand = await openByHand(url, "step_hand");
  let version = 0;
  const contestants = [
    { name: "a step on the durable host", units: 1, run: () => stepOnHost(host, version++) },
    { name: "the same changes by hand", units: 1, run: () => hand.step() },
  ];
  const rows = await measure(contestants, { sampleMs: 200, warmMs: 1_000, ...options });
  await host.close();
  await hand.close();
  return { key: "postgres-step", title: "a step of a turn on PostgreSQL", unit: "µs", rows };
}

async function openWithRun(url, schema) {
  const host = await openPostgresExecutionHost(url, { schema });
  const run = { runId: "run", kind: "user-turn", ownerNamespace: OWNER, sessionKey: "s", rootRunId: "run" };
  await host.store.runs.create(run);
  await host.store.runs.claim("run", { leaseId: "lease", leaseMs: host.leaseMs, ownerNamespace: OWNER });
  return host;
}

/** One transaction with one statement for each table and one for the end of the log, and the settings that `pg` has by default. */
async function openByHand(url, schema) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`SET search_path = "${schema}"`);
  await client.query("UPDATE runs SET lease_id = 'lease', lease_until = 9e15::bigint, status = 'leased'");
  const [{ run_hash: hash }] = (await client.query("SELECT run_hash FROM runs")).rows;
  let before = 0;
  return {
    async step() {
      const { appended, ...head } = checkpointOf(before + 1);
      const first = before * EVENTS.length;
      await client.query("BEGIN");
      await client.query(
        `UPDATE runs SET checkpoint_version = $1, status = 'running', stalls = 0, revision = revision + 1, updated_at = $2
         WHERE run_hash = $3 AND lease_id = 'lease' AND checkpoint_version = $4`,
        [before + 1, Date.now(), hash, before],
      );
      await client.query("INSERT INTO checkpoints (run_hash, version, head, appended) VALUES ($1, $2, $3, $4)", [
        ...[hash, before + 1, JSON.stringify(head), JSON.stringify(appended)],
      ]);
      await client.query("UPDATE runs SET event_end = $1 WHERE run_hash = $2 AND lease_id = 'lease'", [
        ...[first + EVENTS.length, hash],
      ]);
      const values = EVENTS.flatMap((event, index) => [hash, first + index, JSON.stringify(event)]);
      await client.query("INSERT INTO events (run_hash, place, event) VALUES ($1, $2, $3), ($4, $5, $6)", values);
      await client.query("COMMIT");
      before += 1;
    },
    close: () => client.end(),
  };
}
