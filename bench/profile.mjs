// Shows where the microseconds of a turn go: node bench/profile.mjs ["playhead: run and record"] [--turns 100]
// [--seconds 5] [--top 15]. Samples one contestant of the turn loop with V8's profiler. Prints its self time by room
// and by function, in µs per turn.

import { Session } from "node:inspector/promises";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readClock } from "./measure.mjs";
import { fail, readCount, readOptions } from "./options.mjs";
import { contestants } from "./turn-loop-ways.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));
const NAME = "profile";
const OPTIONS = {
  turns: { type: "string", default: "100" },
  seconds: { type: "string", default: "5" },
  top: { type: "string", default: "15" },
};
const usage = `node bench/profile.mjs ["playhead: run and record"] [--turns 100] [--seconds 5] [--top 15]

The contestants are ${Object.keys(contestants).join("; ")}.`;
const values = readOptions(NAME, OPTIONS, { usage, words: 1 });
const [name = "playhead: run and record"] = values.words;
if (!Object.hasOwn(contestants, name))
  fail(NAME, `there is no ${JSON.stringify(name)}; there are ${Object.keys(contestants).join("; ")}`);
const contestant = contestants[name];
const turns = readCount(NAME, "turns", values.turns, 1, 1_000_000);
const seconds = readCount(NAME, "seconds", values.seconds, 1, 3_600);
const top = readCount(NAME, "top", values.top, 1, 1_000);
/** The sampled files. */
const lines = new Map();
const opened = await contestant.open?.(turns, 1);
await runFor(4);
const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.setSamplingInterval", { interval: 200 });
await session.post("Profiler.start");
const runs = await runFor(seconds);
const { profile } = await session.post("Profiler.stop");
print(profile, runs.count * turns, runs.micros);

/** Seconds of processor time, so that a busy machine profiles compiled code as well. */
async function runFor(seconds) {
  const started = readClock("cpu");
  let count = 0;
  for (; readClock("cpu") - started < seconds * 1e6; count++) await contestant.run(turns, 1, opened);
  return { count, micros: readClock("cpu") - started };
}

/** Counts samples instead of their durations, which say more about the machine than about the code. */
function print({ nodes, samples }, units, micros) {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const [rooms, functions] = [new Map(), new Map()];
  const each = micros / units / samples.length;
  for (const id of samples) {
    const frame = frames.get(id);
    const room = roomOf(frame);
    add(rooms, room, each);
    add(functions, `${frame.functionName || "(unnamed)"}, ${room}`, each);
  }
  console.log(`${name}, ${turns} turns, Node ${process.versions.node}\n`);
  console.log(toTable("part", rooms, rooms.size));
  console.log(`\n${toTable("function", functions, top)}`);
}

/** `core/loop` for one of our modules, otherwise the package or the Node module. */
function roomOf({ url, functionName, lineNumber }) {
  if (url.startsWith("node:")) return url.replace(/^(node:(internal\/)?[^/]+).*/, "$1");
  if (url === "") return functionName.startsWith("(") ? functionName : "(built in)";
  const library = /\/node_modules\/((@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (library !== undefined) return library;
  const path = fileURLToPath(url);
  if (path.startsWith(join(root, "bench"))) return "the scripted model and tool";
  return dirname(moduleAt(path, lineNumber));
}

/** The files of the package name the original module before each part. `line` counts from 0, as in V8's profiler. */
function moduleAt(path, line) {
  if (!lines.has(path)) lines.set(path, readFileSync(path, "utf8").split("\n"));
  for (let at = line; at >= 0; at--) {
    const name = /^\/\/ ([\w-]+\/[\w/-]+\.js)$/.exec(lines.get(path)[at])?.[1];
    if (name !== undefined) return name;
  }
  return path.slice(root.length);
}

function add(map, key, micros) {
  map.set(key, (map.get(key) ?? 0) + micros);
}

function toTable(head, map, most) {
  const total = [...map.values()].reduce((sum, micros) => sum + micros, 0);
  const rows = [...map].sort(([, a], [, b]) => b - a).slice(0, most);
  const lines = rows.map(
    ([key, micros]) => `| ${key} | ${micros.toFixed(2)} | ${((100 * micros) / total).toFixed(0)} % |`,
  );
  return [`| ${head} | µs a turn | share |`, "| --- | ---: | ---: |", ...lines, `| all | ${total.toFixed(2)} | |`].join(
    "\n",
  );
}
