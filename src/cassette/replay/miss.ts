// A replay miss, explained: which turn, message and JSON pointer, what was recorded, what came, and what to do.

import { defined, plural, toVisible, type JsonValue, type LlmMessage } from "../../core/index.js";
import { settingsChanges, toolsChanges, type ContextChange } from "../offer/context-change.js";
import { firstDifference } from "../prompt/values.js";
import { findVolatileChange } from "../prompt/volatile-difference.js";
import type { MissReport } from "../errors.js";
import type { TurnContext } from "../offer/context.js";
import type { Cassette, ContextExtension, PromptDelta } from "../file/format.js";
import { cutAround } from "./excerpt.js";
import type { UnusedTurns } from "./unused.js";

const MAX_CHANGES = 3;

export function formatMiss(report: MissReport): string {
  const lines = [`turn ${report.turn}: ${report.what}`, ...differenceLines(report)];
  if (report.nearest !== undefined) {
    const { turnIndex, used } = report.nearest;
    lines.push(`  nearest  recorded turn ${turnIndex}${used ? ", which was used already" : ""}`);
  }
  for (const what of report.also ?? []) lines.push(`  also     ${what}`);
  return lines.join("\n");
}

/** The place of a difference and its two sides, as the lines of a miss. */
export function differenceLines({
  pointer,
  recorded,
  actual,
}: Pick<MissReport, "pointer" | "recorded" | "actual">): string[] {
  const sides = [`  recorded ${recorded ?? "(nothing)"}`, `  now      ${actual ?? "(nothing)"}`];
  return [
    ...(pointer === undefined ? [] : [`  at       ${pointer === "" ? "(the whole)" : toVisible(pointer)}`]),
    ...(recorded === undefined && actual === undefined ? [] : sides),
  ];
}

export const CHOICES =
  "If the change was not intended, undo it. Otherwise record it again (with useCassette: CASSETTE_MODE=refresh) and review the new cassette.";

interface Unanswered {
  readonly tape: Cassette;
  readonly contexts: readonly (ContextExtension | undefined)[];
  readonly turns: UnusedTurns;
  readonly turn: number;
  readonly prompt: readonly LlmMessage[];
  readonly promptHash: string;
  /** The tools and settings of the request; undefined if they are not compared. */
  readonly now: TurnContext | undefined;
  /** Redaction that the recording was made with and this replay was not given. */
  readonly missing: readonly string[] | undefined;
}

/** Explains why no recorded turn answers a prompt. Names, too, how tools and settings differ from those of the nearest turn. */
export function explainMiss(asked: Unanswered): MissReport {
  const { contexts, turn, now, missing = [] } = asked;
  const report = explainNoAnswer(asked);
  if (missing.length > 0) {
    report.hint = toVisible(
      `${report.hint} The recording was redacted by ${missing.join(", ")} as well, which this replay was not given: pass the same redact option.`,
    );
  }
  const { turnIndex } = report.nearest ?? {};
  return turnIndex === undefined ? report : withAlso(report, offerMisses(contexts[turnIndex], now, turn, turnIndex));
}

function explainNoAnswer({ tape, prompt, turn, turns, promptHash }: Unanswered): MissReport {
  const sameUsed = turns.lastWith(promptHash);
  const total = tape.entries.length;
  if (sameUsed !== undefined) {
    return {
      code: "exhausted",
      turn,
      nearest: { turnIndex: sameUsed, used: true },
      what: `exhausted: recorded turn ${sameUsed} answers this prompt and was used already`,
      hint: "Replay is single-use: call reset() before a second run, or make a new cassetteProvider.",
    };
  }
  if (turns.left > 0) return explainPromptMiss(tape, prompt, turn, turns.used, turns.next());
  // Every turn was used. The nearest one still shows where the run took another way.
  const near = total === 0 ? undefined : explainPromptMiss(tape, prompt, turn, turns.used, total - 1);
  return {
    ...near,
    code: "exhausted",
    turn,
    what: `exhausted: ${usedText(total)}, and the run asks for more`,
    hint: "The run asks for more turns than were recorded. If the change was not intended, undo it. Otherwise record it again.",
  };
}

function usedText(total: number): string {
  if (total === 0) return "the recording holds no turn";
  return total === 1 ? "the one recorded turn was used" : `all ${total} recorded turns were used`;
}

/** Explains why no unused turn answers `prompt`. `used[i]` tells whether entry i was used; `cursor` is the next unused one. */
export function explainPromptMiss(
  cassette: Cassette,
  prompt: readonly LlmMessage[],
  turn: number,
  used: readonly boolean[],
  cursor: number,
): MissReport {
  const deltas = deltasOf(cassette);
  if (deltas === undefined) {
    return {
      code: "prompt-changed",
      turn,
      what: "the prompt is not the recorded one; the cassette holds only hashes, so it cannot say where they differ",
      nearest: { turnIndex: cursor, used: used[cursor] ?? false },
      hint: `${CHOICES} A recording that keeps prompts says more.`,
    };
  }
  const nearest = findNearest(deltas, prompt, cursor);
  const closest = rebuildPrompt(deltas, nearest);
  const difference = firstDifference(toJson(closest), toJson(prompt));
  const pointer = difference?.pointer ?? "";
  const messageIndex = Number(pointer.split("/")[1] ?? 0);
  const [recorded, actual] = cutAround(difference?.old, difference?.new);
  const change = toVisible(nameChange(closest[messageIndex], prompt[messageIndex], messageIndex));
  const volatile = findVolatileChange(cassette, closest, prompt);
  return {
    code: "prompt-changed",
    turn,
    nearest: { turnIndex: nearest, used: used[nearest] ?? false },
    messageIndex,
    pointer,
    ...defined({ recorded, actual }),
    what: volatile === undefined ? change : `${change}; ${volatile.what}`,
    hint: volatile?.hint ?? CHOICES,
  };
}

export function explainContextMiss(
  code: "tools-changed" | "settings-changed",
  turn: number,
  turnIndex: number,
  recorded: JsonValue | undefined,
  actual: JsonValue,
): MissReport {
  const noun = code === "tools-changed" ? "tools" : "settings";
  const base = { code, turn, nearest: { turnIndex, used: false }, hint: CHOICES };
  if (recorded === undefined) return { ...base, what: `the ${noun} changed; the cassette holds only their hash` };
  const changes = (code === "tools-changed" ? toolsChanges : settingsChanges)(recorded, actual);
  const first = changes[0] ?? firstDifference(recorded, actual);
  const [before, now] = cutAround(first?.old, first?.new);
  return {
    ...base,
    what: changes.length === 0 ? `the ${noun} changed` : listChanges(changes),
    pointer: first?.pointer ?? "",
    ...defined({ recorded: before, actual: now }),
  };
}

/** Explains how tools and settings of a request differ from those of its recorded turn; undefined if they do not. */
export function explainOfferMiss(
  recorded: ContextExtension | undefined,
  now: TurnContext | undefined,
  turn: number,
  turnIndex: number,
): MissReport | undefined {
  const [first, ...others] = offerMisses(recorded, now, turn, turnIndex);
  return first === undefined ? undefined : withAlso(first, others);
}

function offerMisses(
  recorded: ContextExtension | undefined,
  now: TurnContext | undefined,
  turn: number,
  turnIndex: number,
): MissReport[] {
  if (recorded === undefined || now === undefined) return [];
  const reports: MissReport[] = [];
  if (recorded.toolsHash !== now.toolsHash) {
    reports.push(explainContextMiss("tools-changed", turn, turnIndex, recorded.tools, now.tools));
  }
  if (recorded.settingsHash !== now.settingsHash) {
    reports.push(explainContextMiss("settings-changed", turn, turnIndex, recorded.settings, now.settings));
  }
  return reports;
}

/** The report with what the others say, so that one run names everything that must be undone or recorded. */
function withAlso(report: MissReport, others: readonly MissReport[]): MissReport {
  return others.length === 0 ? report : { ...report, also: others.map(({ what }) => what) };
}

function listChanges(changes: readonly ContextChange[]): string {
  const named = changes.slice(0, MAX_CHANGES).map(({ what }) => what);
  const rest = changes.length - named.length;
  return [...named, ...(rest > 0 ? [`and ${plural(rest, "more change")}`] : [])].join(", ");
}

/** The whole prompt of every turn, or undefined if the cassette keeps no prompts. Large for a long conversation. */
export function rebuildPrompts(cassette: Cassette): LlmMessage[][] | undefined {
  let prompt: LlmMessage[] = [];
  return deltasOf(cassette)?.map(({ keep, messages }) => {
    prompt = [...prompt.slice(0, keep), ...messages];
    return prompt;
  });
}

function deltasOf(cassette: Cassette): PromptDelta[] | undefined {
  if (cassette.version === 1) return undefined;
  const deltas = cassette.entries.flatMap(({ prompt }) => prompt ?? []);
  return deltas.length === cassette.entries.length ? deltas : undefined;
}

function rebuildPrompt(deltas: readonly PromptDelta[], turnIndex: number): LlmMessage[] {
  const prompt: LlmMessage[] = [];
  for (const { keep, messages } of deltas.slice(0, turnIndex + 1)) {
    prompt.length = keep;
    for (const message of messages) prompt.push(message);
  }
  return prompt;
}

/** The recorded prompt with the longest common beginning, on a tie the next unused one. Compares each message of the file once. */
function findNearest(deltas: readonly PromptDelta[], prompt: readonly LlmMessage[], cursor: number): number {
  let [nearest, best, length] = [0, -1, 0];
  deltas.forEach(({ keep, messages }, index) => {
    if (keep <= length) length = keep + commonLength(messages, prompt, keep);
    if (length > best || (length === best && index === cursor)) [nearest, best] = [index, length];
  });
  return nearest;
}

function commonLength(messages: readonly LlmMessage[], prompt: readonly LlmMessage[], from: number): number {
  const parting = messages.findIndex(
    (message, index) => firstDifference(toJson(message), toJson(prompt[from + index])) !== undefined,
  );
  return parting < 0 ? messages.length : parting;
}

function nameChange(before: LlmMessage | undefined, now: LlmMessage | undefined, index: number): string {
  if (before === undefined)
    return `the prompt has a message that the recording does not have (message ${index}, ${describe(now)})`;
  if (now === undefined)
    return `the prompt lacks a message that the recording has (message ${index}, ${describe(before)})`;
  if (before.role !== now.role) return `message ${index} had the role ${before.role} and now has ${now.role}`;
  switch (now.role) {
    case "system":
      return "the system prompt changed";
    case "user":
      return `the user message changed (message ${index})`;
    case "assistant":
      return `an earlier answer changed (message ${index})`;
    case "tool":
      return `the result of tool ${now.name} changed (message ${index})`;
  }
}

function describe(message: LlmMessage | undefined): string {
  return message?.role === "tool" ? `a result of tool ${message.name}` : `role ${message?.role ?? "none"}`;
}

/** Messages are plain JSON by construction; their types are only narrower than `JsonValue`. */
function toJson(value: unknown): JsonValue {
  return value as JsonValue;
}
