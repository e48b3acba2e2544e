import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { CassetteError } from "../../../src/cassette/errors.js";
import { importLog, type ImportedCassette } from "../../../src/cassette/import/import.js";
import { parseCassette } from "../../../src/cassette/trust/load-cassette.js";
import { readEvalArchive } from "../../../src/cli/import/eval-archive.js";
import { hasShared, readShared, sharedPath } from "../../support/shared.js";
import { askOracle, findBadHashes, hasPython, rebuildPrompts, toFile } from "./verify.js";

const limits = { maxMembers: 1000, maxBytes: 1e8, freeBytes: 1e8, maxRatio: 200 };

function importFile(path: string, source = path.split("/").at(-1) as string) {
  const errors: CassetteError[] = [];
  const text = path.endsWith(".eval")
    ? readEvalArchive(readFileSync(sharedPath(path)), path, limits)
    : readShared(path);
  const onError = (error: CassetteError) => void errors.push(error);
  return { runs: [...importLog(text, { source, recordedAt: "2026-11-20T12:00:00.000Z", onError })], errors };
}

function filesOf(folder: string, ending: RegExp): string[] {
  if (!hasShared) return [];
  const names = readdirSync(sharedPath(`data/import/${folder}`)).filter((name) => ending.test(name));
  return names.sort().map((name) => `data/import/${folder}/${name}`);
}

const all: { file: string; runs: ImportedCassette[]; errors: CassetteError[] }[] = [
  ...filesOf("inspect", /\.(eval|json\.gz)$/),
  ...filesOf("otel", /\.json\.gz$/),
  ...filesOf("langfuse", /\.trace\.json\.gz$/),
].map((file) => ({ file, ...importFile(file) }));

/** Cassettes and turns of each file, counted by hand in the raw files; and the repairs, each looked up there. */
const EXPECTED: Record<string, [turns: number[], repairs: Record<string, number>]> = {
  "agent-prism-rag_earnings_agent.otlp.json.gz": [[1], {}],
  "openinference-vercel-ai-sdk-v6-all-spans.json.gz": [[1, 1, 1, 1], {}],
  "autogen-2025-06-06.trace.json.gz": [[1], { "setting-dropped": 3 }],
  "crewai-2025-07-11.trace.json.gz": [[1], {}],
  "google-adk-2025-08-28.trace.json.gz": [[2], { "call-id-missing": 1 }],
  "langgraph-python-2025-08-22.trace.json.gz": [[2], {}],
  "openai-agents-2025-09-30.trace.json.gz": [[2], { "setting-dropped": 6 }],
  "pydantic-ai-2025-06-06.trace.json.gz": [[1], {}],
  "pydantic-ai-tools-2025-06-06.trace.json.gz": [[1], {}],
  "vercel-aisdk-2025-11-17.trace.json.gz": [[1], {}],
  "2025-02-11T15-17-00-05-00_popularity_dPiJifoWeEQBrfWsAopzWr.eval": [[1, 1, 1, 1, 1, 1, 1, 1, 1, 1], {}],
  "2025-05-12T20-28-13-04-00_popularity.json.gz": [[1, 1, 1], {}],
  "log_formats.eval": [[1], {}],
  "log_formats.json.gz": [[1], {}],
  "log_images_tc.json.gz": [[1], {}],
  "log_tool_call_error.json.gz": [
    [0],
    { "field-dropped": 11, "no-assistant-message": 1, "tool-error-joined": 1, "tool-result-unpaired": 11 },
  ],
};

describe.skipIf(!hasShared)("every recorded log", () => {
  it.each(all)("$file gives the cassettes and the repairs that it should", ({ file, runs, errors }) => {
    const total: Record<string, number> = {};
    for (const { kind, count } of runs.flatMap(({ repairs }) => repairs)) total[kind] = (total[kind] ?? 0) + count;
    expect(errors).toEqual([]);
    expect([runs.map(({ cassette }) => cassette.entries.length), total]).toEqual(
      EXPECTED[file.split("/").at(-1) as string],
    );
  });

  it("gives cassettes that load, and whose hashes an independent recomputation confirms", () => {
    for (const { runs } of all) {
      for (const { cassette } of runs) {
        expect(findBadHashes(toFile(cassette))).toEqual([]);
        expect(parseCassette(toFile(cassette))).toEqual(cassette);
      }
    }
  });

  it.skipIf(!hasPython)("gives cassettes that the Python oracle confirms", { timeout: 180_000 }, () => {
    const runs = all.flatMap(({ runs }, index) => runs.map((run) => ({ ...run, path: `${index}/${run.path}` })));
    expect(askOracle(runs)).toEqual(runs.map(({ path }) => `${path}: ok`));
  });
});

describe.skipIf(!hasShared)("the Inspect logs", () => {
  const find = (name: string) => importFile(`data/import/inspect/${name}`, "log.json").runs;

  it("give the same cassettes in both encodings", () => {
    const [fromEval, fromJson] = [find("log_formats.eval"), find("log_formats.json.gz")];
    expect(fromEval).toEqual(fromJson);
  });

  it("keep an image that stands apart, and the texts of a transcript", () => {
    const [run] = find("log_images_tc.json.gz");
    const [prompt] = rebuildPrompts((run as ImportedCassette).cassette);
    expect(prompt?.[0]?.content).toMatch(/^\nFor the following exercise/);
    expect(prompt?.[1]?.content).toMatchObject([
      { type: "text", text: "What is this a picture of?" },
      { type: "image", mediaType: "image/png" },
    ]);
  });

  it("leave no name of an attachment behind", () => {
    const files = all.filter(({ file }) => file.includes("/inspect/"));
    for (const { runs } of files)
      for (const { cassette } of runs) expect(toFile(cassette)).not.toMatch(/(attachment|tc):\/\//);
  });
});

describe.skipIf(!hasShared)("a trace", () => {
  const runsOf = (name: string) => all.find(({ file }) => file.endsWith(name))?.runs ?? [];

  it("of a retrieval chain is the one call in it, with its prompt, settings and tokens", () => {
    const [run] = runsOf("rag_earnings_agent.otlp.json.gz");
    expect(run).toMatchObject({ model: "gpt-3.5-turbo", task: "main" });
    expect(run?.cassette.entries[0]?.response).toMatchObject({
      finalAnswer: "Meta Platforms Inc.'s revenue in Q4 2023 was $40.1 billion.",
      usage: { inputTokens: 629, outputTokens: 19 },
    });
    expect(run?.cassette.extensions?.contexts).toMatchObject([{ settings: { temperature: 0.1 } }]);
  });

  it("of the AI SDK is the call, not the function around it or an embedding", () => {
    const runs = runsOf("all-spans.json.gz");
    expect(runs.map(({ task }) => task).sort()).toEqual([
      "test-generate-object",
      "test-generate-text",
      "test-generate-text-messages",
      "test-stream-text",
    ]);
  });

  it.each([
    ["google-adk", 1],
    ["langgraph", 1],
    ["openai-agents", 1],
    ["vercel-aisdk", 1],
  ])("of %s keeps its call of a tool, the tools and the prompt that grew", (name, calls) => {
    const [run] = all.find(({ file }) => file.includes(name))?.runs ?? [];
    const first = run?.cassette.entries[0];
    expect(first?.response.message.toolCalls).toHaveLength(calls);
    expect(run?.cassette.extensions?.contexts?.[0]?.tools).toHaveLength(1);
    const second = run?.cassette.entries[1]?.prompt;
    if (second !== undefined) {
      expect(second.keep).toBe(first?.prompt?.messages.length);
      expect(second.messages.map(({ role }) => role)).toEqual(["assistant", "tool"]);
    }
  });
});
