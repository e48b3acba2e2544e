// Checked by tsc alone: what a test file sees of the matchers once it imports `playhead/vitest`.

import { expect, expectTypeOf } from "vitest";
import type { Cassette, RuleSet } from "../../src/cassette/index.js";
import "../../src/entry/vitest.js";
import type { CassetteAssertions } from "../../src/harness/index.js";

declare const run: unknown;
declare const cassette: Cassette;
declare const rules: RuleSet;

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

expectTypeOf<Chai.Assertion>().toExtend<CassetteAssertions>();
