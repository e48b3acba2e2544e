// Checks that a register with compare-and-set is linearizable: some order of the calls, which keeps that of calls that do
// not overlap, explains every answer. Wing and Gong, "Testing and verifying concurrent objects", 1993.

import { setTimeout as sleep } from "node:timers/promises";
import { createRandom } from "../fuzz/random.mjs";
import { createProcesses } from "./processes.mjs";
import { prepareRegisters } from "./registers.mjs";
import { openStore } from "./store.mjs";

const PROCESSES = 4;
const CALLS = 60;

/** The calls of one register from the ledger. A swap that was cut off may have happened at any later time, or never. */
export function toHistory(lines, register) {
  const own = lines.filter(([what, which]) => what === "call" && which === register).map((line) => line.slice(2));
  const ended = new Set(own.filter(([kind]) => kind === "swap").map(([, , , , next]) => next));
  return own.flatMap(([kind, began, until, expected, next, answer]) => {
    if (kind === "read") return [{ kind, began, until, answer }];
    if (kind === "swap") return [{ kind, began, until, expected, next, answer }];
    return ended.has(next) ? [] : [{ kind: "swap", began, until: Infinity, expected, next, answer: undefined }];
  });
}

/** The state after a call, or undefined if the call cannot have given its answer. */
function apply({ kind, expected, next, answer }, value) {
  if (kind === "read") return answer === value ? value : undefined;
  const isStored = value === expected;
  if (answer !== undefined && answer !== isStored) return undefined;
  return isStored ? next : value;
}

/** True if some order explains the history. States that were searched before are not searched again. */
export function isLinearizable(history) {
  const calls = [...history].sort((a, b) => a.began - b.began);
  const required = calls.filter(({ until }) => until !== Infinity).length;
  const known = new Set();
  const stack = [{ done: new Set(), first: 0, count: 0, value: null }];
  while (stack.length > 0) {
    const { done, first, count, value } = stack.pop();
    if (count === required) return true;
    let limit = Infinity;
    for (let at = first; at < calls.length && calls[at].began <= limit; at++) {
      if (done.has(at)) continue;
      const call = calls[at];
      limit = Math.min(limit, call.until);
      const after = apply(call, value);
      if (after === undefined) continue;
      const next = advance(done, first, at);
      const key = `${next.first} ${[...next.done].sort((a, b) => a - b).join()} ${after}`;
      if (known.has(key)) continue;
      known.add(key);
      stack.push({ ...next, count: count + (call.until === Infinity ? 0 : 1), value: after });
    }
  }
  return required === 0;
}

/** `first` is the first call that is not done. `done` has those behind it. */
function advance(done, first, at) {
  const next = new Set(done).add(at);
  while (next.delete(first)) first += 1;
  return { done: next, first };
}

export const register = {
  name: "register",
  engines: ["sqlite", "postgres"],
  break: "blind",
  async run({ place, ledger, rounds, seed, broken }) {
    const found = { rounds, points: 0, lost: 0, torn: 0, twice: 0, problems: [] };
    const random = createRandom(seed);
    for (let round = 0; round < rounds; round++) {
      const own = { ...place, ...(place.file && { file: `${place.file}-${round}` }) };
      if (place.schema !== undefined) own.schema = `${place.schema}r${round}`;
      const { host } = await openStore(own);
      const processes = createProcesses(own, ledger);
      try {
        await prepareRegisters(host);
        const all = Array.from({ length: PROCESSES }, (_, index) =>
          processes.start("register", { broken, calls: CALLS, seed: seed + round * PROCESSES + index }),
        );
        for (const each of all) await each.hears("ready");
        for (const each of all) each.write();
        // One of them is cut off somewhere.
        await sleep(random.below(300));
        await processes.kill(all[0]);
        for (const each of all.slice(1)) await each.hears("done");
        for (const which of ["session", "run"]) {
          const history = toHistory(processes.lines(), which);
          found.points += history.length;
          if (isLinearizable(history)) continue;
          found.torn += 1;
          found.problems.push(
            `no order of ${history.length} calls explains the answers of the ${which} of round ${round}`,
          );
        }
      } finally {
        await processes.killAll();
        await host.close();
      }
      if (broken !== undefined && found.torn > 0) break;
    }
    return { ...found, note: `${found.points} calls of ${PROCESSES} processes` };
  },
};
