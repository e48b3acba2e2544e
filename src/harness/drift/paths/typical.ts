// Compares the two typical runs of a scenario: every turn of both, the differences, and their places in the files.

import { defined } from "../../../core/index.js";
import {
  alignTurns,
  compareCassettes,
  compareContracts,
  isBecauseOfSchema,
  usageOf,
  type CallOrder,
  type Cassette,
  type ContractChange,
  type Drift,
} from "../../../cassette/index.js";
import { toConversation } from "../../html/steps.js";
import { MAX_TYPICAL_TEXT_CHARACTERS } from "../../limits.js";
import type { ContractState, Edit, Location, ScenarioReport, TimelineRow, TimelineTurn } from "../gate-report.js";
import type { TrajectoryOptions } from "./trajectory.js";

export interface TypicalRun {
  file: string;
  cassette: Cassette;
  /** The line on which each turn begins. */
  lines: readonly number[];
}

type Described = Pick<
  ScenarioReport,
  "edits" | "timeline" | "firstDivergence" | "textsOnly" | "tolerances" | "contract" | "contractState"
>;

interface TypicalOptions extends TrajectoryOptions {
  /** True if one of the runs succeeded and the other failed. */
  otherOutcomes?: boolean;
}

/** Compares the two runs turn by turn. Throws "diff-too-large", as `diffCassettes` does. */
export function describeTypical(base: TypicalRun, candidate: TypicalRun, options: TypicalOptions): Described {
  const { ignore, order, readOnly = [], content, tolerances } = options;
  const shared = { ignore, order, readOnly, ...defined({ tolerances }) };
  const compared = { ...shared, ignoreContent: !content, ignoreStops: false };
  const found = compareCassettes(base.cassette, candidate.cassette, compared);
  const offers = offersOf(base.cassette, candidate.cassette);
  const edits = found.drifts.map((drift) => withOrder(toEdit(drift, base, candidate, offers.contract), order));
  const [old, now] = [turnsOf(base.cassette), turnsOf(candidate.cassette)];
  const timeline = alignTurns(base.cassette, candidate.cassette, compared).map((pair): TimelineRow => {
    const [before, after] = [old[pair.old ?? -1], now[pair.new ?? -1]];
    return { ...defined({ base: before, candidate: after }), edits: pair.drifts };
  });
  const first = timeline.find((row) => row.edits.length > 0)?.edits[0];
  if (edits.length === 0 && options.otherOutcomes === true && !content) {
    // Calls alone do not show why one of them failed.
    const inTexts = describeTypical(base, candidate, { ...options, content: true });
    return inTexts.edits.length === 0 ? inTexts : { ...inTexts, textsOnly: true };
  }
  return { edits, timeline, tolerances: found.tolerances, ...offers, ...defined({ firstDivergence: first }) };
}

function offersOf(base: Cassette, candidate: Cassette): { contract: ContractChange[]; contractState: ContractState } {
  const compared = compareContracts(base, candidate);
  if (compared.state === "compared") return { contract: compared.changes, contractState: "compared" };
  if (compared.state === "not-recorded") return { contract: [], contractState: "not-recorded" };
  return { contract: [], contractState: compared.isSame ? "hashes-same" : "hashes-differ" };
}

function toEdit(drift: Drift, base: TypicalRun, candidate: TypicalRun, contract: readonly ContractChange[]): Edit {
  return {
    drift,
    ...("oldTurn" in drift ? { base: locate(base, drift.oldTurn) } : {}),
    ...("newTurn" in drift ? { candidate: locate(candidate, drift.newTurn) } : {}),
    ...(isBecauseOfSchema(drift, contract) ? { becauseOfSchema: true } : {}),
  };
}

/** Names the order that allows the edit. Strict orders count how calls are grouped into turns, which newer models often change. */
function withOrder(edit: Edit, order: CallOrder): Edit {
  const { kind } = edit.drift;
  if (kind === "parallelised") return { ...edit, allowedBy: "unordered" };
  if (kind !== "serialised") return edit;
  return { ...edit, allowedBy: order === "strict" || order === "exact" ? "in_order" : "unordered" };
}

function locate({ file, lines }: TypicalRun, turn: number): Location {
  const line = lines[turn];
  return { file, turn, ...defined({ line }) };
}

function turnsOf(cassette: Cassette): TimelineTurn[] {
  return toConversation(cassette).steps.map(({ entry, results }): TimelineTurn => {
    const { message, stopReason } = entry.response;
    const { inputTokens, outputTokens, costUsd } = usageOf(entry.response);
    return {
      turn: entry.turnIndex,
      text: cutWithCount(message.content),
      calls: (message.toolCalls ?? []).map((call, index) => {
        const result = results.get(index);
        return {
          name: call.name,
          arguments: call.malformedArguments ?? call.arguments,
          ...(result === undefined ? {} : { result: cutWithCount(result.content) }),
        };
      }),
      stopReason,
      ...(inputTokens === undefined || outputTokens === undefined ? {} : { totalTokens: inputTokens + outputTokens }),
      ...defined({ costUsd }),
    };
  });
}

export function cutWithCount(text: string): string {
  if (text.length <= MAX_TYPICAL_TEXT_CHARACTERS) return text;
  return `${text.slice(0, MAX_TYPICAL_TEXT_CHARACTERS).toWellFormed()}… (${text.length - MAX_TYPICAL_TEXT_CHARACTERS} more characters)`;
}
