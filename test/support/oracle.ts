// The independent second implementation of the cassette hashes, which is next to the repository. Every cassette that
// our recorder writes in a test is kept and passed to it, all those of one test file in one call.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { CassetteV2 } from "../../src/cassette/file/format.js";
import type { RecordingProvider } from "../../src/cassette/record/recording-provider.js";
import { formatCassette } from "../../src/cassette/trust/cassette-store.js";
import { afterEachFile } from "./hooks.js";
import { hasShared, sharedPath } from "./shared.js";

const hasPython = spawnSync("python3", ["--version"]).status === 0;

/** False if the shared folder or python3 is absent. The checks with the oracle are then skipped. */
export const oracleAvailable = hasShared && hasPython;

if (!hasPython) {
  if (process.env["PLAYHEAD_REQUIRE_DATA"] === "1") throw new Error("python3 is absent: the oracle cannot be asked");
  console.warn("python3 is absent: the checks against the oracle are skipped");
}

/** The oracle's verdict on each file, in their order: "ok", or "<code>: <why>". */
export function verifyWithOracle(paths: string[]): string[] {
  const oracle = sharedPath("oracle/cassette_oracle.py");
  const { stdout, error } = spawnSync("python3", [oracle, "verify", ...paths], { encoding: "utf8" });
  if (error !== undefined) throw error;
  const lines = stdout.trimEnd().split("\n");
  return paths.map((path, index) => (lines[index] ?? "no answer").replace(`${path}: `, ""));
}

/** The output of the oracle's `canon` or `prompt-hash` for a file. */
export function askOracle(verb: "canon" | "prompt-hash", path: string): string {
  return execFileSync("python3", [sharedPath("oracle/cassette_oracle.py"), verb, path], { encoding: "utf8" });
}

const kept: string[] = [];
// For files that get their recordings from a helper, and do not call `verifyKept`.
afterEachFile(() => {
  if (kept.length > 0) verifyKept();
});

/** Keeps one of our cassettes for `verifyKept`. */
export function keepForOracle(cassette: CassetteV2): CassetteV2 {
  kept.push(formatCassette(cassette));
  return cassette;
}

/** The recorder's cassette, kept for `verifyKept`. Tests get their recordings through this function. */
export function recordedCassette(
  recorder: RecordingProvider,
  options?: Parameters<RecordingProvider["toCassette"]>[0],
): CassetteV2 {
  return keepForOracle(recorder.toCassette(options));
}

/** Passes all kept cassettes to the oracle in one call. Call it in the `afterAll` of a file that records. */
export function verifyKept(): void {
  if (!oracleAvailable) return;
  expect(kept.length, "this file keeps no cassette for the oracle").toBeGreaterThan(0);
  const folder = mkdtempSync(join(tmpdir(), "playhead-oracle-"));
  const texts = kept.splice(0);
  try {
    const paths = texts.map((text, index) => {
      const path = join(folder, `${index}.json`);
      writeFileSync(path, text);
      return path;
    });
    const wrong = verifyWithOracle(paths)
      .map((verdict, index) => ({ verdict, text: texts[index] }))
      .filter(({ verdict }) => verdict !== "ok");
    expect(wrong).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
