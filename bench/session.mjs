// Microseconds per step of a session, compared with a turn of createRuntime, and the bytes of its checkpoints.

import { fileURLToPath } from "node:url";
import { createInMemoryExecutionHost } from "playhead/execution";
import { sampleField } from "./field.mjs";
import { measure } from "./measure.mjs";
import { contestants, runResult } from "./session-ways.mjs";
import { ownLoops, toTable } from "./turn-loop.mjs";
import { assertWork } from "./workload.mjs";

const file = fileURLToPath(new URL("session-ways.mjs", import.meta.url));

/** The sessions of these names, or all of them. */
export function ownSessions(names = Object.keys(contestants)) {
  return names.map((name) => ({ name, file, part: name }));
}

export async function* session({ turns = [10, 100, 1000], ...options } = {}) {
  const field = [...ownLoops(["playhead: run"]), ...ownSessions()];
  const works = turns.map((length) => ({ kind: "loop", turns: length, calls: 1 }));
  const rows = await sampleField(field, works, options);
  for (const [index, work] of works.entries()) yield toTable("session", work, rows[index]);
  yield await checkpointBytes(turns);
}

/** A number of bytes is the same each time, so it is counted once. */
async function checkpointBytes(turns) {
  const ways = turns.map((length) => ({ name: `${length} steps`, sample: () => countBytes(length) }));
  const rows = await measure(ways, { rounds: 1 });
  return { key: "bytes", title: "checkpoints of a session", unit: "bytes a step", rows };
}

/** Bytes a step of the JSON of all checkpoints of one run. Throws unless each step has at least one. */
export async function countBytes(turns) {
  const inner = createInMemoryExecutionHost();
  const counted = { checkpoints: 0, bytes: 0 };
  try {
    assertWork(await runResult(turns, 1, { ...inner, store: countAppends(inner.store, counted) }), turns);
  } finally {
    await inner.close();
  }
  if (counted.checkpoints < turns) throw new Error(`it has ${counted.checkpoints} checkpoints for ${turns} steps`);
  return counted.bytes / turns;
}

function countAppends(ports, counted) {
  const append = (checkpoint, options) => {
    counted.checkpoints++;
    counted.bytes += Buffer.byteLength(JSON.stringify(checkpoint));
    return ports.checkpoints.append(checkpoint, options);
  };
  const counting = { ...ports, checkpoints: { ...ports.checkpoints, append } };
  if (ports.transaction === undefined) return counting;
  return { ...counting, transaction: (work) => ports.transaction((tx) => work(countAppends(tx, counted))) };
}
