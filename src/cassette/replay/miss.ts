// A replay miss, explained: which turn, which message, which JSON pointer, what was recorded, what came, and what to do.

import { defined, plural, toVisible, type JsonValue, type LlmMessage } from "../../core/index.js";
import { settingsChanges, toolsChanges, type ContextChange } from "../offer/context-change.js";
import { SECRET_RULES } from "../redact/detect/rules.js";
import { createSecretFinder } from "../redact/text.js";
import { firstDifference } from "../prompt/values.js";
import { findVolatileChange } from "../prompt/volatile.js";
import type { MissReport } from "../errors.js";
import type { TurnContext } from "../offer/context.js";
import type { Cassette, ContextExtension, PromptDelta } from "../file/format.js";

/** Characters kept on either side of the place where two values part. */
const WINDOW = 60;
/** Changes of tools or settings that are named. */
const MAX_CHANGES = 3;

/** The report as lines of text, the first one a sentence. */
export function formatMiss(report: MissReport): string {
  const lines = [`turn ${report.turn}: ${report.what}`];
  if (report.pointer !== undefined)
    lines.push(`  at       ${report.pointer === "" ? "(the whole)" : toVisible(report.pointer)}`);
  if (report.recorded !== undefined || report.actual !== undefined) {
    lines.push(`  recorded ${report.recorded ?? "(nothing)"}`, `  now      ${report.actual ?? "(nothing)"}`);
  }
  if (report.nearest !== undefined) {
    const { turnIndex, used } = report.nearest;
    lines.push(`  nearest  recorded turn ${turnIndex}${used ? ", which was used already" : ""}`);
  }
  for (const what of report.also ?? []) lines.push(`  also     ${what}`);
  return lines.join("\n");
}

const CHOICES =
  "Undo the change if it was not meant; else record it again (with useCassette: CASSETTE_MODE=refresh) and review the new cassette.";

/** Why no unused turn answers `prompt`. `used[i]` says whether entry i was given out; `cursor` is the next unused one. */
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
      what: "the prompt is not the recorded one; the cassette holds hashes only, so it cannot say where they part",
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

/** Why a recorded turn does not answer a request whose prompt is the same but whose tools or settings are not. */
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

/** The tools and the settings of recorded turn `turnIndex` that are not those of a request: no report, one or two. */
export function explainContext(
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

/** A report that names what the others say too, so that one run tells everything that has to be undone or recorded. */
export function withAlso(report: MissReport, others: readonly MissReport[]): MissReport {
  return others.length === 0 ? report : { ...report, also: others.map(({ what }) => what) };
}

function listChanges(changes: readonly ContextChange[]): string {
  const named = changes.slice(0, MAX_CHANGES).map(({ what }) => what);
  const rest = changes.length - named.length;
  return [...named, ...(rest > 0 ? [`and ${plural(rest, "more change")}`] : [])].join(", ");
}

/** Every turn's whole prompt, or undefined when the cassette keeps none. Large for a long conversation. */
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

/** The whole prompt of one turn. */
function rebuildPrompt(deltas: readonly PromptDelta[], turnIndex: number): LlmMessage[] {
  const prompt: LlmMessage[] = [];
  for (const { keep, messages } of deltas.slice(0, turnIndex + 1)) {
    prompt.length = keep;
    for (const message of messages) prompt.push(message);
  }
  return prompt;
}

/**
 * The recorded prompt that goes along with `prompt` the longest; on a tie the one that is next in line. Each message of the
 * file is looked at once: what a prompt keeps of the one before goes along as far as that one did.
 */
function findNearest(deltas: readonly PromptDelta[], prompt: readonly LlmMessage[], cursor: number): number {
  let [nearest, best, length] = [0, -1, 0];
  deltas.forEach(({ keep, messages }, index) => {
    if (keep <= length) length = keep + commonLength(messages, prompt, keep);
    if (length > best || (length === best && index === cursor)) [nearest, best] = [index, length];
  });
  return nearest;
}

/** How many of `messages` are those of `prompt` from message `from` on. */
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

const findSecrets = createSecretFinder({ rules: SECRET_RULES, values: [] });

/** Two values as JSON text, both cut to the neighbourhood of the first character in which they differ. */
export function cutAround(
  a: JsonValue | undefined,
  b: JsonValue | undefined,
): [string | undefined, string | undefined] {
  const [left, right] = [a, b].map((value) => (value === undefined ? undefined : JSON.stringify(value)));
  let at = 0;
  if (left !== undefined && right !== undefined) {
    while (at < left.length && at < right.length && left[at] === right[at]) at++;
  }
  return [cut(left, at), cut(right, at)];
}

function cut(text: string | undefined, at: number): string | undefined {
  if (text === undefined) return undefined;
  const start = Math.max(0, at - WINDOW);
  const end = at + WINDOW;
  const shown = hideSecrets(text, start, end).toWellFormed();
  return `${start > 0 ? "…" : ""}${toVisible(shown)}${end < text.length ? "…" : ""}`;
}

/** What stands around the shown part and is looked at with it: no secret that a rule knows is longer but a private key. */
const SURROUNDINGS = 4_096;

/**
 * The part from `start` to `end` with every character of a secret as an asterisk: a live prompt may hold one that no recording
 * was scrubbed of, and a miss is printed in logs.
 */
function hideSecrets(text: string, start: number, end: number): string {
  const from = Math.max(0, start - SURROUNDINGS);
  const around = text.slice(from, end + SURROUNDINGS);
  let hidden = around;
  for (const secret of findSecrets(around)) {
    const stars = "*".repeat(secret.end - secret.start);
    hidden = hidden.slice(0, secret.start) + stars + hidden.slice(secret.end);
  }
  return hidden.slice(start - from, end - from);
}

/** Messages are plain JSON by construction; their types are only narrower than `JsonValue`. */
function toJson(value: unknown): JsonValue {
  return value as JsonValue;
}
