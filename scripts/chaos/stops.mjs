// PostgreSQL stops at once (immediate), every few seconds, under work: inputs that processes accept meanwhile, and runs
// and inbox entries that wait from the start. No process exits, and nothing is lost.

import { setTimeout as sleep } from "node:timers/promises";
import { createRandom } from "../fuzz/random.mjs";
import { createProcesses, NAMESPACE, settle, until } from "./processes.mjs";
import { openStore } from "./store.mjs";

/** With fewer rounds, a round is a stop, and between two of them work gets through. */
const LINES = 60;
const FULL = { waiting: 500, forMs: 60_000, leastMs: 5_000, mostMs: 10_000 };
const SHORT = { waiting: 50 };
/** Sessions of the runs and of the inbox entries that wait. */
const LANES = 20;

export const stops = {
  name: "stops",
  engines: ["postgres"],
  break: "early",
  async run(terms) {
    const { place, ledger, isFull, broken } = terms;
    const { waiting } = isFull ? FULL : SHORT;
    const processes = createProcesses(place, ledger);
    const { host } = await openStore(place, { ports: { warn: () => undefined } });
    try {
      await fill(host, waiting);
      const all = Array.from({ length: 3 }, () => processes.start("desk", { broken, modelMs: 20, everyMs: 60 }));
      for (const each of all) await each.hears("ready");
      const count = await (isFull ? stopByTime(terms) : stopByLines(terms, processes));
      await sleep(500);
      const dead = all.filter(({ child }) => child.exitCode !== null);
      await processes.killAll();
      const found = await settle(place, processes);
      await addWaiting(host, waiting, found);
      for (const { wrong } of dead) found.problems.push(`a process ended: ${wrong()}`);
      found.lost += dead.length;
      const note = `${found.acknowledged} acknowledged, ${waiting} runs and ${waiting} inbox entries`;
      return { rounds: count, points: count, ...found, note };
    } finally {
      await processes.killAll();
      await host.close();
    }
  },
};

async function stopOnce({ servers }, random) {
  await servers.postgres.crash();
  await sleep(random.below(1_000));
  await servers.postgres.start();
}

async function stopByTime({ seed, servers }) {
  const random = createRandom(seed);
  const { forMs, leastMs, mostMs } = FULL;
  const began = performance.now();
  let count = 0;
  for (; performance.now() - began < forMs; count++) {
    await sleep(leastMs + random.below(mostMs - leastMs));
    await stopOnce({ servers }, random);
  }
  return count;
}

async function stopByLines({ seed, rounds, servers }, processes) {
  const random = createRandom(seed);
  const count = Math.min(rounds, 10);
  for (let round = 0; round < count; round++) {
    const enough = processes.lines().length + 1 + random.below(LINES);
    await until(() => processes.lines().length > enough);
    await stopOnce({ servers }, random);
  }
  return count;
}

const KINDS = ["run", "entry"];
const laneOf = (kind, number) => `${kind}s ${number % LANES}`;

async function fill({ store }, waiting) {
  for (let number = 0; number < waiting; number++) {
    await store.transaction(async (tx) => {
      for (const kind of KINDS) {
        const [runId, sessionKey] = [`${kind} ${number}`, laneOf(kind, number)];
        const input = { type: "user-text", text: runId };
        const run = { runId, ownerNamespace: NAMESPACE, sessionKey, rootRunId: runId };
        if (kind === "run") {
          await tx.runs.create({ ...run, kind: "user-turn", input });
          await tx.events.append(runId, [input], { firstOffset: 0 });
          continue;
        }
        await tx.runs.create({ ...run, kind: "notification" });
        await tx.notifications.enqueue({
          ...{
            notificationId: runId,
            idempotencyKey: runId,
            ownerNamespace: NAMESPACE,
            sessionKey,
            runId,
            taskIds: [],
          },
          input,
        });
      }
    });
  }
}

/** Each of them is in the history of its session once. */
async function addWaiting({ store }, waiting, found) {
  const blame = (kind, why) => {
    found[kind] += 1;
    found.problems.push(why);
  };
  for (const kind of KINDS) {
    const told = new Map();
    for (let lane = 0; lane < LANES; lane++) {
      const history = (await store.sessions.load(laneOf(kind, lane)))?.state.history ?? [];
      for (const { role, content } of history) if (role === "user") told.set(content, (told.get(content) ?? 0) + 1);
    }
    for (let number = 0; number < waiting; number++) {
      const times = told.get(`${kind} ${number}`) ?? 0;
      if (times !== 1) blame(times === 0 ? "lost" : "twice", `${kind} ${number} was answered ${times} times`);
    }
  }
}
