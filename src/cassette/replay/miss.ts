// Explains a replay miss: the turn, the message and the JSON pointer, the recorded and the live value, and what to do.

import { defined, plural, toVisible, type JsonValue, type LlmMessage } from "../../core/index.js";
import { changeText, compareOffers, placeOf, type OfferChange } from "../offer/compare-offers.js";
import { deltasOf, rebuildPrompt } from "../prompt/rebuild.js";
import { firstDifference } from "../prompt/json-difference.js";
import { findVolatileTools } from "../prompt/tool-texts.js";
import { findVolatileChange } from "../prompt/volatile-difference.js";
import type { MissReport } from "../errors.js";
import { isSameContext, type TurnContext } from "../offer/context.js";
import type { Cassette, ContextExtension, PromptDelta } from "../file/format.js";
import { cutAround, differenceLines } from "./excerpt.js";
import type { UnusedTurns } from "./unused.js";

const SHOWN_CHANGES = 3;

export function formatMiss(report: MissReport): string {
  const lines = [`turn ${report.turn}: ${report.what}`, ...differenceLines(report)];
  if (report.nearest !== undefined) {
    const { turnIndex, used } = report.nearest;
    lines.push(`  nearest  recorded turn ${turnIndex}${used ? ", which was already used" : ""}`);
  }
  for (const what of report.also ?? []) lines.push(`  also     ${what}`);
  return lines.join("\n");
}

export const CHOICES =
  "If the change was not intended, undo it. Otherwise record it again (with useCassette: CASSETTE_MODE=refresh) and review the new cassette.";

interface Unanswered {
  readonly recording: Cassette;
  readonly contexts: readonly (ContextExtension | undefined)[];
  readonly turns: UnusedTurns;
  readonly turn: number;
  readonly prompt: readonly LlmMessage[];
  readonly promptHash: string;
  /** The tools and settings of the request; undefined if they are not compared. */
  readonly now: TurnContext | undefined;
  /** Redaction that the recording used and this replay lacks. */
  readonly missing: readonly string[] | undefined;
}

/** Explains why no recorded turn answers a prompt. Names, too, how tools and settings differ from those of the nearest turn. */
export function explainMiss(request: Unanswered): MissReport {
  const { recording, contexts, turn, now, missing = [] } = request;
  const report = explainNoAnswer(request);
  if (missing.length > 0) {
    report.hint = toVisible(
      `${report.hint} The recording was redacted by ${missing.join(", ")} as well, which this replay was not given: pass the same redact option.`,
    );
  }
  const { turnIndex } = report.nearest ?? {};
  const offer =
    turnIndex === undefined ? undefined : explainOfferMiss(recording, contexts[turnIndex], now, turn, turnIndex);
  return offer === undefined ? report : { ...report, also: [offer.what, ...(offer.also ?? [])] };
}

function explainNoAnswer({ recording, prompt, turn, turns, promptHash }: Unanswered): MissReport {
  const sameUsed = turns.lastWith(promptHash);
  const total = recording.entries.length;
  if (sameUsed !== undefined) {
    return {
      code: "exhausted",
      turn,
      nearest: { turnIndex: sameUsed, used: true },
      what: `recorded turn ${sameUsed} answers this prompt and was already used`,
      hint: "The replay is exhausted. Call reset() before a second run, or make a new cassetteProvider.",
    };
  }
  if (turns.left() > 0) return explainPromptMiss(recording, prompt, turn, turns.used, turns.next());
  // Every turn was used. The nearest one still shows where the run took another way.
  const near = total === 0 ? undefined : explainPromptMiss(recording, prompt, turn, turns.used, total - 1);
  return {
    ...near,
    code: "exhausted",
    turn,
    what: `${usedText(total)}, and the run asks for more`,
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
      what: "the prompt changed, but the cassette holds only hashes, which do not show where",
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
    ...defined({ filters: volatile?.filters }),
  };
}

/** Explains how tools and settings of a request differ from those of its recorded turn; undefined if they do not. */
export function explainOfferMiss(
  recording: Cassette,
  recorded: ContextExtension | undefined,
  now: TurnContext | undefined,
  turn: number,
  turnIndex: number,
): MissReport | undefined {
  if (recorded === undefined || now === undefined || isSameContext(recorded, now)) return undefined;
  const parts = (["tools", "settings"] as const).filter((part) => recorded[`${part}Hash`] !== now[`${part}Hash`]);
  const found = compareOffers([recorded], [now]);
  const reports = parts.map((part): MissReport => {
    const report = { code: `${part}-changed` as const, turn, nearest: { turnIndex, used: false }, hint: CHOICES };
    if (recorded[part] === undefined) {
      return { ...report, what: `the ${part} changed, but the cassette holds only their hash` };
    }
    const changes = found.filter(({ kind }) => (kind === "setting-changed") === (part === "settings"));
    const place = changes[0] === undefined ? firstDifference(recorded[part], now[part]) : placeOf(changes[0]);
    const [before, after] = cutAround(place?.old, place?.new);
    return {
      ...report,
      what: changes.length === 0 ? `the ${part} changed` : listChanges(changes),
      pointer: place?.pointer ?? "",
      ...defined({ recorded: before, actual: after }),
    };
  });
  const [first, second] = reports as [MissReport, MissReport?];
  if (second !== undefined) return { ...first, also: [second.what] };
  if (first.code !== "tools-changed" || recorded.tools === undefined) return first;
  const volatile = findVolatileTools(recording, recorded.tools, now.tools);
  if (volatile === undefined) return first;
  return {
    ...first,
    what: `${first.what}; ${volatile.what}`,
    hint: volatile.hint,
    ...defined({ filters: volatile.filters }),
  };
}

function listChanges(changes: readonly OfferChange[]): string {
  const named = changes.slice(0, SHOWN_CHANGES).map(changeText);
  const rest = changes.length - named.length;
  return [...named, ...(rest > 0 ? [`and ${plural(rest, "more change")}`] : [])].join(", ");
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
