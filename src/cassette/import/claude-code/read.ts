// Claude Code transcripts: JSON Lines of Anthropic messages with the program's own notes between them. The text is read as
// a whole, since a conversation is a thread through its lines; each thread is a run. What stands around a message (`cwd`,
// `gitBranch`, `version`, `requestId`, `toolUseResult`, which says a result again in the program's words) is left out knowingly.

import { defined } from "../../../core/index.js";
import type { JsonObject, JsonValue } from "../../../core/index.js";
import { readAnthropicMessages } from "../formats/anthropic.js";
import { addDropped, toDropped } from "../dropped.js";
import type { LogMessage, LogRun } from "../log.js";
import { createRepairLog, type RepairLog } from "../repair.js";
import { isObject, malformed, toName } from "../value.js";
import { answerIdOf, kindOf } from "./lines.js";
import { toThreads, type TranscriptThread } from "./threads.js";

/** Fields of an Anthropic answer beside what it says. */
const ENVELOPE: ReadonlySet<string> = new Set([
  ...["id", "type", "model", "stop_reason", "stop_sequence", "stop_details", "container", "context_management"],
]);
/** The model named on what the program itself put into the mouth of the assistant. */
const NO_MODEL = "<synthetic>";

/** The threads of a transcript, each as a record `{thread, trial?, dropped?}`: its lines, its name, what stands in none. */
export function splitClaudeCode(transcript: JsonValue): JsonObject[] {
  const lines = Array.isArray(transcript) ? transcript : [transcript];
  const dropped = createRepairLog();
  const objects = lines.filter((line) => isObject(line));
  if (objects.length < lines.length) throw malformed("it is no Claude Code transcript: a line is no object");
  const threads = toThreads(objects, dropped);
  if (threads.length === 0) throw malformed("it is no Claude Code transcript: nothing is said in it");
  const issueTrial = createTrials();
  return threads.map((thread, index) => {
    const trial = issueTrial(thread);
    return {
      thread: thread.lines,
      ...defined({ trial }),
      ...(index > 0 ? {} : { dropped: toDropped(dropped) }),
    };
  });
}

/** Reads one thread. */
export function readClaudeCode(record: JsonObject, repairs: RepairLog): LogRun {
  const { thread, trial, dropped } = record;
  if (!Array.isArray(thread)) throw malformed("it is no thread of a Claude Code transcript");
  addDropped(dropped, repairs);
  const lines = thread.filter((line) => isObject(line));
  const models = lines.map(modelOf).filter((model) => model !== undefined && model !== NO_MODEL);
  const [model] = models;
  for (const other of models) if (other !== model) repairs.add("model-differs");
  const task = toName(lines[0]?.["sessionId"]);
  const name = toName(trial);
  return {
    ...defined({ model, task, trial: name }),
    messages: toAnswers(lines).flatMap((said) => readSaid(said, repairs)),
  };
}

/** The first thread of the main agent needs no name beside its transcript's. */
function createTrials(): (thread: TranscriptThread) => string | undefined {
  let main = 0;
  let side = 0;
  return ({ sideAgent }) => {
    if (sideAgent !== undefined) return `agent-${sideAgent === "" ? ++side : sideAgent}`;
    return ++main === 1 ? undefined : `thread-${main}`;
  };
}

function modelOf({ message }: JsonObject): string | undefined {
  return isObject(message) ? toName(message["model"]) : undefined;
}

/** The lines of each message: one, or those of one answer. */
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

function readSaid(lines: readonly JsonObject[], repairs: RepairLog): LogMessage[] {
  const messages = lines.map(({ message }) => message).filter((message) => isObject(message));
  const [first] = messages;
  if (first === undefined) return [];
  const said = Object.fromEntries(Object.entries(first).filter(([name]) => !ENVELOPE.has(name)));
  if (messages.length > 1) {
    // Each line tells the tokens used so far; the last one knows them all.
    const usage = messages.findLast((message) => isObject(message["usage"]))?.["usage"];
    const content = messages.flatMap((message) => toBlocks(message["content"]));
    Object.assign(said, { content, ...defined({ usage }) });
  }
  const read = readAnthropicMessages([said], repairs);
  if (toName(first["model"]) !== NO_MODEL) return read;
  repairs.add("answer-not-model");
  return read.map((message) => (message.role === "assistant" ? { ...message, notModel: true as const } : message));
}

function toBlocks(content: JsonValue | undefined): JsonValue[] {
  if (Array.isArray(content)) return content;
  return typeof content === "string" ? [{ type: "text", text: content }] : [];
}
