// Writing where a disk lacks what most have, and where something is in the way.

import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { nodeFiles } from "../../../src/host/files.js";

/** The codes that `link`, and the flushing of a folder, fail with. */
const broken = vi.hoisted(() => ({ link: "", sync: "" }));
vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  const fail = (code: string): never => {
    throw Object.assign(new Error(code), { code });
  };
  const link = async (from: string, to: string): Promise<void> =>
    broken.link === "" ? real.link(from, to) : fail(broken.link);
  const open = async (path: string, flags: string, mode?: number): ReturnType<typeof real.open> => {
    const handle = await real.open(path, flags, mode);
    if (flags === "r" && broken.sync !== "") handle.sync = async () => fail(broken.sync);
    return handle;
  };
  return { ...real, link, open };
});

const files = nodeFiles();
let folder: string;
const at = (...parts: string[]) => join(folder, ...parts);
const text = (path: string) => readFileSync(path, "utf8");
const create = (path: string, content = "new") => files.write(path, content, { overwrite: false });
const replace = (path: string, content = "new") => files.write(path, content, { overwrite: true });
const modeOf = (path: string) => statSync(path).mode & 0o777;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "playhead-write-"));
});

afterEach(() => {
  Object.assign(broken, { link: "", sync: "" });
  rmSync(folder, { recursive: true });
});

describe.each(["EPERM", "ENOTSUP", "ENOSYS", "EOPNOTSUPP"])("write where link fails with %s", (code) => {
  beforeEach(() => void (broken.link = code));

  it("creates a file, whole and alone", async () => {
    expect(await create(at("a"), "whole")).toEqual({ kind: "written" });
    expect([text(at("a")), readdirSync(folder)]).toEqual(["whole", ["a"]]);
  });

  it("replaces nothing that exists", async () => {
    writeFileSync(at("a"), "old");
    mkdirSync(at("b"));
    symlinkSync("nowhere", at("c"));
    for (const name of ["a", "b", "c"]) expect(await create(at(name))).toEqual({ kind: "exists" });
    expect([text(at("a")), readdirSync(folder)]).toEqual(["old", ["a", "b", "c"]]);
  });

  it("lets one of many win who create one file at once", async () => {
    const results = await Promise.all(Array.from({ length: 20 }, (_, n) => create(at("a"), `writer ${n}`)));
    const winners = results.flatMap(({ kind }, n) => (kind === "written" ? [n] : []));
    expect(winners).toHaveLength(1);
    expect([text(at("a")), readdirSync(folder)]).toEqual([`writer ${winners[0]}`, ["a"]]);
  });
});

describe("write", () => {
  it("fails, and leaves nothing, where link fails for another reason", async () => {
    broken.link = "EIO";
    expect(await create(at("a"))).toEqual({ kind: "failed", message: "EIO" });
    expect(readdirSync(folder)).toEqual([]);
  });

  it.skipIf(process.platform === "win32").each(["EINVAL", "ENOTSUP", "EPERM"])(
    "succeeds where a folder cannot be flushed (%s), which is not so for a broken disk",
    async (code) => {
      broken.sync = code;
      expect(await create(at("a"))).toEqual({ kind: "written" });
      broken.sync = "EIO";
      expect(await create(at("b"))).toEqual({ kind: "failed", message: "EIO" });
    },
  );

  it("takes a name as long as the disk does", async () => {
    const name = "n".repeat(255);
    expect(await create(at(name))).toEqual({ kind: "written" });
    expect(await replace(at(name), "newer")).toEqual({ kind: "written" });
    expect([text(at(name)), readdirSync(folder)]).toEqual(["newer", [name]]);
  });

  it.skipIf(process.platform === "win32")("keeps the permissions of a file that it replaces", async () => {
    for (const mode of [0o600, 0o640, 0o664, 0o755]) {
      writeFileSync(at("a"), "old");
      chmodSync(at("a"), mode);
      expect(await replace(at("a"))).toEqual({ kind: "written" });
      expect([text(at("a")), modeOf(at("a"))]).toEqual(["new", mode]);
    }
  });

  it("does not replace a read-only file", async () => {
    writeFileSync(at("a"), "old");
    chmodSync(at("a"), 0o444);
    expect(await replace(at("a"))).toEqual({ kind: "failed", message: "it is read-only" });
    expect([text(at("a")), readdirSync(folder)]).toEqual(["old", ["a"]]);
    chmodSync(at("a"), 0o644);
  });

  it("takes away what a write of ours left there more than a day ago, and nothing else", async () => {
    const [old, young] = [".playhead-0123456789ab.tmp", ".playhead-ba9876543210.tmp"];
    const others = [".playhead-0123456789ab.tmp.x", ".playhead-0123456789aG.tmp", ".playhead-01.tmp", "x.tmp"];
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
    for (const name of [old, young, ...others]) {
      writeFileSync(at(name), "");
      utimesSync(at(name), daysAgo(3), daysAgo(name === young ? 0.9 : 1.1));
    }
    mkdirSync(at(".playhead-aaaaaaaaaaaa.tmp"));
    expect(await nodeFiles().write(at("a"), "new", { overwrite: false })).toEqual({ kind: "written" });
    expect(readdirSync(folder)).toEqual([...others, young, ".playhead-aaaaaaaaaaaa.tmp", "a"].sort());
  });
});

describe("an empty path, and one with a NUL in it", () => {
  it.each([
    ["", "the path is empty"],
    ["a\0b", "the path has a NUL character in it"],
  ])("%j is failed for everything that takes one", async (path, message) => {
    const failed = { kind: "failed", message };
    expect(await create(path)).toEqual(failed);
    expect(await replace(path)).toEqual(failed);
    expect(await files.append(path, "x")).toEqual(failed);
    expect(await files.read(path, 9)).toEqual(failed);
    expect(await files.list(path, "")).toBeUndefined();
  });
});
