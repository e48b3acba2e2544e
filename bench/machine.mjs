// Describes the machine of the figures, because figures mean little without it.

import { readFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";

export function describeMachine() {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform}-${process.arch}`,
    node: process.versions.node,
    v8: process.versions.v8,
    playhead: version,
    /** The number of programs waiting for the processor at the start. Well above 0, the figures are noisy. */
    load: Number(loadavg()[0].toFixed(2)),
  };
}

export function formatMachine({ cpu, cores, memoryGiB, platform, node, v8, playhead, load }) {
  return `playhead ${playhead}, ${cpu}, ${cores} cores, ${memoryGiB} GiB, ${platform}, Node ${node} (V8 ${v8}), load ${load} at the start`;
}
