// What finished runs leave in memory. In the old generation it would stay until the next full collection.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { assertBuilt } from "./support/built.js";

const script = fileURLToPath(new URL("support/kept-runs.mjs", import.meta.url));

/** With so large generations, only the script's own collections fall into the measurement. */
const FLAGS = ["--expose-gc", "--initial-old-space-size=2000", "--min-semi-space-size=64", "--max-semi-space-size=64"];

/** Node 20 keeps each abort controller, which takes a kilobyte, and more of a run with receipts. */
const isOld = process.versions.node.startsWith("20.");
/** In bytes. A run of 50 turns allocates half a megabyte. */
const MOST_KEPT = isOld ? 80_000 : 30_000;

it("collects a finished run, recording, replay and stream with the young generation", () => {
  assertBuilt();
  const { status, stdout, stderr } = spawnSync(process.execPath, [...FLAGS, script], { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  const { control, sign, ...kept } = JSON.parse(stdout) as Record<string, number>;
  expect(control).toBeGreaterThan(25_000);
  expect(Object.keys(kept)).toEqual(["run", "record", "replay", "stream"]);
  for (const [way, bytes] of Object.entries(kept)) expect(bytes, way).toBeLessThan(MOST_KEPT);
  if (!isOld) expect(sign).toBeLessThan(MOST_KEPT);
});
