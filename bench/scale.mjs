// Folders of very many cassettes, and one as large as it may be: wall time and peak memory of whole processes. The memory is what
// the system says a process had at most (its resident set).

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { scriptedProvider } from "playhead";
import { DEFAULT_MAX_BYTES, formatCassette, recordingProvider } from "playhead/cassette";
import { summarise } from "./measure.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));
const bin = join(root, "dist/cli/bin.js");
const TELL = 'process.on("exit",()=>process.stderr.write(" rss "+process.resourceUsage().maxRSS))';
const LOAD = 'import{loadCassette}from"playhead/cassette";await loadCassette(process.argv[1])';

/** `files` cassettes of one turn in each of two folders; `bytes` of one that is loaded alone. */
export async function* scale({ files = 10_000, rounds = 3, bytes = DEFAULT_MAX_BYTES } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "playhead-scale-"));
  try {
    const [old, now] = [join(folder, "old"), join(folder, "now")];
    for (const each of [old, now]) await fill(each, files);
    const large = join(folder, "large.cassette.json");
    writeFileSync(large, await cassetteOf(largest(bytes)));
    const lock = join(folder, "cassettes.lock");
    const contestants = [
      ["cassette verify", [bin, "verify", old]],
      ["cassette lock", [bin, "lock", old, "--file", lock]],
      ["cassette prune", [bin, "prune", old]],
      ["cassette diff, two folders", [bin, "diff", old, now]],
      [`load one of ${(bytes / 2 ** 20).toFixed(0)} MiB`, ["--input-type=module", "-e", LOAD, large]],
    ];
    const samples = contestants.map(() => []);
    for (let round = 0; round < rounds; round++) {
      for (const [index, [name, args]] of contestants.entries()) {
        rmSync(lock, { force: true });
        samples[index].push(runOnce(name, args));
      }
    }
    const rows = (field) =>
      contestants.map(([name], index) => ({ name, ...summarise(samples[index].map((sample) => sample[field])) }));
    yield { key: "seconds", title: `scale: ${files} files of one turn`, unit: "s", rows: rows("seconds") };
    yield { key: "peak", title: `scale: peak memory with ${files} files`, unit: "MiB", rows: rows("peakMiB") };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runOnce(name, args) {
  const started = process.hrtime.bigint();
  const options = { cwd: root, encoding: "utf8", maxBuffer: 2 ** 30, env: { ...process.env, CI: "" } };
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--import", `data:text/javascript,${TELL}`, ...args],
    options,
  );
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  const kilobytes = / rss (\d+)$/.exec(stderr)?.[1];
  if (status !== 0 || kilobytes === undefined) throw new Error(`${name} exited with ${status}: ${stderr}`);
  return { seconds, peakMiB: Number(kilobytes) / 1024 };
}

async function fill(folder, files) {
  for (let index = 0; index < files; index++) {
    const inner = join(folder, String(index % 100));
    if (index < 100) mkdirSync(inner, { recursive: true });
    writeFileSync(join(inner, `${index}.cassette.json`), await cassetteOf(`answer ${index}`));
  }
}

async function cassetteOf(text) {
  const answer = { message: { role: "assistant", content: text }, stopReason: "stop" };
  const recorder = recordingProvider(scriptedProvider([answer]));
  await recorder.turn({ messages: [{ role: "user", content: "Go." }] });
  return formatCassette(recorder.toCassette());
}

/** A text that leaves room for what stands around it. */
function largest(bytes) {
  return "word ".repeat(Math.floor((bytes - 4096) / 5));
}
