// Milliseconds of wall time from starting a process to its end: `cassette --version` beside `node -e 0`.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { formatTable, measure } from "./measure.mjs";

const bin = fileURLToPath(new URL("../dist/cli/bin.js", import.meta.url));

export async function startUp({ rounds = 15 } = {}) {
  const process_ = (name, args) => ({
    name,
    units: 1000,
    run: () => {
      const { status } = spawnSync(process.execPath, args);
      if (status !== 0) throw new Error(`${name} exited ${status}`);
    },
  });
  const contestants = [
    process_("node -e 0", ["-e", "0"]),
    process_("cassette --version", [bin, "--version"]),
    process_(`import("playhead")`, ["--input-type=module", "-e", `await import("playhead")`]),
  ];
  const rows = await measure(contestants, { rounds, sampleMs: 1 });
  console.log(formatTable("start-up", "ms", rows));
  return rows;
}
