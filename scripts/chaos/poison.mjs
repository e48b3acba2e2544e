// A run kills its process each time it begins. It is given up after ten claims, and all other runs are executed. Their time is
// reported next to the time without it. A slow time fails nothing, since a busy machine is slow.

import { beside, createProcesses, NAMESPACE, until } from "./processes.mjs";
import { openStore } from "./store.mjs";

const PROCESSES = 4;
const GOOD = 200;
/** Enough to find a broken store. */
const FEW = 20;
const ATTEMPTS = 10;
const PATIENCE_MS = 600_000;

export const poison = {
  name: "poison",
  engines: ["sqlite", "postgres"],
  break: "patient",
  async run(terms) {
    const found = await tryRuns({ ...terms, isPoisoned: true });
    if (terms.broken !== undefined) return found;
    const whole = await tryRuns({ ...terms, place: beside(terms.place, "whole"), isPoisoned: false });
    const note = `${found.note}, ${GOOD} others in ${found.goodMs} ms, without it in ${whole.goodMs} ms`;
    return { ...found, lost: found.lost + whole.lost, problems: [...found.problems, ...whole.problems], note };
  },
};

async function tryRuns({ place, ledger, broken, isPoisoned }) {
  const good = broken === undefined ? GOOD : FEW;
  const { host } = await openStore(place, { ports: { warn: () => undefined } });
  const processes = createProcesses(place, ledger);
  const found = { rounds: 1, points: 0, lost: 0, torn: 0, twice: 0, problems: [], goodMs: undefined };
  try {
    if (isPoisoned) await create(host, "poison", "poison", "poison");
    for (let number = 0; number < good; number++)
      await create(host, `good ${number}`, `x ${number}`, `s${number % 20}`);
    const began = performance.now();
    const start = () => processes.start("desk", { gives: false, broken });
    const alive = Array.from({ length: PROCESSES }, start);
    const limit = broken === undefined ? 40 : ATTEMPTS + 4;
    await until(async () => {
      for (const [slot, { child }] of alive.entries()) {
        if (child.exitCode === null || found.points >= limit) continue;
        found.points += 1;
        alive[slot] = start();
      }
      const { completed } = (await host.admin.stats()).runs;
      if (completed === good) found.goodMs ??= Math.round(performance.now() - began);
      return (completed === good && (!isPoisoned || (await isOver(host)))) || found.points >= limit;
    }, PATIENCE_MS);
    const { completed } = (await host.admin.stats()).runs;
    if (completed !== good) {
      found.lost += good - completed;
      found.problems.push(`${completed} of ${good} others were executed`);
    }
    return isPoisoned ? await addPoison(host, found) : found;
  } finally {
    await processes.killAll();
    await host.close();
  }
}

const create = (host, runId, text, sessionKey) =>
  host.store.transaction(async (tx) => {
    const input = { type: "user-text", text };
    const run = { kind: "user-turn", ownerNamespace: NAMESPACE, sessionKey, rootRunId: runId };
    await tx.runs.create({ runId, ...run, input });
    await tx.events.append(runId, [input], { firstOffset: 0 });
  });

async function addPoison(host, found) {
  const { status, error, attempt } = await host.store.runs.get("poison");
  const note = `given up after ${attempt - 1} claims`;
  // The first claim stores a checkpoint before the model is called. Ten more do not, and the next one gives up.
  if (error?.code === "gave-up" && attempt <= ATTEMPTS + 2) return { ...found, note };
  found.problems.push(`the run is ${status} after ${attempt} claims`);
  return { ...found, twice: found.twice + 1, note };
}

const isOver = async (host) => (await host.store.runs.get("poison"))?.status === "error";
