// Langfuse's own reading of every observation (`X.chatml.json`), held against ours: the roles, texts, calls and results, in
// order. Tools are in its every message, and what it found no place for in `json`; both are left out of the comparison.

import { readdirSync } from "node:fs";
import { canonicalize } from "json-canonicalize";
import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/core/index.js";
import { readObservation } from "../../../src/cassette/import/formats/langfuse.js";
import { hasShared, readShared, sharedPath } from "../../support/shared.js";

interface Theirs {
  role?: string;
  content?: unknown;
  tool_calls?: { id: string; name: string; arguments: string }[];
  tool_call_id?: string;
}

interface Side {
  success: boolean;
  data?: Theirs[];
}

const folder = "data/import/langfuse";
const frameworks = hasShared
  ? readdirSync(sharedPath(folder))
      .filter((name) => name.endsWith(".trace.json.gz"))
      .map((name) => name.replace(".trace.json.gz", ""))
  : [];

/** One form for both: no text is an empty one, Gemini's `model` is the assistant, an id that is not there is empty. */
function fromTheirs({ role, content, tool_calls: calls = [], tool_call_id: id }: Theirs): object {
  return toForm(
    role === "model" ? "assistant" : role,
    content,
    calls.map(({ id, name, arguments: text }) => [id, name, text]),
    id,
  );
}

function fromOurs(message: JsonValue): object {
  const { role, content, tool_calls: calls, tool_call_id: id } = message as JsonObject;
  const asked = ((calls ?? []) as JsonObject[]).map(({ id, function: tool }) => {
    const { name, arguments: text } = tool as JsonObject;
    return [id ?? "", name, text];
  });
  return toForm(role as string, content, asked, (id ?? undefined) as string | undefined);
}

function toForm(role: string | undefined, content: unknown, calls: unknown[][], id: string | undefined): object {
  const parsed = calls.map(([own, name, text]) => [own, name, JSON.parse(text as string) as unknown]);
  return { role, content: content ?? "", calls: parsed, id: id ?? "" };
}

/** Where theirs is questionable: what ours has instead, made from theirs, and why. */
interface Exception {
  why: string;
  expect(theirs: object[], data: Theirs[]): object[];
}

const KEPT_AS_JSON: Exception = {
  why: "theirs has no message at all and all of the value in `json`; ours has the value as the text of an answer",
  expect: (_, [said]) => [toForm("assistant", canonicalize((said as { json?: unknown }).json ?? {}), [], undefined)],
};

const CHOICE_AS_JSON: Exception = {
  why: "theirs leaves a `gen_ai.choice` event whole in `json`, without role or content; ours reads the message in it",
  expect: (_, [said]) => [fromTheirs((said as { json: { message: Theirs } }).json.message)],
};

const INSTRUCTIONS: Exception = {
  why: "theirs leaves out the instructions, which the model was given; ours has them first",
  expect: (theirs) => [toForm("system", "You are a helpful agent.", [], undefined), ...theirs],
};

const EXCEPTIONS: Record<string, Exception> = {
  "crewai-2025-07-11 0dd92fffb354f15b output": KEPT_AS_JSON,
  "google-adk-2025-08-28 04290e4d82aba1bc output": KEPT_AS_JSON,
  "vercel-aisdk-2025-11-17 e9bb8c191e1e4706 output": KEPT_AS_JSON,
  "pydantic-ai-2025-06-06 5cb389a3bdd21a6e output": CHOICE_AS_JSON,
  "pydantic-ai-tools-2025-06-06 5cb389a3bdd21a6e output": CHOICE_AS_JSON,
  "openai-agents-2025-09-30 90d94774e8e3724d input": INSTRUCTIONS,
  "openai-agents-2025-09-30 98870087af69bf06 input": INSTRUCTIONS,
  "google-adk-2025-08-28 bded677884f031ce input": {
    why: "theirs calls Gemini's function_response a message of the user; ours is the result of a tool",
    expect: (theirs) => [...theirs.slice(0, -1), { ...theirs.at(-1), role: "tool" }],
  },
  "langgraph-python-2025-08-22 21441266a9f21251 output": {
    why: "theirs parses the tool's text where it is JSON; ours is the text that the model was shown",
    expect: (theirs) =>
      theirs.map((one) => ({
        ...one,
        content: '[{"url": "https://example.com", "title": "Example Result", "q": "example"}]',
      })),
  },
};

const sides = frameworks.flatMap((framework) => {
  const { observations } = JSON.parse(readShared(`${folder}/${framework}.trace.json.gz`)) as {
    observations: JsonObject[];
  };
  const expected = JSON.parse(readShared(`${folder}/${framework}.chatml.json.gz`)) as Record<
    string,
    Record<string, Side>
  >;
  return Object.entries(expected).flatMap(([id, both]) =>
    Object.entries(both).flatMap(([side, { success, data = [] }]) => {
      const observation = observations.find((one) => one["id"] === id) ?? {};
      return success ? [{ name: `${framework} ${id} ${side}`, side, data, observation }] : [];
    }),
  );
});

describe.skipIf(!hasShared)("our reading of an observation", () => {
  it.each(sides)("is Langfuse's, or differs as said: $name", ({ name, side, data, observation }) => {
    const { prompt, answer } = readObservation(observation);
    const theirs = data.map(fromTheirs);
    const ours = (side === "input" ? prompt : answer).map(fromOurs);
    expect(ours).toEqual(EXCEPTIONS[name]?.expect(theirs, data) ?? theirs);
    // An exception that no longer applies has to go.
    if (EXCEPTIONS[name] !== undefined) expect(ours).not.toEqual(theirs);
  });

  it("is compared for every observation that Langfuse could read", () => {
    expect(sides).toHaveLength(39);
    expect(Object.keys(EXCEPTIONS).filter((name) => !sides.some((side) => side.name === name))).toEqual([]);
  });
});
