// A process dies that holds a run, with a lease of five minutes. Another process must get the run soon, and not only
// after the lease. The time is reported beside its goal. It fails nothing, since a busy machine is slow.

import { createProcesses, NAMESPACE, until } from "./processes.mjs";
import { openStore } from "./store.mjs";

const LEASE_MS = 300_000;
/** Four kills a round: 25 rounds are the 100 kills of which the 95th percentile is taken. */
const KILLS = 4;
/** On a quiet machine. A lease would take a hundred times as long. */
const LIMITS_MS = { sqlite: 1_500, postgres: 4_000 };

export const takeover = {
  name: "takeover",
  engines: ["sqlite", "postgres"],
  break: "patient",
  async run({ engine, place, ledger, rounds, broken }) {
    const { host } = await openStore(place, { ports: { warn: () => undefined } });
    const processes = createProcesses(place, ledger);
    const found = { rounds, points: 0, lost: 0, torn: 0, twice: 0, problems: [] };
    const taken = new Map();
    const times = [];
    const deliver = async (runId) => {
      const lease = { leaseId: `next ${runId}`, leaseMs: LEASE_MS, ownerNamespace: NAMESPACE };
      if (!(await host.store.runs.claim(runId, lease)).ok) return { kind: "skipped" };
      taken.set(runId, performance.now());
      await host.store.runs.update(runId, { status: "completed" }, lease);
      return { kind: "done" };
    };
    try {
      // A store without takeover: nobody looks for the dead.
      if (broken === undefined) host.work({ namespaces: [NAMESPACE], deliver });
      for (let kill = 0; kill < rounds * KILLS; kill++) {
        const runId = `run ${kill}`;
        const holder = processes.start("hold", { runId, leaseMs: LEASE_MS });
        await holder.hears("claimed");
        await processes.kill(holder);
        const died = performance.now();
        await until(() => taken.has(runId), broken === undefined ? 60_000 : 3_000).catch(() => undefined);
        found.points += 1;
        if (taken.has(runId)) times.push(taken.get(runId) - died);
        else {
          found.lost += 1;
          found.problems.push(`nobody has taken ${runId} over`);
          if (broken !== undefined) break;
        }
      }
      const p95 = times.sort((a, b) => a - b)[Math.ceil(times.length * 0.95) - 1] ?? 0;
      const note = `p50 ${Math.round(times[Math.floor(times.length / 2)] ?? 0)} ms, p95 ${Math.round(p95)} ms`;
      return { ...found, note: `${note}, goal ${LIMITS_MS[engine]} ms` };
    } finally {
      await processes.killAll();
      await host.close();
    }
  },
};
