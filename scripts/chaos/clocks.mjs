// Wrong clocks. Clients whose clocks are an hour off take no live run. The clock of the engine itself jumps by an hour
// and back: a run may be claimed twice, and is written once.

import { setTimeout as sleep } from "node:timers/promises";
import { createProcesses, NAMESPACE, settle, until } from "./processes.mjs";
import { openStore } from "./store.mjs";

const HOUR_MS = 3_600_000;
const JUMPS = [HOUR_MS, -HOUR_MS, 0];

export const clocks = {
  name: "clocks",
  engines: ["postgres"],
  break: "unfenced",
  async run({ place, ledger, rounds, broken, servers }) {
    const count = Math.min(rounds, 6);
    const found = await jump({ place, ledger, count, broken, servers });
    const own = await live({ place: { ...place, schema: `${place.schema}live` }, ledger, broken, servers });
    found.twice += own.twice;
    found.problems.push(...own.problems);
    return { rounds: count, points: count + own.points, ...found, note: `${found.acknowledged} acknowledged` };
  },
};

const setClock = ({ postgres }, schema, aheadMs) =>
  postgres.sql(`CREATE OR REPLACE FUNCTION "${schema}".now_ms() RETURNS BIGINT LANGUAGE SQL VOLATILE
    AS 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint + ${aheadMs}'`);

/** Desks whose own clocks differ by two hours, on a server whose clock jumps. */
async function jump({ place, ledger, count, broken, servers }) {
  const processes = createProcesses(place, ledger);
  try {
    const all = [0, HOUR_MS, -HOUR_MS].map((aheadMs) => processes.start("desk", { aheadMs, broken, everyMs: 30 }));
    for (const each of all) await each.hears("ready");
    for (let round = 0; round < count; round++) {
      const enough = processes.lines().length + 20;
      await until(() => processes.lines().length > enough);
      await setClock(servers, place.schema, JUMPS[round % JUMPS.length]);
    }
    await setClock(servers, place.schema, 0);
    await sleep(300);
    await processes.killAll();
    return await settle(place, processes);
  } finally {
    await processes.killAll();
  }
}

/** A live lease, tried by clients whose clocks are wrong, and then taken because the server's clock jumps. */
async function live({ place, ledger, broken, servers }) {
  const found = { points: 0, twice: 0, problems: [] };
  const processes = createProcesses(place, ledger);
  const { host } = await openStore(place);
  const lease = { leaseId: "next", leaseMs: 300_000, ownerNamespace: NAMESPACE };
  const blame = (isWrong, why) => {
    found.points += 1;
    if (!isWrong) return;
    found.twice += 1;
    found.problems.push(why);
  };
  try {
    const holder = processes.start("hold", { runId: "live", leaseMs: 300_000, broken });
    await holder.hears("claimed");
    for (const aheadMs of [HOUR_MS, -HOUR_MS]) {
      const wrong = await openStore(place, { ports: { now: () => Date.now() + aheadMs } });
      blame((await wrong.host.store.runs.claim("live", lease)).ok, `a clock that is ${aheadMs} ms off took a live run`);
      await wrong.host.close();
    }
    await setClock(servers, place.schema, HOUR_MS);
    const codes = (await host.admin.check()).map(({ code }) => code);
    blame(!codes.includes("clock-jump"), "check() does not say that the clock has jumped");
    await host.store.runs.claim("live", lease);
    holder.write();
    const { accepted } = await holder.hears("accepted");
    blame(accepted > 0, `${accepted} writes of the earlier holder were accepted`);
    return found;
  } finally {
    await processes.killAll();
    await host.close();
  }
}
