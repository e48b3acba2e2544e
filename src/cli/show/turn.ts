// Prints one turn of a cassette. Loading does not check every field, so each is read as unknown. Recorded text follows a bar, so that
// it cannot pass for our own headings.

import type { CassetteEntry } from "../../cassette/index.js";
import { canonicalize, isPlainObject, type AnswerStep, type LlmMessage } from "../../core/index.js";
import { cachedOf, count, type Piece, type PrintLine } from "../terminal/output.js";

/** An entry of either version: version 1 has no `prompt` and no `responseHash`. */
export type ShownEntry = Omit<CassetteEntry, "responseHash"> & { responseHash?: string };

const SHOWN_LENGTH = 400;
const SHOWN_LINES = 12;
const BAR = "    | ";

/** `before` is the previous entry, whose answer is recognised in this prompt. `steps` led to the answer. */
export function printTurn(
  line: PrintLine,
  entry: ShownEntry,
  before: ShownEntry | undefined,
  { isFull, steps = [] }: { isFull: boolean; steps: readonly AnswerStep[] | undefined },
): void {
  const { turnIndex, prompt, promptHash, response } = entry;
  line("");
  line({ look: "bold", text: `turn ${turnIndex}` });
  if (prompt === undefined) line("  prompt: only its hash was kept, ", promptHash);
  else {
    const kept = prompt.keep === 0 ? "" : `${count(prompt.keep, "message")} kept, `;
    line(`  prompt: ${kept}${prompt.messages.length} added`);
    for (const message of prompt.messages) printMessage(line, message, before, isFull);
  }
  const { message, stopReason } = response;
  for (const { outcome, provider, model, kind } of steps)
    line(`  ${outcome} by ${provider}, model ${model}`, kind === undefined ? "" : { look: "bad", text: ` (${kind})` });
  line({ look: "good", text: "  answer" });
  printThoughts(line, message.reasoning, isFull);
  if (message.content !== "") printText(line, message.content, isFull);
  for (const call of message.toolCalls ?? []) printCall(line, call, isFull);
  line({ look: "dim", text: `  ${[`stop reason ${stopReason}`, ...facts(response)].join(", ")}` });
}

function printMessage(line: PrintLine, message: LlmMessage, before: ShownEntry | undefined, isFull: boolean): void {
  if (message.role === "assistant") {
    if (before !== undefined && canonicalize(message) === canonicalize(before.response.message)) {
      line(`  + assistant: the answer of turn ${before.turnIndex}`);
      return;
    }
    line("  + assistant");
    printText(line, message.content, isFull);
    for (const call of message.toolCalls ?? []) printCall(line, call, isFull);
    return;
  }
  if (message.role === "tool") {
    const error: Piece = message.isError === undefined ? "" : { look: "bad", text: " error" };
    line(`  + tool ${message.name} (${message.toolCallId})`, error);
    printText(line, message.content, isFull);
    return;
  }
  line(`  + ${message.role}`);
  const parts: unknown[] = Array.isArray(message.content) ? message.content : [message.content];
  for (const part of parts) printText(line, partText(part), isFull);
}

function printCall(line: PrintLine, call: { id: string; name: string; arguments: object }, isFull: boolean): void {
  const malformed: unknown = "malformedArguments" in call ? call.malformedArguments : undefined;
  const mark: Piece = malformed === undefined ? "" : { look: "bad", text: " malformed arguments" };
  line(`  call ${call.name} (${call.id})`, mark);
  printText(line, showValue(malformed ?? call.arguments), isFull);
}

function printThoughts(line: PrintLine, reasoning: unknown, isFull: boolean): void {
  if (!Array.isArray(reasoning)) return;
  for (const thought of reasoning as unknown[]) {
    const text = isPlainObject(thought) && thought["type"] === "text" ? thought["text"] : undefined;
    line({ look: "dim", text: text === undefined ? "  thought, not readable" : "  thought" });
    if (text !== undefined) printText(line, showValue(text), isFull);
  }
}

function partText(part: unknown): string {
  if (typeof part === "string" || !isPlainObject(part)) return showValue(part);
  if (part["type"] === "text") return showValue(part["text"]);
  if (part["type"] === "image" && typeof part["data"] === "string") {
    return `[image ${showValue(part["mediaType"])}, ${count(part["data"].length, "base64 character")}]`;
  }
  return showValue(part);
}

function facts({ usage, costUsd, model }: ShownEntry["response"]): string[] {
  return [
    ...(model === undefined ? [] : [`model ${model}`]),
    ...(usage === undefined ? [] : [`${usage.inputTokens} tokens in${cachedOf(usage)}, ${usage.outputTokens} out`]),
    ...(costUsd === undefined ? [] : [`${costUsd} USD`]),
  ];
}

/** Prints a text after the bar. Cuts it unless `isFull`, and counts the missing characters. */
function printText(line: PrintLine, text: string, isFull: boolean): void {
  const kept = isFull ? text : firstLines(text);
  for (const row of kept.split(/\r?\n/)) line({ look: "dim", text: BAR }, row);
  const missing = text.length - kept.length;
  if (missing > 0) {
    const what = count(missing, "more character");
    line({ look: "dim", text: BAR }, { look: "warn", text: `… ${what}; --full shows all` });
  }
}

function firstLines(text: string): string {
  const lines = text.slice(0, SHOWN_LENGTH + 1).split("\n");
  const kept = lines.slice(0, SHOWN_LINES).join("\n");
  if (kept.length <= SHOWN_LENGTH) return kept;
  // Never cuts a surrogate pair in half.
  return kept.slice(0, (kept.codePointAt(SHOWN_LENGTH - 1) ?? 0) > 0xffff ? SHOWN_LENGTH - 1 : SHOWN_LENGTH);
}

function showValue(value: unknown): string {
  return typeof value === "string" ? value : canonicalize(value);
}
