// Runtimes that a fleet can drive without models. A function does the work of a run, and the runs are kept.

import type { RunResult } from "../../src/core/runtime/run-plan.js";
import type { AgentRuntime } from "../../src/core/runtime/runtime.js";
import type { FleetCell } from "../../src/host/fleet/cell.js";

export type Work = (goal: string, signal: AbortSignal) => Promise<string> | string;

/** A runtime that answers with the result of `work`. */
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

/** The fields of a result that a fleet reads. */
function answer(finalAnswer: string): RunResult {
  const usage = { inputTokens: 1, outputTokens: 2 };
  return { agentId: "ann", finalAnswer, turns: 1, toolCalls: 0, usage } as unknown as RunResult;
}

/** Cells as `member target status`, each with its result or error. */
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
