// `playhead/jest`: importing it, or naming it in `setupFilesAfterEnv`, adds the matchers to Jest's global `expect`. They read the file
// system. If your `expect` is not global, pass `matchers` to its `extend`.

import { createMatcherHost, createMatchers, type CassetteAssertions } from "../harness/index.js";
import { nodeFiles } from "../host/index.js";

/** The matchers, for `expect.extend(matchers)` without Jest's global `expect`. */
export const matchers = createMatchers(createMatcherHost(nodeFiles(), process.env));

const { expect } = globalThis as { expect?: { extend?: (more: typeof matchers) => void } };
expect?.extend?.(matchers);

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- Jest declares its global types in one.
  namespace jest {
    // eslint-disable-next-line @typescript-eslint/no-empty-object-type, @typescript-eslint/no-unused-vars -- Merging is what it is for.
    interface Matchers<R, T> extends CassetteAssertions {}
  }
}
