// The guard fails when it should, and refuses what it cannot compare with. No figure that was measured is asserted.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assertBuilt, repositoryRoot } from "./support/built.js";

let folder = "";
beforeAll(() => {
  assertBuilt();
  folder = mkdtempSync(join(tmpdir(), "playhead-bench-check-"));
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

function readKept() {
  return JSON.parse(readFileSync(join(repositoryRoot, "bench/figures.json"), "utf8")) as {
    figures: Record<string, number>;
  };
}

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
    expect(result.stdout).toMatch(/not as it was: canon \(worse\)$/m);
  });

  test("fails where a ratio is half as bad again and one odd process makes too much noise to tell", () => {
    const result = check({ bare: [4, 4, 4, 4, 4, 12], canon: [2.5, 2.6] });
    expect(result.status).toBe(1);
    expect(result.stdout).toMatch(/too much noise to detect .*: bare$/m);
    expect(result.stdout).toMatch(/not as it was: bare \(unclear\)$/m);
  });

  test("fails where a process gave no number, as JSON has no number for infinity", () => {
    const result = script(`
      import { formatJudgement, judge } from "./bench/judge.mjs";
      import { formatNumber } from "./bench/table.mjs";
      const odd = { bare: [null, null], canon: [2.5, NaN], memory: [Infinity, Infinity], replay: [null, 1] };
      const { rows, isGood } = judge(odd, { bare: 2, canon: 2.5, memory: 1 });
      console.log(isGood, formatJudgement(rows, formatNumber));
    `);
    expect(result.stderr).toBe("");
    expect(result.stdout).toMatch(/^false ratio/);
    for (const id of ["bare", "canon", "memory"]) expect(result.stdout).toMatch(new RegExp(`${id} .*no number$`, "m"));
    expect(result.stdout).toMatch(/replay .*no figure kept$/m);
  });

  test("takes a ratio for the same that only its figure's rounding puts above it", () => {
    const result = check({ bare: [2.0004, 2.0004], canon: [2.5, 2.5] });
    expect(result.stdout).toMatch(/bare .*same$/m);
    expect(result.status).toBe(0);
  });

  test("fails where a ratio of the benchmarks that were chosen was not measured", () => {
    const taken = join(folder, "chosen.json");
    writeFileSync(taken, JSON.stringify({ bare: [2, 2] }));
    const kept = { machine: {}, figures: { bare: 2, recording: 1.5, canon: 2.5 } };
    writeFileSync(join(folder, "chosen-figures.json"), JSON.stringify(kept));
    const files = ["--figures", join(folder, "chosen-figures.json"), "--samples", taken];
    const result = node("bench/check.mjs", ...files, "--only", "turnLoop");
    expect(result.stdout).toMatch(/not as it was: recording \(missing\)$/m);
    expect(result.status).toBe(1);
  });

  test("keeps new figures only where all were measured, and says of how many processes", () => {
    const [figures, taken] = [join(folder, "new.json"), join(folder, "all.json")];
    const { figures: last } = readKept();
    const all = Object.fromEntries(Object.keys(last).map((id) => [id, [1.23456, 1.23456, 1.23456]]));
    const update = (samples: object) => {
      writeFileSync(taken, JSON.stringify(samples));
      return node("bench/check.mjs", "--update", "--figures", figures, "--samples", taken);
    };
    for (const samples of [{}, { ...all, canon: [] }, { ...all, canon: [2] }]) {
      const refused = update(samples);
      expect(refused.stderr).toMatch(/nothing was kept, since there are no numbers of .*canon/);
      expect(refused).toMatchObject({ status: 2, stdout: "" });
    }
    expect(existsSync(figures)).toBe(false);
    expect(update(all).status).toBe(0);
    const expected = Object.fromEntries(Object.keys(last).map((id) => [id, 1.235]));
    expect(JSON.parse(readFileSync(figures, "utf8"))).toMatchObject({ runs: 3, clock: "wall", figures: expected });
  });

  test("fails where a figure was not measured, or only once", () => {
    expect(check({ bare: [2, 2] }).stdout).toMatch(/not as it was: canon \(missing\)$/m);
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
    const { figures } = readKept();
    const text = `
      import { GOALS } from "./bench/goals.mjs";
      console.log(JSON.stringify(GOALS.map(({ id }) => id).filter((id) => !id.endsWith("-peers"))));
    `;
    const result = script(text);
    expect(Object.keys(figures).sort()).toEqual((JSON.parse(result.stdout) as string[]).sort());
  });

  test.each<[string, string, RegExp]>([
    ["is not JSON", "{", /is not JSON/],
    ["is empty", "", /is not JSON/],
    ["holds something else", "[]", /it is not an object/],
    ["has no figures", `{"machine":{}}`, /there is none in it/],
    ["has none of them", `{"machine":{},"figures":{}}`, /there is none in it/],
    ["has no machine", `{"figures":{"bare":2}}`, /it does not say of which machine/],
    ["has a figure that is not a number", `{"machine":{},"figures":{"bare":"2"}}`, /that of bare is "2"/],
    ["has a figure of nothing", `{"machine":{},"figures":{"bear":2}}`, /there is no ratio "bear"/],
    ["goes by another clock", `{"machine":{},"clock":"sun","figures":{"bare":2}}`, /its clock is "sun"/],
  ])("refuses a file of figures that %s, before anything is measured", (_, text, message) => {
    const figures = join(folder, "wrong.json");
    writeFileSync(figures, text);
    const result = node("bench/check.mjs", "--figures", figures);
    expect(result.stderr).toMatch(message);
    expect(result).toMatchObject({ status: 2, stdout: "" });
  });

  test.each<[string, string[], RegExp]>([
    ["a file of figures that is not there", ["--figures", "none.json"], /no such file/],
    ["a benchmark that keeps no ratio", ["--only", "verify"], /--only takes turnLoop, signing, .*, not "verify"/],
    ["an option that there is not", ["--fast"], /Unknown option/],
    ["another clock than the figures have", ["--cpu"], /--cpu goes with --update/],
    ["an option that is given twice", ["--runs", "2", "--runs", "3"], /--runs is given twice/],
    ["a place that cannot be written to", ["--update", "--figures", "."], /it is a folder/],
  ])("refuses %s", (_, args, message) => {
    const result = node("bench/check.mjs", ...args);
    expect(result.stderr).toMatch(message);
    expect(result).toMatchObject({ status: 2, stdout: "" });
  });

  test("refuses invalid samples", () => {
    const taken = join(folder, "none.json");
    writeFileSync(taken, `{"bare":[1,"2"]}`);
    const result = node("bench/check.mjs", "--samples", taken);
    expect(result.stderr).toMatch(/the samples of bare are not a list of numbers/);
    expect(result.status).toBe(2);
  });

  test("says where the noise is too much to tell anything, and that the figures are of another machine", () => {
    const result = check({ bare: [1, 2, 3], canon: [2.4, 2.5] });
    expect(result.stdout).toMatch(/too much noise to detect .*: bare$/m);
    expect(result.stdout).toMatch(/the figures are of another machine or Node/);
    expect(result.status).toBe(0);
  });

  test("refuses one process, which has no noise to measure", () => {
    const result = node("bench/check.mjs", "--runs", "1");
    expect(result.status).toBe(2);
    expect(result.stderr).toMatch(/from 2 to 1000/);
  });
});
