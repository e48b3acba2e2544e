// Checked by tsc alone: what a test file sees of the fixture and the reporter.

import { expectTypeOf, test as vitestTest, type TestAPI } from "vitest";
import { setupServer } from "msw/node";
import type { Reporter } from "vitest/node";
import { describe, it, test, withCassette } from "../../src/entry/vitest.js";
import CassetteReporter from "../../src/entry/vitest-reporter.js";
import type { CassetteHandle, CassettesOptions } from "../../src/harness/index.js";
import type { TestCassette } from "../../src/harness/fixture/vitest-fixture.js";
import type { LiveProvider } from "../../src/harness/cassette/live.js";

declare const live: LiveProvider;

test("the fixture", async ({ cassette, cassettes, task }) => {
  expectTypeOf(cassette).toEqualTypeOf<TestCassette>();
  expectTypeOf(cassettes).toEqualTypeOf<CassettesOptions>();
  expectTypeOf(task.name).toBeString();
  expectTypeOf(await cassette(live)).toEqualTypeOf<CassetteHandle>();
  await cassette(live, { name: "judge", dir: "recordings", mode: "replay", redact: {} });
  await cassette(live, { file: "own.cassette.json" });
  // @ts-expect-error -- The real provider is named.
  await cassette();
  // @ts-expect-error -- An unknown option.
  await cassette(live, { names: "judge" });
  // @ts-expect-error -- An unknown mode.
  await cassette(live, { mode: "none" });
  const handlers = await cassette.handlers({ name: "judge", keepErrors: true, pass: ["/health"] });
  setupServer(...handlers).use(...handlers);
  await handlers.done();
  // @ts-expect-error -- The handlers send to the vendor themselves.
  await cassette.handlers(live);
});

const own = withCassette(vitestTest.extend<{ city: string }>({ city: "Oslo" }), { dir: "recordings" });
own("keeps the fixtures of a test of one's own", ({ cassette, city }) => {
  expectTypeOf(cassette).toEqualTypeOf<TestCassette>();
  expectTypeOf(city).toBeString();
});
// @ts-expect-error -- A name is for one cassette.
withCassette(vitestTest, { name: "judge" });

test.override({ cassettes: { dir: "recordings" } });
expectTypeOf(test.extend<{ city: string }>({ city: "Oslo" })).toExtend<
  TestAPI<{ cassette: TestCassette; city: string }>
>();

expectTypeOf(new CassetteReporter({ orphans: "fail", ledger: "usage" })).toExtend<Reporter>();
// @ts-expect-error -- Neither a warning nor a failure.
new CassetteReporter({ orphans: "ignore" });

describe("one import", () => {
  it("is enough", ({ cassette }) => {
    expectTypeOf(cassette).toEqualTypeOf<TestCassette>();
  });
});
