// Memory of runs of 10,000 turns, each in a process of its own: the heap at the last turn, and the peak that the system reports.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { measure, summarise } from "./measure.mjs";

const worker = fileURLToPath(new URL("memory-worker.mjs", import.meta.url));

const KINDS = [
  ["floor", "floor: and every hash"],
  ["bare", "playhead: run"],
  ["recording", "playhead: run and record"],
  ["replaying", "playhead: verify and replay"],
  ["signed", "playhead: run with signed receipts"],
];

export async function* memory({ turns = 10_000, rounds = 5, kinds: only } = {}) {
  const kinds = KINDS.filter(([kind]) => only === undefined || only.includes(kind));
  const seen = kinds.map(() => []);
  const contestants = kinds.map(([kind, name], index) => ({
    name,
    sample: () => {
      const figures = runWorker(kind, turns);
      seen[index].push(figures);
      return figures.peakMiB;
    },
  }));
  const peaks = await measure(contestants, { rounds: Math.min(rounds, 5) });
  yield { key: "peak", title: `peak memory of a process, ${turns} turns`, unit: "MiB", rows: peaks };
  const recording = seen[kinds.findIndex(([kind]) => kind === "recording")];
  const title = `a recording of ${turns} turns at its last turn`;
  yield { key: `held ${turns}`, title, unit: "MiB", rows: heldRows(recording) };
}

function heldRows(recording) {
  if (recording.length === 0)
    return [{ name: "held by the run and the recorder", failed: "the recording did not run" }];
  const figures = [
    ["the conversation alone", "conversationMiB"],
    ["the cassette alone", "cassetteMiB"],
    ["held by the run and the recorder", "heldMiB"],
    ["held beyond the cassette", "beyondMiB"],
  ];
  return figures.map(([name, field]) => ({ name, ...summarise(recording.map((sample) => sample[field])) }));
}

function runWorker(kind, turns) {
  const args = ["--expose-gc", "--max-old-space-size=4096", worker, kind, String(turns)];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${kind} of ${turns} turns exited ${status}: ${stderr}`);
  return JSON.parse(stdout);
}
