// Milliseconds of wall time from start to end of a process: the command and the help of each command, compared with an empty Node.

import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { measure } from "./measure.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));
const bin = fileURLToPath(new URL("../dist/cli/bin.js", import.meta.url));

export async function* startUp({ rounds = 15, commands = true } = {}) {
  const base = [
    starting("node -e 0", ["-e", "0"]),
    starting("cassette --version", [bin, "--version"]),
    starting("cassette --help", [bin, "--help"]),
    ...["", "/cassette", "/session", "/jest", "/ai-sdk"].map((door) => importing(`playhead${door}`)),
  ];
  yield { key: "base", title: "start-up", unit: "ms", rows: await measure(base, { rounds, sampleMs: 1 }) };
  if (!commands) return;
  const helps = commandNames().map((name) => starting(`cassette ${name} --help`, [bin, name, "--help"]));
  const rows = await measure(helps, { rounds: Math.min(rounds, 5), sampleMs: 1 });
  yield { key: "commands", title: "start-up of each command", unit: "ms", rows };
}

function commandNames() {
  return readdirSync(new URL("../dist/cli/commands/", import.meta.url))
    .filter((file) => file.endsWith(".js"))
    .map((file) => file.slice(0, -".js".length))
    .sort();
}

function importing(door) {
  const code = `await import("${door}")`;
  return starting(code, ["--input-type=module", "-e", code]);
}

function starting(name, args) {
  const run = () => {
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
    if (status !== 0) throw new Error(`${name} exited ${status}: ${stderr}`);
  };
  return { name, units: 1000, run };
}
