// The matchers for `expect.extend`, bound to whatever reads cassette files.

import { callTool } from "./call-tool.js";
import { consumeCassette } from "./consume-cassette.js";
import { createKeepRules } from "./keep-rules.js";
import { createMatchCassette } from "./match-cassette.js";
import { createNoDrift } from "./no-drift.js";
import type { MatcherHost } from "./pinned.js";
import { createVerifiedCassette } from "./verified-cassette.js";

/** For Vitest import `playhead/vitest`, which does this. For Jest: `expect.extend(createMatchers({ load: loadCassette, loadRules }))`. */
export function createMatchers(host: MatcherHost) {
  return {
    toMatchCassette: createMatchCassette(host),
    toBeVerifiedCassette: createVerifiedCassette(host),
    toConsumeCassette: consumeCassette,
    toCallTool: callTool,
    toHaveNoDriftFrom: createNoDrift(host),
    toKeepRules: createKeepRules(host),
  };
}
