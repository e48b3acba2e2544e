// `playhead/vitest`: importing it teaches Vitest's `expect` the matchers, on the files of this machine. The types extend the
// global Chai.Assertion, the one declaration that holds in Vitest 4 and 5 alike.

import { expect } from "vitest";
import { createMatcherHost, createMatchers, type CassetteAssertions } from "../harness/index.js";
import { nodeFiles } from "../host/index.js";

expect.extend(createMatchers(createMatcherHost(nodeFiles(), process.env)));

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- Chai declares its types in one.
  namespace Chai {
    // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- Merging is what it is for.
    interface Assertion extends CassetteAssertions {}
  }
}
