// PostgreSQL stops at once (immediate), every few seconds, under work. No process exits, and nothing is lost.

import { setTimeout as sleep } from "node:timers/promises";
import { createRandom } from "../fuzz/random.mjs";
import { createProcesses, settle, until } from "./processes.mjs";

/** A round is a stop. Between two of them, work gets through. */
const LINES = 60;

export const stops = {
  name: "stops",
  engines: ["postgres"],
  break: "early",
  async run({ place, ledger, rounds, seed, broken, servers }) {
    const random = createRandom(seed);
    const processes = createProcesses(place, ledger);
    const count = Math.min(rounds, 10);
    try {
      const all = Array.from({ length: 3 }, () => processes.start("desk", { broken }));
      for (const each of all) await each.hears("ready");
      for (let round = 0; round < count; round++) {
        const enough = processes.lines().length + 1 + random.below(LINES);
        await until(() => processes.lines().length > enough);
        await servers.postgres.crash();
        await sleep(random.below(1_000));
        await servers.postgres.start();
      }
      await sleep(500);
      const dead = all.filter(({ child }) => child.exitCode !== null);
      await processes.killAll();
      const found = await settle(place, processes);
      for (const { wrong } of dead) found.problems.push(`a process ended: ${wrong()}`);
      return {
        rounds: count,
        points: count,
        ...found,
        lost: found.lost + dead.length,
        note: `${found.acknowledged} acknowledged`,
      };
    } finally {
      await processes.killAll();
    }
  },
};
