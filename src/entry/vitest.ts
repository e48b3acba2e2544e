// `playhead/vitest`: importing it teaches Vitest's `expect` the matchers, on the files of this machine, and gives a `test` with the
// fixture `cassette`. The types of the matchers extend the global Chai.Assertion, the one declaration that holds in Vitest 4 and 5
// alike.

import { expect, test as vitestTest, type TestAPI } from "vitest";
import {
  createMatcherHost,
  createMatchers,
  createVitestFixture,
  explainEach,
  type CassetteAssertions,
  type CassetteFixtures,
  type CassettesOptions,
} from "../harness/index.js";
import { nodeFiles } from "../host/index.js";

const files = nodeFiles();
expect.extend(createMatchers(createMatcherHost(files, process.env)));

const open = createVitestFixture({ files, environment: process.env });

/** A `test` of one's own with the fixture `cassette`; `options` are for every cassette it opens. */
export function withCassette<Context>(
  base: TestAPI<Context>,
  options: CassettesOptions = {},
): TestAPI<Context & CassetteFixtures> {
  // Vitest cannot add fixtures to a context it does not know yet.
  const extended = (base as unknown as TestAPI).extend<CassetteFixtures>({
    cassettes: options,
    cassette: async ({ task, onTestFinished, cassettes }, use) => use(open({ task, onTestFinished, cassettes })),
  });
  return explainEach(extended) as unknown as TestAPI<Context & CassetteFixtures>;
}

/** Vitest's `test` with the fixture `cassette`: it finds its file from the test file and the name of the test. */
export const test: TestAPI<CassetteFixtures> = withCassette(vitestTest);
export { test as it, expect };
// What else a test file takes from Vitest, so that one import will do. Not `vi`: Vitest lifts its mocks only where it comes from "vitest".
export { afterAll, afterEach, beforeAll, beforeEach, describe } from "vitest";
export type { CassetteFixtures, CassettesOptions };

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- Chai declares its types in one.
  namespace Chai {
    // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- Merging is what it is for.
    interface Assertion extends CassetteAssertions {}
  }
}
