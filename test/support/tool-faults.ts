// One fault of each kind that a tool can have, for tests that try all of them.

import type { ToolFault } from "../../src/harness/faults/tool.js";

export function everyToolFault(): ToolFault[] {
  return [
    { kind: "throw" },
    { kind: "lost-answer" },
    { kind: "hang" },
    { kind: "deaf" },
    { kind: "slow", ms: 30_000 },
    { kind: "wrong-type" },
    { kind: "wrong-type", value: 42 },
    ...(["bigint", "cycle", "function", "throws"] as const).map((what): ToolFault => ({ kind: "not-json", what })),
    { kind: "huge" },
    { kind: "forbidden-key" },
  ];
}
