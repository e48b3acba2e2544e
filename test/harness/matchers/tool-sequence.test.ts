import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { CALL_ORDERS, checkTolerances, type CallOrder } from "../../../src/cassette/index.js";
import type { LlmTurnResponse, RunResult } from "../../../src/core/index.js";
import "../../../src/entry/vitest.js";
import type { ToolSequence } from "../../../src/harness/matchers/sequence/spec.js";
import { refusal } from "../../support/refusal.js";
import { ask, say } from "../../support/script.js";
import { lookupRun, record } from "../vitest/runs.js";

/** A word is a turn, each letter in it a call of the tool with that letter. */
async function runOf(...turns: string[]): Promise<RunResult> {
  const answers = turns.map((word): LlmTurnResponse => {
    return word === "." ? say("") : ask([...word].map((name) => ({ name })));
  });
  return (await record([...answers, say("done")])).result;
}

const failure = (run: () => unknown) => stripVTControlCharacters((refusal(run) as Error).message);

describe("toMatchToolSequence", () => {
  it("strict: the same turns, and the calls of a turn in any order", async () => {
    const { result, recorder, cassette } = await record([
      ask([{ name: "a" }, { name: "b", arguments: { n: 1 } }]),
      ask([{ name: "c" }]),
      say("done"),
    ]);
    for (const received of [result, recorder, cassette]) {
      expect(received).toMatchToolSequence([["a", "b"], "c"]);
      expect(received).toMatchToolSequence([[{ name: "b", args: { n: expect.any(Number) } }, "a"], ["c"]]);
      expect(received).toMatchToolSequence([["a", "b"], "c"], { mode: "exact" });
    }
    for (const other of [
      ["a", "b", "c"],
      [["a", "b", "c"]],
      [["a", "b"]],
      [["a", "b"], "c", "c"],
      [["a", "a"], "c"],
      ["c", ["a", "b"]],
    ]) {
      expect(result).not.toMatchToolSequence(other);
    }
  });

  it.each<[CallOrder, ToolSequence, string[], boolean]>([
    ["in_order", ["a", "c"], ["a", "b", "c"], true],
    ["in_order", ["c", "a"], ["a", "b", "c"], false],
    ["in_order", ["a", "a"], ["a", "b", "c"], false],
    ["in_order", [["a", "c"]], ["a", "b", "c"], true],
    ["in_order", [["c", "a"], "b"], ["a", "b", "c"], false],
    ["in_order", ["a", "b"], ["ab"], false],
    ["in_order", ["a", "b"], ["ab", "b"], true],
    ["unordered", ["a", "b", "c"], ["c", "ab"], true],
    ["any_order", [["a", "b"], "c"], ["c", "b", "a"], true],
    ["unordered", ["a", "b"], ["a", "b", "b"], false],
    ["unordered", ["a", "b", "b"], ["a", "b"], false],
    ["subset", ["a", "b", "c"], ["b"], true],
    ["subset", ["a", "b", "c"], ["bb"], false],
    ["subset", ["a", "b", "c"], ["d"], false],
    ["superset", ["b"], ["a", "b", "c"], true],
    ["superset", ["b", "b"], ["a", "b", "c"], false],
  ])("%s: %j against the turns %j is %s", async (mode, sequence, turns, holds) => {
    const run = await runOf(...turns);
    if (holds) expect(run).toMatchToolSequence(sequence, { mode });
    else expect(run).not.toMatchToolSequence(sequence, { mode });
  });

  it("takes the run's point of view: the run is the subset or the superset", async () => {
    const [small, large] = [await runOf("a"), await runOf("a", "b")];
    expect(small).toMatchToolSequence(["a", "b"], { mode: "subset" });
    expect(small).not.toMatchToolSequence(["a", "b"], { mode: "superset" });
    expect(large).toMatchToolSequence(["a"], { mode: "superset" });
    expect(large).not.toMatchToolSequence(["a"], { mode: "subset" });
  });

  it("pairs expectations that overlap so that none is left over", async () => {
    const call = (city: string) => ({ name: "lookup", arguments: { city } });
    const { result } = await record([ask([call("Oslo")]), ask([call("Rome")]), ask([call("Oslo")]), say("done")]);
    // Whoever takes the first that fits gives Oslo to "any" and finds none for the last.
    const any = { name: "lookup", args: { city: expect.any(String) } };
    const oslo = { name: "lookup", args: { city: "Oslo" } };
    for (const sequence of [
      [any, oslo, oslo],
      [oslo, any, oslo],
      ["lookup", oslo, oslo],
      [oslo, oslo, any],
    ]) {
      expect(result).toMatchToolSequence(sequence, { mode: "unordered" });
    }
    expect(result).not.toMatchToolSequence([any, oslo, oslo, oslo], { mode: "superset" });
  });

  it("says that no tool was called", async () => {
    const silent = await runOf(".");
    expect(silent).toMatchToolSequence([]);
    expect(silent).toMatchToolSequence([], { mode: "unordered" });
    expect(await runOf("a")).not.toMatchToolSequence([]);
    expect(failure(() => expect(silent).toMatchToolSequence(["a"]))).toContain("but 1 is missing:");
  });

  it("lets arguments differ where tolerances say so", async () => {
    const { result } = await lookupRun({ city: "OSLO" });
    const tolerances = checkTolerances({ version: 1, tools: { lookup: { "/city": "case" } } });
    const sequence = [{ name: "lookup", args: { city: "Oslo" } }];
    expect(result).toMatchToolSequence(sequence, { tolerances });
    expect(result).not.toMatchToolSequence(sequence);
  });

  it("shows both sides row by row, what is changed with its places", async () => {
    const { result } = await record([
      ask([{ name: "search", arguments: { city: "Oslo" } }]),
      ask([{ name: "pay", arguments: { sum: 81 } }]),
      ask([{ name: "log" }]),
      say("done"),
    ]);
    const sequence = [{ name: "search", args: { city: "Oslo" } }, "book", { name: "pay", args: { sum: 80 } }];
    expect(failure(() => expect(result).toMatchToolSequence(sequence))).toBe(
      [
        "expected these tool calls in these turns and no others (strict), but 1 is called with other arguments, 1 is missing, 1 is not expected:",
        "    expected                │ actual",
        '    search({"city":"Oslo"}) │ turn 0  search({"city":"Oslo"})',
        "  - book                    │",
        '  ~ pay({"sum":80})         │ turn 1  pay({"sum":81})',
        "      /sum: expected 80, was 81",
        "  +                         │ turn 2  log({})",
        "Correct the list, or the prompt, tool description or tool list that misled the model.",
      ].join("\n"),
    );
    expect(refusal(() => expect(result).toMatchToolSequence(sequence))).toMatchObject({
      expected: [{ tool: "book" }, { tool: "pay", arguments: { sum: 80 } }],
      actual: [
        { tool: "pay", arguments: { sum: 81 } },
        { tool: "log", arguments: {} },
      ],
    });
  });

  it("colours the rows that do not match", async () => {
    const run = await runOf("a");
    const { message } = refusal(() => expect(run).toMatchToolSequence(["b"])) as Error;
    const plain = stripVTControlCharacters(message);
    expect(plain).toContain("  - b        │\n");
    // Whether there are colours at all is the runner's choice.
    expect([plain, message.replace(/\u001b\[3[12]m|\u001b\[39m/g, "")]).toEqual([plain, plain]);
  });

  it("says where the calls are right and the turns are not", async () => {
    const run = await runOf("ab");
    expect(failure(() => expect(run).toMatchToolSequence(["a", "b"]))).toContain(
      "The calls are the same, but in other turns. To put calls in one turn, nest them in a list.",
    );
  });

  it("counts as no fault what the mode allows", async () => {
    const run = await runOf("a", "x", "b");
    expect(failure(() => expect(run).toMatchToolSequence(["a", "b", "c"], { mode: "in_order" }))).toContain(
      "but 1 is missing:",
    );
    expect(failure(() => expect(run).toMatchToolSequence(["a", "c"], { mode: "superset" }))).toContain(
      "but 1 is missing:",
    );
    expect(failure(() => expect(run).toMatchToolSequence(["a", "b", "c"], { mode: "subset" }))).toContain(
      "but 1 is not expected:",
    );
  });

  it("shows a long run from shortly before the first fault on", async () => {
    const names = Array.from({ length: 100 }, () => "a");
    const run = await runOf(...names.slice(0, 45));
    const message = failure(() => expect(run).toMatchToolSequence([...names.slice(0, 44), "b"]));
    expect(message).toContain("6 earlier rows");
    expect(message.split("\n").length).toBeLessThan(50);
  });

  it("says under .not that the calls are these", async () => {
    const run = await runOf("a");
    expect(failure(() => expect(run).not.toMatchToolSequence(["a"], { mode: "subset" }))).toContain(
      "expected other tool calls than these (subset), but the run made these:\n    expected │ actual\n    a        │ turn 0  a({})\n",
    );
  });

  it.each<[string, unknown, object?]>([
    ["no list", "a"],
    ["nothing", undefined],
    ["an invalid call", [1]],
    ["a call without a name", [{ args: {} }]],
    ["a call with a field it does not know", [{ name: "a", times: 2 }]],
    ["arguments that are undefined", [{ name: "a", args: undefined }]],
    ["an empty turn", ["a", []]],
    ["a list in a turn", [["a", ["b"]]]],
    ["an empty list, of which every run is a superset", [], { mode: "superset" }],
    ["an empty list, which every run has in order", [], { mode: "in_order" }],
    ["a mode it does not know", ["a"], { mode: "loose" }],
    ["an option it does not know", ["a"], { order: "strict" }],
  ])("refuses %s, also under .not", async (_what, sequence, options) => {
    const { result } = await lookupRun();
    for (const assertion of [expect(result), expect(result).not]) {
      expect(refusal(() => Reflect.apply(assertion.toMatchToolSequence, assertion, [sequence, options]))).toMatchObject(
        { code: "matcher-misuse" },
      );
    }
  });

  it("refuses more pairs than it can judge, and names its modes", async () => {
    const run = await runOf("a".repeat(101));
    const names = Array.from({ length: 10_000 }, () => "a");
    expect(refusal(() => expect(run).toMatchToolSequence(names))).toMatchObject({
      message: expect.stringContaining("10000 expected and 101 actual calls are too many to pair"),
    });
    expect(refusal(() => expect(run).toMatchToolSequence([], { mode: "loose" as CallOrder }))).toMatchObject({
      message: expect.stringContaining(CALL_ORDERS.join(", ")),
    });
  });

  it("refuses a run without turns, since that compares nothing", async () => {
    const { cassette } = await lookupRun();
    const empty = { ...cassette, version: 1, entries: [] };
    const { version, recordedAt, recordedProvider, entries } = empty;
    expect(
      refusal(() => expect({ version, recordedAt, recordedProvider, entries }).toMatchToolSequence([])),
    ).toMatchObject({
      code: "matcher-misuse",
    });
  });
});
