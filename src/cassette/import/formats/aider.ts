// Chat histories of aider (`.aider.chat.history.md`), in Markdown: a heading for each session, `#### ` before each line of the user, `> `
// before each line of the program, and the model's words as they are. Lines are read as aider reads them back, one by one. The log has
// neither the system prompt, nor files in the chat, nor commands of the model's edits.

import { defined, type JsonObject, type JsonValue, type Usage } from "../../../core/index.js";
import type { LogAssistantMessage, LogMessage, LogRun } from "../log-run.js";
import { addRepairs, createRepairLog, writeRepairs, type RepairLog } from "../repair.js";
import { malformed, toName, toObject, toText } from "../foreign-json.js";

const SESSION = /^# aider chat started at (.+?)\s*$/;
/** A page that shows chats, as aider's own site does. */
const PAGE = 'class="chat-transcript"';

/** The text as a record, or undefined if it is not a chat of aider. */
export function fromAiderText(text: string, isForced: boolean): JsonObject | undefined {
  if (/^# aider chat started at /m.test(text)) return { aider: text };
  const isChat = text.includes(PAGE) || /^> (\$ )?aider\b/im.test(text);
  return /^#### /m.test(text) && (isChat || isForced) ? { aider: text } : undefined;
}

export function isAider(record: JsonValue): boolean {
  return typeof toObject(record)["aider"] === "string";
}

/** The sessions of a history, each as `{text, trial?, dropped?}`. */
export function splitAider(record: JsonValue): JsonObject[] {
  const dropped = createRepairLog();
  const lines = takeChats(toText(toObject(record)["aider"]).split(/\r?\n/), dropped);
  const sessions: { started: string | undefined; lines: string[] }[] = [{ started: undefined, lines: [] }];
  for (const line of lines) {
    const [, started] = SESSION.exec(line) ?? [];
    if (started === undefined) sessions.at(-1)?.lines.push(line);
    else sessions.push({ started, lines: [] });
  }
  const said = sessions.filter((session) => session.lines.some((line) => line.startsWith("#### ")));
  for (const session of sessions)
    if (!said.includes(session)) dropped.add("meta-line-dropped", blocksIn(session.lines));
  if (said.length === 0) throw malformed("this chat history of aider has no line of a user, which begins with `#### `");
  return said.map(({ started, lines: own }, index) => ({
    lines: own,
    ...defined({ trial: said.length === 1 ? undefined : (started ?? String(index + 1)) }),
    ...(index > 0 ? {} : { dropped: writeRepairs(dropped) }),
  }));
}

/** The chats of a page without the page around them, whose stretches are counted. */
function takeChats(lines: readonly string[], dropped: RepairLog): string[] {
  if (!lines.some((line) => line.includes(PAGE))) return [...lines];
  let isInside = false;
  const outside: string[] = [];
  const inside = lines.filter((line) => {
    if (line.includes(PAGE) || (isInside && line.trim() === "</div>")) {
      isInside = line.includes(PAGE);
      outside.push("");
      return false;
    }
    if (!isInside) outside.push(/^(<br\/?>|---)$/.test(line.trim()) ? "" : line);
    return isInside;
  });
  if (outside.some((line) => line.trim() !== "")) dropped.add("meta-line-dropped");
  return inside;
}

/** How many stretches of text there are between empty lines. */
function blocksIn(lines: readonly string[]): number {
  return lines.filter((line, index) => line.trim() !== "" && (lines[index - 1] ?? "").trim() === "").length;
}

type Speaker = "user" | "program" | "model";

export function readAider(record: JsonObject, repairs: RepairLog): LogRun {
  const { lines, trial, dropped } = record;
  addRepairs(dropped, repairs);
  const messages: LogMessage[] = [];
  let model: string | undefined;
  for (const { speaker, text } of toBlocks(lines as string[])) {
    const last = messages.at(-1);
    if (speaker === "user") messages.push({ role: "user", content: text });
    else if (speaker === "model") {
      if (!messages.some(({ role }) => role === "user")) repairs.add("history-missing");
      messages.push({ role: "assistant", content: text, reasoning: [], calls: [] });
    } else {
      model ??= /^(?:Main model|Models?): (\S+?),?(?: with .*)?$/m.exec(text)?.[1];
      if (last?.role === "assistant") noteOn(last, text);
      repairs.add("meta-line-dropped");
    }
  }
  return { model, trial: toName(trial), messages };
}

/** Lines of one speaker that follow one another, with empty lines between them. */
function toBlocks(lines: readonly string[]): { speaker: Speaker; text: string }[] {
  const blocks: { speaker: Speaker; lines: string[] }[] = [];
  for (const line of lines) {
    const last = blocks.at(-1);
    const speaker = line.trim() === "" ? (last?.speaker === "user" ? "model" : last?.speaker) : speakerOf(line);
    if (speaker === undefined) continue;
    const own = speaker === "model" ? line : line.replace(/^(#### |> ?)/, "").trimEnd();
    if (last?.speaker === speaker) last.lines.push(own);
    else blocks.push({ speaker, lines: [own] });
  }
  const texts = blocks.map(({ speaker, lines: own }) => ({
    speaker,
    text: own.join("\n").replace(/^\s*\n|\s+$/g, ""),
  }));
  return texts.filter(({ text }) => text.trim() !== "");
}

function speakerOf(line: string): Speaker {
  if (line.startsWith("#### ")) return "user";
  // The end of an edit begins with several.
  return /^>(?!>)/.test(line) ? "program" : "model";
}

/** What the program notes after an answer: its tokens and price, rounded, and that the user stopped it. */
function noteOn(answer: LogAssistantMessage, text: string): void {
  const [, sent, received] = /^Tokens: ([\d.,]+[kM]?) sent,.*?([\d.,]+[kM]?) received/m.exec(text) ?? [];
  const [, cost] = /Cost: \$([\d.]+) (?:message|request)/.exec(text) ?? [];
  const usage: Usage = { inputTokens: toTokens(sent), outputTokens: toTokens(received) };
  if (sent !== undefined && received !== undefined) answer.usage = usage;
  if (cost !== undefined && Number.isFinite(Number(cost))) answer.costUsd = Number(cost);
  if (/\^C KeyboardInterrupt/.test(text)) answer.stopReason = "error";
}

function toTokens(shown = "0"): number {
  const factor = shown.endsWith("k") ? 1_000 : shown.endsWith("M") ? 1_000_000 : 1;
  const number = Math.round(Number.parseFloat(shown.replaceAll(",", "")) * factor);
  return Number.isSafeInteger(number) ? number : 0;
}
