// `playhead/vitest`: importing it adds the matchers to Vitest's `expect`, and provides a `test` with the fixture `cassette`. The types of
// the matchers extend the global Chai.Assertion, the one declaration that works in Vitest 4 and 5.

import { expect, test as vitestTest, type TestAPI } from "vitest";
import {
  createMatcherHost,
  createMatchers,
  createVitestFixture,
  explainEach,
  toMswParts,
  type CassetteAssertions,
  type CassetteFixtures,
  type CassettesOptions,
  type MswParts,
  type TestCassette,
  type VitestContext,
} from "../harness/index.js";
import { nodeFiles } from "../host/index.js";

const files = nodeFiles();
expect.extend(createMatchers(createMatcherHost(files, process.env)));

// Loaded by the first `cassette.handlers()`, since most tests have no MSW.
const loadMsw = async (): Promise<MswParts<never>> => toMswParts((await import("msw")) as never);

const open = createVitestFixture({ files, environment: process.env }, loadMsw);

/** Adds the fixture `cassette` to your own `test`. `options` apply to every cassette it opens. */
export function withCassette<Context>(
  base: TestAPI<Context>,
  options: CassettesOptions = {},
): TestAPI<Context & CassetteFixtures> {
  // Vitest cannot add fixtures to a context it does not know yet.
  const extended = (base as unknown as TestAPI).extend<CassetteFixtures>({
    cassettes: options,
    cassette: async (
      { task, onTestFinished, cassettes }: VitestContext,
      use: (cassette: TestCassette) => Promise<void>,
    ) => use(open({ task, onTestFinished, cassettes })),
  });
  return explainEach(extended) as unknown as TestAPI<Context & CassetteFixtures>;
}

/** Vitest's `test` with the fixture `cassette`, which derives its file from the test file and the name of the test. */
export const test: TestAPI<CassetteFixtures> = withCassette(vitestTest);
export { test as it, expect };
// Vitest's other names, so that a test file needs one import. Not `vi`: Vitest hoists mocks only if it is imported from "vitest".
export { afterAll, afterEach, beforeAll, beforeEach, describe } from "vitest";
export type { CassetteFixtures, CassettesOptions };

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- Chai declares its types in one.
  namespace Chai {
    // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- Merging is what it is for.
    interface Assertion extends CassetteAssertions {}
  }
}
