import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { repositoryRoot } from "../../support/built.js";
import { randomNumbers } from "../../support/process/schedule.js";
import { sized } from "../../support/process/sized.js";
import { startVendor, type LocalVendor } from "../../support/process/vendor.js";

const BIN = join(repositoryRoot, "dist/cli/bin.js");
const GREETER = join(repositoryRoot, "examples/process/greeter.json");
const CASSETTE = join(repositoryRoot, "examples/process/greeter.cassette.json");

let folder = "";
let vendor: LocalVendor | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "playhead-agent-"));
});
afterEach(async () => {
  await vendor?.close();
  vendor = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const NO_KEYS = { ANTHROPIC_API_KEY: "", OPENAI_API_KEY: "", PLUMB_PROVIDER: "", PLUMB_MODEL: "", CI: "" };

function start(args: readonly string[], env: Record<string, string> = {}): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [BIN, "agent", ...args], { cwd: folder, env: { ...process.env, ...NO_KEYS, ...env } });
}

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
}

/** Preloaded, it says when the process has got SIGTERM. */
const ECHO = `--import=data:text/javascript,${encodeURIComponent('process.on("SIGTERM", () => process.stderr.write("got SIGTERM\\n"))')}`;

/** Preloaded, it says at the end how many KiB of memory the process had at most. */
const MEMORY = `--import=data:text/javascript,${encodeURIComponent('process.on("exit", () => console.error(process.resourceUsage().maxRSS))')}`;

function ended(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => (texts[name] += text));
  return new Promise((resolve) => child.on("close", (code) => resolve({ ...texts, code })));
}

function run(args: readonly string[], input: string, env: Record<string, string> = {}): Promise<Ended> {
  const child = start(args, env);
  const end = ended(child);
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  return end;
}

function spec(fields: object): string {
  const path = join(folder, "spec.json");
  writeFileSync(path, JSON.stringify({ name: "poet", ...fields }));
  return path;
}

const codesOf = ({ stderr }: Ended): unknown[] =>
  stderr
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => (JSON.parse(line) as { code?: unknown }).code);

describe("cassette agent", () => {
  it("PLM-113 PLM-156 answers a line from a cassette, without a key", async () => {
    const end = await run([GREETER, "--cassette", CASSETTE], '"hello"\n', { CASSETTE_MODE: "replay" });
    expect(end).toEqual({ stdout: '{"greeting":"hi"}\n', stderr: "", code: 0 });
  });

  it("exits with 1 if the cassette has no answer, and says where the message differs", async () => {
    const end = await run([GREETER, "--cassette", CASSETTE], '"goodbye"\n', { CASSETTE_MODE: "replay" });
    expect(end).toMatchObject({ stdout: "", code: 1 });
    expect(codesOf(end)).toEqual(["prompt-changed"]);
  });

  it("PLM-01 PLM-02 PLM-03 PLM-117 takes provider and model from the spec, else from a flag, else from the environment", async () => {
    vendor = await startVendor(() => "1");
    const { endpoint } = vendor;
    const env = { ANTHROPIC_API_KEY: "k", PLUMB_PROVIDER: "anthropic", PLUMB_MODEL: "from-env" };
    await run([spec({ endpoint })], "1\n", env);
    await run([spec({ endpoint }), "--model", "from-flag"], "1\n", env);
    await run(
      [spec({ endpoint, provider: "anthropic", model: "from-spec" }), "--model", "x", "--provider", "openai"],
      "1\n",
      env,
    );
    expect(vendor.asked.map(({ model }) => model)).toEqual(["from-env", "from-flag", "from-spec"]);
  });

  it("PLM-04 PLM-05 exits with 2 before it reads anything, if it cannot work", async () => {
    const cases: [object | string, Record<string, string>, string][] = [
      [{ provider: "anthropic", model: "m" }, {}, "key-missing"],
      [{ provider: "openai", model: "m" }, {}, "key-missing"],
      [{ model: "m" }, {}, "provider-missing"],
      [{ model: "m" }, { PLUMB_PROVIDER: "other" }, "provider-missing"],
      [{ provider: "openai" }, { OPENAI_API_KEY: "k" }, "provider-missing"],
      [{ colour: "red" }, {}, "spec-malformed"],
      [{ prompts: ["none.md"] }, {}, "prompt-not-found"],
      [{ tools: ["look"] }, { PLUMB_MCP_TOOLS: "" }, "spec-malformed"],
      [{ tools: ["look"] }, { PLUMB_MCP_TOOLS: "missing.json" }, "spec-unreadable"],
      ["missing.json", {}, "spec-unreadable"],
    ];
    for (const [fields, env, code] of cases) {
      const end = await run([typeof fields === "string" ? fields : spec(fields)], "1\n", env);
      expect([codesOf(end), end.code, end.stdout]).toEqual([[code], 2, ""]);
    }
  });

  it("PLM-15 PLM-109 PLM-110 PLM-111 finds prompt files by name in PLUMB_RESOURCES, and by path from the folder of the spec", async () => {
    vendor = await startVendor(({ system }) => JSON.stringify(system));
    const shared = join(folder, "shared");
    mkdirSync(shared);
    writeFileSync(join(shared, "common.md"), "Shared.");
    writeFileSync(join(folder, "own.md"), "Own.");
    const fields = { endpoint: vendor.endpoint, provider: "anthropic", model: "m" };
    const env = { ANTHROPIC_API_KEY: "k", PLUMB_RESOURCES: shared };
    expect((await run([spec({ ...fields, prompts: ["common.md"] })], "1\n", env)).stdout).toContain("Shared.");
    expect((await run([spec({ ...fields, prompts: ["./own.md"] })], "1\n", env)).stdout).toContain("Own.");
  });

  it("PLM-23 writes the warnings of its provider as JSON too", async () => {
    vendor = await startVendor(() => "1");
    const path = spec({ endpoint: vendor.endpoint, provider: "anthropic", model: "unheard-of" });
    const { stderr } = await run([path], "1\n", { ANTHROPIC_API_KEY: "k" });
    expect(JSON.parse(stderr)).toMatchObject({ log: "warn", message: expect.stringContaining("no price") as string });
  });

  it("PLM-108 asks the provider to cache the prompt up to the rule for the output", async () => {
    vendor = await startVendor(() => '"x"');
    const fields = { endpoint: vendor.endpoint, provider: "anthropic", model: "claude-haiku-4-5", prompt: "First." };
    await run([spec({ ...fields, output: { type: "string" }, runtime_context: true })], "1\n", {
      ANTHROPIC_API_KEY: "k",
    });
    expect(vendor.asked[0]?.cached).toEqual([expect.stringContaining('{"type":"string"}')]);
  });

  it("skips a line that never seems to end without keeping it, and answers the next one", async () => {
    const args = [GREETER, "--cassette", CASSETTE];
    const child = start(args, { CASSETTE_MODE: "replay", NODE_OPTIONS: MEMORY });
    const end = ended(child);
    const part = Buffer.alloc(1024 * 1024, "x");
    for (let at = 0; at < sized(200, 1_024); at++) if (!child.stdin.write(part)) await once(child.stdin, "drain");
    child.stdin.end('\n"hello"\n');
    const { stdout, stderr, code } = await end;
    expect([stdout, code]).toEqual(['{"greeting":"hi"}\n', 0]);
    const [error, memory] = stderr.trim().split("\n");
    expect(JSON.parse(error ?? "")).toMatchObject({ code: "frame-too-large" });
    expect(Number(memory)).toBeLessThan(256 * 1024);
  });

  it("says little about much that is no JSON, and goes on", async () => {
    vendor = await startVendor(() => "1");
    const pick = randomNumbers(1);
    const noise = Buffer.from(Array.from({ length: sized(500_000, 20_000_000) }, () => pick(256)));
    const child = start([spec({ endpoint: vendor.endpoint, provider: "anthropic", model: "m" })], {
      ANTHROPIC_API_KEY: "k",
    });
    const end = ended(child);
    child.stdin.end(noise);
    const { stderr, code } = await end;
    expect(code).toBe(0);
    expect(stderr.trim().split("\n").length).toBeLessThan(200);
  });

  it("follows its recording in a replay: when control came, and what time it was", async () => {
    vendor = await startVendor(({ user }) => user);
    const fields = { provider: "anthropic", model: "m", control: true, runtime_context: true };
    const path = spec({ ...fields, endpoint: vendor.endpoint });
    const cassette = join(folder, "poet.cassette.json");
    const lines = (...payloads: object[]): string => payloads.map((line) => `${JSON.stringify(line)}\n`).join("");
    const data = (payload: number) => ({ __port: "data_in", payload });
    const memory = [{ role: "user", content: "short" }];
    const control = { __port: "ctrl_in", payload: { set_temp: 0.5, set_memory: memory } };

    const recording = start([path, "--cassette", cassette], { CASSETTE_MODE: "record", ANTHROPIC_API_KEY: "k" });
    const recorded = ended(recording);
    recording.stdin.write(lines(data(1)));
    await once(recording.stdout, "data");
    recording.stdin.end(lines(control, data(2), data(3)));
    const whole = await recorded;
    expect(whole.code).toBe(0);
    const { extensions } = JSON.parse(readFileSync(cassette, "utf8")) as { extensions: { schedule: unknown } };
    expect(extensions.schedule).toMatchObject({ version: 1, control: [{ n: 0, input: 1, turn: 1 }] });

    const outputs = ({ stdout }: Ended): string[] => stdout.split("\n").filter((line) => line.includes('"data_out"'));
    for (const input of [lines(control, data(1), data(2), data(3)), lines(data(1), data(2), data(3), control)]) {
      const replayed = await run([path, "--cassette", cassette], input, { CASSETTE_MODE: "replay" });
      expect([outputs(replayed), replayed.code, replayed.stderr]).toEqual([outputs(whole), 0, ""]);
    }
    expect(vendor.asked).toHaveLength(3);
  });

  it("ends after its message at SIGTERM, and at once at a second one", async () => {
    let answer: ((text: string) => void) | undefined;
    let asked: (() => void) | undefined;
    vendor = await startVendor(() => {
      asked?.();
      return new Promise((resolve) => (answer = resolve));
    });
    const path = spec({ endpoint: vendor.endpoint, provider: "anthropic", model: "m" });
    for (const isPatient of [true, false]) {
      const isAsked = new Promise<void>((resolve) => (asked = resolve));
      const child = start([path], { ANTHROPIC_API_KEY: "k", NODE_OPTIONS: ECHO });
      const end = ended(child);
      child.stdin.write("1\n2\n");
      await isAsked;
      child.kill("SIGTERM");
      await once(child.stderr, "data");
      if (isPatient) answer?.('"done"');
      else child.kill("SIGTERM");
      const { stdout, code } = await end;
      expect([stdout, code]).toEqual(isPatient ? ['"done"\n', 0] : ["", 143]);
    }
  });

  it("exits with 1 and without a stack trace when its reader is gone", async () => {
    vendor = await startVendor(() => "1");
    const child = start([spec({ endpoint: vendor.endpoint, provider: "anthropic", model: "m" })], {
      ANTHROPIC_API_KEY: "k",
    });
    const end = ended(child);
    child.stdin.on("error", () => undefined);
    child.stdout.destroy();
    child.stdin.write("1\n2\n3\n");
    const { stderr, code } = await end;
    expect(code).toBe(1);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});
