import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createScanner, readRepository } from "../../../src/cli/agent/files.js";
import { MAX_WATCHED_FILE_BYTES, MAX_WATCHED_FILES } from "../../../src/cli/limits.js";
import { sha256Hex } from "../../../src/core/index.js";

const empty = () => mkdtempSync(join(tmpdir(), "agent-files-"));
const put = (folder: string, path: string, text = path) => {
  mkdirSync(join(folder, path, ".."), { recursive: true });
  writeFileSync(join(folder, path), text);
};

describe("a scan of a folder", () => {
  it("has the size and the hash of each file, and the target of a link, which is not followed", async () => {
    const folder = empty();
    put(folder, "a.txt", "abc");
    put(folder, "b/c d\né.txt");
    symlinkSync("../outside", join(folder, "link"));
    symlinkSync(".", join(folder, "loop"));
    const { files, notes } = await createScanner(folder, [])();
    expect(Object.fromEntries(files)).toMatchObject({
      "a.txt": { size: 3, sha256: sha256Hex("abc") },
      "b/c d\né.txt": { size: Buffer.byteLength("b/c d\né.txt") },
      link: { link: "../outside" },
      loop: { link: "." },
    });
    expect(notes).toEqual([]);
  });

  it("leaves out what it is told to, .git and node_modules", async () => {
    const folder = empty();
    for (const path of ["a", "out/b", "outer/c", ".git/d", "node_modules/e", "f/node_modules/g"]) put(folder, path);
    const { files } = await createScanner(folder, ["out/"])();
    expect([...files.keys()]).toEqual(["a", "outer/c"]);
  });

  it("leaves out ignored files of a repository, and has new, tracked and changed ones", async () => {
    const folder = empty();
    execFileSync("git", ["init", "-q"], { cwd: folder });
    put(folder, ".gitignore", "ignored\n");
    for (const path of ["tracked", "ignored", "new"]) put(folder, path);
    execFileSync("git", ["add", "tracked"], { cwd: folder });
    const { files } = await createScanner(folder, [])();
    expect([...files.keys()]).toEqual([".gitignore", "new", "tracked"]);
    expect(await readRepository(folder)).toMatchObject({ changed: ["tracked", ".gitignore", "new"] });
    expect(await readRepository(empty())).toBeUndefined();
  });

  it("has all files of a folder that a repository ignores", async () => {
    const folder = empty();
    execFileSync("git", ["init", "-q"], { cwd: folder });
    put(folder, ".gitignore", "work/\n");
    put(folder, "work/a");
    const { files } = await createScanner(join(folder, "work"), [])();
    expect([...files.keys()]).toEqual(["a"]);
    expect(await readRepository(join(folder, "work"))).toBeUndefined();
  });

  it("reads a file again that was changed within its size and time of change", async () => {
    const folder = empty();
    put(folder, "a", "abc");
    const scan = createScanner(folder, []);
    const before = (await scan()).files.get("a");
    const { atime, mtime } = statSync(join(folder, "a"));
    put(folder, "a", "abd");
    utimesSync(join(folder, "a"), atime, mtime);
    expect((await scan()).files.get("a")).not.toEqual(before);
    rmSync(join(folder, "a"));
    expect((await scan()).files.has("a")).toBe(false);
  });

  it("says what it could not look at", async () => {
    const folder = empty();
    put(folder, "large");
    truncateSync(join(folder, "large"), MAX_WATCHED_FILE_BYTES + 1);
    execFileSync("mkfifo", [join(folder, "pipe")]);
    execFileSync("git", ["init", "-q"], { cwd: folder });
    mkdirSync(join(folder, "module"));
    execFileSync("git", ["init", "-q"], { cwd: join(folder, "module") });
    put(folder, "module/a");
    const { files, notes } = await createScanner(folder, [])();
    expect(files.get("large")).toEqual({ size: MAX_WATCHED_FILE_BYTES + 1 });
    expect(notes.join("\n")).toContain(`large has more than ${MAX_WATCHED_FILE_BYTES} bytes`);
    expect(notes.join("\n")).toContain("module/ is a folder of its own repository");
    if (process.getuid?.() === 0) return;
    put(folder, "secret");
    chmodSync(join(folder, "secret"), 0);
    expect((await createScanner(folder, [])()).notes.join("\n")).toContain("secret cannot be read: EACCES");
  });

  it("stops at its limit of files", async () => {
    const folder = empty();
    for (let index = 0; index < MAX_WATCHED_FILES + 5; index++) writeFileSync(join(folder, `${index}`), "");
    const { files, notes } = await createScanner(folder, [])();
    expect(files.size).toBe(MAX_WATCHED_FILES);
    expect(notes).toEqual([`the folder has more than ${MAX_WATCHED_FILES} files`]);
  });
});
