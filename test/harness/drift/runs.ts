// Runs made by hand for the tests of the gate: a path is written as its turns, the calls of one turn joined by "+".

import type { GateRun } from "../../../src/harness/drift/paths.js";
import type { GateScenario } from "../../../src/harness/drift/measure.js";
import type { GateSettings } from "../../../src/harness/drift/report.js";
import { runGate, type GateInput } from "../../../src/harness/drift/gate.js";

/** `"find, open+read"` has two turns. `!` at the end is a failed run, `?` says nothing of it. */
export function run(text: string, file: string): GateRun {
  const path = text.replace(/[!?]$/, "");
  const turns = path.split(",").filter((turn) => turn.trim() !== "");
  const calls = turns.map((turn) =>
    turn
      .trim()
      .split("+")
      .map((call) => ({ tool: call.replace(/\(.*/, ""), text: call }))
      .sort((a, b) => (a.text < b.text ? -1 : 1)),
  );
  return {
    file,
    trajectory: { key: JSON.stringify(calls), turns: calls },
    turns: turns.length + 1,
    calls: calls.flat().length,
    ...(text.endsWith("?") ? {} : { success: !text.endsWith("!") }),
  };
}

export function scenario(name: string, base: readonly string[], candidate: readonly string[]): GateScenario {
  const runs = (texts: readonly string[], side: string) =>
    texts.map((text, index) => run(text, `${side}/${name}.${String(index).padStart(3, "0")}.cassette.json`));
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
    onlyBase: [],
    onlyCandidate: [],
    settings: { ...SETTINGS, ...settings },
    commands: { reproduce: "again", bless: "accept" },
    ...more,
  });
}

/** The same text so many times. */
export function times(count: number, text: string): string[] {
  return Array.from({ length: count }, () => text);
}
