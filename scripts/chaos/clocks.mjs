// Wrong clocks. Clients whose clocks are an hour off take no live run. The clock of the engine itself jumps by an hour
// and back: a run may be claimed twice, and is written once. On SQLite, the wall clock of the machine jumps, which leases
// do not use. Each slot of a recurring schedule is answered once.

import { setTimeout as sleep } from "node:timers/promises";
import { beside, createProcesses, NAMESPACE, settle, until } from "./processes.mjs";
import { openStore } from "./store.mjs";

const HOUR_MS = 3_600_000;
const JUMPS = [HOUR_MS, -HOUR_MS, 0];
const SLOT = "slot";
const SLOTS = { ownerNamespace: NAMESPACE, sessionKey: "slots" };

export const clocks = {
  name: "clocks",
  engines: ["sqlite", "postgres"],
  break: "unfenced",
  // No writer is late on SQLite, unless leases follow the wall clock.
  breaks: { sqlite: "wall" },
  async run(terms) {
    const count = Math.min(terms.rounds, 6);
    const found = await jump({ ...terms, count });
    const own = await live({ ...terms, place: beside(terms.place, "live") });
    found.twice += own.twice;
    found.problems.push(...own.problems);
    const note = `${found.acknowledged} acknowledged, ${found.slots} slots`;
    return { rounds: count, points: count + own.points, ...found, note };
  },
};

const setClock = ({ postgres }, schema, aheadMs) =>
  postgres.sql(`CREATE OR REPLACE FUNCTION "${schema}".now_ms() RETURNS BIGINT LANGUAGE SQL VOLATILE
    AS 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint + ${aheadMs}'`);

/** Desks on a server whose clock jumps, with clocks of their own that differ by two hours. On SQLite, they share a clock. */
async function jump({ engine, place, ledger, count, broken, servers }) {
  const processes = createProcesses(place, ledger);
  const { host } = await openStore(place);
  const isShared = engine === "sqlite";
  try {
    await host.schedules.set({ ...SLOTS, id: "slot", text: SLOT, everyMs: 1_000 });
    const start = (aheadMs) => processes.start("desk", { aheadMs: isShared ? 0 : aheadMs, broken, everyMs: 30 });
    const all = [0, HOUR_MS, -HOUR_MS].map(start);
    for (const each of all) await each.hears("ready");
    const set = async (aheadMs) => {
      if (!isShared) await setClock(servers, place.schema, aheadMs);
      else for (const each of all) each.write(String(aheadMs));
    };
    for (let round = 0; round < count; round++) {
      const enough = processes.lines().length + 20;
      await until(() => processes.lines().length > enough);
      await set(JUMPS[round % JUMPS.length]);
    }
    await set(0);
    await sleep(300);
    await host.schedules.remove(NAMESPACE, "slot");
    await processes.killAll();
    const found = await settle(place, processes, { repeated: SLOT });
    return addSlots(host, found);
  } finally {
    await processes.killAll();
    await host.close();
  }
}

/** Each slot has one run, and its input is in the session once. */
async function addSlots(host, found) {
  const runs = await host.admin.list({ ...SLOTS, limit: 1_000 });
  const history = (await host.store.sessions.load(SLOTS.sessionKey))?.state.history ?? [];
  const told = history.filter(({ role, content }) => role === "user" && content === SLOT).length;
  if (told === runs.length) return { ...found, slots: runs.length };
  const problems = [...found.problems, `${runs.length} slots were answered ${told} times`];
  const isLost = told < runs.length;
  const off = Math.abs(told - runs.length);
  return {
    ...found,
    slots: runs.length,
    problems,
    lost: found.lost + (isLost ? off : 0),
    twice: found.twice + (isLost ? 0 : off),
  };
}

/** A live lease, tried by clients whose clocks are wrong. On PostgreSQL, it is then taken because the server's clock jumps. */
async function live({ engine, place, ledger, broken, servers }) {
  const found = { points: 0, twice: 0, problems: [] };
  const processes = createProcesses(place, ledger);
  const { host } = await openStore(place);
  const blame = (isWrong, why) => {
    found.points += 1;
    if (!isWrong) return;
    found.twice += 1;
    found.problems.push(why);
  };
  const missed = "check() does not say that the clock has jumped";
  try {
    const holder = processes.start("hold", { runId: "live", leaseMs: 300_000, broken });
    await holder.hears("claimed");
    for (const jumpMs of [HOUR_MS, -HOUR_MS]) {
      const { taken, codes } = await processes.start("steal", { runId: "live", jumpMs, broken }).hears("taken");
      blame(taken, `a clock that is ${jumpMs} ms off took a live run`);
      if (engine === "sqlite") blame(!codes.includes("clock-jump"), missed);
    }
    if (engine === "sqlite") return found;
    await setClock(servers, place.schema, HOUR_MS);
    blame(!(await host.admin.check()).some(({ code }) => code === "clock-jump"), missed);
    await host.store.runs.claim("live", { leaseId: "next", leaseMs: 300_000, ownerNamespace: NAMESPACE });
    holder.write();
    const { accepted } = await holder.hears("accepted");
    blame(accepted > 0, `${accepted} writes of the earlier holder were accepted`);
    return found;
  } finally {
    await processes.killAll();
    await host.close();
  }
}
