// docs/drift.md shows the gate on real runs. Where the data is present its commands are run again, and its tables of false
// alarms and power are compared with what the bench prints today. PLAYHEAD_UPDATE_DOCS=1 rewrites the tables.

import { spawnSync } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { assertBuilt, repositoryRoot } from "./support/built.js";
import { hasShared, sharedPath } from "./support/shared.js";
import { readSnippets, runSnippet, snippetPlace } from "./support/snippets.js";

const PAGE = "docs/drift.md";
const LOGS = ["tau-bench-gpt-4o-airline.json.gz", "agentdojo-utility.jsonl.gz"];
const METRIC_TABLE =
  /(?<=<!-- metric alarms made by test\/drift-docs\.test\.ts -->\n\n).*?(?=\n\n<!-- end of metric alarms -->)/s;
const TABLES = /(?<=<!-- made by test\/drift-docs\.test\.ts -->\n\n).*?(?=\n\n<!-- end -->)/s;

describe.skipIf(!hasShared)("docs/drift.md on real runs", { sequential: true }, () => {
  assertBuilt();
  const logs = LOGS.map((log) => sharedPath(`data/trajectories/${log}`));

  it("shows what its commands print", { timeout: 240_000 }, () => {
    const place = snippetPlace(`${PAGE} real`);
    LOGS.forEach((log, index) => symlinkSync(logs[index] ?? "", join(place.folder, log)));
    const shown = readSnippets(PAGE).filter(({ language, code }) => language === "text" && code.startsWith("$ "));
    expect(shown).toHaveLength(3);
    for (const snippet of shown) {
      expect(() => runSnippet({ ...snippet, language: "console" }, place)).not.toThrow();
    }
  });

  it(
    "shows the tables of the bench, with no more false alarms than accepted at any level",
    { timeout: 900_000 },
    () => {
      const tables = runBench("bench/calibration.mjs", logs);
      expect(shownOrUpdated(TABLES, tables)).toBe(tables);
      const rates = [...tables.matchAll(/^\| (0\.\d+) \| ([\d.]+) % \|/gm)].map(([, alpha, alarms]) =>
        [alpha, alarms].map(Number),
      );
      expect(rates.map(([alpha]) => alpha)).toEqual([0.01, 0.05, 0.1, 0.2]);
      for (const [alpha = 0, alarms = 100] of rates) expect(alarms / 100).toBeLessThanOrEqual(alpha);
    },
  );

  it(
    "shows how often the gate finds a change that does not exist, with a threshold on every metric",
    { timeout: 900_000 },
    () => {
      const table = runBench("bench/metric-alarms.mjs", logs.slice(0, 1));
      expect(shownOrUpdated(METRIC_TABLE, table)).toBe(table);
      const found = [...table.matchAll(/^\| (0\.\d+) \| (\d+) of (\d+) \|/gm)].map((row) => row.slice(1).map(Number));
      expect(found.map(([alpha]) => alpha)).toEqual([0.05, 0.2]);
      for (const [alpha = 0, findings = 1, splits = 1] of found) {
        expect(splits).toBe(200);
        expect(findings / splits).toBeLessThanOrEqual(alpha);
      }
    },
  );
});

/** What the bench prints. */
function runBench(script: string, logs: readonly string[]): string {
  const command = [join(repositoryRoot, script), ...logs];
  const { stdout, stderr } = spawnSync(process.execPath, command, { cwd: repositoryRoot, encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout.trim();
}

/** The tables of the page, replaced before where the tests are told to update it. */
function shownOrUpdated(place: RegExp, tables: string): string | undefined {
  const file = join(repositoryRoot, PAGE);
  if (process.env["PLAYHEAD_UPDATE_DOCS"] === "1") {
    writeFileSync(
      file,
      readFileSync(file, "utf8").replace(place, () => tables),
    );
  }
  return place.exec(readFileSync(file, "utf8"))?.[0];
}
