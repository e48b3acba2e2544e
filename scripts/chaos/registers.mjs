// Registers with compare-and-set: the state of a session, and the checkpoints of a run. Values are unique, so a history
// tells which write a read has seen.

import { setTimeout as sleep } from "node:timers/promises";
import { createRandom } from "../fuzz/random.mjs";
import { NAMESPACE } from "./store.mjs";

export const RUN = "register";
const LEASE = { leaseId: "shared", leaseMs: 3_600_000, ownerNamespace: NAMESPACE };

/** Prepares both registers. Their first value is null. */
export async function prepareRegisters({ store }) {
  await store.runs.create({
    ...{ runId: RUN, kind: "user-turn", ownerNamespace: NAMESPACE, sessionKey: "register", rootRunId: RUN },
  });
  await store.runs.claim(RUN, LEASE);
}

const now = () => Number(process.hrtime.bigint() / 1_000n);

export function registersOn({ store }, name) {
  const { sessions, checkpoints } = store;
  const registers = {
    session: {
      read: async () => {
        const there = await sessions.load("value");
        return { value: there?.state ?? null, version: there?.version ?? null };
      },
      swap: async ({ version }, next) =>
        (await sessions.commit("value", { state: next }, { expectedVersion: version })).ok,
    },
    run: {
      read: async () => {
        const there = await checkpoints.latest(RUN);
        return { value: there?.runtimeState.value ?? null, version: there?.version ?? 0 };
      },
      swap: async ({ version }, next) => {
        const head = { checkpointId: next, runId: RUN, version: version + 1, phases: ["after-model"], appended: [] };
        const { leaseId } = LEASE;
        const options = { expectedVersion: version, leaseId };
        return (await checkpoints.append({ ...head, runtimeState: { value: next } }, options)).ok;
      },
    },
  };
  return {
    /** `note(register, kind, began, ended, expected, next, answer)`. A call without an answer may have happened. */
    async play({ seed, calls, note }) {
      const random = createRandom(seed);
      for (let call = 0; call < calls; call++) {
        for (const [which, { read, swap }] of Object.entries(registers)) {
          let began = now();
          const seen = await read();
          note(which, "read", began, now(), null, null, seen.value);
          if (random.chance(0.3)) continue;
          // Somebody else may come between.
          await sleep(random.below(5));
          const next = `${name} ${call}`;
          began = now();
          note(which, "begin", began, null, seen.value, next, null);
          const isStored = await swap(seen, next);
          note(which, "swap", began, now(), seen.value, next, isStored);
        }
      }
    },
  };
}
