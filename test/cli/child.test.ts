import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import { readLedger } from "../../src/cli/child/ledger-reader.js";
import { nodeFiles } from "../../src/host/files.js";
import { assertBuilt, compiledModule } from "../support/built.js";
import { cli, documentOf, folder } from "./run.js";

const node = process.execPath;
const env = { PATH: process.env["PATH"] ?? "" };
const nothing = ["-e", "0"];

afterEach(() => void vi.unstubAllEnvs());

/** A command that leaves these lines in its ledger. */
function writes(...lines: object[]): string[] {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  return [node, "-e", `require("fs").writeFileSync(process.env.CASSETTE_LEDGER, ${JSON.stringify(text)})`];
}

describe("cassette record", () => {
  it.each(["true", "1"])("runs nothing where CI=%s", async (CI) => {
    const made = join(folder, "made");
    const ran = await cli(["record", "--", node, "-e", `require("fs").writeFileSync(${JSON.stringify(made)}, "")`], {
      env: { ...env, CI },
    });
    expect(ran).toEqual({
      code: 2,
      out: "",
      err: "error: mode record would record, but CI is set and CI never records\n  hint: Record on your own machine, review the cassette and commit it.\n",
    });
    expect(existsSync(made)).toBe(false);
    const refresh = await cli(["record", "--refresh", "--json", "--", node, ...nothing], { env: { ...env, CI } });
    expect(documentOf(refresh).error?.code).toBe("record-in-ci");
  });
});

describe("cassette record of one file in two processes", () => {
  const line = { file: "a.cassette.json", path: "/here/a.cassette.json", mode: "refresh", turns: 1 };

  it("exits 2 and names the file", async () => {
    const ran = await cli(["record", "--refresh", "--", ...writes(line, line)], { env });
    expect(ran).toEqual({
      code: 2,
      out: "",
      err: [
        "error: several tests recorded a.cassette.json, so only the run of the last one is left",
        "  file: a.cassette.json",
        "  hint: Two tests share a cassette. Give each its own file, and record again.",
        "",
      ].join("\n"),
    });
    const json = await cli(["record", "--refresh", "--json", "--", ...writes(line, { ...line, file: "b" })], { env });
    expect(documentOf(json).error).toMatchObject({ code: "recorded-twice", file: "b" });
  });

  it("also exits 2 if a test replaces the unchanged run of another one, but not if a test replays a new recording", async () => {
    const recorded = { ...line, mode: "from-first-miss", kept: 1 };
    const unchanged = { ...line, mode: "replay", kept: 1 };
    const args = ["record", "--from-first-miss", "--json", "--"];
    const lost = await cli([...args, ...writes(unchanged, unchanged, recorded)], { env });
    expect(documentOf(lost).error?.code).toBe("recorded-twice");
    expect((await cli([...args, ...writes(recorded, unchanged, unchanged)], { env })).code).toBe(0);
  });

  it("is missing if the folders differ, or the file was only replayed", async () => {
    const elsewhere = { ...line, path: "/there/a.cassette.json" };
    expect((await cli(["record", "--refresh", "--", ...writes(line, elsewhere)], { env })).code).toBe(0);
    const replayed = { ...line, mode: "replay" };
    expect((await cli(["replay", "--", ...writes(replayed, replayed)], { env })).code).toBe(0);
  });
});

describe("the recording of a failed test", () => {
  it("is named with the command that makes it the cassette", async () => {
    const kept = { file: "runs/it's.failed.cassette.json", path: "/x", mode: "failed", turns: 2 };
    const { code, err } = await cli(["record", "--", ...writes(kept)], { env });
    expect(code).toBe(0);
    expect(err).toContain(
      "cassette record: kept the run of a failed test in runs/it's.failed.cassette.json, 2 turns\n" +
        `   if the assertion is wrong: npx playhead record --adopt 'runs/it'\\''s.failed.cassette.json'\n`,
    );
  });
});

describe.each(["record", "replay"])("cassette %s", (verb) => {
  it("exits 2 where no temporary folder can be made, and says how to name one", async () => {
    const gone = join(folder, "no-such-folder");
    for (const name of ["TMPDIR", "TEMP", "TMP"]) vi.stubEnv(name, gone);
    const ran = await cli([verb, "--", node, ...nothing], { env });
    expect(ran).toEqual({
      code: 2,
      out: "",
      err:
        `error: cannot make a temporary folder in ${gone}: ENOENT\n` +
        "  hint: Set TMPDIR (TEMP on Windows) to an existing folder that can be written to.\n",
    });
  });

  it("exits 2 when the command cannot be found", async () => {
    const ran = await cli([verb, "--", "no-such-program-here", "x"], { env });
    expect(ran).toMatchObject({ code: 2, out: "" });
    expect(ran.err).toContain('error: "no-such-program-here" could not be started: command not found\n  hint: ');
    const json = await cli([verb, "--json", "--", "no-such-program-here"], { env });
    expect(documentOf(json)).toMatchObject({ command: verb, error: { code: "command-not-started" } });
  });

  it("exits 2 when the command succeeds without a cassette", async () => {
    const ran = await cli([verb, "--", node, ...nothing], { env });
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(
      `succeeded but used no cassette, so nothing was ${verb}ed\n  hint: Take the provider from useCassette`,
    );
    const json = documentOf(await cli([verb, "--json", "--", node, ...nothing], { env }));
    expect(json.error?.code).toBe("no-cassette-used");
  });

  it("passes on the command's own exit code", async () => {
    const ran = await cli([verb, "--", node, "-e", "process.exit(7)"], { env });
    expect(ran.code).toBe(7);
    expect(ran.err).toContain(`cassette ${verb}: the command exited with 7; no cassette was finished`);
  });

  it.skipIf(process.platform === "win32")(
    "exits with 128 and the number of the signal that ended the command",
    async () => {
      const ran = await cli([verb, "--json", "--", node, "-e", "process.kill(process.pid, 'SIGKILL')"], { env });
      expect(documentOf(ran)).toMatchObject({ exitCode: 137, signal: "SIGKILL", cassettes: [] });
    },
  );

  it("hands the mode and a fresh ledger to the command, with its arguments as they are", async () => {
    const script =
      'require("fs").writeFileSync(process.argv[1], JSON.stringify([process.env.CASSETTE_MODE, ' +
      "process.env.CASSETTE_LEDGER, process.argv.slice(2)])); process.exit(3)";
    const seen = join(folder, `seen-${verb}`);
    const ran = await cli([verb, "--", node, "-e", script, seen, "--json", "--", "--refresh"], {
      env: { ...env, CASSETTE_MODE: "live", CASSETTE_LEDGER: seen },
    });
    expect(ran.code).toBe(3);
    const [mode, ledger, args] = JSON.parse(readFileSync(seen, "utf8")) as [string, string, string[]];
    expect([mode, args]).toEqual([verb, ["--json", "--", "--refresh"]]);
    expect(ledger).not.toBe(seen);
    expect(existsSync(dirname(ledger)), "the ledger's folder is taken away").toBe(false);
  });
});

describe.skipIf(process.platform === "win32")("a command that is interrupted", () => {
  /** Runs a child that says how often it got SIGINT, and interrupts its parent alone. SIGUSR2 ends the child once the parent has acted. */
  async function interrupt(sharesTerminal: boolean): Promise<number | null> {
    const child = `let n = 0; process.on("SIGINT", () => n++); process.on("SIGUSR2", () => process.exit(10 + n));
      setInterval(() => undefined, 1000); console.log(process.pid)`;
    const spawnDoor = JSON.stringify(pathToFileURL(compiledModule("cli/child/spawn.js")).href);
    const script = `const { runChild } = await import(${spawnDoor});
      const options = { cwd: ".", env: process.env, stdoutToStderr: false, sharesTerminal: ${sharesTerminal} };
      const end = runChild([process.execPath, "-e", ${JSON.stringify(child)}], options);
      process.on("SIGINT", () => console.log("interrupted"));
      process.exitCode = (await end).exitCode;`;
    const parent = spawn(node, ["--input-type=module", "-e", script], { cwd: folder });
    const ended = new Promise<number | null>((resolve) => parent.on("close", resolve));
    let pid: number | undefined;
    for await (const line of createInterface({ input: parent.stdout })) {
      if (pid !== undefined) process.kill(pid, "SIGUSR2");
      else {
        pid = Number(line);
        parent.kill("SIGINT");
      }
    }
    return ended;
  }

  it("is told by us where it does not share our terminal, and by the terminal alone where it does", async () => {
    assertBuilt();
    expect([await interrupt(false), await interrupt(true)]).toEqual([11, 10]);
  });
});

describe("the ledger that the user names", () => {
  const used = { file: "a.cassette.json", path: join(folder, "a.cassette.json"), mode: "replay", turns: 1 };
  const missed = {
    ...{ file: "b.cassette.json", path: "../shared/b.cassette.json", mode: "unfinished", turns: 0 },
    miss: { code: "prompt-changed", what: "the user message changed" },
  };

  it("gets the lines of the command, with their misses and with paths from its own folder", async () => {
    const [first, second] = [join(folder, "one.jsonl"), join(folder, "runs/two.jsonl")];
    mkdirSync(dirname(second), { recursive: true });
    writeFileSync(first, '{"file":"kept"}\n');
    await cli(["replay", "--", ...writes(used, missed)], { env: { ...env, CASSETTE_LEDGER: "one.jsonl" } });
    await cli(["record", "--", ...writes(used)], { env: { ...env, CASSETTE_LEDGER: second } });
    const linesOf = (path: string) =>
      readFileSync(path, "utf8")
        .trimEnd()
        .split("\n")
        .map((text) => JSON.parse(text) as { path: string });
    expect(linesOf(first)).toEqual([
      { file: "kept" },
      { ...used, path: "a.cassette.json" },
      { ...missed, path: expect.stringMatching(/shared\/b\.cassette\.json$/) as string },
    ]);
    expect(resolve(folder, linesOf(first)[2]?.path ?? "")).toMatch(/shared.b\.cassette\.json$/);
    expect(linesOf(second)).toEqual([{ ...used, path: "../a.cassette.json" }]);
  });

  it("gets a damaged line as it is, so that a reader of it counts the line too", async () => {
    const text = `{torn\n${JSON.stringify(used)}\n`;
    const script = `require("fs").writeFileSync(process.env.CASSETTE_LEDGER, ${JSON.stringify(text)})`;
    const own = "torn.jsonl";
    await cli(["replay", "--", node, "-e", script], { env: { ...env, CASSETTE_LEDGER: own } });
    expect(readFileSync(join(folder, own), "utf8")).toMatch(/^\{torn\n\{"file":.*\n$/);
    expect(await readLedger(nodeFiles(), join(folder, own))).toMatchObject({ unreadable: 1 });
  });

  it("fails the command if it cannot be written", async () => {
    writeFileSync(join(folder, "file.txt"), "");
    const ran = await cli(["replay", "--", ...writes(used)], { env: { ...env, CASSETTE_LEDGER: "file.txt/l.jsonl" } });
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(`the ledger ${join(folder, "file.txt/l.jsonl")} cannot be written`);
  });
});

describe("readLedger", () => {
  it("reads what useCassette wrote, and counts what it cannot have written", async () => {
    const path = join(folder, "ledger.jsonl");
    const line = { file: "a.cassette.json", path: "../a.cassette.json", mode: "replay", turns: 2 };
    const live = { file: "b.cassette.json", path: "/b.cassette.json", mode: "live", turns: 0 };
    const others = ["{torn", "null", '{"file":1}', '{"file":"a","path":"/a","mode":"auto","turns":1}'];
    const lines = [JSON.stringify(line), JSON.stringify(live), ...others];
    await nodeFiles().append(path, `${lines.join("\n")}\n`);
    expect(await readLedger(nodeFiles(), path)).toEqual({
      lines: [{ ...line, path: join(dirname(folder), "a.cassette.json") }],
      named: [resolve("/b.cassette.json")],
      unreadable: 4,
    });
  });

  it("takes a missing one for an empty one, and a folder for an unreadable one", async () => {
    expect(await readLedger(nodeFiles(), join(folder, "none"))).toEqual({ lines: [], named: [], unreadable: 0 });
    expect(await readLedger(nodeFiles(), folder)).toEqual({ lines: [], named: [], unreadable: 1 });
  });
});
