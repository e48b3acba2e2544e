// What a fresh process pays for: the import of each entry point, the first runs of 20 turns, and Vitest files with one replayed test.
// Each is compared with the same without Playhead.

import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { summarise } from "../measure.mjs";
import { installPeer } from "../peers/install.mjs";
import { REPLAY_PEERS } from "../peers/catalog.mjs";
import { closeScratch, openScratch, pause } from "../scratch.mjs";
import { sampleProcess } from "../whole-process.mjs";
import { writeCassette } from "./cassette.mjs";
import { VITEST_WAYS, writeProject } from "./vitest-files.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const vitest = fileURLToPath(new URL("vitest.mjs", import.meta.resolve("vitest/package.json")));
const work = (name) => fileURLToPath(new URL(name, import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
/** Entry points that Node can open alone. That of Vitest opens only in a worker of Vitest. */
const ENTRIES = Object.keys(manifest.exports).filter((path) => !/\*|json|vitest/.test(path));

export async function* cold({ rounds = 15, entries = ENTRIES, files = [1, 10] } = {}) {
  const folder = openScratch("cold");
  try {
    yield* countFiles();
    yield* sampleAll("imports", "import of an entry point in a fresh process", importsOf(entries), rounds);
    const cassette = await writeCassette(folder);
    yield* sampleAll("first", "a process that imports, and runs its first 20 turns", firstRuns(cassette), rounds);
    for (const count of files) {
      for (const isolate of [true, false]) {
        const project = await writeProject(join(folder, `${count}-${isolate}`), { root, count });
        if (count === 1 && isolate) yield sampleEntry(project, rounds);
        const title = `Vitest, ${count} ${count === 1 ? "file" : "files"} of one test, ${isolate ? "isolated" : "not isolated"}`;
        yield* sampleAll(`vitest ${count} ${isolate}`, title, vitestRuns(VITEST_WAYS, project, isolate), rounds, WALL);
      }
    }
  } finally {
    closeScratch(folder);
  }
}

/** The same files with the libraries that replace HTTP, and the first completion of each in a fresh process. */
export async function* peerColds({ rounds = 7, files = 10 } = {}) {
  const folder = openScratch("cold");
  try {
    const peers = REPLAY_PEERS.filter((peer) => ["aimock", "nock", "msw-2"].includes(peer.folder)).map((peer) => ({
      ...peer,
      ...installPeer(peer),
    }));
    const versions = Object.fromEntries(peers.map(({ name, main, version }) => [name, `${main} ${version}`]));
    const own = [{ name: "playhead: cassetteProvider", file: work("../peers/contestants/playhead-replay.mjs") }];
    const firsts = [...own, ...peers].map(({ name, file, failed }) => ({
      name,
      failed,
      args: [work("first-completion.mjs"), file],
    }));
    for await (const table of sampleAll("completion", "a process that answers its first completion", firsts, rounds))
      yield { ...table, versions };
    const project = await writeProject(join(folder, "peers"), { root, count: files, peers });
    const ways = [...VITEST_WAYS, ...peers.filter(({ folder: name }) => name !== "msw-2").map((peer) => peer.folder)];
    const title = `peers: Vitest, ${files} files of one test, isolated`;
    for await (const table of sampleAll("vitest", title, vitestRuns(ways, project, true), rounds, WALL))
      yield { ...table, versions };
  } finally {
    closeScratch(folder);
  }
}

/** Numbers that do not depend on the machine: what an import of an entry point loads before it is used. */
function* countFiles() {
  const doors = Object.entries(manifest.exports).flatMap(([door, target]) => {
    const path = typeof target === "string" ? target : (target.node ?? target.default);
    if (!path.endsWith(".js")) return [];
    return [{ name: door.replace(".", manifest.name), loaded: filesBehind(join(root, path)) }];
  });
  const kilobytes = (files) => files.reduce((sum, file) => sum + statSync(file).size, 0) / 1000;
  const rows = (of) => doors.map(({ name, loaded }) => ({ name, ...summarise([of(loaded)]) }));
  const what = "files of Playhead that an entry point loads";
  yield { key: "files", title: what, unit: "files", rows: rows((files) => files.length) };
  yield { key: "loaded", title: `size of the ${what}`, unit: "KB", rows: rows(kilobytes) };
}

function filesBehind(path, found = []) {
  if (found.includes(path)) return found;
  found.push(path);
  for (const [, specifier] of readFileSync(path, "utf8").matchAll(/^(?:import|export)\s[^;]*?"(\.[^"]+)";$/gm))
    filesBehind(join(dirname(path), specifier), found);
  return found;
}

const importsOf = (entries) => [
  { name: "node -e 0", args: ["-e", "0"] },
  ...entries.map((entry) => {
    const code = `await import("${entry.replace(".", manifest.name)}")`;
    return { name: code.slice("await ".length), args: ["--input-type=module", "-e", code] };
  }),
];

const firstRuns = (cassette) => [
  { name: "node -e 0", args: ["-e", "0"] },
  ...["stub", "record", "replay"].map((way) => ({ name: way, args: [work("first-run.mjs"), way, cassette] })),
];

const vitestRuns = (ways, project, isolate) =>
  ways.map((way) => ({
    name: way,
    cwd: project,
    args: [vitest, "run", "--reporter=dot", `--isolate=${isolate}`, `--dir=${way}`],
  }));

const IMPORT_VITEST = `
const began = performance.now();
await import("vitest");
console.log("import " + (performance.now() - began) + " ms");
`;

/** The import of `playhead/vitest` in a worker, which has loaded Vitest, and that of Vitest in Node. Both time themselves. */
function sampleEntry(project, rounds) {
  const [worker] = vitestRuns(["entry"], project, true);
  const contestants = [
    { name: 'import("vitest")', cwd: root, args: ["--input-type=module", "-e", IMPORT_VITEST] },
    { ...worker, name: 'import("playhead/vitest")' },
  ].map((each) => ({ ...each, samples: [] }));
  for (let round = 0; round < rounds; round++) {
    for (const { name, samples, ...each } of contestants)
      samples.push(Number(/import ([\d.]+) ms/.exec(sampleProcess(name, each.args, each).stdout)[1]));
  }
  const rows = contestants.map(({ name, samples }) => ({ name, ...summarise(samples) }));
  return { key: "entry", title: "import of the entry point of Vitest, within the process", unit: "ms", rows };
}

const TIMES = {
  seconds: { name: "wall time", suffix: "" },
  cpuSeconds: { name: "processor time", suffix: " cpu" },
};
/** Vitest works in processes of its own, whose processor time the system does not count as that of Vitest. */
const WALL = ["seconds"];

/** Samples the processes in turn, and gives their times. A process that fails is listed with its reason. */
async function* sampleAll(key, what, contestants, rounds, fields = Object.keys(TIMES)) {
  const states = contestants.map((each) => ({ cwd: root, ...each, samples: [] }));
  for (let round = 0; round < rounds; round++) {
    for (const state of states) {
      await pause();
      takeSample(state);
    }
  }
  const rows = (field) =>
    states.map(({ name, failed, samples }) =>
      failed === undefined
        ? { name, ...summarise(samples.map((sample) => 1000 * sample[field])) }
        : { name, failed, isOptional: true },
    );
  for (const field of fields) {
    const { name, suffix } = TIMES[field];
    yield { key: `${key}${suffix}`, title: `${what}: ${name}`, unit: "ms", rows: rows(field) };
  }
}

function takeSample(state) {
  if (state.failed !== undefined) return;
  try {
    state.samples.push(sampleProcess(state.name, state.args, state));
  } catch (error) {
    state.failed = error.message;
  }
}
