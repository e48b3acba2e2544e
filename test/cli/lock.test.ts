import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { formatCassette } from "../../src/cassette/trust/cassette-store.js";
import { parseLock } from "../../src/cassette/trust/lock.js";
import { runCli } from "../../src/cli/main.js";
import { nodeFiles } from "../../src/host/files.js";
import { fixedPorts, weatherCassette } from "../support/recording.js";
import { hasShared, readShared } from "../support/shared.js";
import { cli, documentOf, folder } from "./run.js";

const texts = [
  formatCassette(await weatherCassette()),
  formatCassette(await weatherCassette({ ports: fixedPorts(9) })),
] as const;
const [one, other] = texts;
const cwd = join(folder, "work");
const at = (name: string) => join(cwd, name);
const put = (name: string, text: string) => writeFileSync(at(name), text);
const run = (...argv: string[]) => cli(argv, { cwd });
const lockText = () => readFileSync(at("cassettes.lock"), "utf8");

/** Version 2 without anything that version 2 brought. */
function strip(text: string): string {
  const { recordedAt, recordedProvider, entries } = JSON.parse(text) as Record<string, unknown> & {
    entries: Record<string, unknown>[];
  };
  const bare = entries.map(({ turnIndex, promptHash, response }) => ({ turnIndex, promptHash, response }));
  return JSON.stringify({ version: 1, recordedAt, recordedProvider, entries: bare });
}

beforeEach(() => {
  rmSync(cwd, { recursive: true, force: true });
  mkdirSync(at("set/deep"), { recursive: true });
  put("set/a.cassette.json", one);
  put("set/deep/b.cassette.json", other);
});

describe("cassette lock", () => {
  it("writes a lock of a folder, sorted, and says what it added", async () => {
    expect(await run("lock", "set")).toEqual({
      code: 0,
      out: "added      set/a.cassette.json\nadded      set/deep/b.cassette.json\ncassettes.lock written: 2 cassettes\n",
      err: "",
    });
    const lock = parseLock(lockText());
    expect([...lock.keys()]).toEqual(["set/a.cassette.json", "set/deep/b.cassette.json"]);
    expect(lock.get("set/a.cassette.json")?.entries).toBe(2);
  });

  it("loses nothing that another process locked while it read the cassettes", async () => {
    await run("lock", "set/deep");
    const theirs = lockText();
    rmSync(at("cassettes.lock"));
    const files = nodeFiles();
    let err = "";
    const code = await runCli(["lock", "set/a.cassette.json"], {
      stdout: () => undefined,
      stderr: (text) => void (err += text),
      env: {},
      cwd,
      isTTY: false,
      stderrIsTTY: false,
      files: {
        ...files,
        read(path, maxBytes) {
          if (path.endsWith("a.cassette.json")) put("cassettes.lock", theirs);
          return files.read(path, maxBytes);
        },
      },
    });
    expect([code, lockText()]).toEqual([2, theirs]);
    expect(err).toContain("another process wrote cassettes.lock while the cassettes were read");
    expect((await run("lock", "set/a.cassette.json")).code).toBe(0);
    expect([...parseLock(lockText()).keys()]).toEqual(["set/a.cassette.json", "set/deep/b.cassette.json"]);
  });

  it("writes nothing when nothing changed, and looks at what is locked where no path is given", async () => {
    await run("lock", "set");
    const before = lockText();
    for (const argv of [["lock", "set"], ["lock"], ["lock", "--check"]]) {
      expect(await run(...argv)).toEqual({ code: 0, out: "cassettes.lock is up to date: 2 cassettes\n", err: "" });
    }
    expect(lockText()).toBe(before);
  });

  it("adds a new one, and keeps those of other folders", async () => {
    await run("lock", "set/deep");
    expect((await run("lock", "set/a.cassette.json")).code).toBe(0);
    expect([...parseLock(lockText()).keys()]).toEqual(["set/a.cassette.json", "set/deep/b.cassette.json"]);
  });

  it("follows a changed and a removed one only when it is told to", async () => {
    await run("lock", "set");
    const before = lockText();
    put("set/a.cassette.json", other);
    rmSync(at("set/deep/b.cassette.json"));
    const refused = await run("lock", "set");
    expect(refused.code).toBe(3);
    expect(refused.out).toMatch(/changed {4}set\/a\.cassette\.json {2}it is another recording \(cassetteId 090a/);
    expect(refused.out).toContain("removed    set/deep/b.cassette.json\n");
    expect(refused.out).toContain(
      "cassettes.lock was not changed: review the changes, then run this again with --update",
    );
    expect(lockText()).toBe(before);
    expect((await run("lock", "set", "--update")).code).toBe(0);
    expect([...parseLock(lockText()).keys()]).toEqual(["set/a.cassette.json"]);
    expect((await run("verify", "set", "--lock")).code).toBe(0);
  });

  it("with --check writes nothing and exits 3 for anything that is new, changed or removed", async () => {
    const ran = await run("lock", "set", "--check");
    expect([ran.code, existsSync(at("cassettes.lock"))]).toEqual([3, false]);
    expect(ran.out).toContain("added      set/a.cassette.json");
    expect(ran.out).toContain("cassettes.lock is not up to date; nothing was written");
  });

  it.each(["true", "1", "jenkins"])("writes nothing where CI is %s, and checks there", async (CI) => {
    const ran = await cli(["lock", "set"], { cwd, env: { CI } });
    expect(ran).toMatchObject({ code: 2, out: "" });
    expect(ran.err).toContain("CI is set, and no lock is written in CI");
    expect(existsSync(at("cassettes.lock"))).toBe(false);
    await run("lock", "set");
    expect((await cli(["lock", "set", "--check"], { cwd, env: { CI } })).code).toBe(0);
  });

  it.each([
    ["an edited cassette", one.replace("Take an umbrella.", "Stay in."), "response-hash"],
    ["version 1", strip(one), "integrity-required"],
  ])("refuses %s, and locks no other then", async (_, text, code) => {
    put("set/a.cassette.json", text);
    const ran = await run("lock", "set");
    expect(ran.code).toBe(3);
    expect(ran.out).toContain(`refused    set/a.cassette.json  ${code}: `);
    expect(ran.out).toContain("cassettes.lock was not changed: 1 cassette cannot be locked");
    expect(existsSync(at("cassettes.lock"))).toBe(false);
  });

  it("exits 2 for a path that is not there, an empty folder, and no path at all", async () => {
    mkdirSync(at("empty"));
    expect((await run("lock", "typo.cassette.json")).out).toContain(
      "file-not-found: there is no cassette at typo.cassette.json",
    );
    expect((await run("lock", "typo.cassette.json")).code).toBe(2);
    expect((await run("lock", "empty")).code).toBe(2);
    expect(await run("lock")).toMatchObject({
      code: 2,
      err: expect.stringContaining("there is no lock yet") as string,
    });
  });

  it("keeps to a lock above its cassettes", async () => {
    const ran = await run("lock", "set", "--file", "set/deep/own.lock");
    expect(ran).toMatchObject({
      code: 2,
      err: expect.stringContaining("set/a.cassette.json is not below the folder of set/deep/own.lock") as string,
    });
    expect((await run("lock", "set/deep", "--file", "set/deep/own.lock")).code).toBe(0);
    expect([...parseLock(readFileSync(at("set/deep/own.lock"))).keys()]).toEqual(["b.cassette.json"]);
  });

  it("does not write over a damaged lock", async () => {
    put("cassettes.lock", "{");
    expect((await run("lock", "set", "--update")).code).toBe(3);
    expect(lockText()).toBe("{");
  });

  it("prints one JSON document", async () => {
    const document = documentOf(await run("lock", "set", "--json"));
    expect(document).toMatchObject({
      command: "lock",
      outcome: "written",
      file: "cassettes.lock",
      cassettes: 2,
      refused: [],
    });
    expect(document["changes"]).toMatchObject([{ kind: "added", path: "set/a.cassette.json" }, { kind: "added" }]);
  });
});

describe("cassette verify --lock", () => {
  beforeEach(async () => void (await run("lock", "set")));

  it.each([
    [["set", "--lock"]],
    [["--lock", "cassettes.lock", "set"]],
    [["--lock"]],
    [["set/a.cassette.json", "--lock"]],
  ])("says that the lock confirms each (%j)", async (argv) => {
    const ran = await run("verify", ...argv);
    expect(ran.code).toBe(0);
    expect(ran.out).toContain(
      "set/a.cassette.json  v2  2 turns  scripted  00010203  hashes hold; lock confirms; unsigned",
    );
    expect(ran.out).not.toContain("no lock checked");
  });

  it("fails for one that differs, though all its hashes hold", async () => {
    put("set/a.cassette.json", other);
    expect((await run("verify", "set")).code).toBe(0);
    const ran = await run("verify", "set", "--lock");
    expect(ran.code).toBe(3);
    expect(ran.out).toContain(
      "refused    set/a.cassette.json  lock-mismatch: it is not the cassette that was locked: ",
    );
  });

  it("fails for a new one", async () => {
    put("set/new.cassette.json", one);
    const ran = await run("verify", "set", "--lock");
    expect(ran.code).toBe(3);
    expect(ran.out).toContain(
      "refused    set/new.cassette.json  lock-mismatch: it is new: the lock has no set/new.cassette.json",
    );
  });

  it("fails for one that is missing, by its folder, its name, or the whole lock", async () => {
    rmSync(at("set/deep"), { recursive: true });
    for (const paths of [["set"], ["set/deep/b.cassette.json"], ["set/deep"], []]) {
      const ran = await run("verify", ...paths, "--lock");
      expect(ran.code).toBe(3);
      expect(ran.out).toContain("refused    set/deep/b.cassette.json  lock-mismatch: it is missing");
    }
    expect((await run("verify", "set/a.cassette.json", "--lock")).code).toBe(0);
  });

  it("finds a locked one whose name does not end in .cassette.json", async () => {
    put("set/plain.json", one);
    await run("lock", "set/plain.json");
    expect((await run("verify", "set", "--lock")).out).toContain("3 paths checked: 3 ok");
  });

  it("fails for a lower version: label only, some fields left, and stripped whole", async () => {
    const parsed = JSON.parse(one) as { entries: object[] };
    const some = JSON.parse(strip(one)) as { entries: object[] };
    some.entries = parsed.entries;
    for (const [text, code] of [
      [JSON.stringify({ ...parsed, version: 1 }), "downgrade"],
      [JSON.stringify(some), "downgrade"],
      [strip(one), "lock-mismatch: it has version 1, lower than the 2 of the lock"],
    ]) {
      put("set/a.cassette.json", text ?? "");
      const ran = await run("verify", "set", "--lock");
      expect(ran.code).toBe(3);
      expect(ran.out).toContain(`refused    set/a.cassette.json  ${code}`);
    }
    expect((await run("verify", "set")).code).toBe(0);
    expect((await run("verify", "set", "--min-version", "2")).code).toBe(3);
    expect((await run("verify", "set", "--min-version", "1")).code).toBe(0);
  });

  it.skipIf(!hasShared)("fails for the shared example that was stripped to version 1", async () => {
    put("set/a.cassette.json", readShared("vectors/cassettes/good-with-prompts.json"));
    await run("lock", "set", "--update");
    put("set/a.cassette.json", readShared("vectors/cassettes/stripped-to-v1.json"));
    expect((await run("verify", "set")).code).toBe(0);
    expect((await run("verify", "set", "--lock")).out).toContain("lower than the 2 of the lock");
  });

  it("refuses one that lies outside the folder of the lock", async () => {
    writeFileSync(join(folder, "outside.cassette.json"), one);
    const ran = await run("verify", "../outside.cassette.json", "--lock");
    expect(ran.code).toBe(3);
    expect(ran.out).toContain("it is not below the folder of the lock");
  });

  it("says what to do about a lock that is a folder, is missing, or is damaged", async () => {
    expect((await run("verify", "--lock", "set")).err).toContain("set is a folder, not a lock");
    expect((await run("verify", "set", "--lock", "none.lock")).err).toContain("there is no lock at none.lock");
    put("cassettes.lock", '{"lockVersion":1,"cassettes":{"../x":{}}}');
    expect(await run("verify", "set", "--lock")).toMatchObject({ code: 3, out: "" });
  });

  it("wants a path where there is no lock to name them", async () => {
    expect(await run("verify")).toMatchObject({ code: 2, err: expect.stringContaining("no path was given") as string });
  });

  it("prints the layers in the JSON document", async () => {
    const { files } = documentOf(await run("verify", "set/a.cassette.json", "--lock", "--json")) as unknown as {
      files: object[];
    };
    expect(files).toMatchObject([
      { status: "ok", layers: { hashes: "hold", lock: "confirms", signature: "none", signatures: [] } },
    ]);
  });
});
