// A folder that nothing leads out of.

import { mkdir, mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openRoot, type Root } from "../../../src/host/verbs/root.js";
import { parseTarget } from "../../../src/host/verbs/target.js";
import { refusal } from "../../support/refusal.js";

let base = "";
let root: Root;
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "playhead-root-")));
  await mkdir(join(base, "in", "docs"), { recursive: true });
  await mkdir(join(base, "out"));
  await writeFile(join(base, "in", "a.txt"), "inside");
  await writeFile(join(base, "in", "docs", "b.txt"), "deeper");
  await writeFile(join(base, "out", "secret.txt"), "outside");
  root = openRoot(join(base, "in"));
});
afterEach(() => rm(base, { recursive: true, force: true }));

const textOf = async (path: readonly string[]) => Buffer.from((await root.read(path, 100)).bytes).toString();

describe("the path of a target", () => {
  const pathOf = (uri: string) => {
    const target = parseTarget(uri, { root });
    return target.kind === "file" ? target.path : target.url.href;
  };

  it.each([
    ["a.txt", ["a.txt"]],
    ["./docs//b.txt", ["docs", "b.txt"]],
    [".", []],
    ["", []],
    ["docs/", ["docs"]],
    ["file:///docs/b%20c.txt", ["docs", "b c.txt"]],
    ["file:///etc/passwd", ["etc", "passwd"]],
    ["file:///../../etc/passwd", ["etc", "passwd"]],
    ["FILE:///a", ["a"]],
    ["./a:b", ["a:b"]],
    ["...", ["..."]],
    ["%2e%2e/a", ["%2e%2e", "a"]],
    ["https://x.test/../a", "https://x.test/a"],
  ])("%j is %j", (uri, path) => {
    expect(pathOf(uri)).toEqual(path);
  });

  it.each([
    ["/etc/passwd", "outside-root"],
    ["//etc/passwd", "outside-root"],
    ["..", "outside-root"],
    ["docs/../../out", "outside-root"],
    ["docs/../a.txt", "outside-root"],
    ["..\\out", "outside-root"],
    ["a\0.txt", "outside-root"],
    ["file:///a%2f..%2f..%2fout", "outside-root"],
    ["file:///a%00", "outside-root"],
    ["file:///%zz", "bad-target"],
    ["file://host/share", "bad-target"],
    ["ftp://x.test/", "bad-target"],
    ["data:text/plain,x", "bad-target"],
    ["javascript:alert(1)", "bad-target"],
    ["C:\\windows", "bad-target"],
    ["http://", "bad-target"],
    ["https://x y", "bad-target"],
  ])("%j is refused as %s", (uri, code) => {
    const error = refusal(() => pathOf(uri));
    expect(error).toMatchObject({ name: "VerbError", code });
    expect((error as Error).message).not.toContain(base);
  });

  it("is refused where there is no root", () => {
    expect(refusal(() => parseTarget("a.txt", { root: undefined }))).toMatchObject({ code: "bad-target" });
  });
});

describe("the root", () => {
  it.skipIf(process.platform === "win32")("lists no name that no path can have", async () => {
    await writeFile(join(base, "in", "b\\c.txt"), "");
    await mkdir(join(base, "in", "..\\out"));
    expect(await root.list([])).toEqual({ names: ["a.txt", "docs/"], isWhole: true });
  });

  it("PLK-10 reads and lists what lies in it", async () => {
    expect(await textOf(["docs", "b.txt"])).toBe("deeper");
    expect(await root.list([])).toEqual({ names: ["a.txt", "docs/"], isWhole: true });
    expect(await root.describe(["docs"])).toMatchObject({ kind: "folder" });
    expect(await root.describe([])).toMatchObject({ kind: "folder" });
    const part = await root.read(["a.txt"], 3);
    expect([Buffer.from(part.bytes).toString(), part.isWhole]).toEqual(["ins", false]);
    expect((await root.read(["a.txt"], 6)).isWhole).toBe(true);
  });

  it("PLK-10 follows no symbolic link, wherever in a path it stands and wherever it leads", async () => {
    await symlink(join(base, "out"), join(base, "in", "away"));
    await symlink(join(base, "out", "secret.txt"), join(base, "in", "secret.txt"));
    await symlink("a.txt", join(base, "in", "own.txt"));
    await symlink("../out", join(base, "in", "docs", "up"));
    await symlink("loop", join(base, "in", "loop"));
    const paths = [
      ["away", "secret.txt"],
      ["secret.txt"],
      ["own.txt"],
      ["docs", "up", "secret.txt"],
      ["loop"],
      ["away"],
    ];
    for (const path of paths) {
      const uses = [
        root.read(path, 100),
        root.describe(path),
        root.access(path),
        root.list(path),
        root.append(path, "x"),
        root.write(path, "x", true),
      ];
      for (const use of await Promise.allSettled(uses)) {
        expect(use).toMatchObject({ status: "rejected", reason: { name: "VerbError" } });
        expect(String((use as PromiseRejectedResult).reason)).not.toContain(base);
      }
      await expect(root.read(path, 100)).rejects.toMatchObject({ code: "outside-root" });
    }
    expect(await readFile(join(base, "out", "secret.txt"), "utf8")).toBe("outside");
    expect(await root.list([])).toMatchObject({ names: ["a.txt", "docs/"] });
  });

  it("is the folder that it was when it was opened, also when it was opened by a link", async () => {
    await symlink(join(base, "in"), join(base, "door"));
    const byLink = openRoot(join(base, "door"));
    await rm(join(base, "door"));
    await symlink(join(base, "out"), join(base, "door"));
    await expect(byLink.list([])).resolves.toMatchObject({ names: ["a.txt", "docs/"] });
  });

  it("names a path as it was asked for, and nothing above it", async () => {
    const error: unknown = await root.read(["docs", "none.txt"], 10).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "not-found", message: "there is no docs/none.txt" });
    await expect(root.read(["a.txt", "b"], 10)).rejects.toMatchObject({ code: "not-found" });
    await expect(root.read(["docs"], 10)).rejects.toMatchObject({ message: "docs is a folder, not a file" });
    await expect(root.read([], 10)).rejects.toMatchObject({ code: "argument" });
    await expect(root.list(["a.txt"])).rejects.toMatchObject({ code: "not-found" });
    await expect(root.read(["x".repeat(300)], 10)).rejects.toMatchObject({ code: "failed" });
  });

  it("PLK-10 writes whole files, makes folders, and replaces nothing unasked", async () => {
    await root.write(["new", "deep", "c.txt"], "one", false);
    await expect(root.write(["new", "deep", "c.txt"], "two", false)).rejects.toMatchObject({ code: "exists" });
    expect(await textOf(["new", "deep", "c.txt"])).toBe("one");
    await root.write(["new", "deep", "c.txt"], Buffer.from([0x74, 0x77, 0x6f]), true);
    await root.append(["new", "deep", "c.txt"], "!");
    await root.append(["log.txt"], "first");
    expect([await textOf(["new", "deep", "c.txt"]), await textOf(["log.txt"])]).toEqual(["two!", "first"]);
    expect(await root.list(["new", "deep"])).toMatchObject({ names: ["c.txt"] });
    await expect(root.write(["docs"], "x", true)).rejects.toMatchObject({ code: "bad-target" });
    await expect(root.append(["docs"], "x")).rejects.toMatchObject({ name: "VerbError" });
    expect((await stat(join(base, "in", "docs"))).isDirectory()).toBe(true);
  });

  it.runIf(process.platform === "linux")("does not wait for a pipe", async () => {
    expect(spawnSync("mkfifo", [join(base, "in", "pipe")]).status).toBe(0);
    await expect(root.read(["pipe"], 10)).rejects.toMatchObject({ code: "bad-target" });
    await expect(root.describe(["pipe"])).rejects.toMatchObject({ code: "bad-target" });
    expect(await root.list([])).toMatchObject({ names: ["a.txt", "docs/"] });
  });

  it("says that it is not a folder when it is built", () => {
    for (const folder of [join(base, "none"), join(base, "in", "a.txt"), ""]) {
      expect(refusal(() => openRoot(folder))).toMatchObject({ name: "AgentError", code: "invalid-options" });
    }
  });
});
