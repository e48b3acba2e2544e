// The durable host with more processes, and with more stored sessions.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { openSqliteExecutionHost } from "playhead/host";
import { openPostgresExecutionHost } from "playhead/postgres";
import { checkpointOf, EVENTS, OWNER } from "../durable.mjs";
import { measure } from "../measure.mjs";

// Node 20 has none of its own.
const { DatabaseSync } = process.getBuiltinModule?.("node:sqlite") ?? (await import("@photostructure/sqlite"));

const [SESSIONS, WARM_SESSIONS] = [200, 100];
const WORKER = fileURLToPath(new URL("sessions.mjs", import.meta.url));

/** Turns of 200 sessions whose model takes 20 ms, two at once in each process: milliseconds for all of them. */
export async function scaleOut({ servers, children }, { rounds }) {
  let schemas = 0;
  const contestants = [1, 2, 4].map((count) => ({
    name: `${count} ${count === 1 ? "process" : "processes"}`,
    sample: () => turnsOf(servers.postgres, `scale_${++schemas}`, count, children),
  }));
  const title = `a turn of ${SESSIONS} sessions on PostgreSQL, a model that takes 20 ms, 2 places a process`;
  return { key: "scale-out", title, unit: "ms", rows: await measure(contestants, { rounds: Math.min(rounds, 5) }) };
}

async function turnsOf(url, schema, count, children) {
  const host = await openPostgresExecutionHost(url, { schema });
  const workers = Array.from({ length: count }, () => startWorker([url, schema], children));
  const tellAll = (line) => Promise.all(workers.map(({ tell }) => tell(line)));
  try {
    await Promise.all(workers.map(({ ready }) => ready));
    const { Agent } = await import("playhead/session");
    const agent = new Agent({
      name: "desk",
      model: { turn: () => Promise.reject(new Error("only workers run turns")) },
      host,
    });
    let scheduled = 0;
    const takeTurns = async (sessions) => {
      for (const until = scheduled + sessions; scheduled < until; scheduled++)
        await agent.session(`s${scheduled}`).schedule("Go.");
      const started = performance.now();
      await tellAll("go");
      while ((await host.admin.stats()).runs.completed < scheduled) await new Promise((done) => setTimeout(done, 100));
      const took = performance.now() - started;
      await tellAll("stop");
      return took;
    };
    // The workers compile their code.
    await takeTurns(WARM_SESSIONS * count);
    const took = await takeTurns(SESSIONS);
    await agent.close();
    return took;
  } finally {
    for (const { end } of workers) await end();
    await host.close();
  }
}

/** A process that answers each line. */
function startWorker(args, children) {
  const child = spawn(process.execPath, [WORKER, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  children.add(child);
  const lines = createInterface({ input: child.stdout });
  const ended = once(child, "close").then(() => children.delete(child));
  return {
    ready: once(lines, "line"),
    tell(line) {
      const answered = once(lines, "line");
      child.stdin.write(`${line}\n`);
      return answered;
    },
    async end() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** A step of a new session, in a store with sessions that have ended. */
export async function* growth({ folder, servers }, { sessions = [100, 1_000, 10_000, 100_000], ...options }) {
  const sqlite = await Promise.all(
    sessions.map((count) => openFilled(count, () => sqliteWith(join(folder, `grown-${count}.db`), count))),
  );
  yield await stepsBeside("SQLite", sqlite, options);
  if (servers.postgres === undefined) return;
  const postgres = [];
  for (const count of sessions)
    postgres.push(await openFilled(count, () => postgresWith(servers.postgres, `grown_${count}`, count)));
  yield await stepsBeside("PostgreSQL", postgres, options);
}

async function openFilled(count, open) {
  const host = await open();
  const run = { runId: "run", kind: "user-turn", ownerNamespace: OWNER, sessionKey: "s", rootRunId: "run" };
  await host.store.runs.create(run);
  await host.store.runs.claim("run", { leaseId: "lease", leaseMs: host.leaseMs, ownerNamespace: OWNER });
  return { count, host, version: 0 };
}

async function stepsBeside(engine, grown, options) {
  const contestants = grown.map((each) => ({
    name: `${each.count} sessions`,
    units: 1,
    run: () => step(each),
  }));
  const rows = await measure(contestants, { sampleMs: 200, warmMs: 500, ...options });
  for (const { host } of grown) await host.close();
  return { key: `growth-${engine}`, title: `a step of a turn on ${engine}, with stored sessions`, unit: "µs", rows };
}

function step(each) {
  const before = each.version++;
  return each.host.store.transaction(async (tx) => {
    await tx.checkpoints.append(checkpointOf(before + 1), { expectedVersion: before, leaseId: "lease" });
    await tx.events.append("run", EVENTS, { firstOffset: before * EVENTS.length, leaseId: "lease" });
  });
}

/** Each session has a state of 2 KB, and a turn of three checkpoints and ten events that has ended. */
const FILL = ({ blob, list, hash }) => [
  `INSERT INTO sessions (key_hash, key, version, state) SELECT ${hash("'k'")}, 's' || n, 'v', '${JSON.stringify({ history: "word ".repeat(400) })}' FROM ${list}`,
  `INSERT INTO runs (run_hash, identity, namespace_hash, lane, kind, status, checkpoint_version, event_end, ready_at, delayed, created_at, updated_at)
     SELECT ${hash("'r'")}, '{}', ${blob}, ${hash("'l'")}, 'user-turn', 'completed', 3, 10, 1, 0, 1, 1 FROM ${list}`,
  ...[1, 2, 3].map(
    (version) =>
      `INSERT INTO checkpoints (run_hash, version, head, appended) SELECT ${hash("'r'")}, ${version}, '{}', '[]' FROM ${list}`,
  ),
  ...Array.from(
    { length: 10 },
    (_, place) =>
      `INSERT INTO events (run_hash, place, event) SELECT ${hash("'r'")}, ${place}, '{"type":"step-start"}' FROM ${list}`,
  ),
];

async function sqliteWith(path, count) {
  await (await openSqliteExecutionHost(path)).close();
  const database = new DatabaseSync(path);
  const list = `(WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ${count}) SELECT n FROM c)`;
  const hash = (letter) => `CAST(${letter} || n AS BLOB)`;
  database.exec("BEGIN");
  for (const text of FILL({ blob: "CAST('o' AS BLOB)", list, hash })) database.exec(text);
  database.exec("COMMIT; ANALYZE");
  database.close();
  return openSqliteExecutionHost(path);
}

async function postgresWith(url, schema, count) {
  await (await openPostgresExecutionHost(url, { schema })).close();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`SET search_path = "${schema}"`);
  const hash = (letter) => `sha256(convert_to(${letter} || n, 'UTF8'))`;
  const list = `generate_series(1, ${count}) AS n`;
  for (const text of FILL({ blob: "sha256('o'::bytea)", list, hash })) await client.query(text);
  await client.query("ANALYZE");
  await client.end();
  return openPostgresExecutionHost(url, { schema });
}
