// Does an agent survive this? One run of it for each fault, on a clock that no fault can hold up, and what came of it as rows.

import {
  AgentError,
  shorten,
  showValue,
  thrownText,
  toVisible,
  type LlmProviderAdapter,
  type RunResult,
} from "../../core/index.js";
import { memoryHost, type MemoryHost } from "../doubles/host.js";
import { HarnessError } from "../errors.js";
import { describeFault, everyFault, faultProblem, type Fault } from "./fault.js";
import { assertFaultOptions, assertNone, callsProblem, faultsProblems } from "./plan.js";
import { faultyProvider, type FaultyProvider } from "./provider.js";

/** What one run is given. */
export interface Trial {
  /** Wraps the provider of the agent that is to be struck. */
  readonly faulty: (provider: LlmProviderAdapter) => LlmProviderAdapter;
  /** Hand its `ports` to the runtime and to chains of providers, so that no wait takes real time. */
  readonly host: MemoryHost;
}

/** The options of {@link surviveFaults}. */
export interface SurvivalOptions {
  /** At least one. Default one of each that OpenAI can have, as {@link everyFault} gives them. */
  readonly faults?: readonly Fault[];
  /** The calls to be struck, each by the same fault. Default the first alone, `[0]`. */
  readonly calls?: readonly number[];
}

/** What came of one run under one fault. */
export interface SurvivalRow {
  readonly fault: Fault;
  /**
   * `finished`: the model settled. `budget`: a cap was met. `failed`: the run rejected. `hangs`: it never ended, though all the
   * time there is had passed, or 50,000 timers had fired. `unstruck`: the fault met nothing to strike, or no call it was to strike was made.
   */
  readonly outcome: "finished" | "budget" | "failed" | "hangs" | "unstruck";
  /** Those of `calls` that were not struck: the run did not make them, or their answers had nothing to strike. */
  readonly missed: readonly number[];
  /** Of what the run rejected with: the code of an `AgentError`, the name of any other error. */
  readonly code?: string;
  /** What the run rejected with, or of one that hangs, the `HarnessError` `never-settles`. */
  readonly error?: unknown;
  /** Of a run that ended. */
  readonly finalAnswer?: string;
  /** Milliseconds the run took, by its own clock. */
  readonly tookMs: number;
}

/**
 * Runs an agent once for each fault, one after another. The model and its tools have to live in this process: a run
 * that waits for a socket seems to hang. Each run must begin afresh, its provider and scripts too. What a run rejects
 * with is a row. Throws `HarnessError` `faults-unclear` for what cannot be struck, and for a run that gives no result.
 */
export async function surviveFaults(
  run: (trial: Trial) => Promise<RunResult>,
  options: SurvivalOptions = {},
): Promise<SurvivalRow[]> {
  assertFaultOptions("surviveFaults", options, ["faults", "calls"]);
  const { faults = everyFault(), calls = [0] } = options;
  assertNone("surviveFaults", [
    typeof run === "function" ? "" : `the run is ${showValue(run)}: give a function that starts one`,
    ...faultsProblems(faults, faultProblem),
    Array.isArray(calls) && calls.length > 0 ? callsProblem("calls", calls) : "calls is no list with a call in it",
  ]);
  const rows: SurvivalRow[] = [];
  for (const fault of faults) rows.push(await tryOne(run, fault, calls));
  return rows;
}

/** Timers that fire in one run at most: one that asks once a minute hangs after a month. */
const MAX_TRIAL_TIMERS = 50_000;

async function tryOne(
  run: (trial: Trial) => Promise<RunResult>,
  fault: Fault,
  calls: readonly number[],
): Promise<SurvivalRow> {
  const host = memoryHost();
  const start = host.clock.now();
  const wrapped: FaultyProvider[] = [];
  const misuse: unknown[] = [];
  const faulty = (provider: LlmProviderAdapter) => {
    try {
      const schedule = calls.map((call) => ({ call, fault }));
      const one = faultyProvider(provider, { schedule, ports: host.ports });
      wrapped.push(one);
      return one;
    } catch (error) {
      misuse.push(error);
      throw error;
    }
  };
  const play = () => host.clock.until(begin(run, { faulty, host }), MAX_TRIAL_TIMERS);
  const ended = await settle(play).catch((error: unknown) => {
    throw misuse.length > 0 ? misuse[0] : error;
  });
  if (misuse.length > 0) throw misuse[0];
  const struck = new Set(wrapped.flatMap(({ injected }) => injected.flatMap(({ call, took }) => (took ? [call] : []))));
  const missed = calls.filter((call) => !struck.has(call));
  const row = { fault, ...ended, missed, tookMs: host.clock.now() - start };
  return struck.size > 0 ? row : { ...row, outcome: "unstruck" };
}

/** A run that throws before it gives a promise has failed as one that rejects. */
async function begin(run: (trial: Trial) => Promise<RunResult>, trial: Trial): Promise<RunResult> {
  return run(trial);
}

type Ended = Pick<SurvivalRow, "outcome" | "code" | "error" | "finalAnswer">;

async function settle(run: () => Promise<RunResult>): Promise<Ended> {
  let result: Partial<RunResult> | null | undefined;
  try {
    result = await run();
  } catch (error) {
    if (error instanceof HarnessError && error.code === "never-settles") return { outcome: "hangs", error };
    return { outcome: "failed", code: codeOf(error), error };
  }
  if (typeof result?.finalAnswer !== "string") {
    const hint = "Return the promise that `run` of a runtime gives.";
    throw new HarnessError(
      "faults-unclear",
      `surviveFaults: the run gave ${showValue(result)}, no result of a run`,
      hint,
    );
  }
  const { finalAnswer, budgetExhausted } = result;
  return { outcome: budgetExhausted === undefined ? "finished" : "budget", finalAnswer };
}

function codeOf(error: unknown): string {
  if (error instanceof AgentError) return error.code;
  return error instanceof Error ? error.name : typeof error;
}

/** The most characters of what a run answered or rejected with. The rows have all of it. */
const MAX_CELL_CHARACTERS = 100;

/**
 * The rows as a table of text, one line a fault: what a run answered, else the code that it rejected with, and the words of what
 * is no `AgentError`. Throws `HarnessError` `faults-unclear` for what are no rows.
 */
export function formatSurvival(rows: readonly SurvivalRow[]): string {
  if (!Array.isArray(rows)) {
    const hint = "Give what surviveFaults gives.";
    throw new HarnessError("faults-unclear", `formatSurvival: the rows are ${showValue(rows)}`, hint);
  }
  const cells = rows.map((row: SurvivalRow) => [
    describeFault(row.fault),
    row.outcome,
    `${endOf(row)}${missedOf(row)}`,
  ]);
  const widths = [0, 1].map((column) => Math.max(0, ...cells.map((row) => row[column]?.length ?? 0)));
  return cells.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")).join("\n");
}

function endOf({ code, error, finalAnswer = "" }: SurvivalRow): string {
  if (code === undefined && error === undefined)
    return toVisible(JSON.stringify(shorten(finalAnswer, MAX_CELL_CHARACTERS)));
  if (error === undefined || error instanceof AgentError) return toVisible(shorten(code ?? "", MAX_CELL_CHARACTERS));
  return toVisible(shorten([code ?? [], thrownText(error)].flat().join(": "), MAX_CELL_CHARACTERS));
}

/** Of a run that was struck at some of the calls alone. */
function missedOf({ outcome, missed }: SurvivalRow): string {
  if (outcome === "unstruck" || missed.length === 0) return "";
  return `, not struck at call ${shorten(missed.join(", "), MAX_CELL_CHARACTERS)}`;
}
