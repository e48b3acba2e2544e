// Milliseconds of comparing two runs of one call a turn, by their length and by how much they differ.

import { diffCassettes, trajectoryDistance } from "playhead/cassette";
import { formatTable, measure } from "./measure.mjs";

const STOP = { stopReason: "toolUse" };

/** A run as `diffCassettes` reads it: nothing else of a cassette takes part. */
function runOf(calls) {
  const entries = calls.map(([name, value], turnIndex) => ({
    turnIndex,
    promptHash: "",
    response: {
      ...STOP,
      message: { role: "assistant", content: "", toolCalls: [{ id: `c${turnIndex}`, name, arguments: { value } }] },
    },
  }));
  return { version: 1, recordedAt: "2026-11-20T12:00:00.000Z", recordedProvider: "bench", entries };
}

const TOOLS = ["search", "read", "write", "list"];

function callsOf(length) {
  return Array.from({ length }, (_, index) => [TOOLS[index % TOOLS.length], index]);
}

/** One call left out near the start, one changed in the middle, one added near the end. */
function few(calls) {
  const changed = calls.toSpliced(calls.length >> 1, 1, [calls[calls.length >> 1][0], -1]);
  return changed.toSpliced(Math.floor(calls.length * 0.9), 0, ["check", 0]).toSpliced(Math.floor(calls.length / 10), 1);
}

/** Of ten calls, one is left out, one is new and one has other arguments. */
function many(calls) {
  return calls.flatMap(([name, value], index) => {
    if (index % 10 === 0) return [];
    if (index % 10 === 3)
      return [
        [name, value],
        ["check", value],
      ];
    return [index % 10 === 6 ? [name, -value] : [name, value]];
  });
}

/** Every call has other arguments. */
function all(calls) {
  return calls.map(([name, value]) => [name, -1 - value]);
}

export async function diff({ rounds = 5, sampleMs = 20, lengths = [10, 100, 1000, 10_000] } = {}) {
  const contestants = lengths.flatMap((length) => {
    const calls = callsOf(length);
    const old = runOf(calls);
    const kinds = [
      ["3 differences", few],
      ["3 in 10 calls differ", many],
      ["all differ", all],
    ];
    return kinds.flatMap(([text, change]) => {
      const now = runOf(change(calls));
      const expected = diffCassettes(old, now).length;
      if (expected < Math.min(length, 3)) throw new Error(`${length} calls, ${text}: only ${expected} drifts`);
      return [
        { name: `diff of ${length} calls, ${text}`, units: 1000, run: () => diffCassettes(old, now) },
        { name: `distance of ${length} calls, ${text}`, units: 1000, run: () => trajectoryDistance(old, now) },
      ];
    });
  });
  const rows = await measure(contestants, { rounds, sampleMs });
  console.log(formatTable("diff", "ms", rows));
  return rows;
}
