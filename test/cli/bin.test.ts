import { spawn, spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { runOf } from "../cassette/diff/runs.js";
import { assertBuilt, cassetteBin, repositoryRoot } from "../support/built.js";
import { folder, place } from "./run.js";

beforeAll(assertBuilt);

/** Our own environment without what would decide a mode, so that this passes in CI too. */
const { CI: _ci, CASSETTE_MODE: _mode, CASSETTE_LEDGER: _ledger, ...environment } = process.env;

function cassette(args: readonly string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cassetteBin, ...args], {
    cwd: folder,
    encoding: "utf8",
    env: { ...environment, ...env },
  });
  return { code: status, out: stdout, err: stderr };
}

/** With one stream sent to a file, and what came out of the other. */
function runTo(path: string, listened: 1 | 2, ...args: string[]) {
  const fd = openSync(path, "w");
  const stdio = listened === 1 ? (["ignore", "pipe", fd] as const) : (["ignore", fd, "pipe"] as const);
  const ran = spawnSync(process.execPath, [cassetteBin, ...args], { cwd: folder, encoding: "utf8", stdio: [...stdio] });
  closeSync(fd);
  return { code: ran.status, err: listened === 1 ? ran.stdout : ran.stderr };
}

const door = (path: string): string => JSON.stringify(pathToFileURL(`${repositoryRoot}dist/${path}`).href);
const script = join(folder, "agent.mjs");
writeFileSync(
  script,
  `import { useCassette } from ${door("entry/harness.js")};
import { scriptedProvider } from ${door("entry/playhead.js")};
const say = (content) => ({ message: { role: "assistant", content }, finalAnswer: content, stopReason: "stop" });
const { provider, done } = await useCassette("agent.cassette.json", () => scriptedProvider([say("one"), say("two")]));
for (const content of [process.argv[2] ?? "first", "second"]) {
  const { message } = await provider.turn({ messages: [{ role: "user", content }] });
  console.log(message.content);
}
await done();
`,
);
const agent = ["--", process.execPath, script];
const file = join(folder, "agent.cassette.json");

describe("the cassette program", () => {
  it("prints its version and sets the exit code", () => {
    expect(cassette(["--version"])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as string,
    });
    expect(cassette([])).toMatchObject({ code: 2, out: "" });
    const good = place("good.json", runOf([{ say: "a" }]));
    expect(cassette(["verify", good]).code).toBe(0);
    writeFileSync(join(folder, "bad.json"), readFileSync(good, "utf8").replace('"a"', '"b"'));
    expect(cassette(["verify", "bad.json"]).code).toBe(3);
    expect(cassette(["diff", good, place("more.json", runOf([{ calls: [{ name: "x", arguments: {} }] }]))]).code).toBe(
      1,
    );
  });

  it("prints no colour into a pipe", () => {
    expect(cassette(["verify", "good.json"], { FORCE_COLOR: "1" }).out).not.toContain("\u001b");
  });

  it("records a real script, replays it, and fails the replay of a changed one", () => {
    expect(cassette(["record", ...agent])).toEqual({
      code: 0,
      out: "one\ntwo\n",
      err: "cassette record: recorded agent.cassette.json, 2 turns\n",
    });
    expect(cassette(["verify", "--require-integrity", "agent.cassette.json"]).code).toBe(0);
    const recorded = readFileSync(file, "utf8");

    expect(cassette(["replay", ...agent], { CI: "true" })).toEqual({
      code: 0,
      out: "one\ntwo\n",
      err: "cassette replay: replayed agent.cassette.json, 2 turns\n",
    });

    const changed = cassette(["replay", ...agent, "another prompt"]);
    expect(changed.code).toBe(1);
    expect(changed.err).toContain("cassette replay: the command exited with 1; no cassette was finished");

    const again = cassette(["record", ...agent]);
    expect(again.code).toBe(1);
    expect(again.err).toContain("exists and was left as it is");
    expect(readFileSync(file, "utf8")).toBe(recorded);

    expect(cassette(["record", "--refresh", ...agent]).err).toBe(
      "cassette record: recorded again agent.cassette.json, 2 turns\n",
    );
    expect(readFileSync(file, "utf8")).not.toBe(recorded);

    const { code, out, err } = cassette(["replay", "--json", ...agent]);
    expect({ code, err }).toEqual({ code: 0, err: "one\ntwo\n" });
    expect(JSON.parse(out)).toEqual({
      schemaVersion: 1,
      command: "replay",
      exitCode: 0,
      ran: [process.execPath, script],
      signal: null,
      cassettes: [{ file: "agent.cassette.json", mode: "replay", turns: 2 }],
    });
  });

  it.skipIf(!existsSync("/dev/full"))("exits 2 and says so on one line when stdout cannot be written to", () => {
    const ran = runTo("/dev/full", 2, "--help");
    expect(ran).toEqual({
      code: 2,
      err: "error: stdout cannot be written to: ENOSPC: no space left on device, write\n",
    });
  });

  it.skipIf(!existsSync("/dev/full"))("exits 2 without a word when stderr cannot be written to", () => {
    expect(runTo("/dev/full", 1, "show", "none.cassette.json")).toEqual({ code: 2, err: "" });
  });

  it.skipIf(process.platform === "win32")("keeps its exit code when nobody reads what it prints", () => {
    const bin = `"${process.execPath}" "${cassetteBin}"`;
    for (const [args, code] of [
      ["verify good.json", 0],
      ["verify none.json", 2],
      ["show none.json", 2],
    ] as const) {
      const script = `set -o pipefail; ${bin} ${args} 2>&1 | true; exit \${PIPESTATUS[0]}`;
      const { status, stderr } = spawnSync("bash", ["--norc", "-c", script], { cwd: folder, encoding: "utf8" });
      expect({ status, stderr }).toEqual({ status: code, stderr: "" });
    }
  });

  it.skipIf(process.platform === "win32").each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "forwards %s to the command, and leaves no ledger",
    async (signal) => {
      const temporary = mkdtempSync(join(folder, "tmp-"));
      const waits = `process.on("${signal}", () => process.exit(9)); setInterval(() => {}, 1000); console.log("ready");`;
      const child = spawn(process.execPath, [cassetteBin, "replay", "--", process.execPath, "-e", waits], {
        cwd: folder,
        env: { ...environment, TMPDIR: temporary },
      });
      child.stdout.once("data", () => child.kill(signal));
      const code = await new Promise((resolve) => child.on("close", resolve));
      expect(code).toBe(9);
      expect(readdirSync(temporary)).toEqual([]);
    },
  );
});
