// Wake-ups are lost: the scheduler does nothing, no host hears another one, and Redis loses all it has. Each run is
// executed all the same, since the store says what is due.

import { createProcesses, isDrained, percentiles, settle, until } from "./processes.mjs";
import { openStore } from "./store.mjs";

const INPUTS = 20;
/** Long enough to see that nothing happens: longer than a sweep. */
const BROKEN_PATIENCE_MS = 7_000;

export const wakeUps = {
  name: "wake-ups",
  engines: ["sqlite", "postgres", "bullmq"],
  break: "sleepy",
  async run({ place, ledger, rounds, broken, servers }) {
    const processes = createProcesses(place, ledger);
    const { host } = await openStore(place, { ports: { warn: () => undefined } });
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
      // A deaf worker has no life lock, so a run that dies with it would wait for the end of its lease.
      const patienceMs = broken === undefined ? undefined : BROKEN_PATIENCE_MS;
      await until(() => isDrained(host), patienceMs).catch(() => undefined);
      await processes.killAll();
      const found = await settle(place, processes, { broken: deaf, patienceMs });
      const note = `${found.acknowledged} acknowledged, executed after ${percentiles(waitsOf(processes.lines()))}`;
      return { rounds: count, points: count * INPUTS, ...found, note };
    } finally {
      await processes.killAll();
      await host.close();
    }
  },
};

/** From the acknowledgement of each input to its first tool. */
function waitsOf(lines) {
  const begun = new Map(lines.filter(([what]) => what === "ack").map(([, text, , , at]) => [text, at]));
  const waits = new Map();
  for (const [what, text, , , at] of lines)
    if (what === "tool" && begun.has(text) && !waits.has(text)) waits.set(text, at - begun.get(text));
  return [...waits.values()];
}
