// The benchmarks' floors do the work they are timed for, and the suite runs from end to end. No figure that was measured is asserted.

import { fork, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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

test("the floors do the same work as the package, with the same hashes", { timeout: 180_000 }, () => {
  const result = node("bench/floor/assert-floors.mjs");
  expect(result.stderr).toBe("");
  expect(result.stdout.trim()).toBe("9 floors hold");
});

test("a run of some benchmarks replaces its own tables in the results, also those of the whole run, and no others", () => {
  const result = script(`
    import { addResults } from "./bench/results.mjs";
    const run = (median) => ({
      machine: { load: 3 }, versions: { MSW: "msw 3.0.5" }, clock: "wall", takenAt: "2026-01-01",
      goals: [{ figure: "ours ÷ MSW", most: 1, measured: { median, low: 1, high: 2 }, verdict: "met" }, { figure: "another" }],
      tables: [{ title: "served", unit: "µs", rows: [{ name: "ours", median, low: 1, high: 2, samples: 7 }] }],
    });
    const whole = "# Results\\n\\n## All figures\\n\\n### served\\n\\nold\\n\\n### loop\\n";
    const once = addResults(whole, run(1), "peerServes");
    console.log(JSON.stringify([once, addResults(addResults(once, run(4), "proxy"), run(7), "peerServes")]));
  `);
  expect(result.stderr).toBe("");
  const [once, again] = JSON.parse(result.stdout) as [string, string];
  expect(once).toMatch(
    /^# Results\n\n## All figures\n\n### loop\n\n## peerServes, measured alone\n\n.*load 3 at the start/,
  );
  expect(again.match(/^##.*$/gm)).toEqual([
    ...["## All figures", "### loop"],
    ...["## proxy, measured alone", "### served", "## peerServes, measured alone", "### served"],
  ]);
  expect(again.match(/ours \| [0-9.]+/g)).toEqual(["ours | 4.00", "ours | 7.00"]);
  expect(again.match(/^.* \| met \|$/gm)).toEqual(
    [4, 7].map((median) => `| ours ÷ MSW | 1 | ${median}.00 (1.00 … 2.00) | met |`),
  );
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

test("a session that does not do all of the work is found out, and its checkpoints are counted", () => {
  const result = script(`
    import { countBytes } from "./bench/session.mjs";
    import { contestants } from "./bench/session-ways.mjs";
    const caught = [];
    for (const { run, check } of Object.values(contestants)) {
      check(await run(5, 3), 5, 3);
      try { check(await run(4, 3), 5, 3); } catch (error) { caught.push(error.message); }
    }
    console.log(JSON.stringify({ caught, hasBytes: (await countBytes(5)) > 100 }));
  `);
  expect(result.stderr).toBe("");
  const short = expect.stringContaining("9 results, sum 27, not 42") as string;
  expect(JSON.parse(result.stdout)).toEqual({ caught: [short, short, short], hasBytes: true });
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
    "session: events()",
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
  expect(unmeasured).toEqual(["recording-peers", "memory", "postgres-step-peers", "session-peers"]);
});

test.each<[string, string[], RegExp]>([
  ["an option that there is not", ["--quik"], /Unknown option .--quik./],
  ["a word in addition to the options", ["canon"], /canon/],
  ["an option that is given twice", ["--only", "canon", "--only", "replay"], /--only is given twice/],
  ["two lengths", ["--quick", "--guard"], /--quick and --guard are two lengths/],
  ["no name", ["--only", ""], /there is no benchmark without a name; there are turnLoop/],
  ["no number", ["--rounds", "many"], /--rounds takes a whole number from 1 to 1000, not "many"/],
  ["too many files", ["--files", "1e9"], /--files takes a whole number from 1 to 1000000, not "1e9"/],
  ["a file that is a folder", ["--only", "canon", "--json", "."], /--json cannot be written to ".": it is a folder/],
  [
    "a file in no folder",
    ["--only", "canon", "--json", "no/such/x.json"],
    /--json cannot be written to "no.such.x.json"/,
  ],
  ["the figures of a short run", ["--results", "--quick"], /--results writes figures of a whole run/],
])("%s is refused before anything is measured", (_, args, message) => {
  const result = node("bench/run.mjs", ...args);
  expect(result.stderr).toMatch(message);
  expect(result.stderr).not.toMatch(/\n {4}at /);
  expect(result).toMatchObject({ status: 2, stdout: "" });
});

test.each(["run", "check", "profile"])("bench/%s.mjs prints its options when asked to", (name) => {
  const result = node(`bench/${name}.mjs`, "--help");
  expect(result.stdout).toMatch(new RegExp(`^node bench/${name}.mjs `));
  expect(result).toMatchObject({ status: 0, stderr: "" });
});

test.each<[string, string[], RegExp]>([
  ["a contestant that there is not", ["toString"], /there is no "toString"; there are floor/],
  ["two contestants", ["a", "b"], /"b" is one word too many/],
  ["no number", ["--turns", "NaN"], /--turns takes a whole number from 1 to 1000000, not "NaN"/],
  ["an option that there is not", ["--turn", "1"], /Unknown option/],
])("the profile of %s is refused before anything runs", (_, args, message) => {
  const result = node("bench/profile.mjs", ...args);
  expect(result.stderr).toMatch(message);
  expect(result).toMatchObject({ status: 2, stdout: "" });
});

test("a benchmark that is named twice runs once", () => {
  const result = node("bench/run.mjs", "--quick", "--rounds", "1", "--only", "canon,canon");
  expect(result.stdout.match(/^canonical text of 2 KB/gm)).toHaveLength(1);
});

test("a benchmark that gives up takes nothing with it that others measured", () => {
  const file = join(folder, "partly.json");
  // Packing needs npm, which is missing here.
  const { npm_execpath: _npm, ...rest } = process.env;
  const env = { ...rest, PATH: folder };
  const args = ["bench/run.mjs", "--quick", "--rounds", "1", "--only", "install,canon", "--json", file];
  const result = spawnSync(process.execPath, args, { cwd: repositoryRoot, encoding: "utf8", env });
  expect(result.status).toBe(1);
  expect(result.stdout).toMatch(/^install +did not run: npm pack failed/m);
  const { tables } = JSON.parse(readFileSync(file, "utf8")) as { tables: { suite: string }[] };
  expect(tables.map(({ suite }) => suite)).toEqual(["install", "canon", "canon", "canon"]);
});

test("a table keeps its figures together in a narrow terminal", () => {
  const result = script(`
    import { formatGoals } from "./bench/goals.mjs";
    import { summarise } from "./bench/measure.mjs";
    import { formatNumber, formatTable } from "./bench/table.mjs";
    const rows = [{ name: "x".repeat(60), ...summarise([1, 2, 3]) }, { name: "y".repeat(60), failed: "no" }];
    const goals = [{ figure: "z".repeat(70), most: 2, measured: summarise([1, 2, 3]), verdict: "met" }];
    const texts = [80, 200].map((columns) =>
      [formatTable({ title: "t", unit: "u", rows }, columns), formatGoals(goals, formatNumber, columns)].join("\\n"),
    );
    console.log(JSON.stringify(texts));
  `);
  expect(result.stderr).toBe("");
  const [narrow = "", wide = ""] = JSON.parse(result.stdout) as string[];
  expect(narrow.split("\n").filter((line) => line.length > 80)).toEqual([]);
  expect(narrow).toMatch(/^x{60}\n +2\.00 +1\.50 … 2\.50 +3\ny{60}\n +did not run: no$/m);
  expect(narrow).toMatch(/^z{70}\n +2\.00 \(1\.50 … 2\.50\), at most 2: met$/m);
  expect(wide).toMatch(/^x{60} +2\.00 +1\.50 … 2\.50 +3$/m);
  expect(wide).toMatch(/^\| z{70} \| 2 \| 2\.00 \(1\.50 … 2\.50\) \| met \|$/m);
});

test("a contestant that has a server of its own ends with the benchmark", async () => {
  const file = join(folder, "server.mjs");
  const text = `
    import { createServer } from "node:http";
    export const CONTENT = "x";
    export async function open() {
      await new Promise((done) => createServer().listen(0, "127.0.0.1", done));
      return { ask: async () => CONTENT };
    }
  `;
  writeFileSync(file, text);
  const child = fork("bench/worker.mjs", [file], { cwd: repositoryRoot });
  expect(await once(child, "message")).toEqual([{ isReady: true }, undefined]);
  child.send({ kind: "replay", sampleMs: 1, warmMs: 0, clock: "wall" });
  expect(await once(child, "message")).toEqual([{ micros: expect.any(Number) as number }, undefined]);
  const ended = once(child, "exit");
  child.disconnect();
  expect(await ended).toEqual([0, null]);
});

// Windows has no such signal.
test.skipIf(process.platform === "win32")("a benchmark that is ended leaves no folder behind", async () => {
  const scratch = mkdtempSync(join(folder, "tmp-"));
  const args = ["bench/run.mjs", "--quick", "--only", "scale", "--files", "50000"];
  const env = { ...process.env, TMPDIR: scratch };
  const child = spawn(process.execPath, args, { cwd: repositoryRoot, env, stdio: "ignore" });
  const ended = once(child, "exit");
  while (readdirSync(scratch).length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
  child.kill("SIGINT");
  expect(await ended).toEqual([130, null]);
  expect(readdirSync(scratch)).toEqual([]);
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
