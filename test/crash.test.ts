// A few rounds of the crash trial on every run; `npm run crash -- --rounds 200` is the whole of it. The trial's eyes are tried too:
// a torn file, a file that is gone and one that nobody wrote are found.

import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { assertBuilt, repositoryRoot } from "./support/built.js";

interface Report {
  jobs: Record<string, { rounds: number; killed: number; whole: number }>;
  failures: unknown[];
  swept: { before: number; after: number };
}

function node(args: string[]) {
  assertBuilt();
  return spawnSync(process.execPath, args, { cwd: repositoryRoot, encoding: "utf8" });
}

test("a writer that is killed leaves the old file or the new one, and nothing that stays", { timeout: 120_000 }, () => {
  const result = node(["scripts/crash.mjs", "--rounds", "16", "--seed", "1", "--json"]);
  expect(result.stderr).toBe("");
  const { jobs, failures, swept } = JSON.parse(result.stdout) as Report;
  expect(failures).toEqual([]);
  expect(swept.after).toBe(0);
  expect(result.status).toBe(0);
  expect(Object.keys(jobs)).toEqual([
    "record",
    "lock --update",
    "sign",
    "import",
    "bless",
    "failed tests",
    "conversation",
    "session",
    "fabric",
  ]);
  expect(jobs["conversation"]).toMatchObject({ whole: 1 });
  expect(jobs["session"]).toMatchObject({ whole: 1 });
  expect(jobs["record"]).toMatchObject({ rounds: 8, killed: 8 });
  for (const { rounds } of Object.values(jobs)) expect(rounds).toBeGreaterThan(0);
});

const eyes = `
  import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
  import { tmpdir } from "node:os";
  import { join } from "node:path";
  import { failedJob, lockJob, recordJob } from "./scripts/crash/jobs.mjs";
  const folder = mkdtempSync(join(tmpdir(), "playhead-eyes-"));
  const file = join(folder, "replaced.cassette.json");
  const say = (look) => { try { return String(look(folder)); } catch (error) { return error.message; } };
  const told = [];
  await recordJob.prepare(folder);
  told.push(say(recordJob.look));
  writeFileSync(file, readFileSync(file).subarray(0, 300));
  told.push(say(recordJob.look));
  rmSync(file);
  told.push(say(recordJob.look));
  writeFileSync(join(folder, "cassettes.lock"), '{ "lockVersion": 1, "cassettes": {} ');
  told.push(say(lockJob.look));
  await recordJob.prepare(folder);
  told.push(say(recordJob.look));
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
  await failedJob.prepare(folder);
  const kept = join(folder, "kept.cassette.json");
  const failed = join(folder, "kept.failed.cassette.json");
  const ledger = join(folder, "usage.jsonl");
  const line = JSON.stringify({ file: failed, path: "kept.failed.cassette.json", mode: "failed", turns: 1 });
  writeFileSync(ledger, line + "\\n");
  told.push(say(failedJob.look));
  writeFileSync(failed, readFileSync(kept));
  told.push(say(failedJob.look));
  writeFileSync(failed, readFileSync(kept).subarray(0, 300));
  told.push(say(failedJob.look));
  writeFileSync(ledger, line);
  told.push(say(failedJob.look));
  writeFileSync(kept, readFileSync("test/corpus/v2-awkward-values.cassette.json"));
  told.push(say(failedJob.look));
  rmSync(folder, { recursive: true });
  console.log(JSON.stringify(told));
`;

test("the trial sees a torn file, one that is gone, a torn lock and a file that nobody should have written", () => {
  const result = node(["--input-type=module", "-e", eyes]);
  expect(result.stderr).toBe("");
  const told = JSON.parse(result.stdout) as string[];
  expect(told).toEqual([
    "1",
    expect.stringContaining("not JSON, or was cut short"),
    "the file that was replaced is gone",
    expect.stringContaining("not JSON, or was cut short"),
    "cassettes.lock is a file that nobody should have written",
    "the ledger names kept.failed.cassette.json, which is not there",
    "2",
    expect.stringContaining("not JSON, or was cut short"),
    "the last line of the ledger is torn",
    "the cassette of a failed test changed",
  ]);
});
