import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  lstatSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nodeFiles, pathBeside } from "../../src/host/files.js";

const files = nodeFiles();
let folder: string;
const at = (...parts: string[]) => join(folder, ...parts);
const text = (path: string) => readFileSync(path, "utf8");

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "playhead-files-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe("read", () => {
  it("gives all bytes of a file, up to the limit and no further", async () => {
    writeFileSync(at("a"), "héllo");
    expect(await files.read(at("a"), 6)).toEqual({ kind: "read", bytes: new TextEncoder().encode("héllo") });
    expect(await files.read(at("a"), 5)).toEqual({ kind: "too-large", size: 6 });
    expect(await files.read(at("a"), 0)).toEqual({ kind: "too-large", size: 6 });
  });

  it("gives an empty file as no bytes", async () => {
    writeFileSync(at("a"), "");
    expect(await files.read(at("a"), 0)).toEqual({ kind: "read", bytes: new Uint8Array() });
  });

  it("gives a file of several chunks whole", async () => {
    const bytes = new Uint8Array(1_000_000).map((_, index) => index % 251);
    writeFileSync(at("a"), bytes);
    const result = await files.read(at("a"), bytes.length);
    expect(result.kind === "read" && Buffer.compare(result.bytes, bytes) === 0).toBe(true);
  });

  it("has values for what is missing, what is a folder and what no path can name", async () => {
    writeFileSync(at("a"), "");
    expect(await files.read(at("none"), 9)).toEqual({ kind: "not-found" });
    expect(await files.read(at("none", "none"), 9)).toEqual({ kind: "not-found" });
    expect(await files.read(folder, 9)).toEqual({ kind: "failed", message: "it is not a regular file" });
    expect((await files.read(at("a", "b"), 9)).kind).toBe("failed");
    expect((await files.read("a\0b", 9)).kind).toBe("failed");
  });

  it.skipIf(!existsSync("/dev/zero"))("does not read a device that never ends", async () => {
    expect(await files.read("/dev/zero", 9)).toEqual({ kind: "failed", message: "it is not a regular file" });
  });

  it.skipIf(!existsSync("/proc/self/status"))(
    "is bounded where a file holds more than it was measured to",
    async () => {
      expect(await files.read("/proc/self/status", 10)).toEqual({ kind: "too-large", size: 11 });
      expect((await files.read("/proc/self/status", 1_000_000)).kind).toBe("read");
    },
  );

  it.skipIf(!existsSync("/usr/bin/mkfifo"))("does not wait for a pipe that nobody writes to", async () => {
    spawnSync("/usr/bin/mkfifo", [at("pipe")]);
    expect(await files.read(at("pipe"), 9)).toEqual({ kind: "failed", message: "it is not a regular file" });
  });

  it.skipIf(!existsSync("/usr/bin/mkfifo"))("replaces no pipe", async () => {
    spawnSync("/usr/bin/mkfifo", [at("pipe")]);
    const written = await files.write(at("pipe"), "text", { overwrite: true });
    expect(written).toEqual({ kind: "failed", message: "it is not a regular file" });
    expect(lstatSync(at("pipe")).isFIFO()).toBe(true);
  });

  it.skipIf(!existsSync("/usr/bin/mkfifo"))("does not wait where a file becomes a pipe on the way", async () => {
    writeFileSync(at("whole"), "whole");
    spawnSync("/usr/bin/mkfifo", [at("pipe")]);
    const swap =
      'while :; do ln -f "$1/whole" "$1/t" && mv -f "$1/t" "$1/a"; ln -f "$1/pipe" "$1/t" && mv -f "$1/t" "$1/a"; done';
    const swapper = spawn("/bin/sh", ["-c", swap, "sh", folder], { stdio: "ignore" });
    const ended = once(swapper, "exit");
    try {
      while (!existsSync(at("a"))) await new Promise((resolve) => setTimeout(resolve, 5));
      for (let round = 0; round < 300; round++) {
        const result = await files.read(at("a"), 9);
        if (result.kind === "read") expect(new TextDecoder().decode(result.bytes)).toBe("whole");
        else expect(result).toEqual({ kind: "failed", message: "it is not a regular file" });
      }
    } finally {
      swapper.kill("SIGKILL");
      await ended;
    }
  });

  it.skipIf(!existsSync("/proc/self/fd"))("leaves no file open", async () => {
    writeFileSync(at("a"), "x".repeat(100));
    const before = readdirSync("/proc/self/fd").length;
    for (let round = 0; round < 200; round++) await files.read(at("a"), round % 2 === 0 ? 100 : 10);
    expect(readdirSync("/proc/self/fd").length).toBeLessThan(before + 100);
  });
});

describe("write", () => {
  it("creates a file and the folders above it", async () => {
    expect(await files.write(at("x", "y", "a"), "héllo", { overwrite: false })).toEqual({ kind: "written" });
    expect(text(at("x", "y", "a"))).toBe("héllo");
    expect(readdirSync(at("x", "y"))).toEqual(["a"]);
  });

  it("refuses an existing file and leaves its bytes and no temporary file", async () => {
    writeFileSync(at("a"), "old");
    expect(await files.write(at("a"), "new", { overwrite: false })).toEqual({ kind: "exists" });
    expect(text(at("a"))).toBe("old");
    expect(readdirSync(folder)).toEqual(["a"]);
  });

  it("replaces an existing file when told to, and creates one all the same", async () => {
    writeFileSync(at("a"), "old and longer");
    expect(await files.write(at("a"), "new", { overwrite: true })).toEqual({ kind: "written" });
    expect(await files.write(at("b"), "new", { overwrite: true })).toEqual({ kind: "written" });
    expect([text(at("a")), text(at("b"))]).toEqual(["new", "new"]);
    expect(readdirSync(folder)).toEqual(["a", "b"]);
  });

  it("lets one of many win who create one file at once, and keeps the winner's bytes", async () => {
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) => files.write(at("a"), `writer ${index}`, { overwrite: false })),
    );
    const winners = results.flatMap((result, index) => (result.kind === "written" ? [index] : []));
    expect(winners).toHaveLength(1);
    expect(results.filter((result) => result.kind === "exists")).toHaveLength(19);
    expect(text(at("a"))).toBe(`writer ${winners[0]}`);
    expect(readdirSync(folder)).toEqual(["a"]);
  });

  it("never shows a reader a part of what is written", async () => {
    const size = 300_000;
    await files.write(at("a"), "0".repeat(size), { overwrite: true });
    const seen = new Set<string>();
    let isWriting = true;
    const reader = (async () => {
      while (isWriting) {
        const result = await files.read(at("a"), size);
        if (result.kind !== "read") throw new Error(result.kind);
        const content = Buffer.from(result.bytes).toString();
        seen.add(`${content.length} × ${[...new Set(content)].join("")}`);
      }
    })();
    for (let round = 0; round < 40; round++) {
      await files.write(at("a"), String(round % 2).repeat(size), { overwrite: true });
    }
    isWriting = false;
    await reader;
    expect([...seen].filter((content) => content !== `${size} × 0` && content !== `${size} × 1`)).toEqual([]);
    expect(seen.size).toBeGreaterThan(0);
  });

  it("over a folder fails and leaves no temporary file", async () => {
    mkdirSync(at("a"));
    expect((await files.write(at("a"), "new", { overwrite: true })).kind).toBe("failed");
    expect(await files.write(at("a"), "new", { overwrite: false })).toEqual({ kind: "exists" });
    expect(readdirSync(folder)).toEqual(["a"]);
    expect(readdirSync(at("a"))).toEqual([]);
  });

  it("below a file fails, since nothing is there that could exist", async () => {
    writeFileSync(at("a"), "old");
    for (const overwrite of [true, false]) {
      expect((await files.write(at("a", "b"), "new", { overwrite })).kind).toBe("failed");
      expect((await files.write(at("a", "b", "c"), "new", { overwrite })).kind).toBe("failed");
    }
    expect([text(at("a")), readdirSync(folder)]).toEqual(["old", ["a"]]);
  });

  it("has a value for a path that no file can have", async () => {
    expect((await files.write(at("a\0b"), "new", { overwrite: true })).kind).toBe("failed");
    expect((await files.write(at("n".repeat(300)), "new", { overwrite: true })).kind).toBe("failed");
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("write, killed in the middle", () => {
  const door = new URL("../../.playhead/modules/host/index.js", import.meta.url);
  const SIZE = 4_000_000;
  const ROUNDS = 20;
  // Replaces one file and creates others, without end. Each file is one letter throughout.
  const child = `
    const { nodeFiles } = await import(${JSON.stringify(door.href)});
    const files = nodeFiles();
    process.stdout.write("ready\\n");
    for (let round = 0; ; round++) {
      const text = "abcdefgh"[round % 8].repeat(${SIZE});
      await files.write("replaced", text, { overwrite: true });
      await files.write("created-" + (round % 50), text, { overwrite: false });
    }`;

  it("leaves every file absent or complete", async () => {
    if (!existsSync(door)) throw new Error(".playhead/modules is missing: run `npm run build` first");
    for (let round = 0; round < ROUNDS; round++) {
      const writer = spawn(process.execPath, ["--input-type=module", "-e", child], {
        cwd: folder,
        stdio: ["ignore", "pipe", "inherit"],
      });
      await once(writer.stdout, "data");
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
      const ended = once(writer, "exit");
      writer.kill("SIGKILL");
      expect((await ended)[1]).toBe("SIGKILL");
      for (const name of readdirSync(folder)) {
        if (!name.endsWith(".tmp")) expect(describeFile(at(name))).toMatch(/^4000000 of [a-h]$/);
        rmSync(at(name));
      }
    }
  });

  function describeFile(path: string): string {
    const content = readFileSync(path);
    const first = content.subarray(0, 1);
    const isUniform = content.equals(Buffer.alloc(content.length, first));
    return `${content.length} of ${isUniform ? first.toString() : "several letters"}`;
  }
});

describe("append", () => {
  it("creates the file and its folders, and adds at the end", async () => {
    expect(await files.append(at("x", "log"), "one\n")).toEqual({ kind: "written" });
    expect(await files.append(at("x", "log"), "two\n")).toEqual({ kind: "written" });
    expect(text(at("x", "log"))).toBe("one\ntwo\n");
  });

  it("keeps lines whole that are added at once", async () => {
    const lines = Array.from({ length: 100 }, (_, index) => String(index % 10).repeat(1_000));
    await Promise.all(lines.map((line) => files.append(at("log"), `${line}\n`)));
    expect(text(at("log")).trimEnd().split("\n").sort()).toEqual(lines.sort());
  });

  it("has a value for what cannot be appended to", async () => {
    expect((await files.append(folder, "x")).kind).toBe("failed");
  });
});

describe("list", () => {
  it("names the files below a folder that end with the suffix, sorted, with slashes", async () => {
    for (const path of ["b.x", "a.x", "a.y", "sub/deep/c.x", ".hidden.x", "x"]) await files.append(at(path), "");
    mkdirSync(at("folder.x"));
    expect(await files.list(folder, ".x")).toEqual([".hidden.x", "a.x", "b.x", "sub/deep/c.x"]);
    expect(await files.list(folder, ".z")).toEqual([]);
  });

  it("does not name what a write has left behind", async () => {
    writeFileSync(at(".a.cassette.json.0123456789ab.tmp"), "");
    expect(await files.list(folder, ".cassette.json")).toEqual([]);
  });

  it("names a link to a file", async () => {
    writeFileSync(at("a"), "");
    symlinkSync(at("a"), at("link.x"));
    expect(await files.list(folder, ".x")).toEqual(["link.x"]);
  });

  it.skipIf(!existsSync("/usr/bin/mkfifo"))(
    "names a pipe in the place of a file, for its reader to refuse",
    async () => {
      spawnSync("/usr/bin/mkfifo", [at("pipe.x")]);
      expect(await files.list(folder, ".x")).toEqual(["pipe.x"]);
    },
  );

  it("is undefined for a path that is not a folder", async () => {
    writeFileSync(at("a"), "");
    expect(await files.list(at("a"), ".x")).toBeUndefined();
    expect(await files.list(at("none"), ".x")).toBeUndefined();
  });
});

describe("remove", () => {
  it("takes a file away, and says so of one that was not there", async () => {
    writeFileSync(at("a"), "");
    expect(await files.remove(at("a"))).toEqual({ kind: "removed" });
    expect(existsSync(at("a"))).toBe(false);
    expect(await files.remove(at("a"))).toEqual({ kind: "not-found" });
  });

  it("takes a link away and leaves what it leads to", async () => {
    writeFileSync(at("a"), "precious");
    symlinkSync(at("a"), at("link"));
    expect(await files.remove(at("link"))).toEqual({ kind: "removed" });
    expect(text(at("a"))).toBe("precious");
  });

  it("has a value for a folder and for what no path can name", async () => {
    mkdirSync(at("folder"));
    expect((await files.remove(at("folder"))).kind).toBe("failed");
    expect(existsSync(at("folder"))).toBe(true);
    expect(await files.remove("")).toEqual({ kind: "failed", message: "the path is empty" });
    expect((await files.remove("a\0b")).kind).toBe("failed");
  });
});

describe("pathBeside", () => {
  it("gives a file in the folder of another, and the folder itself", () => {
    expect(pathBeside(join("a", "b.json"), "c.json")).toBe(join("a", "c.json"));
    expect(pathBeside("b.json", "c.json")).toBe("c.json");
    expect(pathBeside(join("a", "b.json"))).toBe("a");
    expect(pathBeside("b.json")).toBe(".");
  });
});
