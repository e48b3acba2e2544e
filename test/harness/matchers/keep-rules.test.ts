import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import "../../../src/entry/vitest.js";
import { parseRules, recordingProvider, type RuleSet } from "../../../src/cassette/index.js";
import { createRuntime } from "../../../src/core/index.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import { loadRules } from "../../../src/entry/cassette.js";
import { createMatchers } from "../../../src/harness/index.js";
import { refusal, rejection } from "../../support/refusal.js";
import { ask, say, tool } from "../../support/script.js";
import { callRun, lookupRun } from "../vitest/runs.js";

const folder = mkdtempSync(join(tmpdir(), "playhead-rules-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const text = JSON.stringify({
  rulesVersion: 1,
  rules: [
    { id: "look-first", before: { first: "lookup", then: "save" }, reason: "It may be there." },
    { id: "short", atMost: { call: "save", times: 1 } },
  ],
});
const rules = parseRules(text);

describe("toKeepRules", () => {
  it("takes a run's result, its recorder and its cassette, and rules as a path, parsed or an object", async () => {
    const { result, recorder, cassette } = await callRun({ name: "lookup" }, { name: "save" });
    const path = join(folder, "cassette.rules.json");
    writeFileSync(path, text);
    expect(await loadRules(path)).toEqual(rules);
    for (const received of [result, recorder, cassette]) {
      for (const given of [path, rules, JSON.parse(text) as RuleSet]) await expect(received).toKeepRules(given);
    }
  });

  it("fails with each broken rule, its turn, its place and its reason, the same for a result and its recording", async () => {
    const { result, cassette } = await callRun({ name: "save" });
    const error = await rejection(expect(result).toKeepRules(rules));
    expect(error).toMatchObject({
      message:
        "expected the run to keep its rules, but it breaks 1 rule:\n" +
        "  - look-first, turn 0: save was called at turn 0, but lookup was not called in an earlier turn.\n" +
        "      at /entries/0/response/message/toolCalls/0\n" +
        "      It may be there.\n" +
        "Fix the agent, or change the rules if the agent is right.",
    });
    expect(await rejection(expect(cassette).toKeepRules(rules))).toMatchObject({ message: (error as Error).message });
    await expect(result).not.toKeepRules(rules);
  });

  it("says under .not that all are kept", async () => {
    const { result } = await lookupRun();
    expect(await rejection(expect(result).not.toKeepRules(rules))).toMatchObject({
      message: expect.stringContaining("expected a rule to be broken, but the run keeps all 2 rules.\n"),
    });
  });

  it("knows the list price of a model, for a result as for its cassette", async () => {
    const usage = { inputTokens: 1_000_000, outputTokens: 1 };
    const recorder = recordingProvider(scriptedProvider([say("done", { usage, model: "gpt-4o" })]));
    const runtime = createRuntime({ agents: [{ id: "a", systemPrompt: "", provider: recorder }] });
    const result = await runtime.run({ goal: "go" });
    const cheap: RuleSet = { rules: [{ id: "cheap", within: { maxCostUsd: 0.05 } }] };
    for (const received of [result, recorder.toCassette()]) {
      expect(await rejection(expect(received).toKeepRules(cheap))).toMatchObject({
        message: expect.stringContaining("cheap, turn 0"),
      });
    }
  });

  it("knows what the turns of a run took, and each agent for itself", async () => {
    const usage = { inputTokens: 9, outputTokens: 1 };
    const agent = (id: string, call: string) => ({
      id,
      systemPrompt: "",
      provider: scriptedProvider([ask([{ name: call }], { usage }), say("done", { usage })]),
      customTools: [tool(call, () => "ok")],
    });
    const runtime = createRuntime({ agents: [agent("a", "lookup"), agent("b", "save")] });
    const result = await runtime.run({
      goal: "go",
      plan: { entry: "a", edges: [{ from: "a", to: "b" }], exits: ["b"] },
    });
    const within = (maxTokens: number): RuleSet => ({ rules: [{ id: "small", within: { maxTokens } }] });
    await expect(result).toKeepRules(within(20));
    expect(await rejection(expect(result).toKeepRules(within(19)))).toMatchObject({
      message: expect.stringMatching(/Agent a: At turn 1 .*\n.*\n.*Agent b: At turn 1 /),
    });
    expect(await rejection(expect(result).toKeepRules(rules))).toMatchObject({
      message: expect.stringContaining("Agent b: save was called at turn 0"),
    });
    const silent = (await lookupRun()).result;
    await expect(silent).not.toKeepRules(within(1_000));
  });

  it("refuses what it cannot judge, also under .not", async () => {
    const { cassette } = await lookupRun();
    for (const assertion of [expect(cassette), expect(cassette).not]) {
      const refused = (given: unknown) => rejection(assertion.toKeepRules(given as RuleSet));
      expect(await refused(undefined)).toMatchObject({ code: "matcher-misuse" });
      expect(await refused('{"rules":[]}')).toMatchObject({
        message: expect.stringContaining("text instead of a path"),
      });
      expect(await refused({ rules: [{ id: "x" }] })).toMatchObject({ code: "rules-malformed" });
      expect(await refused(join(folder, "gone.json"))).toMatchObject({ code: "file-not-found" });
    }
    for (const received of [{}, { messages: [] }, { visits: [{}] }]) {
      expect(await rejection(expect(received).not.toKeepRules(rules))).toMatchObject({ code: "matcher-misuse" });
    }
    const { toKeepRules } = createMatchers({ load: () => Promise.reject(new Error("unused")) });
    const context = { equals: Object.is, utils: { iterableEquality: undefined } };
    await expect(toKeepRules.call(context, cassette, "cassette.rules.json")).rejects.toMatchObject({
      message: expect.stringContaining("it cannot read a file"),
    });
    expect(refusal(() => parseRules("{}"))).toMatchObject({ code: "rules-malformed" });
  });
});
