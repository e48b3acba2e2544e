import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import type { AgentEvent } from "../../src/core/events/event.js";
import { verifyReceipts } from "../../src/core/receipts/verify.js";
import { echoProvider } from "../../src/core/providers/echo.js";
import { JsonLinesError, openJsonLines } from "../../src/host/json-lines.js";
import { agent, runtime } from "../support/agents.js";
import { assertBuilt, compiledModule } from "../support/built.js";
import { fileOf, makeChain, publicKey, seed } from "../support/receipts.js";
import { refusal } from "../support/refusal.js";

const disk = vi.hoisted(() => ({ write: undefined as undefined | ((bytes: number) => number) }));
vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  const writeSync = (descriptor: number, bytes: Buffer, at = 0) =>
    fs.writeSync(descriptor, bytes, at, disk.write === undefined ? bytes.length - at : disk.write(bytes.length - at));
  return { ...fs, writeSync };
});

const folder = mkdtempSync(join(tmpdir(), "playhead-lines-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => {
  disk.write = undefined;
});
let made = 0;
const fresh = () => join(folder, `${made++}`, "file.jsonl");
const place = (content: string): string => {
  const path = fresh();
  mkdirSync(join(path, ".."));
  writeFileSync(path, content);
  return path;
};
const code = (run: () => unknown): string => (refusal(run) as JsonLinesError).code;

describe("openJsonLines", () => {
  it("writes each value as a line before write returns, and makes the folder", () => {
    const path = fresh();
    const { write, close, ...file } = openJsonLines(path);
    write({ a: "one\ntwo" });
    expect(readFileSync(path, "utf8")).toBe('{"a":"one\\ntwo"}\n');
    write([1n]);
    expect(readFileSync(path, "utf8")).toBe('{"a":"one\\ntwo"}\n["1"]\n');
    expect(file).toMatchObject({ path, mended: undefined });
    close();
    close();
  });

  it("counts the lines it wrote", () => {
    const file = openJsonLines(fresh());
    file.write(1);
    file.write(2);
    expect(file.lines).toBe(2);
    file.close();
  });

  it("refuses a file that is there, a link to nowhere as well, and leaves it alone", () => {
    const path = place("1\n");
    expect(code(() => openJsonLines(path))).toBe("exists");
    expect(readFileSync(path, "utf8")).toBe("1\n");
    const link = join(path, "..", "link");
    symlinkSync(join(path, "..", "nowhere"), link);
    expect(code(() => openJsonLines(link))).toBe("exists");
  });

  it.each([{ apend: true }, { append: "yes" }, { append: null }])(
    "refuses the options %j, and makes no file",
    (options) => {
      const path = fresh();
      expect(code(() => openJsonLines(path, options as object))).toBe("invalid-options");
      expect(existsSync(path)).toBe(false);
    },
  );

  it("adds to a file when asked to, and makes one that is not there", () => {
    for (const path of [place("1\n"), fresh()]) {
      const file = openJsonLines(path, { append: true });
      file.write(2);
      expect(file.mended).toBeUndefined();
      file.close();
      expect(readFileSync(path, "utf8")).toMatch(/^(1\n)?2\n$/);
    }
  });

  it.each<[string, string, string, object]>([
    ["cuts off a last line that is torn", '{"a":1}\n{"b', '{"a":1}\n', { action: "cut", bytes: 3 }],
    ["cuts off a first line that is torn", '{"b', "", { action: "cut", bytes: 3 }],
    ["closes a last line that is whole", '{"a":1}\n{"b":2}', '{"a":1}\n{"b":2}\n', { action: "closed", bytes: 7 }],
    ["closes an only line that is whole", "5", "5\n", { action: "closed", bytes: 1 }],
    [
      "mends behind a line longer than what it reads at once",
      `"${"x".repeat(200_000)}"\n{"b`,
      `"${"x".repeat(200_000)}"\n`,
      { action: "cut", bytes: 3 },
    ],
  ])("%s, and says so", (_name, before, after, mended) => {
    const path = place(before);
    const file = openJsonLines(path, { append: true });
    expect(file.mended).toEqual(mended);
    file.write(null);
    file.close();
    expect(readFileSync(path, "utf8")).toBe(`${after}null\n`);
  });

  it.each(["notes of mine", "a\nb", "a\nb\n", "\n", '{"a":1}\nb\n'])(
    "does not touch %j, which is not such a file",
    (text) => {
      const path = place(text);
      expect(code(() => openJsonLines(path, { append: true }))).toBe("not-json-lines");
      expect(readFileSync(path, "utf8")).toBe(text);
    },
  );

  it.each<[string, () => string]>([
    ["a folder", () => folder],
    ["a file in a file", () => join(place("1\n"), "below.jsonl")],
    ["an empty path", () => ""],
  ])("says what is wrong with %s", (_name, path) => {
    const name = path();
    expect(code(() => openJsonLines(name, { append: true }))).toBe("failed");
  });

  it("says when a folder may not be written to", () => {
    const path = place("1\n");
    chmodSync(join(path, ".."), 0o555);
    // Root may write everywhere, and then there is nothing to refuse.
    const open = () => openJsonLines(join(path, "..", "new.jsonl"));
    if (process.getuid?.() === 0) open().close();
    else expect(code(open)).toBe("failed");
    chmodSync(join(path, ".."), 0o755);
  });

  it("refuses what has no JSON, and goes on", () => {
    const path = fresh();
    const file = openJsonLines(path);
    const circle: unknown[] = [];
    circle.push(circle);
    for (const value of [undefined, () => 1, circle]) expect(code(() => file.write(value))).toBe("not-json");
    file.write("next");
    file.close();
    expect(readFileSync(path, "utf8")).toBe('"next"\n');
  });

  it("refuses a write after close", () => {
    const file = openJsonLines(fresh());
    file.close();
    expect(code(() => file.write(1))).toBe("closed");
  });

  it("completes a line of which the disk took a part", () => {
    const path = fresh();
    const file = openJsonLines(path);
    disk.write = () => 1;
    file.write({ a: "é" });
    expect(readFileSync(path, "utf8")).toBe('{"a":"é"}\n');
  });

  it("takes no more lines once the disk was full in the middle of one, and mends it when opened again", () => {
    const path = fresh();
    const file = openJsonLines(path);
    file.write("first");
    let room = 3;
    disk.write = (bytes) => {
      if (room === 0) throw new Error("ENOSPC: no space left on device, write");
      const taken = Math.min(bytes, room);
      room -= taken;
      return taken;
    };
    const error = refusal(() => file.write("second")) as JsonLinesError;
    expect(error).toMatchObject({ code: "failed", message: expect.stringContaining("ENOSPC") as string });
    disk.write = undefined;
    expect(refusal(() => file.write("third"))).toBe(error);
    file.close();
    const again = openJsonLines(path, { append: true });
    expect(again.mended).toEqual({ action: "cut", bytes: 3 });
    again.close();
    expect(readFileSync(path, "utf8")).toBe('"first"\n');
  });

  it("takes events and receipts of a runtime as they come", async () => {
    const [events, receipts] = [openJsonLines(fresh()), openJsonLines(fresh())];
    const signed = runtime([agent(echoProvider())], {
      ...{ signingKey: seed, onEvent: events.write, onReceipt: receipts.write },
    });
    const result = await signed.run({ goal: "go" });
    await signed.destroy();
    for (const file of [events, receipts]) file.close();
    const lines = readFileSync(events.path, "utf8").trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as AgentEvent).hlc)).toEqual(result.events.map(({ hlc }) => hlc));
    expect(verifyReceipts(readFileSync(receipts.path), publicKey)).toMatchObject({ kind: "ok", complete: true });
  });

  it("fails the run whose receipt found no room", async () => {
    const file = openJsonLines(fresh());
    disk.write = () => {
      throw new Error("ENOSPC: no space left on device, write");
    };
    const run = runtime([agent(echoProvider())], { signingKey: seed, onReceipt: file.write }).run({ goal: "go" });
    await expect(run).rejects.toMatchObject({ code: "receipt-failed" });
  });
});

it("every cut of a file of receipts is mended to whole receipts", async () => {
  const text = fileOf(await makeChain(2));
  for (let length = 1; length < text.length; length += 7) {
    const path = place(text.slice(0, length));
    openJsonLines(path, { append: true }).close();
    expect(verifyReceipts(readFileSync(path), publicKey).kind).toMatch(/^(ok|empty)$/);
  }
});

describe("kill -9", () => {
  assertBuilt();
  const script = join(folder, "writer.mjs");
  const door = (layer: string) => JSON.stringify(pathToFileURL(compiledModule(`${layer}/index.js`)).href);
  writeFileSync(
    script,
    `import { createRuntime, echoProvider } from ${door("core")};
import { openJsonLines } from ${door("host")};
const file = openJsonLines(process.argv[2]);
const agents = [{ id: "ann", systemPrompt: "s", provider: echoProvider() }];
const runtime = createRuntime({ agents, signingKey: new Uint8Array(32).fill(7), onReceipt: file.write });
for (;;) {
  await runtime.run({ goal: "go" });
  if (file.lines === 1) process.stdout.write("ready");
}
`,
  );

  async function killAfter(path: string, ms: number): Promise<void> {
    const child = spawn(process.execPath, [script, path], { stdio: ["ignore", "pipe", "inherit"] });
    const ended = new Promise((resolve) => child.once("exit", (_code, signal) => resolve(signal)));
    child.stdout.once("data", () => setTimeout(() => child.kill("SIGKILL"), ms));
    expect(await ended).toBe("SIGKILL");
  }

  it("leaves a chain that verifies up to where it was cut, at twenty points", { timeout: 180_000 }, async () => {
    for (let round = 0; round < 20; round++) {
      const path = fresh();
      await killAfter(path, Math.floor(Math.random() * 10));
      const verdict = verifyReceipts(readFileSync(path), publicKey);
      if (verdict.kind === "empty") throw new Error("the first line was written before the kill");
      const kinds = verdict.kind === "broken" ? verdict.findings.map(({ kind }) => kind) : [];
      expect(["", "torn-tail"]).toContain(kinds.join());
      expect(verdict.receipts).toBeGreaterThan(0);
      openJsonLines(path, { append: true }).close();
      expect(verifyReceipts(readFileSync(path), publicKey)).toMatchObject({
        kind: "ok",
        complete: false,
        receipts: verdict.receipts,
      });
    }
  });
});
