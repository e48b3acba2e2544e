import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EXPORT_FORMATS } from "../../src/cassette/export/format.js";
import { EXPORT_CHOICES } from "../../src/cli/commands/export.js";
import { exportCassettes } from "../../src/cli/export/export.js";
import { nodeFiles } from "../../src/host/files.js";
import { answerOf, cassetteOf } from "../../src/harness/arbitraries/cassettes.js";
import { weatherCassette } from "../support/recording.js";
import { rejection } from "../support/refusal.js";
import { cli, documentOf, folder, place } from "./run.js";

describe("cassette export", () => {
  it("offers the formats that are written", () => {
    expect(EXPORT_CHOICES).toEqual(EXPORT_FORMATS);
  });

  it("prints one line for each conversation, and on stderr what was lost", async () => {
    const turns = ["a", "b"].map((content) => ({
      prompt: [{ role: "user", content } as const],
      response: { ...answerOf({ role: "assistant", content }), costUsd: 1 },
    }));
    const ran = await cli(["export", place("two.cassette.json", cassetteOf(turns)), "--format", "openai"]);
    expect(ran.code).toBe(0);
    expect(
      ran.out
        .trimEnd()
        .split("\n")
        .map((line) => (JSON.parse(line) as { model: string }).model),
    ).toEqual([...["gpt-4o", "gpt-4o"]]);
    expect(ran.err).toBe("not in openai: 2 cost\n2 conversations of 1 cassette exported\n");
  });

  it("writes a folder into one file that import reads back, and replaces it only with --force", async () => {
    mkdirSync(join(folder, "set"));
    place("set/a.cassette.json", await weatherCassette());
    place("set/b.cassette.json", await weatherCassette({}, { goal: "Sun?" }));
    const args = ["export", "set", "--format", "openai", "--out", "out/set.jsonl"];
    const first = await cli(args);
    expect([first.code, first.out]).toEqual([0, ""]);
    expect(first.err).toContain("2 conversations of 2 cassettes exported to out/set.jsonl");
    const written = readFileSync(join(folder, "out", "set.jsonl"), "utf8");
    const again = await cli(args);
    expect(again.code).toBe(2);
    expect(again.err).toContain("out/set.jsonl exists and was not replaced");
    expect((await cli([...args, "--force"])).code).toBe(0);
    expect(readFileSync(join(folder, "out", "set.jsonl"), "utf8")).toBe(written);
    const back = await cli(["import", "out/set.jsonl", "--out", "back", "--json"]);
    expect(documentOf(back)).toMatchObject({ summary: { written: 2, existed: 0, refused: 0 } });
  });

  it("with --json gives counts and losses, and the documents where there is no --out", async () => {
    const file = place("json.cassette.json", await weatherCassette());
    const document = documentOf(await cli(["export", file, "--format", "anthropic", "--json"]));
    expect(document).toMatchObject({ command: "export", format: "anthropic", documents: 1, failed: [] });
    expect(document["cassettes"]).toMatchObject([{ file, turns: 2, threads: 1 }]);
    expect(document["losses"]).toContainEqual({ kind: "cost", count: 1 });
    expect(document["exported"]).toMatchObject([{ system: "You are brief." }]);
    const kept = documentOf(await cli(["export", file, "--format", "otlp", "--json", "--out", "trace.jsonl"]));
    expect(kept["exported"]).toBeUndefined();
    expect(existsSync(join(folder, "trace.jsonl"))).toBe(true);
  });

  it("goes on after a cassette that cannot be exported and exits 1, or 3 where one was refused", async () => {
    mkdirSync(join(folder, "mixed"));
    place("mixed/a.cassette.json", await weatherCassette());
    place("mixed/b.cassette.json", await weatherCassette({ prompts: false }));
    const ran = await cli(["export", "mixed", "--format", "openai"]);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain("export-without-prompts");
    expect(ran.err).toContain("1 conversation of 1 cassette exported, 1 not exported");
    writeFileSync(join(folder, "mixed", "c.cassette.json"), "{}torn");
    expect((await cli(["export", "mixed", "--format", "openai"])).code).toBe(3);
  });

  it("exits 2 where nothing is exported, and writes no file", async () => {
    const file = place("empty.cassette.json", cassetteOf([]));
    const ran = await cli(["export", file, "--format", "openai", "--out", "none.jsonl"]);
    expect([ran.code, ran.err]).toEqual([2, "0 conversations of 1 cassette (1 without a turn) exported\n"]);
    expect(existsSync(join(folder, "none.jsonl"))).toBe(false);
    mkdirSync(join(folder, "bare"));
    expect((await cli(["export", "bare", "--format", "otlp"])).err).toContain("bare contains no *.cassette.json file");
    expect((await cli(["export", file])).code).toBe(2);
    expect((await cli(["export", file, "--format", "csv"])).code).toBe(2);
  });

  it("escapes what would act on a terminal, and keeps it in the file", async () => {
    const turn = {
      prompt: [{ role: "user", content: "\u001b[2J\u202e" } as const],
      response: answerOf({ role: "assistant", content: "ok" }),
    };
    const file = place("hostile.cassette.json", cassetteOf([turn]));
    const { out } = await cli(["export", file, "--format", "openai"]);
    expect(out).not.toMatch(/[\u001b\u202e]/);
    expect((JSON.parse(out) as { messages: unknown[] }).messages[0]).toEqual(turn.prompt[0]);
  });

  it("stops at the limit and writes nothing", async () => {
    const file = place("large.cassette.json", await weatherCassette());
    const io = {
      ...{ stdout: () => undefined, stderr: () => undefined, env: {}, cwd: folder, isTTY: false },
      ...{ stderrIsTTY: false, files: nodeFiles(), exit: () => undefined },
    };
    const options = { format: "openai", out: "large.jsonl" } as const;
    const error = await rejection(exportCassettes(file, options, io, 100));
    expect((error as Error).message).toContain("more characters than the limit of 100; nothing was written");
    expect(existsSync(join(folder, "large.jsonl"))).toBe(false);
  });
});
