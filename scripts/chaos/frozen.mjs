// A process stands still (SIGSTOP) for longer than its lease, while others take its work over. When it goes on (SIGCONT),
// each of its late writes is refused.

import { setTimeout as sleep } from "node:timers/promises";
import { createRandom } from "../fuzz/random.mjs";
import { createProcesses, NAMESPACE, settle, until } from "./processes.mjs";
import { openStore } from "./store.mjs";

const LEASE_MS = 2_000;
const LINES = 20;

export const frozen = {
  name: "frozen",
  engines: ["sqlite", "postgres"],
  break: "unfenced",
  async run({ place, ledger, rounds, seed, broken }) {
    const held = await holdAll({ place: at(place, "held"), ledger, rounds, broken });
    const desk = await freezeDesks({ place, ledger, rounds, seed, broken });
    const sum = (key) => held[key] + desk[key];
    return {
      ...{ rounds, points: sum("points"), lost: sum("lost"), torn: sum("torn"), twice: sum("twice") },
      ...{ problems: [...held.problems, ...desk.problems], note: `${desk.acknowledged} acknowledged` },
    };
  },
};

const at = (place, name) =>
  place.file === undefined ? { ...place, schema: `${place.schema}${name}` } : { file: `${place.file}-${name}` };

/** A process that holds a lease, of which every write after its end is tried. */
async function holdAll({ place, ledger, rounds, broken }) {
  const found = { points: 0, lost: 0, torn: 0, twice: 0, problems: [] };
  const { host } = await openStore(place);
  const processes = createProcesses(place, ledger);
  const own = { ownerNamespace: NAMESPACE, leaseMs: 300_000 };
  try {
    await Promise.all(
      Array.from({ length: Math.min(rounds, 10) }, async (_, round) => {
        const runId = `run ${round}`;
        const holder = processes.start("hold", { runId, leaseMs: LEASE_MS, broken });
        await holder.hears("claimed");
        holder.child.kill("SIGSTOP");
        await until(async () => (await host.store.runs.claim(runId, { ...own, leaseId: "next" })).ok);
        holder.child.kill("SIGCONT");
        holder.write();
        const { accepted } = await holder.hears("accepted");
        found.points += 4;
        if (accepted === 0) return;
        found.twice += accepted;
        found.problems.push(`${accepted} late writes of ${runId} were accepted`);
      }),
    );
    return found;
  } finally {
    await processes.killAll();
    await host.close();
  }
}

/** Desks of which one is frozen wherever it is: in a call of the model, a tool or a transaction. */
async function freezeDesks({ place, ledger, rounds, seed, broken }) {
  const random = createRandom(seed);
  const processes = createProcesses(place, ledger);
  const host = { leaseMs: LEASE_MS };
  try {
    const all = Array.from({ length: 3 }, () => processes.start("desk", { host, broken, modelMs: 10, everyMs: 60 }));
    for (const each of all) await each.hears("ready");
    for (let round = 0; round < Math.min(rounds, 10); round++) {
      const enough = processes.lines().length + random.below(LINES);
      await until(() => processes.lines().length > enough);
      const { child } = all[random.below(all.length)];
      child.kill("SIGSTOP");
      await sleep(LEASE_MS + 500 + random.below(1_000));
      child.kill("SIGCONT");
    }
    await sleep(500);
    await processes.killAll();
    return { points: Math.min(rounds, 10), ...(await settle(place, processes)) };
  } finally {
    await processes.killAll();
  }
}
