// Checked by tsc alone: what `playhead/jest` declares for Jest's global `expect`, and that its matchers go into an `extend`.

import { expect } from "expect";
import { expectTypeOf } from "vitest";
import { loadCassette, loadRules } from "../../src/entry/cassette.js";
import { matchers } from "../../src/entry/jest.js";
import { createMatchers, type CassetteAssertions } from "../../src/harness/index.js";

expectTypeOf<jest.Matchers<void, unknown>>().toExtend<CassetteAssertions>();
expect.extend(matchers);
expect.extend(createMatchers({ load: loadCassette, loadRules }));
