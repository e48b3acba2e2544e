import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { AgentBundle } from "../../src/cassette/bundle/format.js";
import { createBundleStore } from "../../src/cassette/bundle/store.js";
import { nodeFiles, pathBeside } from "../../src/host/files.js";
import { trioBundle } from "../support/bundles.js";
import { cli, documentOf, folder } from "./run.js";

const runs = join(folder, "runs");
const file = join("runs", "trip.bundle.json");
let recorded: AgentBundle;

beforeEach(async () => {
  rmSync(runs, { recursive: true, force: true });
  recorded = await trioBundle();
  await createBundleStore(nodeFiles(), pathBeside).save(join(runs, "trip.bundle.json"), recorded);
});

const cassetteOf = (id: string) => join(runs, recorded.bundle.agents[id]?.cassette ?? "");

describe("cassette verify of a bundle", () => {
  it("checks it with its cassettes and prints agents, turns, path and the first 8 digits of its hash", async () => {
    const proof = recorded.bundle.bundleHash.slice(0, 8);
    expect(await cli(["verify", file])).toEqual({
      code: 0,
      out:
        `ok         ${file}  bundle v1  2 agents, 3 turns  researcher → actor  ${proof}\n` +
        "1 path checked: 1 ok, 0 refused, 0 unreadable\n",
      err: "",
    });
  });

  it("gives its facts as JSON", async () => {
    const { files } = documentOf(await cli(["verify", "--json", file])) as unknown as { files: unknown[] };
    expect(files).toEqual([
      {
        file,
        status: "ok",
        bundleVersion: 1,
        agents: 2,
        turns: 3,
        path: ["researcher", "actor"],
        bundleHash: recorded.bundle.bundleHash,
      },
    ]);
  });

  it("finds it in a folder, next to the cassettes that it lists", async () => {
    const ran = await cli(["verify", "runs"]);
    expect(ran.code).toBe(0);
    expect(ran.out).toContain("3 paths checked: 3 ok, 0 refused, 0 unreadable");
    expect(ran.out).toContain(`ok         ${file}  bundle v1`);
  });

  it("refuses one whose cassette is missing, though every file that is there holds", async () => {
    rmSync(cassetteOf("actor"));
    const ran = await cli(["verify", "runs"]);
    expect(ran.code).toBe(3);
    expect(ran.out).toContain("2 paths checked: 1 ok, 1 refused, 0 unreadable");
    expect(ran.out).toContain(`refused    ${file}  bundle-mismatch: ${recorded.bundle.agents["actor"]?.cassette}`);
  });

  it("refuses one with a sound cassette under another agent's name", async () => {
    writeFileSync(cassetteOf("actor"), readFileSync(cassetteOf("researcher")));
    const ran = await cli(["verify", "runs"]);
    expect(ran.code).toBe(3);
    expect(ran.out).toContain("3 paths checked: 2 ok, 1 refused, 0 unreadable");
  });

  it("refuses one that was edited, and says where", async () => {
    const path = join(runs, "trip.bundle.json");
    writeFileSync(path, readFileSync(path, "utf8").replace('"conditional": true', '"conditional": false'));
    const ran = await cli(["verify", file]);
    expect(ran.code).toBe(3);
    expect(ran.out).toContain(`refused    ${file}  bundle-hash: the bundle was changed after it was written`);
  });

  it("exits 2 for one that is missing", async () => {
    expect((await cli(["verify", "runs/other.bundle.json"])).code).toBe(2);
  });
});

describe("what is asked of a bundle beyond its hashes", () => {
  const lockFile = join(folder, "bundle.lock");
  const trustFile = join(folder, "bundle-trust.json");

  beforeEach(async () => {
    for (const path of [lockFile, trustFile, join(folder, "bundle.pem")]) rmSync(path, { force: true });
    writeFileSync(lockFile, '{ "lockVersion": 1, "cassettes": {} }');
    writeFileSync(trustFile, (await cli(["keygen", "--out", "bundle"])).out);
  });

  it("is asked of its cassettes, though the bundle alone was named: the lock", async () => {
    const ran = await cli(["verify", file, "--lock", "bundle.lock"]);
    expect(ran.code).toBe(3);
    expect(ran.out).toContain(
      `refused    ${join("runs", recorded.bundle.agents["actor"]?.cassette ?? "")}  lock-mismatch`,
    );
    expect(ran.out).toContain("3 paths checked: 1 ok, 2 refused, 0 unreadable");
  });

  it("is asked of its cassettes, though the bundle alone was named: a signature", async () => {
    const flags = ["--trust", "bundle-trust.json", "--require-signature"];
    const ran = await cli(["verify", file, ...flags]);
    expect(ran.code).toBe(3);
    expect(ran.out.match(/signature-missing/g)).toHaveLength(2);
    const members = Object.values(recorded.bundle.agents).map(({ cassette }) => join("runs", cassette));
    expect((await cli(["sign", ...members, "--key", "bundle.pem"])).code).toBe(0);
    const signed = await cli(["verify", file, ...flags]);
    expect(signed.code).toBe(0);
    expect(signed.out).toContain("3 paths checked: 3 ok, 0 refused, 0 unreadable");
  });

  it("lists each cassette once where a folder names them too, and none of a bundle that does not load", async () => {
    const ran = await cli(["verify", file, "runs", "--trust", "bundle-trust.json"]);
    expect(ran.out).toContain("3 paths checked: 3 ok, 0 refused, 0 unreadable");
    writeFileSync(join(runs, "trip.bundle.json"), "{");
    expect((await cli(["verify", file, "--trust", "bundle-trust.json"])).out).toContain(
      "1 path checked: 0 ok, 1 refused",
    );
  });

  it("takes --max-bytes for the bundle and for its cassettes", async () => {
    expect((await cli(["verify", file, "--max-bytes", "100"])).out).toContain("too-large");
  });
});

describe("a bundle on a disk", () => {
  it("is replaced whole: the old cassettes are gone and the new ones verify", async () => {
    const fresh = await trioBundle({}, 100);
    const store = createBundleStore(nodeFiles(), pathBeside);
    await store.save(join(runs, "trip.bundle.json"), fresh, { overwrite: true });
    expect(existsSync(cassetteOf("actor"))).toBe(false);
    expect(readdirSync(runs)).toHaveLength(3);
    expect(await store.load(join(runs, "trip.bundle.json"))).toEqual(fresh);
  });
});
