// The matchers for `expect.extend`, bound to a host that reads files.

import type { CassetteAssertions } from "./assertions.js";
import { callTool } from "./call-tool.js";
import { callToolBefore } from "./call-tool-before.js";
import { callToolTimes } from "./call-tool-times.js";
import { consumeCassette } from "./consume-cassette.js";
import { exhaustBudget } from "./exhaust-budget.js";
import { finishWith } from "./finish-with.js";
import { guarded } from "./guard.js";
import type { MatcherHost } from "./host.js";
import { createKeepRules } from "./keep-rules.js";
import { createMatchCassette } from "./match-cassette.js";
import type { Matcher } from "./matcher.js";
import { createNoDrift } from "./no-drift.js";
import { matchToolSequence } from "./tool-sequence.js";
import { createValidReceipts } from "./valid-receipts.js";
import { createVerifiedCassette } from "./verified-cassette.js";
import { stayWithinBudget } from "./within-budget.js";

/** Creates the matchers. `playhead/vitest` and `playhead/jest` register them for you. */
export function createMatchers(host: MatcherHost): Record<keyof CassetteAssertions, Matcher> {
  return {
    toMatchCassette: guarded(createMatchCassette(host)),
    toBeVerifiedCassette: guarded(createVerifiedCassette(host)),
    toConsumeCassette: guarded(consumeCassette),
    toCallTool: guarded(callTool),
    toCallToolTimes: guarded(callToolTimes),
    toCallToolBefore: guarded(callToolBefore),
    toMatchToolSequence: guarded(matchToolSequence),
    toStayWithinBudget: guarded(stayWithinBudget),
    toFinishWith: guarded(finishWith),
    toExhaustBudget: guarded(exhaustBudget),
    toHaveNoDriftFrom: guarded(createNoDrift(host)),
    toKeepRules: guarded(createKeepRules(host)),
    toHaveValidReceipts: guarded(createValidReceipts(host)),
  };
}
