import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { buildCassette } from "../../src/cassette/file/build.js";
import { PRICING_DATE } from "../../src/core/model/pricing.js";
import { call, runOf } from "../cassette/diff/runs.js";
import { judgeRecording } from "../support/judge.js";
import { cli, documentOf, folder, place } from "./run.js";

function tree(name: string): string {
  mkdirSync(join(folder, name, "inner"), { recursive: true });
  place(`${name}/a.cassette.json`, runOf([{ calls: [call("read"), call("read")] }, { say: "done" }], "p1"));
  place(`${name}/inner/b.cassette.json`, runOf([{ calls: [call("read"), call("\u001b[2Jwrite")] }], "p2"));
  return join(folder, name);
}

describe("cassette stats", () => {
  it("counts turns, calls by tool, providers, versions and bytes", async () => {
    const path = tree("sums");
    const ran = await cli(["stats", path, "--json"]);
    const bytes = ["a", "inner/b"].map((name) => readFileSync(join(path, `${name}.cassette.json`)).length);
    expect(ran.code).toBe(0);
    expect(documentOf(ran)).toMatchObject({
      cassettes: 2,
      bytes: (bytes[0] ?? 0) + (bytes[1] ?? 0),
      usage: { turns: 3, inputTokens: 0, outputTokens: 0, turnsWithoutTokens: 3, turnsWithoutCost: 3 },
      toolCalls: 4,
      tools: {
        names: [
          { name: "read", count: 3, cassettes: 2 },
          { name: "\u001b[2Jwrite", count: 1, cassettes: 1 },
        ],
      },
      models: { names: [] },
      providers: {
        names: [
          { name: "p1", count: 1 },
          { name: "p2", count: 1 },
        ],
      },
      version1: 0,
      version2: 2,
      signed: 0,
      withoutPrompts: 2,
      oldest: "2026-11-20T12:00:00.000Z",
      newest: "2026-11-20T12:00:00.000Z",
      refused: 0,
      failures: [],
    });
  });

  it("prints it for a person, unknown where nothing is known, and every name escaped", async () => {
    const { out } = await cli(["stats", tree("words")]);
    expect(out).toMatch(
      /^2 cassettes: 3 turns, 4 tool calls, [\d.]+ KiB\n {2}tokens {3}unknown\n {2}cost {5}unknown\n/,
    );
    expect(out).toContain("  3  read in 2 cassettes\n          1  \\u001b[2Jwrite in 1 cassette\n");
  });

  it("says how many are those of judges", async () => {
    const path = tree("judged");
    expect(documentOf(await cli(["stats", path, "--json"]))).toMatchObject({ judges: 0 });
    place("judged/a.judge.cassette.json", runOf([{ say: "5" }], "p3"));
    for (const name of ["a.tone.0", "alone"]) place(`judged/${name}.cassette.json`, await judgeRecording());
    const { out } = await cli(["stats", path]);
    expect(out).toContain("  judges   2 cassettes of a judge, counted with the others\n");
    expect(documentOf(await cli(["stats", path, "--json"]))).toMatchObject({ cassettes: 5, judges: 2 });
  });

  it("counts folders apart", async () => {
    const path = tree("folders");
    const { out } = await cli(["stats", path, "--by", "folder"]);
    expect(out).toContain(`by folder\n  ${path}  1 cassette, 2 turns, 2 tool calls`);
    expect(out).toContain(`\n  ${join(path, "inner")}  1 cassette, 1 turn, 2 tool calls`);
    const document = documentOf(await cli(["stats", path, "--by", "model", "--json"]));
    expect(document["groups"]).toMatchObject([{ name: "unknown (p1)" }, { name: "unknown (p2)" }]);
  });

  it("goes on past a refused file, lists it, and exits 3", async () => {
    const path = tree("refused");
    writeFileSync(join(path, "torn.cassette.json"), "{");
    const ran = await cli(["stats", path]);
    expect(ran.code).toBe(3);
    expect(ran.out).toContain("2 cassettes: 3 turns");
    expect(ran.out).toMatch(/refused {2}.*torn\.cassette\.json {2}not-json: /);
    expect(ran.out).toContain("1 file refused, and not counted above\n");
    expect(documentOf(await cli(["stats", path, "--json"]))).toMatchObject({ refused: 1, failures: [{}] });
  });

  it("exits 2 where there is nothing to count, and for a file that is gone", async () => {
    mkdirSync(join(folder, "none"));
    const ran = await cli(["stats", join(folder, "none")]);
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining("so nothing was counted")]);
    expect((await cli(["stats", "gone.cassette.json"])).code).toBe(2);
  });

  it("derives the cost of turns that say model and tokens and no cost, and marks it", async () => {
    mkdirSync(join(folder, "priced"));
    const usage = { inputTokens: 1_000_000, outputTokens: 100_000 };
    const spent = (provider: string, rest: object) => {
      const steps = runOf([{ say: "a" }], provider);
      const turns = steps.entries.map(({ promptHash, response }) => ({
        promptHash,
        response: { ...response, ...rest },
      }));
      return buildCassette({ ...steps, recordedProvider: provider }, turns);
    };
    place("priced/a.cassette.json", spent("openai.chat:gpt-4o", { usage }));
    expect((await cli(["stats", join(folder, "priced")])).out).toContain(
      `  cost     3.5 USD (derived by list prices of ${PRICING_DATE})\n`,
    );
    place("priced/b.cassette.json", spent("acme", { usage, costUsd: 1 }));
    place("priced/c.cassette.json", spent("acme", { usage, model: "orbit-1" }));
    expect((await cli(["stats", join(folder, "priced")])).out).toContain(
      `  cost     at least 4.5 USD (derived for 1 turn by list prices of ${PRICING_DATE}), unknown for 1 turn\n`,
    );
    const document = documentOf(await cli(["stats", join(folder, "priced"), "--json"]));
    expect(document["usage"]).toMatchObject({ costUsd: 4.5, turnsWithDerivedCost: 1, turnsWithoutCost: 1 });
  });

  it("names the model of an imported log, and the one that was asked for, where no answer names one", async () => {
    mkdirSync(join(folder, "named"));
    const imported = runOf([{ say: "a" }], "import:agentdojo:gpt-4o-2024-05-13");
    place(
      "named/a.cassette.json",
      buildCassette({ ...imported, extensions: { import: { model: "gpt-4o-2024-05-13" } } }, imported.entries),
    );
    place("named/b.cassette.json", runOf([{ say: "a" }], "openai:gpt-4o"));
    place("named/c.cassette.json", runOf([{ say: "a" }], "scripted"));
    const { out } = await cli(["stats", join(folder, "named"), "--by", "model"]);
    const groups = out.slice(out.indexOf("by model\n")).split("\n").slice(1, 4);
    expect(groups.map((group) => group.trim().split("  ")[0])).toEqual([
      "gpt-4o (as asked for)",
      "gpt-4o-2024-05-13 (named by the imported log)",
      "unknown (scripted)",
    ]);
  });
});

describe("cassette stats --prices", () => {
  const turn = (model: string) => ({ usage: { inputTokens: 1_000_000, outputTokens: 0 }, model });
  const priced = (name: string): string => {
    mkdirSync(join(folder, name));
    const turns = ["orbit-1", "nova-2", "gpt-4o"].map((model) => ({
      promptHash: "0".repeat(64),
      response: { message: { role: "assistant" as const, content: "" }, stopReason: "stop" as const, ...turn(model) },
    }));
    const run = buildCassette(runOf([]), turns);
    place(`${name}/a.cassette.json`, run);
    return join(folder, name);
  };

  it("prices the models of the file, and names those without a price", async () => {
    const path = priced("by-file");
    const before = await cli(["stats", path]);
    expect(before.out).toContain(
      `  cost     at least 2.5 USD (derived by list prices of ${PRICING_DATE}), unknown for 2 turns\n` +
        "  no price nova-2 in 1 turn, orbit-1 in 1 turn. --prices FILE sets prices\n",
    );
    const file = join(folder, "prices.json");
    writeFileSync(file, JSON.stringify({ "orbit-1": { input: 4, output: 8 } }));
    const after = await cli(["stats", path, "--prices", file, "--by", "folder"]);
    expect(after.out).toContain(`at least 6.5 USD (derived for 1 turn by the prices of ${file}`);
    expect(after.out).toContain("  no price nova-2 in 1 turn.");
    expect(documentOf(await cli(["stats", path, "--prices", file, "--json"]))).toMatchObject({
      usage: { costUsd: 6.5, turnsWithFileCost: 1, turnsWithDerivedCost: 1, turnsWithoutCost: 1 },
      unpriced: { names: [{ name: "nova-2", count: 1, cassettes: 1 }] },
    });
  });

  it("refuses a file that is not a price file, and one that is not there", async () => {
    const path = priced("by-wrong-file");
    const file = join(folder, "wrong.json");
    writeFileSync(file, JSON.stringify({ "orbit-1": { input: 4 } }));
    const wrong = await cli(["stats", path, "--prices", file, "--json"]);
    expect(documentOf(wrong)).toMatchObject({ exitCode: 2, error: { code: "prices-malformed" } });
    const absent = await cli(["stats", path, "--prices", join(folder, "no.json"), "--json"]);
    expect(documentOf(absent)).toMatchObject({ exitCode: 2, error: { code: "file-not-found" } });
  });
});
