// Wake-ups are lost: the scheduler does nothing, no host hears another one, and Redis loses all it has. Each run is
// executed all the same, since the store says what is due.

import { createProcesses, settle, until } from "./processes.mjs";

const INPUTS = 20;

export const wakeUps = {
  name: "wake-ups",
  engines: ["sqlite", "postgres", "bullmq"],
  break: "sleepy",
  async run({ place, ledger, rounds, broken, servers }) {
    const processes = createProcesses(place, ledger);
    const count = Math.min(rounds, 5);
    try {
      const deaf = broken ?? "deaf";
      const worker = processes.start("desk", { gives: false, broken: deaf });
      await worker.hears("ready");
      for (let round = 0; round < count; round++) {
        const giver = processes.start("desk", { works: false, broken: deaf, inputs: INPUTS });
        if (place.redis !== undefined) {
          await until(() => processes.lines().length > round * INPUTS);
          await servers.redis.command("FLUSHALL");
        }
        await giver.hears("given");
        await processes.kill(giver);
      }
      // The worker alone must execute them, or the next one, which is as deaf.
      await until(() => isQuiet(processes, count * INPUTS), 30_000).catch(() => undefined);
      await processes.killAll();
      const found = await settle(place, processes, { broken: deaf, patienceMs: 30_000 });
      return { rounds: count, points: count * INPUTS, ...found, note: `${found.acknowledged} acknowledged` };
    } finally {
      await processes.killAll();
    }
  },
};

const isQuiet = (processes, inputs) => processes.lines().filter(([what]) => what === "tool").length >= inputs;
