// Runs an agent once for each fault, on a clock that no fault can stop, and returns the outcomes as rows.

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
import { MAX_TRIAL_TIMERS } from "../limits.js";
import { describeFault, everyFault, faultProblem, type Fault } from "./fault.js";
import { assertFaultOptions, assertNone, callsProblem, faultsProblems } from "./plan.js";
import { faultyProvider, type FaultyProvider } from "./provider.js";

export interface Trial {
  /** Wraps the provider to strike. */
  readonly faulty: (provider: LlmProviderAdapter) => LlmProviderAdapter;
  /** Pass its `ports` to the runtime and to provider chains, so that no wait takes real time. */
  readonly host: MemoryHost;
}

export interface SurvivalOptions {
  /** At least one fault. Default: every fault of OpenAI, as {@link everyFault} lists them. */
  readonly faults?: readonly Fault[];
  /** The calls to strike with the fault. Default: only the first, `[0]`. */
  readonly calls?: readonly number[];
}

export interface SurvivalRow {
  readonly fault: Fault;
  /**
   * `finished`: the model gave a final answer. `budget`: a cap ended the run. `failed`: the run rejected. `hangs`: it did not end after
   * all timers, or 50,000 of them, had fired. `unstruck`: the fault found nothing to strike, or the run made none of its calls.
   */
  readonly outcome: "finished" | "budget" | "failed" | "hangs" | "unstruck";
  /** Calls that were not struck: the run did not make them, or their answers had nothing to strike. */
  readonly missed: readonly number[];
  /** For a run that rejected: the code of an `AgentError`, the name of any other error. */
  readonly code?: string;
  /** The error that the run rejected with, or `HarnessError` `never-settles` for one that hangs. */
  readonly error?: unknown;
  /** The final answer of a run that ended. */
  readonly finalAnswer?: string;
  /** The duration of the run in ms, by its own clock. */
  readonly tookMs: number;
}

/**
 * Runs an agent once for each fault, one after another. The model and its tools must be in this process, because a run that waits for
 * a socket looks like a hang. Each run needs a new provider and script. A run that rejects is a row. Throws `HarnessError` `faults-unclear` for
 * wrong options, and for a run without a result.
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
    Array.isArray(calls) && calls.length > 0
      ? callsProblem("calls", calls)
      : "calls must be a list with at least one call",
  ]);
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
  // The async function turns a throw before the promise into a rejection.
  const play = () => host.clock.until((async () => run({ faulty, host }))(), MAX_TRIAL_TIMERS);
  const ended = await settle(play).catch((error: unknown) => {
    throw misuse.length > 0 ? misuse[0] : error;
  });
  if (misuse.length > 0) throw misuse[0];
  const struck = new Set(wrapped.flatMap(({ injected }) => injected.flatMap(({ call, took }) => (took ? [call] : []))));
  const missed = calls.filter((call) => !struck.has(call));
  const row = { fault, ...ended, missed, tookMs: host.clock.now() - start };
  return struck.size > 0 ? row : { ...row, outcome: "unstruck" };
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
    const hint = "Return the promise of a runtime's `run`.";
    const message = `surviveFaults: the run returned ${showValue(result)} instead of a result`;
    throw new HarnessError("faults-unclear", message, hint);
  }
  const { finalAnswer, budgetExhausted } = result;
  return { outcome: budgetExhausted === undefined ? "finished" : "budget", finalAnswer };
}

function codeOf(error: unknown): string {
  if (error instanceof AgentError) return error.code;
  return error instanceof Error ? error.name : typeof error;
}

/** The most characters of an answer or error in the table. The rows hold all of it. */
const SHOWN_CHARACTERS = 100;

/**
 * Formats rows as a table, one line per fault: the final answer, or the error code. Errors other than `AgentError` also get their
 * message. Throws `HarnessError` `faults-unclear` for anything other than rows.
 */
export function formatSurvival(rows: readonly SurvivalRow[]): string {
  if (!Array.isArray(rows)) {
    const hint = "Pass the rows that surviveFaults returns.";
    throw new HarnessError("faults-unclear", `formatSurvival: the rows are ${showValue(rows)}`, hint);
  }
  const cells = rows.map((row: SurvivalRow) => [describeFault(row.fault), row.outcome, endOf(row) + missedOf(row)]);
  const widths = [0, 1].map((column) => Math.max(0, ...cells.map((row) => row[column]?.length ?? 0)));
  return cells.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")).join("\n");
}

function endOf({ code, error, finalAnswer = "" }: SurvivalRow): string {
  if (code === undefined && error === undefined)
    return toVisible(JSON.stringify(shorten(finalAnswer, SHOWN_CHARACTERS)));
  if (error === undefined || error instanceof AgentError) return toVisible(shorten(code ?? "", SHOWN_CHARACTERS));
  return toVisible(shorten([code ?? [], thrownText(error)].flat().join(": "), SHOWN_CHARACTERS));
}

function missedOf({ outcome, missed }: SurvivalRow): string {
  if (outcome === "unstruck" || missed.length === 0) return "";
  return `, not struck at call ${shorten(missed.join(", "), SHOWN_CHARACTERS)}`;
}
