// The summary of step checks: agreement with its interval, a confusion table of tools, tokens and cost.

import {
  createUsageCounter,
  createUseCounter,
  cutAround,
  type ToleranceUse,
  type UsageSum,
} from "../../cassette/index.js";
import { canonicalize, defined, shorten, toVisible, type LlmTurnResponse } from "../../core/index.js";
import { wilsonInterval } from "../drift/statistics/normal.js";
import type { StepCheck, StepTurn } from "./check.js";
import { STEP_VERDICTS, type StepVerdict, type TurnComparison } from "./compare.js";

const LEVEL = 0.95;
const SHOWN_CHARACTERS = 200;

/** The summary of several checks. Rates are 0 to 1, with an interval of the given level. */
export interface StepSummary {
  cassettes: number;
  /** The number of recorded turns. The next fields count those compared, failed and not asked. */
  turns: number;
  compared: number;
  verdicts: Record<StepVerdict, number>;
  failed: number;
  notAsked: number;
  /** The share of turns with the same calls. Absent if no turn was compared. */
  agreement?: { rate: number; low: number; high: number; level: number };
  /** How often one tool was recorded and another (or the same) chosen, sorted by name. */
  confusion: { recorded: string; chosen: string; count: number }[];
  /** The tolerances that made calls equal. */
  tolerances: ToleranceUse[];
  /** The usage of the compared answers. */
  usage: UsageSum;
}

/** Summarises any number of checks. */
export function summariseSteps(checks: readonly StepCheck[]): StepSummary {
  const turns = checks.flatMap((check) => check.turns);
  const compared = turns.filter((turn) => turn.state === "compared");
  const verdicts = Object.fromEntries(
    STEP_VERDICTS.map((verdict) => [verdict, compared.filter((turn) => turn.verdict === verdict).length]),
  ) as Record<StepVerdict, number>;
  const usage = createUsageCounter();
  const uses = createUseCounter();
  for (const { chosen, tolerances = [] } of compared) {
    usage.add(chosen);
    uses.add(tolerances);
  }
  return {
    cassettes: checks.length,
    turns: turns.length,
    compared: compared.length,
    verdicts,
    failed: turns.filter(({ state }) => state === "failed").length,
    notAsked: turns.filter(({ state }) => state === "not-asked").length,
    ...(compared.length === 0 ? {} : { agreement: toAgreement(verdicts.same, compared.length) }),
    confusion: toTable(compared.flatMap(({ pairs }) => pairs)),
    tolerances: uses.list(),
    usage: usage.total(),
  };
}

function toAgreement(same: number, compared: number): { rate: number; low: number; high: number; level: number } {
  const rate = same / compared;
  return { rate, ...wilsonInterval(rate, compared, LEVEL), level: LEVEL };
}

function toTable(pairs: readonly { recorded: string; chosen: string }[]): StepSummary["confusion"] {
  const cells = new Map<string, StepSummary["confusion"][number]>();
  for (const pair of pairs) {
    const key = JSON.stringify([pair.recorded, pair.chosen]);
    const cell = cells.get(key) ?? { ...pair, count: 0 };
    cell.count++;
    cells.set(key, cell);
  }
  return [...cells].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, cell]) => cell);
}

/** The first turn on which the models disagree, as printable text. */
export interface Disagreement {
  turn: number;
  verdict: Exclude<StepVerdict, "same">;
  /** Calls as `name(arguments)`, or the answer in quotes. Cut, and safe for a terminal. */
  recorded: string;
  chosen: string;
  /** The first different argument, if the tools are the same. */
  at?: { tool: string; pointer: string; recorded: string; chosen: string };
}

/** The first compared turn that disagrees, or undefined if all agree. */
export function firstDisagreement({ turns }: StepCheck): Disagreement | undefined {
  const first = turns.find((turn) => turn.state === "compared" && turn.verdict !== "same");
  return first?.state === "compared" && first.verdict !== "same" ? tell(first, first.verdict) : undefined;
}

function tell(
  { turn, recorded, chosen, differing }: Extract<StepTurn, { state: "compared" }>,
  verdict: Disagreement["verdict"],
): Disagreement {
  const at = verdict === "other-arguments" && differing !== undefined ? whereOf(differing) : undefined;
  return { turn, verdict, recorded: describeTurn(recorded), chosen: describeTurn(chosen), ...defined({ at }) };
}

function whereOf({ recorded, at }: NonNullable<TurnComparison["differing"]>): Disagreement["at"] {
  const [was, is] = cutAround(at.old, at.new);
  return {
    tool: toVisible(recorded.name),
    pointer: toVisible(at.pointer),
    recorded: was ?? "(nothing)",
    chosen: is ?? "(nothing)",
  };
}

/** The calls of a turn, or its answer, as one line. */
export function describeTurn({ message }: LlmTurnResponse): string {
  const calls = message.toolCalls ?? [];
  const text =
    calls.length === 0
      ? JSON.stringify(message.content)
      : calls.map((call) => `${call.name}(${canonicalize(call.malformedArguments ?? call.arguments)})`).join(" + ");
  return toVisible(shorten(text, SHOWN_CHARACTERS));
}
