import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { nodeFiles } from "../../../src/host/files.js";

const denied = vi.hoisted(() => ({ path: "" }));
vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  const readdir = async (path: string, options: object): Promise<unknown> => {
    if (path !== denied.path) return real.readdir(path, options);
    throw Object.assign(new Error(`EACCES: permission denied, scandir '${path}'`), { code: "EACCES" });
  };
  return { ...real, readdir };
});

const files = nodeFiles();
let folder: string;
const at = (...parts: string[]) => join(folder, ...parts);

function place(...paths: string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), "");
  }
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "playhead-list-"));
});

afterEach(() => {
  denied.path = "";
  rmSync(folder, { recursive: true });
});

describe("list", () => {
  it("follows a link to a folder outside", async () => {
    place("in/a.x", "out/b.x", "out/deep/c.x", "out/d.y");
    symlinkSync(at("out"), at("in", "link"));
    expect(await files.list(at("in"), ".x")).toEqual(["a.x", "link/b.x", "link/deep/c.x"]);
  });

  it("ends where links lead in a circle, and names each file by its own path once", async () => {
    place("a.x", "sub/b.x");
    symlinkSync(folder, at("a-loop"));
    symlinkSync(at("sub"), at("sub", "self"));
    symlinkSync("loop-2", at("loop-1"));
    symlinkSync("loop-1", at("loop-2"));
    expect(await files.list(folder, ".x")).toEqual(["a.x", "sub/b.x"]);
  });

  it("follows links that lead to links, and the first of two to one folder", async () => {
    place("in/a.x", "out/b.x", "far/c.x");
    symlinkSync(at("out"), at("in", "z"));
    symlinkSync(at("out"), at("in", "b"));
    symlinkSync(at("far"), at("out", "far"));
    expect(await files.list(at("in"), ".x")).toEqual(["a.x", "b/b.x", "b/far/c.x"]);
  });

  it("is the listing of the target where the folder is a link itself", async () => {
    place("real/a.x");
    symlinkSync(at("real"), at("link"));
    expect(await files.list(at("link"), ".x")).toEqual(["a.x"]);
  });

  it("names a link that leads nowhere when its name ends with the suffix", async () => {
    for (const name of ["gone.x", "gone.y"]) symlinkSync(at("nothing"), at(name));
    expect(await files.list(folder, ".x")).toEqual(["gone.x"]);
  });

  it("names a folder that cannot be read, and reading it says why", async () => {
    place("a.x", "secret/b.x");
    denied.path = at("secret");
    expect(await files.list(folder, ".x")).toEqual(["a.x", "secret"]);
    const said = { kind: "failed", message: `EACCES: permission denied, scandir '${at("secret")}'` };
    expect(await files.read(at("secret"), 9)).toEqual(said);
    expect(await files.list(at("secret"), ".x")).toBeUndefined();
  });

  // Other systems have no such names.
  it.runIf(process.platform === "linux")(
    "names a folder whose name is no UTF-8, which cannot be asked for",
    async () => {
      place("a.x");
      const odd = Buffer.concat([Buffer.from(at("odd-")), Buffer.from([0xff])]);
      mkdirSync(odd);
      writeFileSync(Buffer.concat([odd, Buffer.from("/b.x")]), "");
      expect(await files.list(folder, ".x")).toEqual(["a.x", "odd-\uFFFD"]);
    },
  );
});
