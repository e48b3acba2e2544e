import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { formatCassette } from "../../src/cassette/trust/cassette-store.js";
import type { Check } from "../../src/cli/doctor/check.js";
import { checkMode, isSupportedNode } from "../../src/cli/doctor/environment.js";
import { fixedPorts, weatherCassette } from "../support/recording.js";
import { cli, documentOf, folder } from "./run.js";

const one = formatCassette(await weatherCassette());
const other = formatCassette(await weatherCassette({ ports: fixedPorts(9) }));
const old = readFileSync(new URL("../corpus/v1-tool-call.cassette.json", import.meta.url), "utf8");
const cwd = join(folder, "doctor");
const put = (name: string, text: string) => writeFileSync(join(cwd, name), text);
const run = (...argv: string[]) => cli(argv, { cwd });

async function checks(env: Record<string, string> = {}): Promise<{ code: number; found: Map<string, Check> }> {
  const ran = await cli(["doctor", "--json"], { cwd, env });
  const list = documentOf(ran)["checks"] as Check[];
  return { code: ran.code, found: new Map(list.map((check) => [check.name, check])) };
}

beforeEach(() => {
  rmSync(cwd, { recursive: true, force: true });
  mkdirSync(join(cwd, "set/node_modules/x"), { recursive: true });
  put("set/a.cassette.json", one);
});

describe("cassette doctor", () => {
  it("is content with a locked folder, and looks into no package", async () => {
    put("set/node_modules/x/b.cassette.json", "not one");
    await run("lock", "set/a.cassette.json");
    const ran = await run("doctor");
    expect(ran.out).toMatch(/ 0 failed\n$/);
    expect(ran.code).toBe(0);
    const { found } = await checks();
    expect([...found.values()].map(({ name, status }) => `${name} ${status}`)).toEqual([
      "node ok",
      "mode ok",
      "keys ok",
      "peers ok",
      "cassettes ok",
      "versions ok",
      "lock ok",
      "orphans ok",
    ]);
  });

  it("names a cassette that is refused, and exits 1", async () => {
    put("set/b.cassette.json", one.replace("weather", "whether"));
    const { code, found } = await checks();
    expect(code).toBe(1);
    expect(found.get("cassettes")).toMatchObject({
      status: "fail",
      message: expect.stringContaining("b.cassette.json"),
    });
    expect(found.get("versions")).toMatchObject({
      status: "ok",
      message: expect.stringMatching(/^\d+ recordings? of/),
    });
  });

  it("warns of version 1, and of what was migrated from it", async () => {
    put("old.cassette.json", old);
    await run("migrate", "old.cassette.json", "--out", "new.cassette.json");
    const { code, found } = await checks();
    expect(code).toBe(0);
    expect(found.get("versions")?.message).toMatch(/1 of version 1 \(old.*1 migrated from it \(new/);
  });

  it("holds the lock against what is there", async () => {
    expect((await checks()).found.get("lock")).toMatchObject({ status: "warn" });
    await run("lock", "set/a.cassette.json");
    put("set/b.cassette.json", other);
    expect((await checks()).found.get("lock")).toMatchObject({
      status: "warn",
      message: expect.stringContaining("not locked"),
    });
    put("set/a.cassette.json", other);
    expect((await checks()).found.get("lock")).toMatchObject({
      status: "fail",
      message: expect.stringContaining("changed"),
    });
    rmSync(join(cwd, "set/a.cassette.json"));
    expect((await checks()).found.get("lock")).toMatchObject({
      status: "fail",
      message: expect.stringContaining("gone"),
    });
    put("cassettes.lock", "{");
    expect((await checks()).found.get("lock")).toMatchObject({ status: "fail" });
  });

  it("names every cassette outside the folder of the lock", async () => {
    await run("lock", "set/a.cassette.json");
    const outside = mkdtempSync(join(tmpdir(), "doctor-outside-"));
    for (const name of ["x", "y"])
      copyFileSync(join(cwd, "set/a.cassette.json"), join(outside, `${name}.cassette.json`));
    const list = documentOf(await run("doctor", outside, "--json"))["checks"] as Check[];
    rmSync(outside, { recursive: true });
    expect(list.find(({ name }) => name === "lock")?.message).toMatch(/2 not locked|x\.cassette.*y\.cassette/);
  });

  it("misses no locked file of a folder whose name begins with that of its own", async () => {
    mkdirSync(join(cwd, "set-old"));
    put("set-old/b.cassette.json", other);
    await run("lock", "set", "set-old");
    const list = documentOf(await run("doctor", "set", "--json"))["checks"] as Check[];
    expect(list.find(({ name }) => name === "lock")).toMatchObject({
      status: "ok",
      message: "cassettes.lock confirms 1 of 2 cassettes",
    });
  });

  it("finds signatures without a cassette, half-written files and bundles that are not whole", async () => {
    put("set/z.cassette.json.dsse", "{}");
    put("set/.playhead-0123456789ab.tmp", "half");
    put("set/team.bundle.json", "{}");
    const { found } = await checks();
    expect(found.get("orphans")?.message).toMatch(/z\.cassette\.json\.dsse.*playhead-0123456789ab/);
    expect(found.get("bundles")).toMatchObject({
      status: "fail",
      message: expect.stringContaining("team.bundle.json"),
    });
  });

  it("warns of a private key that others can read, and of provider keys in CI without showing them", async () => {
    await run("keygen", "--out", "key");
    expect((await checks()).found.get("keys")).toMatchObject({ status: "ok" });
    chmodSync(join(cwd, "key.pem"), 0o644);
    expect((await checks()).found.get("keys")).toMatchObject({
      status: "warn",
      message: expect.stringContaining("key.pem"),
    });
    const secret = ["not", "a", "real", "key"].join("-");
    const ran = await cli(["doctor"], { cwd, env: { CI: "1", OPENAI_API_KEY: secret } });
    expect(ran.out).toContain("OPENAI_API_KEY set, in CI");
    expect(ran.out).not.toContain(secret);
  });

  it("names an overlay that stayed set, since cassettes are then held against no lock", async () => {
    const { code, found } = await checks({ CASSETTE_OVERLAY: '{"seen":"s","replace":{}}' });
    expect(found.get("overlay")).toMatchObject({ status: "fail", hint: expect.stringContaining("Unset") });
    expect(code).toBe(1);
  });

  it("reads the trust list", async () => {
    const listed = JSON.parse((await run("keygen", "--out", "key")).out) as { keys: object[] };
    put("trust.json", JSON.stringify(listed));
    expect((await checks()).found.get("trust")).toMatchObject({ status: "ok" });
    const ended = { keys: listed.keys.map((key) => ({ ...key, notAfter: "2020-01-01T00:00:00Z" })) };
    put("trust.json", JSON.stringify(ended));
    expect((await checks()).found.get("trust")).toMatchObject({ status: "fail" });
  });

  it("says that there is nothing, and exits 2 for a folder that is not there", async () => {
    rmSync(join(cwd, "set"), { recursive: true });
    expect((await checks()).found.get("cassettes")).toMatchObject({ status: "warn" });
    expect((await run("doctor", "none")).code).toBe(2);
  });
});

describe("its environment", () => {
  it.each([
    ["20.18.9", false],
    ["20.19.0", true],
    ["21.9.0", false],
    ["22.11.0", false],
    ["22.12.0", true],
    ["23.1.0", false],
    ["24.0.0", true],
    ["26.10.0", true],
  ])("Node %s: %s", (version, expected) => {
    expect(isSupportedNode(version)).toBe(expected);
  });

  it("is the range that package.json states", () => {
    const { engines } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
      engines: { node: string };
    };
    expect(engines.node).toBe("^20.19.0 || ^22.12.0 || >=24.0.0");
  });

  it.each([
    [{}, "ok"],
    [{ CASSETTE_MODE: "record" }, "warn"],
    [{ CASSETTE_MODE: "record", CI: "true" }, "fail"],
    [{ CASSETTE_MODE: "reply" }, "fail"],
  ])("mode under %j: %s", (env, status) => {
    expect(checkMode(env).status).toBe(status);
  });
});
