// Milliseconds to compare two runs with one call in a turn, by their length and the number of differences.

import { diffCassettes, trajectoryDistance } from "playhead/cassette";
import { canonical } from "./floor/canonical.mjs";
import { normalDistance } from "./floor/distance.mjs";
import { measure } from "./measure.mjs";

const STOP = { stopReason: "toolUse" };

/** A run as `diffCassettes` reads it. It uses no other part of a cassette. */
export function runOf(calls) {
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

export function callsOf(length) {
  return Array.from({ length }, (_, index) => [TOOLS[index % TOOLS.length], index]);
}

/** One call left out near the start, one changed in the middle, one added near the end. */
export function few(calls) {
  const changed = calls.toSpliced(calls.length >> 1, 1, [calls[calls.length >> 1][0], -1]);
  return changed.toSpliced(Math.floor(calls.length * 0.9), 0, ["check", 0]).toSpliced(Math.floor(calls.length / 10), 1);
}

/** In every ten calls, one is left out, one is new and one has other arguments. */
export function many(calls) {
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
export function all(calls) {
  return calls.map(([name, value]) => [name, -1 - value]);
}

export async function* diff({ rounds = 5, sampleMs = 20, lengths = [10, 100, 1000, 10_000], ...options } = {}) {
  const kinds = [
    ["3 differences", few],
    ["3 in 10 calls differ", many],
    ["all differ", all],
  ];
  for (const length of lengths) {
    const calls = callsOf(length);
    const old = runOf(calls);
    const contestants = kinds.flatMap(([text, change]) => compareWith(old, calls, change(calls), text));
    const rows = await measure(contestants, { ...options, rounds, sampleMs });
    yield { key: String(length), title: `diff of two runs of ${length} calls`, unit: "ms", rows };
  }
}

function compareWith(old, calls, changed, text) {
  const now = runOf(changed);
  const [oldKeys, nowKeys] = [keysOf(old), keysOf(now)];
  const floor = normalDistance(oldKeys, nowKeys);
  const assertFound = (found) => {
    if (found < Math.min(calls.length, 3)) throw new Error(`${calls.length} calls, ${text}: only ${found} drifts`);
  };
  const assertFar = (distance) => {
    if (Math.abs(distance - floor) > 1e-9) throw new Error(`${calls.length} calls, ${text}: ${distance}, not ${floor}`);
  };
  return [
    { name: `floor: distance, ${text}`, run: () => normalDistance(keysOf(old), keysOf(now)), check: assertFar },
    { name: `playhead: distance, ${text}`, run: () => trajectoryDistance(old, now), check: assertFar },
    { name: `playhead: diff, ${text}`, run: () => diffCassettes(old, now).length, check: assertFound },
  ].map((contestant) => ({ ...contestant, units: 1000 }));
}

/** One text for each call: its tool and its arguments. */
export function keysOf({ entries }) {
  return entries.flatMap(({ response }) =>
    response.message.toolCalls.map(({ name, arguments: args }) => name + canonical(args)),
  );
}
