// Checked by tsc alone: what a test file sees of the matchers once it imports `playhead/vitest`.

import { expect, expectTypeOf } from "vitest";
import type { Cassette, RuleSet, Tolerances, Trust } from "../../src/cassette/index.js";
import type { RunResult } from "../../src/core/index.js";
import "../../src/entry/vitest.js";
import type { CassetteAssertions } from "../../src/harness/index.js";

declare const run: unknown;
declare const cassette: Cassette;
declare const rules: RuleSet;
declare const tolerances: Tolerances;
declare const trust: Trust;
declare const result: RunResult;

expectTypeOf(expect(run).toMatchCassette(cassette)).toEqualTypeOf<Promise<void>>();
expectTypeOf(expect(run).toMatchCassette("a.cassette.json", { requireIntegrity: false })).toEqualTypeOf<
  Promise<void>
>();
expectTypeOf(expect(run).toBeVerifiedCassette()).toEqualTypeOf<Promise<void>>();
expectTypeOf(expect(run).toBeVerifiedCassette({ requireIntegrity: false })).toEqualTypeOf<Promise<void>>();
expectTypeOf(expect(run).toConsumeCassette()).toEqualTypeOf<void>();
expectTypeOf(expect(run).toCallTool("lookup")).toEqualTypeOf<void>();
expectTypeOf(expect(run).toCallTool("lookup", { city: expect.any(String) })).toEqualTypeOf<void>();
expectTypeOf(expect(run).toCallTool("lookup", expect.objectContaining({ city: "Oslo" }))).toEqualTypeOf<void>();
expectTypeOf(expect(run).toHaveNoDriftFrom(cassette)).toEqualTypeOf<Promise<void>>();
expectTypeOf(
  expect(run).toHaveNoDriftFrom("a.cassette.json", { content: false, ignore: ["/at"], requireIntegrity: true }),
).toEqualTypeOf<Promise<void>>();
expectTypeOf(expect(run).toKeepRules(rules)).toEqualTypeOf<Promise<void>>();
expectTypeOf(expect(run).toKeepRules("cassette.rules.json")).toEqualTypeOf<Promise<void>>();

const pin = { lock: "cassettes.lock", trust, requireSignature: true };
expectTypeOf(expect(run).toMatchCassette("a.cassette.json", { ...pin, tolerances })).toEqualTypeOf<Promise<void>>();
expectTypeOf(expect("a.cassette.json").toBeVerifiedCassette({ ...pin, trust: "t.json" })).toEqualTypeOf<
  Promise<void>
>();
expectTypeOf(
  expect(run).toHaveNoDriftFrom(["baselines", cassette], {
    order: "subset",
    readOnly: ["get_*"],
    scenario: "a",
    ...pin,
  }),
).toEqualTypeOf<Promise<void>>();
expectTypeOf(expect(run).toCallToolTimes("lookup", 2)).toEqualTypeOf<void>();
expectTypeOf(
  expect(run).toCallToolTimes("lookup", 0, { city: expect.any(String) }, { tolerances }),
).toEqualTypeOf<void>();
expectTypeOf(expect(run).toCallToolBefore("lookup", { name: "save", args: { n: 1 } })).toEqualTypeOf<void>();
expectTypeOf(
  expect(run).toMatchToolSequence(["lookup", ["a", { name: "b", args: expect.objectContaining({ n: 1 }) }]]),
).toEqualTypeOf<void>();
expectTypeOf(expect(run).toMatchToolSequence([], { mode: "any_order", tolerances })).toEqualTypeOf<void>();
expectTypeOf(
  expect(run).toStayWithinBudget({ tokens: 1, inputTokens: 1, outputTokens: 1, usd: 1, turns: 1, toolCalls: 1, ms: 1 }),
).toEqualTypeOf<void>();
expectTypeOf(expect(run).toFinishWith("contentFilter")).toEqualTypeOf<void>();
expectTypeOf(
  expect(run).toFinishWith({ answer: expect.any(String), agent: "a", reason: "budget" }),
).toEqualTypeOf<void>();
expectTypeOf(expect(run).toExhaustBudget()).toEqualTypeOf<void>();
expectTypeOf(expect(run).toExhaustBudget("costUsd")).toEqualTypeOf<void>();
expectTypeOf(expect(run).toHaveValidReceipts({ key: "hex", requireComplete: true, run: result })).toEqualTypeOf<
  Promise<void>
>();
expectTypeOf(expect(run).toHaveValidReceipts({ trust })).toEqualTypeOf<Promise<void>>();
expectTypeOf(expect(run).not.toMatchToolSequence(["a"])).toEqualTypeOf<void>();
expectTypeOf(expect(run).not.toHaveValidReceipts({ trust: "t.json" })).toEqualTypeOf<Promise<void>>();
expectTypeOf(await expect(Promise.resolve(run)).resolves.toStayWithinBudget({ turns: 1 })).toEqualTypeOf<void>();

expectTypeOf(expect(run).not.toMatchCassette(cassette)).toEqualTypeOf<Promise<void>>();
expectTypeOf(expect(run).not.toCallTool("lookup")).toEqualTypeOf<void>();
expectTypeOf(await expect(Promise.resolve(run)).resolves.toMatchCassette(cassette)).toEqualTypeOf<void>();
expectTypeOf(await expect(Promise.resolve(run)).resolves.toCallTool("lookup")).toEqualTypeOf<void>();
expectTypeOf(expect.soft(run).toConsumeCassette()).toEqualTypeOf<void>();

// @ts-expect-error -- A pinned run is named.
void expect(run).toMatchCassette();
// @ts-expect-error -- A run result is no cassette.
void expect(run).toMatchCassette({ messages: [] });
// @ts-expect-error -- The option of diffCassettes is called `content` here.
void expect(run).toHaveNoDriftFrom(cassette, { ignoreContent: true });
// @ts-expect-error -- Ignored places are a list.
void expect(run).toHaveNoDriftFrom(cassette, { ignore: "/at" });
// @ts-expect-error -- A tool has a name.
expect(run).toCallTool();
// @ts-expect-error -- Arguments are an object.
expect(run).toCallTool("lookup", "Oslo");
// @ts-expect-error -- It takes nothing.
expect(run).toConsumeCassette("a.cassette.json");
// @ts-expect-error -- An unknown option.
void expect(run).toBeVerifiedCassette({ integrity: true });

// @ts-expect-error -- A number of calls is asked for.
expect(run).toCallToolTimes("lookup");
// @ts-expect-error -- The number comes before the arguments.
expect(run).toCallToolTimes("lookup", { city: "Oslo" });
// @ts-expect-error -- Two calls are named.
expect(run).toCallToolBefore("lookup");
// @ts-expect-error -- A call has `args`.
expect(run).toCallToolBefore("lookup", { name: "save", arguments: {} });
// @ts-expect-error -- A sequence is a list.
expect(run).toMatchToolSequence("lookup");
// @ts-expect-error -- A turn holds no turns.
expect(run).toMatchToolSequence([[["lookup"]]]);
// @ts-expect-error -- An unknown mode.
expect(run).toMatchToolSequence(["lookup"], { mode: "loose" });
// @ts-expect-error -- The limits of an agent are called otherwise.
expect(run).toStayWithinBudget({ maxTokens: 1 });
// @ts-expect-error -- A limit is a number.
expect(run).toStayWithinBudget({ usd: undefined });
// @ts-expect-error -- The answer is { answer }.
expect(run).toFinishWith("Paris.");
// @ts-expect-error -- A finish has no such field.
expect(run).toFinishWith({ stop: "stop" });
// @ts-expect-error -- An invalid cap.
expect(run).toExhaustBudget("usd");
// @ts-expect-error -- An unknown order.
void expect(run).toHaveNoDriftFrom(cassette, { order: "loose" });
// @ts-expect-error -- A key or a trust list is asked for.
void expect(run).toHaveValidReceipts();
// @ts-expect-error -- A lock is a path.
void expect(run).toMatchCassette("a.cassette.json", { lock: new Map() });

expectTypeOf<Chai.Assertion>().toExtend<CassetteAssertions>();
