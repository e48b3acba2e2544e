// Groups recordings into scenarios. Paths that differ only in the run number belong together: `airline/12.0.cassette.json` …
// `airline/12.3.cassette.json` are four runs of `airline/12`.

import { plural } from "../../core/index.js";
import { CASSETTE_SUFFIX, FAILED_SUFFIX } from "../../cassette/index.js";
import { HarnessError } from "../errors.js";
import {
  DRIFT_BYTES,
  DRIFT_BYTES_A_RUN,
  DRIFT_BYTES_A_SCENARIO,
  LIGHT_DRIFT_BYTES,
  MAX_RUNS,
  MAX_SCENARIOS,
} from "../limits.js";

/** One recording: its path below the side's folder, with `/`, and the path that opens it. */
export interface RunFile {
  name: string;
  file: string;
}

/** Scenarios on both sides and on one side, sorted by name. Their runs are sorted by file. */
export interface PairedScenarios {
  shared: { scenario: string; base: RunFile[]; candidate: RunFile[] }[];
  unpaired: { scenario: string; side: "base" | "candidate"; runs: RunFile[] }[];
}

/** The path without its suffix and without a final run number. The run of a failed test belongs to the scenario of that test. */
export function scenarioOf(name: string): string {
  const suffix = [FAILED_SUFFIX, CASSETTE_SUFFIX].find((one) => name.endsWith(one)) ?? "";
  const stem = name.slice(0, name.length - suffix.length);
  return stem.replace(/(?<=[^/])\.\d+$/, "");
}

/** Groups both sides. Throws `HarnessError` "too-many-runs" beyond the limits. */
export function pairScenarios(base: readonly RunFile[], candidate: readonly RunFile[]): PairedScenarios {
  const [old, now] = [groupRuns(eachOnce(base)), groupRuns(eachOnce(candidate))];
  const names = [...new Set([...old.keys(), ...now.keys()])].sort();
  if (names.length > MAX_SCENARIOS) throw tooMany(`${names.length} scenarios`, `${MAX_SCENARIOS} scenarios`);
  const paired: PairedScenarios = { shared: [], unpaired: [] };
  for (const scenario of names) {
    const [before, after] = [old.get(scenario), now.get(scenario)];
    if (before === undefined) paired.unpaired.push({ scenario, side: "candidate", runs: after ?? [] });
    else if (after === undefined) paired.unpaired.push({ scenario, side: "base", runs: before });
    else paired.shared.push({ scenario, base: before, candidate: after });
  }
  return paired;
}

/**
 * Throws `HarnessError` "too-many-runs" if the figures of these scenarios are likely to take more than `maxMemory` bytes. A process that
 * runs out of memory prints only V8's own error.
 */
export function assertFits(shared: PairedScenarios["shared"], maxMemory: number): void {
  const runs = shared.reduce((sum, { base, candidate }) => sum + base.length + candidate.length, 0);
  const figures = shared.length * DRIFT_BYTES_A_SCENARIO + runs * DRIFT_BYTES_A_RUN;
  const needed = DRIFT_BYTES + figures;
  if (needed <= maxMemory || figures < LIGHT_DRIFT_BYTES) return;
  const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;
  const enough = 1024 * Math.ceil((1.5 * needed) / 2 ** 30);
  throw new HarnessError(
    "too-many-runs",
    `${plural(runs, "run")} of ${plural(shared.length, "scenario")} need about ${mebibytes(needed)} of memory, and Node.js may use ${mebibytes(maxMemory)}`,
    `Compare fewer at a time, or give more: NODE_OPTIONS=--max-old-space-size=${enough}.`,
  );
}

/**
 * Each numbered run once. If it has two recordings, the test failed after it passed, for example in another process: a recording that passes
 * removes that of the failed test.
 */
function eachOnce(runs: readonly RunFile[]): RunFile[] {
  const names = new Set(runs.map(({ name }) => name));
  return runs.filter(({ name }) => !NUMBERED.test(name) || !names.has(name.replace(NUMBERED, `$1${FAILED_SUFFIX}`)));
}

const NUMBERED = /(\.\d+)\.cassette\.json$/;

function groupRuns(runs: readonly RunFile[]): Map<string, RunFile[]> {
  const groups = new Map<string, RunFile[]>();
  for (const run of [...runs].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))) {
    const scenario = scenarioOf(run.name);
    const group = groups.get(scenario);
    if (group === undefined) groups.set(scenario, [run]);
    else group.push(run);
    if ((group?.length ?? 0) > MAX_RUNS) {
      throw tooMany(`more than ${MAX_RUNS} runs of ${JSON.stringify(scenario)}`, `${MAX_RUNS} runs of a scenario`);
    }
  }
  return groups;
}

function tooMany(found: string, limit: string): HarnessError {
  return new HarnessError("too-many-runs", `one side has ${found}`, `The limit is ${limit}. Compare fewer at a time.`);
}
