// The benchmarks' floors do the work they are timed for, the suite runs from end to end, and the guard fails when it should. No
// figure that was measured is asserted.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assertBuilt, repositoryRoot } from "./support/built.js";

let folder = "";
beforeAll(() => {
  assertBuilt();
  folder = mkdtempSync(join(tmpdir(), "playhead-bench-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function node(...args: string[]) {
  return spawnSync(process.execPath, args, { cwd: repositoryRoot, encoding: "utf8" });
}

/** Runs a module's text in the bench folder's place, so that it may import from there. */
function script(text: string) {
  return node("--input-type=module", "-e", text);
}

test("the floors do the same work as the package, with the same hashes", { timeout: 60_000 }, () => {
  const result = node("bench/floor/assert-floors.mjs");
  expect(result.stderr).toBe("");
  expect(result.stdout.trim()).toBe("9 floors hold");
});

test("a peer that does not do all of the work is found out", () => {
  const result = script(`
    import { createScript } from "./bench/peers/script.mjs";
    async function drive(script, { skip = false, trim = false, text = "done" } = {}) {
      const prompt = ["goal"];
      for (let turn = 1; ; turn++) {
        const { calls } = script.answer(trim ? 2 : prompt.length);
        if (calls === undefined) break;
        prompt.push("answer");
        for (const { json } of skip && turn === 2 ? [] : calls) prompt.push(await script.add(JSON.parse(json)));
      }
      script.assertDone(text);
    }
    await drive(createScript(5, 3));
    const caught = [];
    for (const fault of [{ skip: true }, { trim: true }, { text: "" }]) {
      try { await drive(createScript(5, 3), fault); } catch (error) { caught.push(error.message); }
    }
    console.log(JSON.stringify(caught));
  `);
  expect(result.stderr).toBe("");
  expect(JSON.parse(result.stdout)).toEqual([
    expect.stringContaining("9 sums come to"),
    expect.stringContaining("the last prompt had 2 messages"),
    expect.stringContaining('the answer is ""'),
  ]);
});

test("the quick benchmark prints every table with samples, and the same as JSON", { timeout: 300_000 }, () => {
  const file = join(folder, "results.json");
  const result = node("bench/run.mjs", "--quick", "--json", file);
  expect(result.stderr).toBe("");
  expect(result.status).toBe(0);
  for (const row of [
    "floor: and every hash",
    "playhead: run and record",
    "playhead: verify and replay",
    "playhead: run with signed receipts",
    "loop until its last turn, signed receipts",
    "playhead: tracker, messages sealed by the loop",
    "playhead: canonicalize",
    "playhead: parseCassette",
    "playhead: parseImport",
    "cassette --version",
    "held beyond the cassette",
    "cassette diff, two folders",
    "load one of 1 MiB",
  ]) {
    expect(result.stdout).toContain(row);
  }
  const { goals, tables } = JSON.parse(readFileSync(file, "utf8")) as {
    goals: { id: string; verdict: string }[];
    tables: { rows: { name: string; failed?: string; values?: number[]; isOptional?: boolean }[] }[];
  };
  const rows = tables.flatMap((table) => table.rows);
  expect(rows.filter((row) => row.failed !== undefined && row.isOptional !== true)).toEqual([]);
  expect(rows.filter(({ values }) => values?.some((value) => !Number.isFinite(value)))).toEqual([]);
  const unmeasured = goals.filter(({ verdict }) => verdict === "not measured").map(({ id }) => id);
  expect(unmeasured).toEqual(["recording-peers", "memory"]);
});

test("an unknown benchmark is refused with the names there are", () => {
  const result = node("bench/run.mjs", "--only", "turnLoop,speed");
  expect(result.status).toBe(2);
  expect(result.stderr).toMatch(/there is no speed; there are turnLoop, signing/);
});

describe("the goals", () => {
  test("are met or not by the median of the ratios within a round", () => {
    const result = script(`
      import { judgeGoals } from "./bench/goals.mjs";
      import { summarise } from "./bench/measure.mjs";
      const row = (name, values, rest) => ({ name, ...summarise(values), ...rest });
      const table = (suite, key, rows) => ({ suite, key, rows });
      const tables = [
        table("canon", "200000", [
          row("JSON.stringify, not canonical", [1, 10, 100]),
          row("playhead: canonicalize", [2, 20, 400]),
        ]),
        table("signing", "path", [
          row("loop until its last turn, signed receipts", [15, 16]),
          row("loop until its last turn, no receipts", [10, 10]),
          row("its Ed25519 signatures alone", [20, 20]),
        ]),
        table("peerLoops", "100x1", [
          row("playhead: run and record", [8]),
          row("playhead: run", [1]),
          row("slow", [90], { isPeer: true }),
          row("fast", [16], { isPeer: true }),
          { name: "broken", failed: "no", isPeer: true },
        ]),
      ];
      const told = judgeGoals(tables).filter(({ measured }) => measured !== undefined);
      console.log(JSON.stringify(told.map(({ id, verdict, measured }) => [id, verdict, measured.median])));
    `);
    expect(result.stderr).toBe("");
    expect(JSON.parse(result.stdout)).toEqual([
      ["recording-peers", "met", 0.5],
      ["signing", "not met", 0.275],
      ["canon", "met", 2],
    ]);
  });
});

describe("bench:check", () => {
  const KEPT = { bare: 2, canon: 2.5 };

  function check(samples: Record<string, number[]>, kept: Record<string, number> = KEPT) {
    const [figures, taken] = [join(folder, "figures.json"), join(folder, "samples.json")];
    const machine = { cpu: "a processor", cores: 2 };
    writeFileSync(figures, JSON.stringify({ machine, figures: kept }));
    writeFileSync(taken, JSON.stringify(samples));
    return node("bench/check.mjs", "--figures", figures, "--samples", taken);
  }

  test("passes where the ratios are as they were, and prints what it compared", () => {
    const result = check({ bare: [1.9, 2, 2.1], canon: [2.4, 2.5, 2.6] });
    expect(result.stderr).toBe("");
    expect(result.stdout).toMatch(/bare +2\.00 +2\.00 +0\.200 +2\.20 +same/);
    expect(result.stdout).toMatch(/no ratio is worse than its figure/);
    expect(result.status).toBe(0);
  });

  test("passes where a ratio is worse by less than the noise", () => {
    expect(check({ bare: [2.0, 2.2, 2.5], canon: [2.5, 2.5] }).status).toBe(0);
  });

  test("fails where one is worse by more than the noise, and names it", () => {
    const result = check({ bare: [2.0, 2.0, 2.01], canon: [2.9, 3, 3.1] });
    expect(result.status).toBe(1);
    expect(result.stdout).toMatch(/canon +2\.50 +3\.00 +0\.200 +2\.70 +worse/);
    expect(result.stdout).toMatch(/worse or missing: canon$/m);
  });

  test("fails where a figure was not measured, or only once", () => {
    expect(check({ bare: [2, 2] }).stdout).toMatch(/worse or missing: canon$/m);
    const once = check({ bare: [2, 2], canon: [2.5] });
    expect(once.status).toBe(1);
    expect(once.stdout).toMatch(/canon.*missing/);
  });

  test("says what is better, and what has no figure, without failing", () => {
    const result = check({ bare: [1, 1.1], canon: [2.5, 2.6], memory: [1, 1] });
    expect(result.stdout).toMatch(/bare.*better/);
    expect(result.stdout).toMatch(/memory.*no figure kept/);
    expect(result.status).toBe(0);
  });

  test("keeps a figure for every goal that needs no peer", () => {
    const { figures } = JSON.parse(readFileSync(join(repositoryRoot, "bench/figures.json"), "utf8")) as {
      figures: Record<string, number>;
    };
    const result = script(`
      import { GOALS } from "./bench/goals.mjs";
      console.log(JSON.stringify(GOALS.map(({ id }) => id).filter((id) => id !== "recording-peers")));
    `);
    expect(Object.keys(figures).sort()).toEqual((JSON.parse(result.stdout) as string[]).sort());
  });

  test("refuses one process, which has no noise to measure", () => {
    const result = node("bench/check.mjs", "--runs", "1");
    expect(result.status).toBe(2);
    expect(result.stderr).toMatch(/2 or more/);
  });
});
