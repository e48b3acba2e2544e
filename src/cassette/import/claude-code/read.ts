// Claude Code transcripts: JSON Lines of Anthropic messages with the program's own notes between them. The text is read as a
// whole, since a conversation is a thread through its lines; each thread is a run. Other fields around a message are ignored
// (`requestId`, and `toolUseResult`, which repeats a result in the program's words).

import { defined, type JsonObject, type JsonValue } from "../../../core/index.js";
import { readAnthropicMessages } from "../formats/anthropic.js";
import type { EarlyStop, LogMessage, LogRun, LogSession } from "../log-run.js";
import { addRepairs, createRepairLog, writeRepairs, type RepairLog } from "../repair.js";
import { isObject, listIn, malformed, toName, toObject, toText } from "../foreign-json.js";
import { answerIdOf, kindOf } from "./lines.js";
import { toThreads, type TranscriptThread } from "./threads.js";

/** Fields of an Anthropic answer that are not part of the message. */
const ENVELOPE: ReadonlySet<string> = new Set([
  ...["id", "type", "model", "stop_reason", "stop_sequence", "stop_details", "container", "context_management"],
]);
/** The model named in assistant messages that the program itself wrote. */
const NO_MODEL = "<synthetic>";
/** Reasons for which an answer ended early, in Anthropic's words. */
const EARLY_STOPS: ReadonlyMap<string, EarlyStop> = new Map([
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["pause_turn", "length"],
  ["refusal", "contentFilter"],
]);

/** The threads of a transcript, each as a record `{thread, trial?, dropped?}`: its lines, its name, lines in no thread. */
export function splitClaudeCode(transcript: JsonValue): JsonObject[] {
  const lines = Array.isArray(transcript) ? transcript : [transcript];
  const dropped = createRepairLog();
  const objects = lines.filter((line) => isObject(line));
  if (objects.length < lines.length)
    throw malformed("it is not a Claude Code transcript: every line must be an object");
  const threads = toThreads(objects, dropped);
  if (threads.length === 0) throw malformed("it is not a Claude Code transcript: it has no message");
  const issueTrial = createTrials();
  return threads.map((thread, index) => ({
    thread: thread.lines,
    ...defined({ trial: issueTrial(thread) }),
    ...(index > 0 ? {} : { dropped: writeRepairs(dropped) }),
  }));
}

export function readClaudeCode(record: JsonObject, repairs: RepairLog): LogRun {
  const { trial, dropped } = record;
  const lines = listIn(record, "thread", "a thread of a Claude Code transcript").filter(isObject);
  addRepairs(dropped, repairs);
  const models = lines.map(({ message }) => toName(toObject(message)["model"]));
  const named = models.filter((model) => model !== undefined && model !== NO_MODEL);
  const [model] = named;
  repairs.add("model-differs", named.filter((other) => other !== model).length);
  return {
    model,
    task: toName(lines[0]?.["sessionId"]),
    trial: toName(trial),
    session: toSession(lines),
    messages: toAnswers(lines).flatMap((group) => readMessage(group, repairs)),
  };
}

/** Each line has these fields. They change if the session is resumed elsewhere, so the first ones count. */
function toSession(lines: readonly JsonObject[]): LogSession | undefined {
  const first = (field: string): string | undefined =>
    lines.map((line) => toName(line[field])).find((value) => value !== undefined);
  const version = first("version");
  const session = defined({
    cwd: first("cwd"),
    branch: first("gitBranch"),
    version: version === undefined ? undefined : `claude-code ${version}`,
  });
  return Object.keys(session).length === 0 ? undefined : session;
}

/** Names threads. The first one of the main agent has its transcript's name alone. */
function createTrials(): (thread: TranscriptThread) => string | undefined {
  let main = 0;
  let side = 0;
  return ({ sideAgent }) => {
    if (sideAgent !== undefined) return `agent-${sideAgent === "" ? ++side : sideAgent}`;
    return ++main === 1 ? undefined : `thread-${main}`;
  };
}

/** Groups the lines of each message: one line, or those of one answer. */
function toAnswers(lines: readonly JsonObject[]): JsonObject[][] {
  const groups: JsonObject[][] = [];
  let begun: string | undefined;
  for (const line of lines) {
    const id = kindOf(line) === "answer" ? answerIdOf(line) : undefined;
    if (id !== undefined && id === begun) groups.at(-1)?.push(line);
    else groups.push([line]);
    begun = id;
  }
  return groups;
}

function readMessage(lines: readonly JsonObject[], repairs: RepairLog): LogMessage[] {
  const messages = lines.map(({ message }) => message).filter((message) => isObject(message));
  const [first] = messages;
  if (first === undefined) return [];
  const own = Object.fromEntries(Object.entries(first).filter(([name]) => !ENVELOPE.has(name)));
  if (messages.length > 1) {
    // Each line has the tokens used so far, the last one all of them.
    const usage = messages.findLast((message) => isObject(message["usage"]))?.["usage"];
    const content = messages.flatMap((message) => toBlocks(message["content"]));
    Object.assign(own, { content, ...defined({ usage }) });
  }
  const stopReason = EARLY_STOPS.get(toText(messages.at(-1)?.["stop_reason"]));
  const read = readAnthropicMessages([own], repairs).map((message) =>
    message.role === "assistant" ? { ...message, stopReason } : message,
  );
  if (toName(first["model"]) !== NO_MODEL) return read;
  repairs.add("answer-not-model");
  return read.map((message) => (message.role === "assistant" ? { ...message, notModel: true } : message));
}

function toBlocks(content: JsonValue | undefined): JsonValue[] {
  if (Array.isArray(content)) return content;
  return typeof content === "string" ? [{ type: "text", text: content }] : [];
}
