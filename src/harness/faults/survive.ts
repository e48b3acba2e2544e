// Does an agent survive this? One run of it for each fault, on a clock that no fault can hold up, and what came of it as rows.

import {
  AgentError,
  assertKnownOptions,
  toVisible,
  type LlmProviderAdapter,
  type RunResult,
} from "../../core/index.js";
import { memoryHost, type MemoryHost } from "../doubles/host.js";
import { HarnessError } from "../errors.js";
import { describeFault, everyFault, type Fault } from "./fault.js";
import { faultyProvider } from "./provider.js";

/** What one run is given. */
export interface Trial {
  /** Wraps the provider of the agent that is to be struck. */
  readonly faulty: (provider: LlmProviderAdapter) => LlmProviderAdapter;
  /** Hand its `ports` to the runtime and to chains of providers, so that no wait takes real time. */
  readonly host: MemoryHost;
}

/** The options of {@link surviveFaults}. */
export interface SurvivalOptions {
  /** Default one of each that OpenAI can have, as {@link everyFault} gives them. */
  readonly faults?: readonly Fault[];
  /** The calls to be struck, each by the same fault. Default the first alone, `[0]`. */
  readonly calls?: readonly number[];
}

/** What came of one run under one fault. */
export interface SurvivalRow {
  readonly fault: Fault;
  /**
   * `finished`: the model settled. `budget`: a cap was met. `failed`: the run rejected. `hangs`: it never ended, though all the
   * time there is had passed. `unstruck`: the fault met nothing to strike, or no call it was to strike was made.
   */
  readonly outcome: "finished" | "budget" | "failed" | "hangs" | "unstruck";
  /** Of what the run rejected with: the code of an `AgentError`, the name of any other error. */
  readonly code?: string;
  /** Of a run that ended. */
  readonly finalAnswer?: string;
  /** Milliseconds the run took, by its own clock. */
  readonly tookMs: number;
}

/**
 * Runs an agent once for each fault, one after another. The model and its tools have to live in this process: a run
 * that waits for a socket seems to hang. Each run must begin afresh, its provider and scripts too. What a run rejects
 * with is a row; throws `AgentError` `invalid-options` alone.
 */
export async function surviveFaults(
  run: (trial: Trial) => Promise<RunResult>,
  options: SurvivalOptions = {},
): Promise<SurvivalRow[]> {
  assertKnownOptions("surviveFaults", options, ["faults", "calls"]);
  const { faults = everyFault(), calls = [0] } = options;
  const rows: SurvivalRow[] = [];
  for (const fault of faults) rows.push(await tryOne(run, fault, calls));
  return rows;
}

async function tryOne(
  run: (trial: Trial) => Promise<RunResult>,
  fault: Fault,
  calls: readonly number[],
): Promise<SurvivalRow> {
  const host = memoryHost();
  const start = host.clock.now();
  const struck: { readonly injected: readonly { readonly took: boolean }[] }[] = [];
  const faulty = (provider: LlmProviderAdapter) => {
    const schedule = calls.map((call) => ({ call, fault }));
    const one = faultyProvider(provider, { schedule, ports: host.ports });
    struck.push(one);
    return one;
  };
  const ended = await settle(() => host.clock.until(run({ faulty, host })));
  const row = { fault, ...ended, tookMs: host.clock.now() - start };
  const isStruck = struck.some(({ injected }) => injected.some(({ took }) => took));
  return isStruck ? row : { ...row, outcome: "unstruck" };
}

async function settle(run: () => Promise<RunResult>): Promise<Pick<SurvivalRow, "outcome" | "code" | "finalAnswer">> {
  try {
    const { finalAnswer, budgetExhausted } = await run();
    return { outcome: budgetExhausted === undefined ? "finished" : "budget", finalAnswer };
  } catch (error) {
    if (error instanceof HarnessError && error.code === "never-settles") return { outcome: "hangs" };
    if (error instanceof AgentError) return { outcome: "failed", code: error.code };
    return { outcome: "failed", code: error instanceof Error ? error.name : typeof error };
  }
}

/** The rows as a table of text, one line a fault. */
export function formatSurvival(rows: readonly SurvivalRow[]): string {
  const cells = rows.map(({ fault, outcome, code, finalAnswer }) => [
    describeFault(fault),
    outcome,
    code ?? toVisible(JSON.stringify(finalAnswer ?? "")),
  ]);
  const widths = [0, 1].map((column) => Math.max(0, ...cells.map((row) => row[column]?.length ?? 0)));
  return cells.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")).join("\n");
}
