// Folders as a stranger may hand them over: pipes, devices, folders and links in the place of cassettes, links in a circle, a
// target that is a link, names that act on a terminal. Every command ends, says what it found, and touches nothing else.

import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createCassetteStore, formatCassette } from "../../src/cassette/trust/cassette-store.js";
import { nodeFiles } from "../../src/host/files.js";
import { weatherCassette } from "../support/recording.js";
import { cli, documentOf, folder } from "./run.js";

const cassette = await weatherCassette();
const mkfifo = "/usr/bin/mkfifo";

/** One good cassette among everything else that may bear such a name. */
function setUp(name: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, "folder.cassette.json"), { recursive: true });
  writeFileSync(join(path, "good.cassette.json"), formatCassette(cassette));
  symlinkSync("nowhere", join(path, "dangling.cassette.json"));
  symlinkSync("self.cassette.json", join(path, "self.cassette.json"));
  symlinkSync("..", join(path, "up"));
  symlinkSync(".", join(path, "here"));
  symlinkSync("/dev/zero", join(path, "zero.cassette.json"));
  spawnSync(mkfifo, [join(path, "pipe.cassette.json")]);
  return path;
}

describe.skipIf(!existsSync(mkfifo) || !existsSync("/dev/zero"))("a folder of odd files", () => {
  const odd = setUp("odd/one");

  it.each([
    ["verify", ["verify", odd], 2],
    ["diff", ["diff", odd, odd], 2],
    ["lock", ["lock", odd, "--file", join(folder, "odd/cassettes.lock")], 2],
    ["prune", ["prune", odd], 2],
    ["serve", ["serve", odd], 2],
    ["show of a pipe", ["show", join(odd, "pipe.cassette.json")], 2],
    ["show of a device", ["show", join(odd, "zero.cassette.json")], 2],
    ["show of a folder", ["show", join(odd, "folder.cassette.json")], 2],
    ["attest of a device", ["attest", join(odd, "zero.cassette.json")], 2],
    ["import of a pipe", ["import", join(odd, "pipe.cassette.json"), "--out", join(folder, "odd/out")], 2],
  ])("ends %s with what is wrong", async (_name, argv, code) => {
    const ran = await cli([...argv, "--json"]);
    expect(documentOf(ran).exitCode).toBe(code);
    expect(ran.out).not.toContain('"code": "internal"');
  });

  it("hides none of them from verify, which names each file once", async () => {
    const { files } = documentOf(await cli(["verify", odd, "--json"])) as unknown as {
      files: { file: string; status: string }[];
    };
    const inside = files
      .filter(({ file }) => !file.includes("/up/"))
      .map(({ file, status }) => [file.slice(odd.length + 1), status]);
    expect(inside).toEqual([
      ["dangling.cassette.json", "unreadable"],
      ["good.cassette.json", "ok"],
      ["pipe.cassette.json", "unreadable"],
      ["self.cassette.json", "unreadable"],
      ["zero.cassette.json", "unreadable"],
    ]);
    expect(existsSync(join(folder, "odd/cassettes.lock"))).toBe(false);
  });
});

describe("a target that is a link", () => {
  it("is replaced itself, and what it leads to keeps its bytes", async () => {
    const [target, link] = [join(folder, "precious"), join(folder, "link.cassette.json")];
    writeFileSync(target, "precious");
    symlinkSync(target, link);
    const store = createCassetteStore(nodeFiles());
    await expect(store.save(link, cassette)).rejects.toMatchObject({ code: "file-exists" });
    await store.save(link, cassette, { overwrite: true });
    expect(readFileSync(target, "utf8")).toBe("precious");
    expect(lstatSync(link).isSymbolicLink()).toBe(false);
    expect(await store.load(link)).toEqual(cassette);
  });

  it("that leads nowhere is not written through", async () => {
    const link = join(folder, "nowhere.cassette.json");
    symlinkSync(join(folder, "not-there"), link);
    const store = createCassetteStore(nodeFiles());
    await expect(store.save(link, cassette)).rejects.toMatchObject({ code: "file-exists" });
    expect(existsSync(join(folder, "not-there"))).toBe(false);
  });
});

describe.skipIf(process.getuid?.() === 0)("a file that may not be read", () => {
  it("is unreadable, and hides no other", async () => {
    const path = join(folder, "locked");
    mkdirSync(path);
    for (const name of ["a", "b"]) writeFileSync(join(path, `${name}.cassette.json`), formatCassette(cassette));
    chmodSync(join(path, "a.cassette.json"), 0);
    const { summary } = documentOf(await cli(["verify", path, "--json"]));
    expect(summary).toMatchObject({ files: 2, ok: 1, unreadable: 1 });
  });
});

describe("names that act on a terminal", () => {
  it("are shown as escapes by verify and prune", async () => {
    const path = join(folder, "names");
    mkdirSync(path);
    writeFileSync(join(path, "a\u001b[2J\u202e.cassette.json"), "torn");
    for (const argv of [
      ["verify", path],
      ["prune", path],
    ]) {
      const { out, err } = await cli(argv);
      expect(out).toContain("\\u001b[2J\\u202e");
      expect(out + err).not.toMatch(/[\u001b\u202e]/);
    }
  });
});
