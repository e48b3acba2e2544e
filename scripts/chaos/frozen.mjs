// A process stands still (SIGSTOP) for longer than its lease, while others take its work over. When it goes on (SIGCONT),
// each of its late writes is refused.

import { setTimeout as sleep } from "node:timers/promises";
import { createRandom } from "../fuzz/random.mjs";
import { beside, createProcesses, NAMESPACE, SESSIONS, settle, until } from "./processes.mjs";
import { openStore } from "./store.mjs";

const LEASE_MS = 2_000;
const LINES = 20;
/**
 * Where a turn stands still, and how often. On SQLite, nobody else writes while a transaction stands still, so that is a
 * round of its own. PostgreSQL ends such a transaction after 35 seconds.
 */
const STOPS = { sqlite: [["model", "tool"], ["transaction"]], postgres: [["model", "tool", "transaction"]] };
const STOP_ROUNDS = 3;

export const frozen = {
  name: "frozen",
  engines: ["sqlite", "postgres"],
  break: "unfenced",
  async run(terms) {
    const { place, rounds, isFull, broken } = terms;
    const parts = [await holdAll({ ...terms, place: beside(place, "held") }), await freezeDesks(terms)];
    if (broken === undefined)
      parts.push(await stopTurns({ ...terms, place: beside(place, "turns"), rounds: isFull ? STOP_ROUNDS : 1 }));
    const sum = (key) => parts.reduce((total, part) => total + (part[key] ?? 0), 0);
    return {
      ...{ rounds, points: sum("points"), lost: sum("lost"), torn: sum("torn"), twice: sum("twice") },
      problems: parts.flatMap(({ problems }) => problems),
      note: `${sum("acknowledged")} acknowledged, ${sum("stopped")} turns stood still in the model, a tool or a commit`,
    };
  },
};

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

/** Desks of which one is frozen wherever it is. */
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

/** Turns that stand still at a known place. Two other processes end them. On PostgreSQL, the tool is one of `exactlyOnce`. */
async function stopTurns({ engine, servers, place, ledger, rounds }) {
  const { host } = await openStore(place);
  const processes = createProcesses(place, ledger);
  const bookings = engine === "postgres" ? `public.${place.schema}_bookings` : undefined;
  if (bookings !== undefined) await servers.postgres.sql(`CREATE TABLE ${bookings} (text TEXT)`);
  const options = { host: { leaseMs: LEASE_MS }, bookings };
  const found = { points: 0, stopped: 0, late: [] };
  try {
    const workers = [0, 1].map(() => processes.start("desk", { ...options, gives: false }));
    for (const each of workers) await each.hears("ready");
    for (let round = 0; round < rounds; round++) {
      for (const stops of STOPS[engine]) {
        const turns = stops.map((where, index) =>
          processes.start("turn", { ...options, stops: where, key: SESSIONS[index] }),
        );
        for (const each of turns) await each.hears("stopped");
        found.stopped += turns.length;
        if (engine === "sqlite" && stops.includes("transaction")) await sleep(LEASE_MS + 500);
        else await until(async () => (await countCompleted(host)) === found.stopped);
        for (const { child } of turns) child.kill("SIGCONT");
        for (const [index, each] of turns.entries()) {
          const { ended, late } = await each.hears("ended");
          // On SQLite nobody could take over from an open transaction, so its commit comes in time.
          const isLate = late > 0 && !(engine === "sqlite" && stops[index] === "transaction");
          if (isLate) found.late.push(`${late} late writes of a turn that stood still in ${stops[index]}: ${ended}`);
          await processes.kill(each);
        }
        await until(async () => (await countCompleted(host)) === found.stopped);
      }
    }
    await processes.killAll();
    const settled = await settle(place, processes, options);
    const rows =
      bookings === undefined
        ? []
        : await servers.postgres.sql(`SELECT text, count(*)::int AS n FROM ${bookings} GROUP BY 1`);
    const wrong = rows.filter(({ n }) => n !== 1).map(({ text, n }) => `${text} was booked ${n} times`);
    if (bookings !== undefined && rows.length !== found.stopped)
      wrong.push(`${rows.length} of ${found.stopped} are booked`);
    return {
      ...settled,
      ...{ points: found.stopped, stopped: found.stopped, twice: settled.twice + found.late.length + wrong.length },
      problems: [...settled.problems, ...found.late, ...wrong],
    };
  } finally {
    await processes.killAll();
    await host.close();
  }
}

const countCompleted = async (host) => (await host.admin.stats()).runs.completed;
