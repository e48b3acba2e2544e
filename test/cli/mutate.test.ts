import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { runChild } from "../../src/cli/child/spawn.js";
import { formatLock, toLockEntry } from "../../src/cassette/trust/lock.js";
import { formatCassette } from "../../src/cassette/trust/cassette-store.js";
import type { CassetteV2 } from "../../src/cassette/file/format.js";
import { loadSqlite } from "../../src/host/sqlite/driver.js";
import { assertBuilt, cassetteBin, repositoryRoot } from "../support/built.js";
import { prompt, recordTurns } from "../support/recording.js";
import { ask, say } from "../support/script.js";
import { cli, documentOf, folder, type Ran } from "./run.js";

const node = process.execPath;
const env = { PATH: process.env["PATH"] ?? "" };
const door = (name: string): string => JSON.stringify(pathToFileURL(`${repositoryRoot}dist/entry/${name}.js`).href);

/** A suite of one test. `strict` asserts all that it gets, `weak` nothing; `deaf` swallows what the replay throws. */
const SUITE = `
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { useCassette } from ${door("harness")};
const [how, file = "a.cassette.json", lock] = process.argv.slice(2);
const live = () => { throw new Error("no live provider in a replay"); };
const run = async () => {
  const handle = await useCassette(file, live, lock === undefined ? {} : { lock });
  const messages = [{ role: "user", content: "Umbrella?" }];
  const first = await handle.provider.turn({ messages });
  messages.push(first.message, { role: "tool", toolCallId: "c0", name: "weather", content: "rain" });
  const last = await handle.provider.turn({ messages });
  await handle.done();
  return [first, last];
};
const original = JSON.parse(readFileSync(file, "utf8")).entries.map(({ response }) => response);
if (how === "weak") await run();
else if (how === "deaf") await run().catch(() => undefined);
else assert.deepEqual(await run(), original);
`;

const GLOBAL_SUITE = `
import ${door("vitest")};
import { loadCassette } from ${door("cassette")};
test("the run", async () => {
  await expect("a.cassette.json").toBeVerifiedCassette();
  expect((await loadCassette("a.cassette.json", { lock: "cassettes.lock" })).entries[1].response.finalAnswer).toContain("umbrellas");
});
`;

let suite = "";
let original: CassetteV2;
let text = "";

async function makeCassette(): Promise<CassetteV2> {
  const first = ask([{ name: "weather", arguments: { city: "Oslo", days: 2 } }]);
  const question = prompt("Umbrella?").messages;
  const result = { role: "tool", toolCallId: "c0", name: "weather", content: "rain" } as const;
  return recordTurns(
    [{ messages: question }, { messages: [...question, first.message, result] }],
    [first, say("Take 2 umbrellas.")],
  );
}

beforeAll(async () => {
  assertBuilt();
  original = await makeCassette();
  text = formatCassette(original);
  writeFileSync((suite = join(folder, "suite.mjs")), SUITE);
  writeFileSync(join(folder, "a.cassette.json"), text);
  const lock = new Map([["a.cassette.json", toLockEntry(original)]]);
  writeFileSync(join(folder, "cassettes.lock"), formatLock(lock));
});

/** The command line in the folder of the suite; the cassette must be what it was afterwards. */
async function mutate(flags: readonly string[], ...suiteArguments: string[]): Promise<Ran> {
  const ran = await cli(["mutate", ...flags, "--", node, suite, ...suiteArguments], { env });
  expect(readFileSync(join(folder, "a.cassette.json"), "utf8")).toBe(text);
  return ran;
}

interface Survivor {
  id: string;
  kind: string;
  pointer: string;
  again: string;
}
const survivors = (ran: Ran): Survivor[] => documentOf(ran)["survived"] as Survivor[];

describe("cassette mutate", { timeout: 120_000 }, () => {
  it("exits 0 where the tests notice every mutant, by the lock or not", async () => {
    const ran = await mutate(["--json", "--concurrency", "3"], "strict", "a.cassette.json", "cassettes.lock");
    expect(documentOf(ran)).toMatchObject({ exitCode: 0, score: 1, survived: [], unused: [], timedOut: [] });
    const { found, chosen, kinds } = documentOf(ran);
    expect(found).toBe(chosen);
    expect(Object.keys(kinds as object)).toEqual(["prompt", "arguments", "result", "answer", "stop", "tool"]);
  });

  it("lists what tests that assert nothing let through: what the replay itself cannot notice", async () => {
    const flags = ["--json", "--concurrency", "3"];
    const ran = await mutate(flags, "weak", "a.cassette.json", "cassettes.lock");
    expect(ran.code).toBe(1);
    const kinds = survivors(ran).map(({ kind }) => kind);
    expect(new Set(kinds)).toEqual(new Set(["arguments", "answer", "stop", "tool"]));
    expect(documentOf(ran)["kinds"]).toMatchObject({
      prompt: { survived: 0, noticed: 1 },
      result: { survived: 0, noticed: 2 },
      arguments: { noticed: 0, survived: 4 },
      answer: { noticed: 0, survived: 3 },
    });
  });

  it("shows that a test swallows misses", async () => {
    const ran = await mutate(["--kinds", "prompt,result"], "deaf");
    expect(ran.code).toBe(1);
    expect(ran.out).toContain("mutation score 0 %: 0 of 3 mutants noticed");
    expect(ran.out).toMatch(/survived [0-9a-f]{12} {2}prompt {2}a\.cassette\.json {2}turn 0/);
    expect(ran.out).toContain("  at     /entries/0/prompt/messages/0/content\n");
  });

  it("runs one mutant again by its id, with the seed that made it", async () => {
    const flags = ["--json", "--seed", "another one", "--kinds", "answer"];
    const [first] = survivors(await mutate(flags, "weak"));
    const { id = "" } = first ?? {};
    expect(first?.again).toBe(
      `cassette mutate --seed 'another one' --only ${id} a.cassette.json -- ${[node, suite, "weak"].join(" ")}`,
    );
    const again = await mutate(["--json", "--seed", "another one", "--only", id, "a.cassette.json"], "weak");
    expect(survivors(again)).toEqual([first]);
    const other = await mutate(["--json", "--only", "0123456789ab"], "weak");
    expect(documentOf(other).error?.code).toBe("mutant-unknown");
  });

  it("concludes nothing where the tests fail as they are, or load nothing", async () => {
    const failed = await mutate(["--json"], "weak", "missing.cassette.json");
    expect(documentOf(failed)).toMatchObject({ exitCode: 2, error: { code: "baseline-failed" } });
    const idle = await cli(["mutate", "--json", "--", node, "-e", "0"], { env });
    expect(documentOf(idle)).toMatchObject({ exitCode: 2, error: { code: "no-cassette-used" } });
    const none = await cli(["mutate", "--json", "a.cassette.json"], { env });
    expect(documentOf(none)).toMatchObject({ exitCode: 2, error: { code: "usage" } });
  });

  it("names cassettes that no test loads, and does not count them as survivors", async () => {
    mkdirSync(join(folder, "others"), { recursive: true });
    writeFileSync(join(folder, "others", "b.cassette.json"), text);
    const paths = ["others", "a.cassette.json"];
    const ran = await mutate(["--json", "--max", "1", "--kinds", "prompt", ...paths], "strict");
    expect(documentOf(ran)).toMatchObject({
      exitCode: 0,
      unusedCassettes: [join("others", "b.cassette.json")],
      found: 1,
    });
    const only = await mutate(["--json", "others"], "strict");
    expect(documentOf(only)).toMatchObject({ exitCode: 2, error: { code: "nothing-to-mutate" } });
  });

  it("counts a mutant that a run did not load as unused, however the run ended", async () => {
    const script = join(folder, "at-first.mjs");
    const marker = join(folder, "ran-once");
    writeFileSync(
      script,
      `import { existsSync, writeFileSync } from "node:fs";
      if (existsSync(${JSON.stringify(marker)})) process.exit(1);
      writeFileSync(${JSON.stringify(marker)}, "");
      process.argv.push("weak");
      await import(${JSON.stringify(pathToFileURL(suite).href)});`,
    );
    const ran = await cli(["mutate", "--json", "--max", "1", "--", node, script], { env });
    expect(documentOf(ran)).toMatchObject({ exitCode: 2, score: null, unused: [{ file: "a.cassette.json" }] });
  });

  it("refuses a suite that records, and says what time did not suffice for", async () => {
    const line = { file: "a.cassette.json", path: "/a.cassette.json", mode: "refresh", turns: 1 };
    const script = `require("fs").writeFileSync(process.env.CASSETTE_LEDGER, ${JSON.stringify(JSON.stringify(line) + "\n")})`;
    const records = await cli(["mutate", "--json", "--", node, "-e", script], { env });
    expect(documentOf(records)).toMatchObject({ exitCode: 2, error: { code: "suite-records" } });
    const ran = await mutate(["--json", "--max-minutes", "0.001", "--kinds", "arguments"], "weak");
    const { arguments: tally } = documentOf(ran)["kinds"] as { arguments: { survived: number; notRun: number } };
    expect(tally.survived).toBeGreaterThan(0);
    expect(tally.notRun).toBeGreaterThan(0);
  });

  it.each([
    ["--kinds", "prompt,nothing"],
    ["--max", "0"],
    ["--max-minutes", "-1"],
    ["--concurrency", "99"],
    ["--only", "xyz"],
    ["--resume", "--json"],
    ["--rerun-survivors", "--json"],
  ])("refuses %s %s before anything is run", async (...flags) => {
    const ran = await cli(["mutate", "--json", ...flags, "--", node, "-e", "process.exit(9)"], { env });
    expect(documentOf(ran)).toMatchObject({ exitCode: 2, command: "mutate", error: { code: "usage" } });
  });

  it("reaches the matchers and loadCassette in Vitest", async () => {
    const here = join(folder, "vitest");
    mkdirSync(here);
    writeFileSync(join(here, "a.test.mjs"), GLOBAL_SUITE);
    writeFileSync(join(here, "a.cassette.json"), text);
    writeFileSync(join(here, "cassettes.lock"), readFileSync(join(folder, "cassettes.lock")));
    writeFileSync(
      join(here, "vitest.config.mjs"),
      `export default { test: { globals: true, include: ["*.test.mjs"] } };\n`,
    );
    const vitest = join(repositoryRoot, "node_modules/vitest/vitest.mjs");
    const command = [node, vitest, "run", "--root", here, "--config", join(here, "vitest.config.mjs")];
    const flags = ["mutate", "--json", "--kinds", "prompt"];
    const ran = await cli([...flags, "--", ...command], { cwd: here, env });
    // It was loaded and let in, though the lock does not confirm it, and nothing there looks at the prompt.
    expect(documentOf(ran)).toMatchObject({ exitCode: 1, kinds: { prompt: { survived: 1, unused: 0, notRun: 0 } } });
  });
});

describe("the report of cassette mutate", { timeout: 120_000 }, () => {
  const linesOf = (path: string): { line: string; id?: string }[] =>
    readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as { line: string; id?: string });

  it("is gone on with after kill -9, which leaves the cassettes as they were", async () => {
    const report = join(folder, "killed.jsonl");
    const flags = ["mutate", "--json", "--report", report, "--kinds", "arguments,answer"];
    const child = spawn(node, [cassetteBin, ...flags, "--", node, suite, "weak"], {
      cwd: folder,
      env,
      stdio: "ignore",
    });
    const isClosed = new Promise((resolve) => child.on("close", resolve));
    while (!existsSync(report) || linesOf(report).length < 3) await sleep(20);
    child.kill("SIGKILL");
    await isClosed;
    expect(readFileSync(join(folder, "a.cassette.json"), "utf8")).toBe(text);
    expect(readdirSync(folder).filter((name) => name.startsWith("a."))).toEqual(["a.cassette.json"]);

    const before = readFileSync(report, "utf8");
    const refused = await mutate(["--json", "--report", report, "--kinds", "arguments,answer"], "weak");
    expect(documentOf(refused).error).toMatchObject({ code: "report-unusable", file: report });
    writeFileSync(report, `${before}{"line":"mut`);
    const resume = ["--json", "--report", report, "--resume"];
    const other = await mutate([...resume, "--kinds", "answer"], "weak");
    expect(documentOf(other).error?.message).toContain("is of a run with other kinds");
    const ran = await mutate([...resume, "--kinds", "arguments,answer"], "weak");
    expect(survivors(ran)).toHaveLength(7);
    expect(readFileSync(report, "utf8").startsWith(before)).toBe(true);
    const ids = linesOf(report).flatMap(({ id }) => id ?? []);
    expect(ids).toHaveLength(7);
    expect(new Set(ids).size).toBe(7);
  });

  it("is said to be what the outcomes are from, and its survivors are run again where that is asked for", async () => {
    const report = join(folder, "tightened.jsonl");
    const own = join(folder, "tightened.mjs");
    const run = (...flags: string[]): Promise<Ran> =>
      cli(["mutate", "--kinds", "arguments", "--report", report, ...flags, "--", node, own], { cwd: folder, env });
    const isHow = (how: string): void => writeFileSync(own, SUITE.replace("process.argv.slice(2)", `["${how}"]`));
    isHow("weak");
    const first = documentOf(await run("--json"));
    expect(first).toMatchObject({ fromReport: { outcomes: 0, from: null, to: null } });
    const made = (first["kinds"] as { arguments: { survived: number } }).arguments.survived;
    expect(made).toBeGreaterThan(1);

    isHow("strict");
    const old = await run("--resume");
    expect(old.code).toBe(1);
    const date = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d UTC`;
    const said = `  ${made} of ${made} outcomes are from the report, of ${date}(?: to ${date})?; they do not reflect`;
    expect(old.out).toMatch(new RegExp(said));

    const again = documentOf(await run("--resume", "--rerun-survivors", "--json"));
    expect(again).toMatchObject({ exitCode: 0, score: 1, fromReport: { outcomes: 0 } });
    expect(linesOf(report)).toHaveLength(1 + 2 * made);
    expect(documentOf(await run("--resume", "--json"))).toMatchObject({ exitCode: 0, fromReport: { outcomes: made } });

    const undated = readFileSync(report, "utf8").replaceAll(/,"endedAt":"[^"]*"/g, "");
    writeFileSync(report, undated);
    expect((await run("--resume")).out).toContain("outcomes are from the report, of an unknown time;");
  });

  it("is refused where it is another file", async () => {
    const report = join(folder, "notes.jsonl");
    writeFileSync(report, '{"hello":1}\n');
    const ran = await mutate(["--json", "--report", report, "--resume"], "weak");
    expect(documentOf(ran).error?.message).toContain("is not a report of cassette mutate");
    expect(readFileSync(report, "utf8")).toBe('{"hello":1}\n');
  });
});

describe.skipIf(process.platform === "win32")("a quiet child", { timeout: 180_000 }, () => {
  it("is killed with what it started when its time is over", async () => {
    const alive = join(folder, "alive");
    const grandchild = `setInterval(() => require("fs").appendFileSync(${JSON.stringify(alive)}, "x"), 20)`;
    const script = `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(grandchild)}]);
      setInterval(() => undefined, 1000)`;
    const end = await runChild([node, "-e", script], {
      cwd: dirname(alive),
      env,
      stdoutToStderr: true,
      quietly: { timeoutMs: 3_000 },
    });
    expect(end).toEqual({ exitCode: 137, signal: "SIGKILL", isTimedOut: true });
    const size = existsSync(alive) ? readFileSync(alive).length : 0;
    await sleep(500);
    expect(existsSync(alive) ? readFileSync(alive).length : 0).toBe(size);
  });
});

const withoutTimes = ({ out }: Ran) => out.replaceAll(/"(baselineMs|timeoutMs)": \d+/g, '"$1": 0');

describe("cassette mutate in shards", () => {
  const reports = (of: number, name: string) => Array.from({ length: of }, (_, index) => `${name}-${index + 1}.jsonl`);

  async function inShards(of: number, name: string): Promise<string[]> {
    const files = reports(of, name);
    for (const [index, report] of files.entries()) {
      await mutate(["--shard", `${index + 1}/${of}`, "--report", report, "--max", "8"], "weak");
    }
    return files;
  }

  it.each([1, 2, 7])("merges %i reports to what one machine finds", async (of) => {
    const whole = await mutate(["--max", "8", "--json"], "weak");
    const merged = await cli(["mutate", "--merge", ...(await inShards(of, `of-${of}`)), "--json"]);
    expect(merged.code).toBe(whole.code);
    expect(withoutTimes(merged)).toEqual(withoutTimes(whole));
  });

  it("has nothing to do in a shard beyond the last mutant", async () => {
    const { code, out } = await mutate(["--shard", "9/9", "--report", "empty.jsonl", "--max", "8"], "weak");
    expect([code, out]).toEqual([0, expect.stringContaining("no mutant to run: there are fewer than shards\n")]);
  });

  it("refuses a missing shard, a second report of one, a report without shards and one of another run", async () => {
    const [first = "", second = ""] = await inShards(2, "refused");
    const merge = async (...files: string[]) => (await cli(["mutate", "--merge", ...files])).err;
    expect(await merge(second)).toContain("the reports are not complete: shard 1/2 is missing");
    expect(await merge(first, first)).toContain("is a second report of shard 1");
    await mutate(["--report", "whole.jsonl", "--max", "8"], "weak");
    expect(await merge("whole.jsonl")).toContain("is not of a shard");
    await mutate(["--shard", "2/2", "--report", "other.jsonl", "--max", "8", "--seed", "9"], "weak");
    expect(await merge(first, "other.jsonl")).toContain("is of a run with another seed");
    await mutate(["--shard", "2/2", "--report", "more.jsonl", "--max", "9"], "weak");
    expect(await merge(first, "more.jsonl")).toContain("shard 2/2 of 9 mutants");
    expect(await merge()).toContain("--merge was given without a report");
    expect((await mutate(["--merge"], "weak")).err).toContain("--merge runs no command");
    expect((await mutate(["--shard", "1/2"], "weak")).err).toContain("--shard needs --report");
  });

  it("refuses to merge after a cassette was changed", async () => {
    const [report = ""] = await inShards(1, "changed");
    const cassette = join(folder, "a.cassette.json");
    writeFileSync(cassette, text.replace("umbrellas", "coats"));
    const { code, err } = await cli(["mutate", "--merge", report]);
    writeFileSync(cassette, text);
    expect([code, err]).toEqual([2, expect.stringContaining("is not the cassette that was changed")]);
  });
});

describe("cassette mutate --job", { timeout: 120_000 }, () => {
  const job = ["--job", "nightly", "--store", "jobs.db"];
  const sql = async (text: string) => {
    const database = (await loadSqlite())(join(folder, "jobs.db"));
    database.exec(text);
    database.close();
  };

  it("finds on two machines what one machine finds, and merges it from the store", async () => {
    const whole = await mutate(["--max", "6", "--json"], "weak");
    const ran = await Promise.all([1, 2].map(() => mutate([...job, "--max", "6", "--json"], "weak")));
    for (const one of ran) expect([one.code, withoutTimes(one)]).toEqual([whole.code, withoutTimes(whole)]);
    const counts = ran.map(({ err }) => Number(/(\d+) mutants? of job nightly run by this machine/.exec(err)?.[1]));
    expect((counts[0] as number) + (counts[1] as number)).toBe(6);
    const merged = await cli(["merge", ...job, "--json"]);
    expect([merged.code, withoutTimes(merged)]).toEqual([whole.code, withoutTimes(whole)]);
    expect((await cli(["merge", ...job, "--into", "x"])).err).toContain("of cassette mutate has no recordings");
  });

  it("refuses another plan, and concludes nothing while mutants are missing, lost or damaged", async () => {
    const other = await mutate([...job, "--max", "5", "--seed", "2"], "weak");
    expect(other.code).toBe(2);
    expect(other.err).toMatch(
      /job nightly has a different plan: max \(the store has 6, this machine has 5\), mutants \(.*\), seed \(the store has "1", this machine has "2"\)\n/,
    );
    const record = ["record", "--runs", "1", ...job, "--into", "x", "--", node, suite];
    expect((await cli(record, { env })).err).toContain("job nightly belongs to cassette mutate");
    await sql("UPDATE fleet_cells SET status = NULL, result = NULL WHERE place = 3");
    const merged = await cli(["merge", ...job]);
    expect(merged).toMatchObject({
      code: 2,
      err: expect.stringContaining("job nightly is not complete: 1 mutant left\n"),
    });
    expect(await cli(["merge", ...job, "--allow-missing"])).toMatchObject({ code: 1 });
    await sql(
      "UPDATE fleet_cells SET holder = 'm', lease_until = 0, losses = 4, begun_by = 'm', begun_at = 1 WHERE place = 3",
    );
    expect(await mutate([...job, "--max", "6"], "weak")).toMatchObject({
      code: 1,
      err: expect.stringMatching(/not run: mutant [0-9a-f]{12} \(5 workers were lost/),
    });
    expect((await cli(["merge", ...job])).err).toMatch(/1 mutant left: mutant [0-9a-f]{12} \(5 workers were lost/);
    await sql("UPDATE fleet_cells SET result = replace(result, 'timeoutMs', 'other') WHERE place = 0");
    expect((await cli(["merge", ...job])).err).toMatch(/the result of mutant [0-9a-f]{12} in the store is damaged/);
    await sql(`UPDATE fleet_jobs SET plan_hash = replace(plan_hash, '"leftOut":', '"other":')`);
    expect((await cli(["merge", ...job])).err).toContain("the plan of job nightly in the store is damaged");
  });
});
