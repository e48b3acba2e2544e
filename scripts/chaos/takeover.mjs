// A process dies that holds a run, with a lease of five minutes. Another process must get the run soon, and not only
// after the lease. The time is reported next to its goal. A slow time fails nothing, since a busy machine is slow. Where no life lock
// shows the end, the run is taken over after the lease, and not before.

import { beside, createProcesses, NAMESPACE, percentiles, steadyMs, until } from "./processes.mjs";
import { openStore } from "./store.mjs";

const LEASE_MS = 300_000;
/** Four kills a round: 25 rounds are the 100 kills of which the 95th percentile is taken. More kills show nothing new. */
const KILLS = 4;
const MOST_KILLS = 100;
/** On a quiet machine. A lease would take a hundred times as long. */
const LIMITS_MS = { sqlite: 1_500, postgres: 4_000 };
/** Without life locks: longer than it takes to find a dead process by its lock. */
const SHORT_LEASE_MS = 8_000;
const MOST_LEASES = 10;
/** Clocks of the server and of its clients are rounded. */
const ROUNDED_MS = 5;

export const takeover = {
  name: "takeover",
  engines: ["sqlite", "postgres"],
  break: "patient",
  async run(terms) {
    const found = await killAll(terms);
    if (terms.broken !== undefined) return found;
    const leases = await outliveLeases({ ...terms, place: beside(terms.place, "leases") });
    const sum = (key) => found[key] + leases[key];
    return {
      ...{ rounds: terms.rounds, points: sum("points"), lost: sum("lost"), torn: 0, twice: leases.twice },
      ...{
        problems: [...found.problems, ...leases.problems],
        note: `${found.note}; without life locks ${leases.note}`,
      },
    };
  },
};

/** A worker that takes runs over, and notes when. */
function takeRuns(host) {
  const taken = new Map();
  host.work({
    namespaces: [NAMESPACE],
    async deliver(runId) {
      const lease = { leaseId: `next ${runId}`, leaseMs: LEASE_MS, ownerNamespace: NAMESPACE };
      if (!(await host.store.runs.claim(runId, lease)).ok) return { kind: "skipped" };
      taken.set(runId, steadyMs());
      await host.store.runs.update(runId, { status: "completed" }, lease);
      return { kind: "done" };
    },
  });
  return taken;
}

async function killAll({ engine, place, ledger, rounds, broken }) {
  const { host } = await openStore(place, { ports: { warn: () => undefined } });
  const processes = createProcesses(place, ledger);
  const found = { rounds, points: 0, lost: 0, torn: 0, twice: 0, problems: [] };
  const times = [];
  try {
    // A store without takeover: nobody looks for the dead.
    const taken = broken === undefined ? takeRuns(host) : new Map();
    const kills = Math.min(rounds * KILLS, MOST_KILLS);
    const start = (kill) => processes.start("hold", { runId: `run ${kill}`, leaseMs: LEASE_MS });
    let next = start(0);
    for (let kill = 0; kill < kills; kill++) {
      const [runId, holder] = [`run ${kill}`, next];
      await holder.hears("claimed");
      // Each process takes a while to start.
      if (kill + 1 < kills) next = start(kill + 1);
      await processes.kill(holder);
      const died = steadyMs();
      await until(() => taken.has(runId), broken === undefined ? 60_000 : 3_000).catch(() => undefined);
      found.points += 1;
      if (taken.has(runId)) times.push(taken.get(runId) - died);
      else {
        found.lost += 1;
        found.problems.push(`nobody has taken ${runId} over`);
        if (broken !== undefined) break;
      }
    }
    return { ...found, note: `${percentiles(times)}, goal ${LIMITS_MS[engine]} ms` };
  } finally {
    await processes.killAll();
    await host.close();
  }
}

/**
 * On PostgreSQL, processes without a dedicated connection die, next to a worker that looks for the dead. On SQLite, each
 * process has a lock, which it keeps while it is frozen.
 */
async function outliveLeases({ engine, place, ledger, rounds }) {
  const { host } = await openStore(place, { ports: { warn: () => undefined } });
  const processes = createProcesses(place, ledger);
  const found = { points: 0, lost: 0, twice: 0, problems: [] };
  const waits = [];
  const taken = takeRuns(host);
  const outlive = async (_, index) => {
    const runId = `run ${index}`;
    const holder = processes.start("hold", { runId, leaseMs: SHORT_LEASE_MS, isDeaf: true });
    const { sinceMs } = await holder.hears("claimed");
    if (engine === "sqlite") holder.child.kill("SIGSTOP");
    else await processes.kill(holder);
    await until(() => taken.has(runId), 60_000).catch(() => undefined);
    found.points += 1;
    const tookMs = taken.get(runId) - sinceMs;
    if (!taken.has(runId)) found.lost += 1;
    else if (tookMs < SHORT_LEASE_MS - ROUNDED_MS) found.twice += 1;
    else waits.push(tookMs - SHORT_LEASE_MS);
    if (!(tookMs >= SHORT_LEASE_MS - ROUNDED_MS))
      found.problems.push(`${runId} was taken over after ${tookMs} ms of a lease of ${SHORT_LEASE_MS} ms`);
  };
  try {
    await Promise.all(Array.from({ length: Math.min(rounds, MOST_LEASES) }, outlive));
    return { ...found, note: `${percentiles(waits)} after the lease` };
  } finally {
    await processes.killAll();
    await host.close();
  }
}
