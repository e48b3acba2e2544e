// The demo keeps its word: what it says it did can be read from what it leaves behind.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseCassette } from "../../src/cassette/trust/load-cassette.js";
import { oracleAvailable, verifyWithOracle } from "../support/oracle.js";
import { cli, documentOf, folder } from "./run.js";

interface DemoDocument {
  cassettes: string[];
  report: string;
  steps: { title: string; lines: string[] }[];
  drifts: { kind: string }[];
}

describe("cassette demo", () => {
  it("records, replays, refuses and compares, and leaves valid cassettes", async () => {
    const ran = await cli(["demo", "--out", "demo"]);
    expect(ran).toMatchObject({ code: 0, err: "" });
    expect(ran.out).toContain("0 requests to the model's server");
    expect(ran.out).toContain("[prompt-hash]");
    expect(ran.out).toContain("[downgrade]");
    expect(ran.out).toContain("turn 0: the system prompt changed");
    const files = ["orbit-1", "orbit-2"].map((name) => join(folder, "demo", `${name}.cassette.json`));
    const [old, now] = files.map((file) => parseCassette(readFileSync(file)));
    expect([old?.entries.length, now?.entries.length]).toEqual([3, 4]);
    if (oracleAvailable) expect(verifyWithOracle(files)).toEqual(["ok", "ok"]);
    const report = readFileSync(join(folder, "demo", "drift-report.md"), "utf8");
    expect(report).toContain("**args-changed**");
  });

  it("leaves tampered files that verify refuses, each for its reason", async () => {
    await cli(["demo", "--out", "tricks"]);
    const ran = await cli(["verify", "tricks/tampered", "--json"]);
    expect(ran.code).toBe(3);
    expect(ran.out).toContain("prompt-hash");
    expect(ran.out).toContain("downgrade");
  });

  it("runs again into its own folder, and refuses one that is somebody else's", async () => {
    await cli(["demo", "--out", "again"]);
    expect((await cli(["demo", "--out", "again"])).code).toBe(0);
    mkdirSync(join(folder, "mine"));
    writeFileSync(join(folder, "mine", "thesis.txt"), "x");
    const ran = await cli(["demo", "--out", "mine"]);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain("contains files that the demo did not write");
    expect(existsSync(join(folder, "mine", "orbit-1.cassette.json"))).toBe(false);
  });

  it("tells the same as one document", async () => {
    const document = documentOf(await cli(["demo", "--out", "json", "--json"])) as unknown as DemoDocument;
    expect(document.steps).toHaveLength(7);
    expect(document.cassettes).toHaveLength(2);
    expect(document.drifts.map(({ kind }) => kind)).toContain("args-changed");
    expect(existsSync(join(folder, document.report))).toBe(true);
  });
});
