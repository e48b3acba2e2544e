// Kills processes (SIGKILL) at random. Three processes accept inputs and execute them, and each round kills some.

import { setTimeout as sleep } from "node:timers/promises";
import { createRandom } from "../fuzz/random.mjs";
import { createProcesses, settle, until } from "./processes.mjs";

const PROCESSES = 3;
/** The kill comes after so many lines of the ledger at most, and a moment later. */
const LINES = 40;
const MOMENT_MS = 40;

export const kills = {
  name: "kills",
  engines: ["sqlite", "postgres", "bullmq"],
  break: "early",
  async run({ place, ledger, rounds, seed, broken }) {
    const random = createRandom(seed);
    const processes = createProcesses(place, ledger);
    let points = 0;
    try {
      const alive = Array.from({ length: PROCESSES }, () => processes.start("desk", { broken }));
      for (let round = 0; round < rounds; round++) {
        for (const each of alive) await each.hears("ready");
        const enough = processes.lines().length + random.below(LINES);
        await until(() => processes.lines().length > enough);
        await sleep(random.below(MOMENT_MS));
        const [first, count] = [random.below(PROCESSES), 1 + random.below(PROCESSES)];
        for (let index = first; index < first + count; index++) {
          const slot = index % PROCESSES;
          await processes.kill(alive[slot]);
          alive[slot] = processes.start("desk", { broken });
          points += 1;
        }
      }
      await processes.killAll();
      const found = await settle(place, processes);
      return { rounds, points, ...found, note: `${found.acknowledged} acknowledged` };
    } finally {
      await processes.killAll();
    }
  },
};
