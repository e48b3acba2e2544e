// A run kills its process each time it begins. It is given up after ten claims, and all other runs are executed.

import { createProcesses, NAMESPACE, until } from "./processes.mjs";
import { openStore } from "./store.mjs";

const PROCESSES = 4;
const GOOD = 200;
const ATTEMPTS = 10;

export const poison = {
  name: "poison",
  engines: ["sqlite", "postgres"],
  break: "patient",
  async run({ place, ledger, broken }) {
    const { host } = await openStore(place, { ports: { warn: () => undefined } });
    const processes = createProcesses(place, ledger);
    const found = { rounds: 1, points: 0, lost: 0, torn: 0, twice: 0, problems: [] };
    const create = (runId, text, sessionKey) =>
      host.store.transaction(async (tx) => {
        const input = { type: "user-text", text };
        const run = { kind: "user-turn", ownerNamespace: NAMESPACE, sessionKey, rootRunId: runId };
        await tx.runs.create({ runId, ...run, input });
        await tx.events.append(runId, [input], { firstOffset: 0 });
      });
    try {
      await create("poison", "poison", "poison");
      for (let number = 0; number < GOOD; number++) await create(`good ${number}`, `x ${number}`, `s${number % 20}`);
      const start = () => processes.start("desk", { gives: false, broken });
      const alive = Array.from({ length: PROCESSES }, start);
      let deaths = 0;
      const limit = broken === undefined ? 40 : ATTEMPTS + 4;
      await until(async () => {
        for (const [slot, { child }] of alive.entries()) {
          if (child.exitCode === null || deaths >= limit) continue;
          deaths += 1;
          alive[slot] = start();
        }
        const done = await host.admin.list({ status: ["completed"], ownerNamespace: NAMESPACE, limit: 1_000 });
        return (await isOver(host)) && done.length === GOOD ? true : deaths >= limit;
      });
      found.points = deaths;
      const { status, error, attempt } = await host.store.runs.get("poison");
      // The first claim stores a checkpoint before the model is called. Ten more do not, and the next one gives up.
      if (error?.code !== "gave-up" || attempt > ATTEMPTS + 2) {
        found.twice += 1;
        found.problems.push(`the run is ${status} after ${attempt} claims`);
      }
      const { completed } = (await host.admin.stats()).runs;
      if (completed !== GOOD) {
        found.lost += GOOD - completed;
        found.problems.push(`${completed} of ${GOOD} others were executed`);
      }
      return { ...found, note: `given up after ${attempt - 1} claims` };
    } finally {
      await processes.killAll();
      await host.close();
    }
  },
};

const isOver = async (host) => (await host.store.runs.get("poison"))?.status === "error";
