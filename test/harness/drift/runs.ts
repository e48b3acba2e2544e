// Runs made by hand for the tests of the gate: a path is written as its turns, the calls of one turn joined by "+".

import type { TracedRun } from "../../../src/harness/drift/paths/path-table.js";
import type { GateScenario } from "../../../src/harness/drift/measure.js";
import type { GateSettings } from "../../../src/harness/drift/gate-report.js";
import { NO_TOLERANCES, type Tolerances } from "../../../src/cassette/tolerance/tolerances.js";
import type { CallOrder } from "../../../src/cassette/diff/order.js";
import { trajectoryOf } from "../../../src/harness/drift/paths/trajectory.js";
import { runGate, type GateInput } from "../../../src/harness/drift/gate.js";

/** `"find, open+read"` has two turns. `!` at the end is a failed run, `?` says nothing of it. */
export function run(
  text: string,
  file: string,
  tolerances: Tolerances = NO_TOLERANCES,
  order: CallOrder = "strict",
): TracedRun {
  const path = text.replace(/[!?]$/, "");
  const turns = path.split(",").filter((turn) => turn.trim() !== "");
  const entries = turns.map((turn, turnIndex) => {
    const toolCalls = turn.split("+").map((call) => {
      const [, name = "", at = ""] = /^\s*(\w+)(?:\((.*)\))?\s*$/.exec(call) ?? [];
      return { id: "c", name, arguments: { at: /^\d+$/.test(at) ? Number(at) : at } };
    });
    const message = { role: "assistant" as const, content: "", toolCalls };
    return { turnIndex, promptHash: "", response: { message, stopReason: "toolUse" as const } };
  });
  const cassette = { version: 1 as const, recordedAt: "", recordedProvider: "", entries };
  return {
    file,
    trajectory: trajectoryOf(cassette, { ignore: [], order, content: false, tolerances }),
    turns: turns.length + 1,
    calls: turns.join("+").split("+").length,
    ...(text.endsWith("?") ? {} : { success: !text.endsWith("!") }),
  };
}

export function scenario(
  name: string,
  base: readonly string[],
  candidate: readonly string[],
  tolerances?: Tolerances,
  order?: CallOrder,
): GateScenario {
  const runs = (texts: readonly string[], side: string) =>
    texts.map((text, index) =>
      run(text, `${side}/${name}.${String(index).padStart(3, "0")}.cassette.json`, tolerances, order),
    );
  return { scenario: name, base: runs(base, "old"), candidate: runs(candidate, "new") };
}

export const SETTINGS: GateSettings = {
  alpha: 0.05,
  minRuns: 2,
  failOn: ["regression", "drift"],
  onInconclusive: "pass",
  seed: 1,
  order: "strict",
  content: false,
};

export function judge(
  scenarios: readonly GateScenario[],
  settings: Partial<GateSettings> = {},
  more: Partial<GateInput> = {},
) {
  return runGate({
    base: "old",
    candidate: "new",
    scenarios,
    unpaired: [],
    settings: { ...SETTINGS, ...settings },
    commands: { reproduce: "again", bless: "accept" },
    ...more,
  });
}

/** The same text so many times. */
export function times(count: number, text: string): string[] {
  return Array.from({ length: count }, () => text);
}
