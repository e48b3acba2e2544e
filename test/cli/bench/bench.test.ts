// `cassette bench` with small programs that send a recorded conversation to the server that their environment names.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseCassette } from "../../../src/cassette/trust/load-cassette.js";
import { MAX_BENCH_TURNS, MIN_BENCH_RUNS } from "../../../src/cli/limits.js";
import { MAX_STRETCHED_TURNS } from "../../../src/harness/limits.js";
import { recordTurns } from "../../support/recording.js";
import { ask, say } from "../../support/script.js";
import { cli, documentOf, folder, place } from "../run.js";

const goal = { role: "user" as const, content: "Umbrella?" };
const call = ask([{ id: "call_1", name: "weather", arguments: { city: "Oslo" } }]);
const next = [goal, call.message, { role: "tool" as const, toolCallId: "call_1", name: "weather", content: "rain" }];
const cassette = await recordTurns([{ messages: [goal] }, { messages: next }], [call, say("Take one.")]);
const file = place("run.cassette.json", cassette);

/** Follows the conversation to its end, at most this many turns, and waits in each of them. */
const AGENT = `
const [most, waits, code] = process.argv.slice(2).map(Number);
const messages = [{ role: "user", content: "Umbrella?" }];
for (let turn = 0; turn < most; turn++) {
  const body = JSON.stringify({ model: "m", messages });
  const url = process.env.OPENAI_BASE_URL + "/chat/completions";
  const answer = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  const { choices: [{ message }] } = await answer.json();
  if (message.tool_calls === undefined && process.argv[5] !== "more") break;
  messages.push(message);
  for (const { id } of message.tool_calls ?? []) messages.push({ role: "tool", tool_call_id: id, content: "rain" });
  await new Promise((resolve) => setTimeout(resolve, waits));
}
process.exitCode = code;
`;
const agent = join(folder, "agent.mjs");
writeFileSync(agent, AGENT);

const command = (most = 99, waits = 0, code = 0) => [process.execPath, agent, `${most}`, `${waits}`, `${code}`];
const runs = ["--runs", String(MIN_BENCH_RUNS)];
const long = { timeout: 120_000 };

describe("cassette bench", long, () => {
  it("reports the turns of a command by itself", async () => {
    const ran = await cli(["bench", file, "--json", ...runs, "--", ...command()]);
    expect(ran.code).toBe(0);
    expect(documentOf(ran)).toMatchObject({ cassette: file, runs: MIN_BENCH_RUNS, lengths: [{ turns: 2, calls: 1 }] });
    expect(documentOf(ran)).not.toHaveProperty("reference");
  });

  it("exits 1 for a slower turn at any length, and writes every report", async () => {
    const reports = ["text", ...["json", "markdown", "html"].map((name) => `${name}=slow.${name}`)].join();
    const options = ["--turns", "2,4", "--reporter", reports, "--against", command().join(" ")];
    const ran = await cli(["bench", file, ...runs, ...options, "--", ...command(99, 300)]);
    expect(ran.err).toBe("");
    expect(ran.code).toBe(1);
    expect(ran.out).toMatch(/^slower: \+\d+(\.\d+)? ms a turn at 2 turns \(noise [^,]+, threshold 20 µs\)$/m);
    const [json = "", markdown = "", html = ""] = ["json", "markdown", "html"].map((name) =>
      readFileSync(join(folder, `slow.${name}`), "utf8"),
    );
    expect(documentOf({ out: json, err: "", code: 1 })).toMatchObject({
      lengths: [
        { turns: 2, shift: { verdict: "slower", threshold: 20 } },
        { turns: 4, calls: 3, shift: { verdict: "slower" } },
      ],
    });
    expect(markdown).toMatch(/^- \*\*slower\*\*: \+/m);
    expect(html.match(/<polyline/g)).toHaveLength(4);
    expect(html).not.toMatch(/src=|https?:/);
  });

  it("exits 0 for a faster one, and for what the threshold allows", async () => {
    const [fast, slow] = [command().join(" "), command(99, 300).join(" ")];
    const faster = await cli(["bench", file, "--json", ...runs, "--against", slow, "--", ...command()]);
    expect(faster.code).toBe(0);
    expect(documentOf(faster)).toMatchObject({ lengths: [{ shift: { verdict: "faster" } }] });
    const options = ["--threshold", "99999999", "--against", fast];
    const allowed = await cli(["bench", file, "--json", ...runs, ...options, "--", ...command(99, 300)]);
    expect(allowed.code).toBe(0);
    expect(documentOf(allowed)).toMatchObject({ lengths: [{ shift: { verdict: "same" } }] });
  });

  it.each([
    ["fails", command(99, 0, 3), "it exited with 3"],
    ["uses fewer turns", command(1), "it used 1 of 2 turns"],
    [
      "asks for more turns",
      [...command(), "more"],
      "turn 2: all 2 recorded turns were used, and the run asks for more\n",
    ],
    ["sends something else", [process.execPath, "-e", "fetch(process.env.OPENAI_BASE_URL + '/x')"], "GET /v1/x"],
  ])("exits 2 for a command that %s, and runs it once", async (_, given, why) => {
    const ran = await cli(["bench", file, ...runs, "--", ...given]);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain("cannot be measured");
    expect(ran.err).toContain(why);
  });
});

describe.skipIf(process.platform === "win32")("cassette bench on a system with signals", long, () => {
  it("exits with the signal's number when Ctrl-C ends it and its command", async () => {
    const stop = `process.kill(process.ppid, "SIGINT"); setTimeout(() => process.exit(130), 500)`;
    const ran = await cli(["bench", file, ...runs, "--", process.execPath, "-e", stop]);
    expect(ran).toEqual({ code: 130, out: "", err: "" });
  });

  it("says in which run a command fails that has passed before", async () => {
    const marks = join(folder, "marks");
    const script = `const fs = require("fs"); fs.appendFileSync(${JSON.stringify(marks)}, "x"); if (fs.readFileSync(${JSON.stringify(marks)}, "utf8").length === 3) process.exit(9)`;
    const flaky = join(folder, "flaky.mjs");
    writeFileSync(
      flaky,
      `import { createRequire } from "node:module"; const require = createRequire(import.meta.url); ${script}\n${AGENT}`,
    );
    const ran = await cli(["bench", file, ...runs, "--", process.execPath, flaky, "99", "0", "0"]);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(`cannot be measured: in run 2 of ${MIN_BENCH_RUNS}, it exited with 9`);
    expect(ran.err).toContain("It passed before");
  });

  it.runIf(process.platform === "linux")("measures with --cpu a process that starts between two requests", async () => {
    const step = join(folder, "step.mjs");
    // The second process is busy for 100 ms of its own processor time.
    writeFileSync(
      step,
      `const messages = [{ role: "user", content: "Umbrella?" }];
      if (process.argv[2] === "1") {
        const calls = [{ id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } }];
        messages.push({ role: "assistant", content: "", tool_calls: calls });
        messages.push({ role: "tool", tool_call_id: "call_1", content: "rain" });
        const { user } = process.cpuUsage();
        while (process.cpuUsage().user - user < 100_000);
      }
      const body = JSON.stringify({ model: "m", messages });
      const url = process.env.OPENAI_BASE_URL + "/chat/completions";
      const { status } = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
      process.exitCode = status === 200 ? 0 : 1;`,
    );
    const both = `"${process.execPath}" "${step}" 0 && "${process.execPath}" "${step}" 1`;
    const ran = await cli(["bench", file, "--cpu", "--json", ...runs, "--", "/bin/sh", "-c", both]);
    expect(ran.err).toBe("");
    const { lengths } = documentOf(ran) as unknown as { lengths: { command: { turn: { low: number } } }[] };
    expect(lengths[0]?.command.turn.low).toBeGreaterThan(90_000);
  });

  it.runIf(process.platform === "linux")(
    "refuses --cpu if a process of another session makes the requests",
    async () => {
      const ran = await cli(["bench", file, "--cpu", ...runs, "--", "setsid", "-w", ...command()]);
      expect(ran.code).toBe(2);
      expect(ran.err).toContain("a process of another session makes its requests");
    },
  );

  it("ends what a measured run leaves behind", async () => {
    const pids = join(folder, "left.txt");
    const script = `${process.execPath} ${agent} 99 0 0; sleep 600 & echo $! >> ${pids}`;
    expect(await cli(["bench", file, ...runs, "--", "/bin/sh", "-c", script])).toMatchObject({ code: 0 });
    const [first = 0, ...left] = readFileSync(pids, "utf8").trim().split("\n").map(Number);
    // The first run shares the terminal, and is not measured.
    process.kill(first);
    expect(left).toHaveLength(MIN_BENCH_RUNS);
    for (const pid of left) await expect.poll(() => isAlive(pid)).toBe(false);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("cassette bench --out", () => {
  it("writes a longer cassette that says so, and replaces none", async () => {
    const out = "long.cassette.json";
    const argv = ["bench", file, "--turns", "7", "--out", out];
    expect(await cli(argv)).toMatchObject({ code: 0, out: `wrote ${out}, 7 turns, marked as stretched\n` });
    const made = parseCassette(readFileSync(join(folder, out), "utf8"));
    expect(made).toMatchObject({ extensions: { stretched: { cassetteId: cassette.cassetteId, turns: 2 } } });
    expect(await cli(argv)).toMatchObject({ code: 2, err: expect.stringContaining("Add --force") as string });
    expect(documentOf(await cli([...argv, "--force", "--json"]))).toMatchObject({ out, turns: 7 });
    const own = await cli(["bench", file, "--turns", "4", "--out", file, "--force"]);
    expect([own.code, own.err]).toEqual([2, expect.stringContaining("is the recording itself")]);
  });

  it.each([
    [["--out", "a.cassette.json"], "--out was given without one length"],
    [["--out", "a.cassette.json", "--turns", "3,4"], "--out was given without one length"],
    [["--out", "a.json", "--turns", "3"], "does not end in .cassette.json"],
    [["--out", "a.cassette.json", "--turns", "3", "--threshold", "5%"], "--threshold was given with --out"],
    [["--threshold", "5%", "--", "true"], "--threshold was given without --against"],
    [["--out", "a.cassette.json", "--turns", "1"], "Give a whole number from 2"],
    [["--turns", `${MAX_BENCH_TURNS + 1}`, "--", "x"], `Give a whole number from 2 to ${MAX_STRETCHED_TURNS}.`],
    [[], "no command was given"],
    [["--threshold", "slow", "--", "x"], "Give microseconds such as 50"],
    [["--runs", "3", "--", "x"], `Give a whole number from ${MIN_BENCH_RUNS}`],
  ])("refuses %j", async (options, message) => {
    const ran = await cli(["bench", file, ...options]);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(message);
    expect(existsSync(join(folder, "a.cassette.json"))).toBe(false);
  });
});
