// Runtimes that a fleet can drive without models: what a run does is a function, and what was run is kept.

import type { RunResult } from "../../src/core/runtime/run.js";
import type { AgentRuntime } from "../../src/core/runtime/runtime.js";
import type { FleetCell } from "../../src/host/fleet/cell.js";

export type Work = (goal: string, signal: AbortSignal) => Promise<string> | string;

/** A runtime whose answer is what `work` gives. */
export function fakeRuntime(work: Work): AgentRuntime & { readonly goals: string[]; destroyed: number } {
  const goals: string[] = [];
  return {
    goals,
    receipts: [],
    destroyed: 0,
    async run({ goal, signal }) {
      goals.push(goal);
      return answer(await work(goal, signal ?? new AbortController().signal));
    },
    async destroy() {
      this.destroyed += 1;
    },
  };
}

/** What a fleet reads of a result. */
function answer(finalAnswer: string): RunResult {
  const usage = { inputTokens: 1, outputTokens: 2 };
  return { agentId: "ann", finalAnswer, turns: 1, toolCalls: 0, usage } as unknown as RunResult;
}

/** Cells as `member target status`, with what each ended with. */
export function told(cells: readonly FleetCell[]): string[] {
  return cells.map((cell) => {
    const head = `${cell.member ?? "-"} ${cell.target} ${cell.status}`;
    switch (cell.status) {
      case "done":
        return `${head}: ${cell.result.finalAnswer}`;
      case "failed":
        return `${head}: ${cell.error.code} ${cell.error.message}`;
      case "skipped":
        return `${head}: ${cell.reason}`;
    }
  });
}
