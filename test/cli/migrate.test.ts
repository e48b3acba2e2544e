import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { formatCassette } from "../../src/cassette/trust/cassette-store.js";
import { weatherCassette } from "../support/recording.js";
import { cli, documentOf, folder } from "./run.js";

const old = readFileSync(new URL("../corpus/v1-tool-call.cassette.json", import.meta.url), "utf8");
const now = formatCassette(await weatherCassette());
const cwd = join(folder, "migrate");
const at = (name: string) => join(cwd, name);
const run = (...argv: string[]) => cli(argv, { cwd });

beforeEach(() => {
  rmSync(cwd, { recursive: true, force: true });
  mkdirSync(at("old/deep"), { recursive: true });
  writeFileSync(at("old/a.cassette.json"), old);
});

describe("cassette migrate", () => {
  it("copies a folder, leaves version 2 and the originals alone, and says that nothing was proven", async () => {
    writeFileSync(at("old/deep/b.cassette.json"), now);
    const ran = await run("migrate", "old", "--out", "new");
    expect(ran.code).toBe(0);
    expect(ran.out).toContain("1 cassette migrated, 1 of version 2 already, 0 failed");
    expect(ran.out).toContain("Nothing proves the contents of version 1");
    expect(readFileSync(at("old/a.cassette.json"), "utf8")).toBe(old);
    expect(existsSync(at("new/deep/b.cassette.json"))).toBe(false);
    const verified = await run("verify", "new");
    expect(verified).toMatchObject({ code: 0 });
    expect(verified.out).toContain("hashes hold since it was migrated from version 1");
    expect((await run("verify", "new", "--require-integrity")).code).toBe(3);
    expect((await run("verify", "new", "--min-version", "2")).code).toBe(0);
    expect((await run("show", "new/a.cassette.json")).out).toContain("migrated from version 1");
  });

  it("can be locked from then on, and not be signed", async () => {
    await run("migrate", "old", "--out", "new");
    expect((await run("lock", "new")).code).toBe(0);
    expect((await run("verify", "new", "--lock")).code).toBe(0);
    await run("keygen", "--out", "key");
    const signed = await run("sign", "new/a.cassette.json", "--key", "key.pem");
    expect(signed.code).toBe(3);
    expect(signed.out).toContain("integrity-required");
  });

  it("overwrites nothing, and exits 2 with nothing migrated", async () => {
    writeFileSync(at("there.cassette.json"), "mine");
    const ran = await run("migrate", "old/a.cassette.json", "--out", "there.cassette.json");
    expect(ran.code).toBe(2);
    expect(ran.out).toContain("file-exists");
    expect(readFileSync(at("there.cassette.json"), "utf8")).toBe("mine");
  });

  it("exits 2 where all is version 2 already, and 3 where one was refused", async () => {
    writeFileSync(at("old/a.cassette.json"), now);
    expect((await run("migrate", "old", "--out", "new")).code).toBe(2);
    writeFileSync(at("old/a.cassette.json"), now.replace("weather", "whether"));
    const ran = await run("migrate", "old", "--out", "new", "--json");
    expect(ran.code).toBe(3);
    expect(documentOf(ran)).toMatchObject({ results: [{ status: "failed", error: { code: "response-hash" } }] });
  });

  it.each([
    ["a folder in itself", ["old", "--out", "old/deep"], "usage"],
    ["a folder in itself whose name begins with two dots", ["old", "--out", "old/..deep"], "usage"],
    ["the same folder", ["old", "--out", "old"], "usage"],
    ["a path that is not there", ["none", "--out", "new"], "nothing-found"],
    ["a folder without cassettes", ["old/deep", "--out", "new"], "nothing-found"],
  ])("refuses %s", async (_what, argv, code) => {
    const ran = await run("migrate", ...argv, "--json");
    expect(ran.code).toBe(2);
    expect(documentOf(ran).error?.code).toBe(code);
  });
});
