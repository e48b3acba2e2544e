// The parameter of the turn core is an internal contract of two front doors, so a change of its keys is a decision.

import { expectTypeOf, it } from "vitest";
import type { AgentTurnInput } from "../../src/core/vertex/turn.js";

it("REL-06 the turn core's parameter has these keys", () => {
  expectTypeOf<keyof AgentTurnInput>().toEqualTypeOf<
    | "nodeId"
    | "model"
    | "messages"
    | "tools"
    | "provider"
    | "heard"
    | "project"
    | "limits"
    | "maxCorrections"
    | "settings"
    | "timeoutMs"
    | "policies"
    | "boundary"
    | "onAnswer"
    | "log"
    | "emit"
    | "signal"
    | "ports"
  >();
});
