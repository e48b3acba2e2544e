import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffCassettes } from "../../../src/cassette/diff/diff.js";
import type { CassetteV2 } from "../../../src/cassette/file/format.js";
import { checkCassette } from "../../../src/cassette/trust/load-cassette.js";
import type { LlmMessage } from "../../../src/core/model/message.js";
import { resealCassette } from "../../../src/cassette/prompt/reseal.js";
import type { Rule } from "../../../src/cassette/rules/format.js";
import { checkTolerances } from "../../../src/cassette/tolerance/load.js";
import { ddmin } from "../../../src/harness/shrink/ddmin.js";
import { shrinkDrift } from "../../../src/harness/shrink/shrink.js";
import { recordTurns } from "../../support/recording.js";
import { ask, say } from "../../support/script.js";

/** One turn a call, each answered by its tool; the last turn says something. */
async function runOf(calls: readonly [name: string, value: number][], options: { prompts?: boolean } = {}) {
  const messages: LlmMessage[] = [{ role: "user", content: "go" }];
  const requests: { messages: LlmMessage[] }[] = [];
  const steps = calls.map(([name, value], index) => ask([{ id: `c${index}`, name, arguments: { value } }]));
  for (const [index, [name]] of calls.entries()) {
    requests.push({ messages: [...messages] });
    const step = steps[index];
    if (step !== undefined) messages.push(step.message);
    messages.push({ role: "tool", toolCallId: `c${index}`, name, content: `${name} ${index}` });
  }
  requests.push({ messages: [...messages] });
  return recordTurns(requests, [...steps, say("done")], options);
}

const namesIn = (cassette: CassetteV2) =>
  cassette.entries.flatMap(({ response }) => (response.message.toolCalls ?? []).map(({ name }) => name));

describe("shrinkDrift for a rule", () => {
  const rules = (...list: Rule[]) => ({ rules: list });
  const calls = (...names: string[]): [string, number][] => names.map((name) => [name, 1]);

  it("keeps the fewest turns with which the candidate breaks it and the baseline does not", async () => {
    const [base, candidate] = [await runOf(calls("a", "b", "c", "d")), await runOf(calls("x", "b", "y", "bad", "d"))];
    const shrunk = shrinkDrift(base, candidate, {}, { rules: rules({ id: "never-bad", never: "bad" }) });
    expect(shrunk).toMatchObject({ edits: { kept: 1 }, isMinimal: true, broken: { rule: "never-bad" } });
    expect(namesIn(shrunk?.candidate as CassetteV2)).toContain("bad");
    expect(namesIn(shrunk?.candidate as CassetteV2)).not.toContain("x");
  });

  it("keeps what an order of calls needs, and takes no shortened run for one that lacks a call", async () => {
    const [base, candidate] = [await runOf(calls("look", "x", "book", "z")), await runOf(calls("y", "x", "book", "w"))];
    const looks: Rule = { id: "looks", atLeast: { call: "look", times: 1 } };
    const first: Rule = { id: "look-first", before: { first: "look", then: "book" } };
    const ordered = shrinkDrift(base, candidate, {}, { rules: rules(first) });
    expect(namesIn(ordered?.candidate as CassetteV2)).toEqual(["x", "book"]);
    expect(ordered).toMatchObject({ broken: { rule: "look-first", turn: 1 }, edits: { kept: 1 } });
    expect(shrinkDrift(base, candidate, {}, { rules: rules(looks) })).toMatchObject({ rows: { kept: 1 } });
    const lookLater: Rule = { id: "z", atLeast: { call: "z", times: 1 } };
    expect(shrinkDrift(base, candidate, {}, { rules: rules(lookLater) })).toMatchObject({ rows: { kept: 5 } });
  });

  it("finds nothing for rules that both keep or both break, and looks at the first that only one breaks", async () => {
    const [base, candidate] = [await runOf(calls("a", "b")), await runOf(calls("a", "c"))];
    const never = (tool: string): Rule => ({ id: tool, never: tool });
    expect(shrinkDrift(base, candidate, {}, { rules: rules(never("a"), never("x")) })).toBeUndefined();
    const found = shrinkDrift(base, candidate, {}, { rules: rules(never("a"), never("c")) });
    expect(found?.broken).toMatchObject({ rule: "c", turn: 2 });
  });

  it("finds what is in no drift, such as tokens", async () => {
    const run = await runOf(calls("a", "b", "c"));
    const dear = resealCassette(
      run,
      run.entries.map((entry, turn) => {
        const usage = { inputTokens: 100 * turn, outputTokens: 1 };
        return { ...entry, response: { ...entry.response, usage } };
      }),
    );
    const spent: Rule = { id: "spent", within: { maxTokens: 250 }, allowUnknown: true };
    const shrunk = shrinkDrift(run, dear, {}, { rules: rules(spent) });
    expect(shrunk).toMatchObject({ drifts: [], broken: { rule: "spent" }, rows: { kept: 3 }, edits: { kept: 2 } });
  });
});

describe("shrinkDrift", () => {
  it("tolerates what it is told to, and says what it rested on", async () => {
    const [base, candidate] = [
      await runOf([
        ["a", 1],
        ["b", 1],
        ["c", 1],
      ]),
      await runOf([
        ["a", 2],
        ["b", 9],
        ["c", 1],
      ]),
    ];
    const tools = { "*": { "/value": { numeric: { absolute: 1 } } } };
    const shrunk = shrinkDrift(base, candidate, { tolerances: checkTolerances({ version: 1, tools }) });
    expect(shrunk?.drifts).toMatchObject([{ kind: "args-changed", tool: "b" }]);
    expect(shrunk?.tolerances).toEqual([]);
    expect(
      shrinkDrift(
        base,
        await runOf([
          ["a", 2],
          ["b", 1],
          ["c", 1],
        ]),
        { tolerances: checkTolerances({ version: 1, tools }) },
      ),
    ).toBeUndefined();
  });

  const base = () =>
    runOf([
      ["a", 1],
      ["b", 1],
      ["c", 1],
      ["d", 1],
      ["e", 1],
    ]);

  it("keeps the beginning up to the first drift, and its one turn", async () => {
    const candidate = await runOf([
      ["a", 1],
      ["b", 2],
      ["c", 1],
      ["x", 1],
      ["e", 3],
    ]);
    const shrunk = shrinkDrift(await base(), candidate, { ignoreContent: true });
    expect(shrunk).toMatchObject({ rows: { kept: 2 }, edits: { kept: 1 }, isMinimal: true });
    expect(shrunk?.drifts.map(({ kind }) => kind)).toEqual(["args-changed"]);
    expect(namesIn(shrunk?.base as CassetteV2)).toEqual(["a", "b"]);
  });

  it("keeps the drift that was asked for, and nothing before it", async () => {
    const candidate = await runOf([
      ["a", 9],
      ["b", 9],
      ["c", 1],
      ["d", 1],
      ["e", 1],
      ["f", 1],
    ]);
    const shrunk = shrinkDrift(await base(), candidate, { ignoreContent: true }, { kind: "added", tool: "f" });
    expect(shrunk?.drifts.map(({ kind }) => kind)).toEqual(["added"]);
    expect(shrunk?.edits.kept).toBe(1);
    expect(namesIn(shrunk?.candidate as CassetteV2)).toEqual(["a", "b", "c", "d", "e", "f"]);
  });

  it("gives cassettes that load, that say what they are, and that follow in their prompts", async () => {
    const shrunk = shrinkDrift(
      await base(),
      await runOf([
        ["a", 1],
        ["b", 2],
      ]),
      { ignoreContent: true },
    );
    for (const cassette of [shrunk?.base, shrunk?.candidate]) {
      const loaded = checkCassette(cassette) as CassetteV2;
      expect(loaded.extensions).toHaveProperty("shrunk");
      expect(loaded.entries[1]?.prompt?.messages).toMatchObject([{ role: "assistant" }, { role: "tool" }]);
    }
  });

  it("works without prompts", async () => {
    const plain = { prompts: false };
    const shrunk = shrinkDrift(await runOf([["a", 1]], plain), await runOf([["a", 2]], plain), { ignoreContent: true });
    expect(checkCassette(shrunk?.candidate).entries[0]).not.toHaveProperty("prompt");
  });

  it("finds nothing where there is no such drift", async () => {
    expect(shrinkDrift(await base(), await base())).toBeUndefined();
    const other = await runOf([["a", 2]]);
    expect(shrinkDrift(await runOf([["a", 1]]), other, {}, { kind: "moved" })).toBeUndefined();
  });

  it("shows what it says, whatever the runs", async () => {
    const call = fc.tuple(fc.constantFrom("a", "b", "c"), fc.integer({ min: 0, max: 2 }));
    const run = fc.array(call, { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(run, run, async (before, after) => {
        const [old, now] = [await runOf(before), await runOf(after)];
        const options = { ignoreContent: true };
        const shrunk = shrinkDrift(old, now, options);
        const differs = diffCassettes(old, now, options).length > 0;
        expect(shrunk !== undefined).toBe(differs);
        if (shrunk === undefined) return;
        expect(diffCassettes(shrunk.base, shrunk.candidate, options)).toEqual(shrunk.drifts);
        expect(shrunk.drifts.length).toBeGreaterThan(0);
        expect(shrunk.rows.kept).toBeLessThanOrEqual(shrunk.rows.of);
      }),
      { numRuns: 100 },
    );
  });
});

describe("ddmin", () => {
  it("finds a part that no single item can be taken out of", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 40 }),
        fc.array(fc.nat({ max: 40 }), { maxLength: 5 }),
        (length, wanted) => {
          const items = Array.from({ length }, (_, index) => index);
          const needed = [...new Set(wanted)].filter((item) => item < length);
          const holds = (part: readonly number[]): boolean => needed.every((item) => part.includes(item));
          const { items: left, isMinimal } = ddmin(items, holds, 100_000);
          expect([...left].sort((a, b) => a - b)).toEqual(needed.sort((a, b) => a - b));
          expect(isMinimal).toBe(true);
        },
      ),
    );
  });

  it("says where the tests ran out, and still gives what holds", () => {
    const items = Array.from({ length: 64 }, (_, index) => index);
    const { items: left, isMinimal } = ddmin(items, (part) => part.includes(63), 3);
    expect(isMinimal).toBe(false);
    expect(left).toContain(63);
  });
});
