// What finished runs leave in the memory. In the old generation it would stay until the next full collection.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { assertBuilt } from "./support/built.js";

const script = fileURLToPath(new URL("support/kept-runs.mjs", import.meta.url));

/** In bytes. A run of 50 turns allocates half a megabyte. Node 20 keeps the timers of a run with receipts. */
const MOST_KEPT = 30_000;
const WAYS = ["run", "record", "replay", ...(process.versions.node.startsWith("20.") ? [] : ["sign"])];

it("is collected with the young generation, after a run, a recording, a replay and a run with receipts", () => {
  assertBuilt();
  // With so large an old generation, no full collection falls into the measurement.
  const flags = ["--expose-gc", "--initial-old-space-size=2000"];
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, script], { encoding: "utf8" });
  expect(stderr).toBe("");
  const kept = JSON.parse(stdout) as Record<string, number>;
  for (const way of WAYS) expect(kept[way], way).toBeLessThan(MOST_KEPT);
});
