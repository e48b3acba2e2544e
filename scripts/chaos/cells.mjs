// The flow of a fleet's cells: a machine opens a job, claims its cells, stores their steps and their results. Another
// machine goes on where it stopped.

import { createStoredFleets } from "../../.playhead/modules/host/fleet/stored/store.js";

const LEASE_MS = 30_000;
const CELLS = ["oslo", "bergen", "tromso"].map((target, id) => ({ id, target, member: "ann" }));
const PLAN = { id: "job", hash: "h", rate: { calls: 10, perMs: 1_000 }, limitUsd: 5, cells: CELLS };

const resultOf = (target, finalAnswer) => ({
  ...{ status: "done", member: "ann", target, attempts: 1, startedAt: 1, endedAt: 2 },
  result: {
    ...{ agentId: "ann", finalAnswer, turns: 1, toolCalls: 0 },
    usage: { inputTokens: 1, outputTokens: 1, costUsd: 0.001 },
  },
});

/** One machine: works until there is nothing to claim, or `tries` calls have failed. The ledger says which steps ran. */
async function work(fleets, ledger, label) {
  const persist = async (call) => {
    for (let tried = 0; ; tried++) {
      try {
        return await call();
      } catch (error) {
        if (tried === 2 || error.code === "lease-lost") throw error;
      }
    }
  };
  const job = await persist(() => fleets.open(PLAN));
  for (;;) {
    const claim = await persist(() => job.claim("ann"));
    label();
    if (claim.kind !== "claimed") return claim.kind;
    const { target } = CELLS[claim.id];
    const step = job.steps(claim);
    const run = (name) =>
      persist(() =>
        step(name, async () => {
          ledger.push(`${target} ${name}`);
          return `${target} ${name}`;
        }),
      );
    const texts = [await run("turn:0"), await run("tool:0")];
    await persist(() => job.renew([claim]));
    await persist(() => job.settle(claim, resultOf(target, texts.join())));
    label();
  }
}

export async function runCells({ engines, ports, fault }) {
  const ledger = [];
  const [faulty, whole] = engines.map((engine) => createStoredFleets({ engine, leaseMs: LEASE_MS, ports }));
  const label = () => fault.belongTo("cell");
  await work(faulty, ledger, label).catch(() => undefined);
  label();
  await ports.pass(LEASE_MS + 1);
  for (let round = 0; round < 5 && (await work(whole, ledger, label)) !== "empty"; round++)
    await ports.pass(LEASE_MS + 1);
  const cells = [];
  for await (const cell of whole.results(PLAN.id)) cells.push(cell);
  // A step that was cut off runs again. One that was stored does not.
  const repeated = ledger.length - new Set(ledger).size;
  return { text: JSON.stringify(cells), twice: Math.max(0, repeated - 1) };
}
