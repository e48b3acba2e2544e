// The published schema of a cassette and the loader refuse the same shapes, but for what a schema cannot say: docs/cassette-format.md
// lists that. Held on whole files, on the vectors of shapes, and on every single change of a few rich files.

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { buildCassette } from "../../src/cassette/file/build.js";
import { CassetteError } from "../../src/cassette/errors.js";
import type { CassetteV1 } from "../../src/cassette/file/format.js";
import { parseCassette } from "../../src/cassette/trust/load-cassette.js";
import { migrateCassette } from "../../src/cassette/file/migrate.js";
import { hashPrompt } from "../../src/cassette/prompt/prompt-delta.js";
import { hashJson } from "../../src/core/canon/digest.js";
import type { LlmMessage } from "../../src/core/model/message.js";
import type { LlmTurnResponse } from "../../src/core/model/provider.js";
import { createValidator } from "../support/json-schema.js";
import { assertPublished, PUBLISHED } from "../support/published-schemas.js";
import { quietPorts } from "../support/script.js";

const corpus = new URL("../corpus/", import.meta.url);
const vectors = new URL("../vectors/format/", import.meta.url);

const parse = (text: string): unknown => JSON.parse(text);
const fromCorpus = (name: string) => parse(readFileSync(new URL(`${name}.cassette.json`, corpus), "utf8"));

function vectorsOf<T>(name: string): (T & { name: string; cassette: unknown })[] {
  return (parse(readFileSync(new URL(`${name}.json`, vectors), "utf8")) as { vectors: never[] }).vectors;
}

const fits = createValidator().compile(PUBLISHED.get("cassette") ?? {});

/** What loading says of a shape, which it asks before any hash. */
const SHAPE = [
  "not-a-cassette",
  "version-newer",
  "version-malformed",
  "downgrade",
  "unknown-field",
  "missing-field",
  "wrong-type",
];
/** What it says once the shape is right. */
const LATER = ["ok", "prompt-hash", "response-hash", "envelope-hash", "signature-invalid"];

/** A schema can compare a number neither with the place of its entry nor with the length of a list. */
function isBeyondSchema({ code, message }: Verdict): boolean {
  return code === "out-of-order" || message.includes("the length of the prompt before");
}

interface Verdict {
  code: string;
  message: string;
}

/** "ok", or why the text of it does not load. */
function verdictOn(value: unknown): Verdict {
  try {
    parseCassette(JSON.stringify(value), { ports: quietPorts() });
    return { code: "ok", message: "" };
  } catch (error) {
    if (error instanceof CassetteError) return error;
    throw error;
  }
}

describe("schemas/cassette.schema.json", () => {
  const good = readdirSync(corpus).filter((name) => /^v[12]-.*\.cassette\.json$/.test(name));

  it.each(good)("takes %s of the corpus", (name) => {
    assertPublished("cassette", fromCorpus(name.replace(".cassette.json", "")));
  });

  it.each(vectorsOf("envelope-hash"))("takes the cassette of the vector $name", ({ cassette }) => {
    assertPublished("cassette", cassette);
  });

  it.each(vectorsOf<{ code: string }>("shapes"))("judges $name as loading does: $code", ({ code, cassette }) => {
    const verdict = verdictOn(cassette);
    expect(verdict.code).toBe(code);
    expect(fits(cassette)).toBe(code === "ok" || isBeyondSchema(verdict));
  });
});

const asked: LlmMessage[] = [
  { role: "system", content: "Be brief." },
  {
    role: "user",
    content: [
      { type: "text", text: "Umbrella?" },
      { type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" },
      { type: "image", url: "https://example.com/sky.png" },
    ],
  },
];
const called: LlmTurnResponse = {
  message: {
    role: "assistant",
    content: "",
    toolCalls: [{ id: "call_1", name: "weather", arguments: { city: "Oslo" }, malformedArguments: "{" }],
    reasoning: [
      { type: "text", text: "Where?", signature: "c2ln" },
      { type: "redacted", data: "ZGF0YQ==" },
    ],
  },
  stopReason: "toolUse",
};
const added: LlmMessage[] = [
  called.message,
  { role: "tool", toolCallId: "call_1", name: "weather", content: "unknown city", isError: true },
];
const answered: LlmTurnResponse = {
  message: { role: "assistant", content: "No." },
  finalAnswer: "No.",
  stopReason: "contentFilter",
  isRefusal: true,
  usage: { inputTokens: 40, outputTokens: 5, cacheReadTokens: 1, cacheWriteTokens: 2, reasoningTokens: 3 },
  costUsd: 0.001,
  model: "m-1",
};
const tools = [{ name: "weather", description: "The weather", schema: { type: "object" } }];
const settings = { temperature: 0 };

/** Every field there is, but for a signature and the mark of a migration. */
const rich = buildCassette(
  {
    agentId: "researcher",
    recordedAt: "2026-11-21T12:00:00.000Z",
    recordedProvider: "openai:m-1",
    cassetteId: "000102030405060708090a0b0c0d0e0f",
    extensions: {
      prompts: true,
      contexts: [{ fromTurn: 0, toolsHash: hashJson(tools), settingsHash: hashJson(settings), tools, settings }],
    },
  },
  [
    { promptHash: hashPrompt(asked), prompt: { keep: 0, messages: asked }, response: called },
    { promptHash: hashPrompt([...asked, ...added]), prompt: { keep: 2, messages: added }, response: answered },
  ],
);
const { prompts: _mark, ...unmarked } = rich.extensions ?? {};

const FILES: Record<string, unknown> = {
  "a rich one": rich,
  "one that does not say whether it keeps prompts": { ...rich, extensions: unmarked },
  "one without prompts": fromCorpus("v2-hashes-only"),
  "a signed one": fromCorpus("v2-signed"),
  "a migrated one": migrateCassette(fromCorpus("v1-tool-call") as CassetteV1),
  "version 1": fromCorpus("v1-tool-call"),
};

const OTHERS = [null, true, false, -1, 0, 1, 1.5, 2, 3, "", "x", "user", [], ["x"], [{}], {}, { a: 1 }];

/** `value` with one thing in it changed: left out, replaced by something else, or with a field more. */
function* changes(value: unknown): Generator<unknown> {
  yield* OTHERS;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      yield value.toSpliced(index, 1);
      for (const other of changes(value[index])) yield value.with(index, other);
    }
  } else if (typeof value === "object" && value !== null) {
    yield { ...value, nobody: 1 };
    for (const [key, field] of Object.entries(value)) {
      yield Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
      for (const other of changes(field)) yield { ...value, [key]: other };
    }
  }
}

describe("the schema and the loader on every single change", () => {
  it.each(Object.entries(FILES))("of %s", (_name, file) => {
    const seen = new Set<string>();
    const wrong: unknown[] = [];
    for (const value of changes(file)) {
      const verdict = verdictOn(value);
      seen.add(verdict.code);
      if (isBeyondSchema(verdict)) continue;
      const expected = LATER.includes(verdict.code);
      if (fits(value) !== expected) wrong.push({ code: verdict.code, message: verdict.message, value });
    }
    expect(wrong.slice(0, 3)).toEqual([]);
    expect([...seen].filter((code) => ![...SHAPE, ...LATER, "out-of-order"].includes(code))).toEqual([]);
    expect([...seen]).toEqual(expect.arrayContaining(["unknown-field", "missing-field", "wrong-type"]));
  });
});
