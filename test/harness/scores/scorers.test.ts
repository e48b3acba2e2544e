// The scorers that need no model.

import { describe, expect, it } from "vitest";
import { checkTolerances, recordingProvider } from "../../../src/cassette/index.js";
import { scriptedProvider, type LlmTurnResponse } from "../../../src/core/index.js";
import { scorers } from "../../../src/harness/scores/scorers.js";

const { contains, jsonEquals, toolCallF1, notRefused, length } = scorers;

async function recorded(...turns: LlmTurnResponse[]) {
  const recorder = recordingProvider(scriptedProvider(turns));
  for (const [index] of turns.entries()) await recorder.turn({ messages: [{ role: "user", content: String(index) }] });
  return recorder;
}

const calling = (...calls: [string, Record<string, number | string>][]): LlmTurnResponse => ({
  message: {
    role: "assistant",
    content: "",
    toolCalls: calls.map(([name, args], index) => ({ id: String(index), name, arguments: args })),
  },
  stopReason: "toolUse",
});

const saying = (content: string, more: Partial<LlmTurnResponse> = {}): LlmTurnResponse => ({
  message: { role: "assistant", content },
  finalAnswer: content,
  stopReason: "stop",
  ...more,
});

describe("contains", () => {
  it("is the share of texts and patterns in the answer", () => {
    expect(contains("You have 30 days.", "30 days")).toBe(1);
    expect(contains("You have 30 days.", ["30 days", /LAWYER/i])).toBe(0.5);
    expect(contains(undefined, "30")).toBe(0);
    const global = /3/g;
    expect([contains("3", global), contains("3", global)]).toEqual([1, 1]);
  });

  it("refuses nothing to look for", () => {
    expect(() => contains("a", [])).toThrow("an empty list");
    expect(() => contains("a", "")).toThrow("scorers.contains was given the text");
    expect(() => contains(7 as never, "a")).toThrow("Pass the final answer");
  });
});

describe("jsonEquals", () => {
  const schema = { type: "object", required: ["total"], properties: { total: { type: "number" } } };
  const tolerances = checkTolerances({ version: 1, tools: { answer: { "/total": { numeric: { absolute: 0.01 } } } } });

  it("compares values, not spelling", () => {
    expect(jsonEquals('{"b": 1.0, "a": [1]}', { a: [1], b: 1 })).toBe(1);
    expect(jsonEquals('```json\n{"a":1}\n```', { a: 1 })).toBe(1);
    expect(jsonEquals('{"a":2}', { a: 1 })).toBe(0);
    expect([jsonEquals("a", { a: 1 }), jsonEquals("", { a: 1 }), jsonEquals(undefined, { a: 1 })]).toEqual([0, 0, 0]);
    expect(jsonEquals('{"a":"\\ud800"}', { a: 1 })).toBe(0);
    expect(jsonEquals("[1,2]", [1, 2])).toBe(1);
  });

  it("applies a schema and tolerances", () => {
    expect(jsonEquals('{"total":10.005}', { total: 10 }, { tolerances, schema })).toBe(1);
    expect(jsonEquals('{"total":10.02}', { total: 10 }, { tolerances })).toBe(0);
    expect(jsonEquals('{"total":"10"}', { total: "10" }, { schema })).toBe(0);
    expect(() => jsonEquals("[1]", [1], { schema })).toThrow("expects no object");
    expect(() => jsonEquals("{}", {}, { tolerances: {} as never })).toThrow("tolerances of scorers.jsonEquals");
    expect(() => jsonEquals("{}", {}, { shcema: {} } as never)).toThrow("shcema");
  });
});

describe("toolCallF1", () => {
  it("is the harmonic mean of precision and recall", async () => {
    const reference = await recorded(calling(["find", { id: 1 }], ["book", { id: 1 }]));
    const run = await recorded(calling(["book", { id: 1 }]), calling(["find", { id: 2 }]), calling(["look", {}]));
    expect(toolCallF1(run, reference)).toBeCloseTo((2 * 1) / (3 + 2), 12);
    expect(toolCallF1(reference, reference.toCassette())).toBe(1);
    expect(toolCallF1(await recorded(saying("a")), reference)).toBe(0);
    expect(toolCallF1(await recorded(saying("a")), await recorded(saying("b")))).toBe(1);
  });

  it("counts each call once, and takes tolerances", async () => {
    const once = await recorded(calling(["pay", { sum: 10 }]));
    const twice = await recorded(calling(["pay", { sum: 10 }], ["pay", { sum: 10 }]));
    expect(toolCallF1(twice, once)).toBeCloseTo(2 / 3, 12);
    const tolerances = checkTolerances({ version: 1, tools: { pay: { "/sum": { numeric: { absolute: 1 } } } } });
    const near = await recorded(calling(["pay", { sum: 10.5 }]));
    expect([toolCallF1(near, once), toolCallF1(near, once, { tolerances })]).toEqual([0, 1]);
    expect(() => toolCallF1("run", once)).toThrow("scorers.toolCallF1");
  });
});

describe("notRefused", () => {
  it.each([
    ["I'm sorry, but I can't help with that.", 0],
    ["I cannot share this.", 0],
    ["Unfortunately, I am unable to do that.", 0],
    ["You can't return it after 30 days. I'm sorry about that.", 1],
    ["Sorry for the delay. Your parcel is here.", 1],
    ["", 1],
  ])("%j scores %i", (text, score) => {
    expect(notRefused(text)).toBe(score);
  });

  it("reads what the vendor says, and takes patterns for other languages", async () => {
    expect(notRefused(await recorded(saying("No.", { isRefusal: true })))).toBe(0);
    expect(notRefused(await recorded(saying("", { stopReason: "contentFilter" })))).toBe(0);
    expect(notRefused(await recorded(saying("Sure.")))).toBe(1);
    expect(notRefused("Das geht leider nicht.", [/^das geht leider nicht/i])).toBe(0);
    expect(() => notRefused({})).toThrow("Pass the final answer, or a cassette");
    expect(() => notRefused("a", ["b"] as never)).toThrow("Pass a list of patterns");
  });
});

describe("length", () => {
  it("is 1 within the bounds, and the ratio outside of them", () => {
    expect(length("one two three", { max: 3 })).toBe(1);
    expect(length("one two three four", { max: 2 })).toBe(0.5);
    expect(length("one", { min: 4 })).toBe(0.25);
    expect(length("日本", { max: 1, unit: "characters" })).toBe(0.5);
    expect([length("", { min: 1 }), length("", { max: 5 }), length(undefined, { max: 5 })]).toEqual([0, 1, 0]);
  });

  it.each([[{}], [{ min: 3, max: 2 }], [{ max: NaN }], [{ max: 0 }], [{ min: -1, max: 2 }]])("refuses %j", (bounds) => {
    expect(() => length("a", bounds)).toThrow("Pass whole numbers");
  });
});
