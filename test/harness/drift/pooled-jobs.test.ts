import { describe, expect, it } from "vitest";
import { judgeGate, runGate } from "../../../src/harness/drift/gate.js";
import { measureScenario } from "../../../src/harness/drift/measure.js";
import { doPooledJob, pooledJobs } from "../../../src/harness/drift/pooled-jobs.js";
import { scenario, SETTINGS, times } from "./runs.js";

/** Too many relabelings to count all, so that the draws matter. */
const given = ["c", "a", "b"].map((name) =>
  scenario(name, [...times(6, "find"), ...times(2, "find, open!")], [...times(5, "find, open"), ...times(3, "read!")]),
);
const measured = given.map((each) => measureScenario(each, { ...SETTINGS, scenarios: given.length }));
const input = { base: "old", candidate: "new", unpaired: [], settings: SETTINGS, commands: { reproduce: "" } };

describe("the tests over all scenarios", () => {
  it("are one of the paths and one of each metric that every run has", () => {
    expect(pooledJobs(measured).map(({ test }) => test)).toEqual(["paths", "turns", "calls"]);
    expect(pooledJobs(measured.slice(1, 2)).map(({ test }) => test)).toEqual(["turns", "calls"]);
  });

  it("give the same report when they are done before, from copies of their data and in any order", () => {
    const whole = runGate({ ...input, scenarios: given });
    const jobs = structuredClone(pooledJobs(measured)).reverse();
    const tests = new Map(jobs.map((job) => [job.test, doPooledJob(job, SETTINGS)]));
    expect(whole.pooled.distance?.test.draws).toBe(9999);
    expect(JSON.stringify(judgeGate({ ...input, scenarios: measured, tests }))).toBe(JSON.stringify(whole));
  });

  it("are taken as they are given", () => {
    const wrong = new Map(pooledJobs(measured).map(({ test }) => [test, { p: 0.5, attainable: 0.25, exact: true }]));
    const report = judgeGate({ ...input, scenarios: measured, tests: wrong });
    expect(report.pooled.distance?.test).toMatchObject({ p: 0.5, exact: true });
    expect(report.metrics.all.find(({ metric }) => metric === "turns")?.test).toMatchObject({ p: 0.5 });
  });
});
