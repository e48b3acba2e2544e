// Sessions of the pi coding agent (`~/.pi/agent/sessions/**/*.jsonl`): a header, messages in pi's own words, and notes. Since version 2
// of the format, lines name the line before them, and a session is a tree. The log has neither the system prompt nor tools.

import { defined, type JsonObject, type JsonValue } from "../../../core/index.js";
import type { LogMessage, LogRun } from "../log-run.js";
import { addRepairs, createRepairLog, writeRepairs, type RepairLog } from "../repair.js";
import { toTreeThreads, type TreeLine } from "../thread-tree.js";
import { isObject, listIn, malformed, toName, toObject, toText } from "../foreign-json.js";
import { isFailed, readPiMessage } from "./message.js";

const WHAT = "a pi session";

/** Recognises a line. Messages of other agents look alike, so one counts by its time as a number, or after a line of pi. */
export function isPiLine(record: JsonValue, before?: string): boolean {
  if (!isObject(record)) return false;
  const { type, id, timestamp, cwd, message } = record;
  if (type === "session") return [id, timestamp, cwd].every((value) => typeof value === "string");
  if (typeof type !== "string" || "payload" in record) return false;
  const isMessage = type === "message" && isObject(message) && typeof message["role"] === "string";
  if (isMessage && typeof message["timestamp"] === "number") return typeof timestamp === "string";
  return before === "pi" && typeof timestamp === "string" && !("uuid" in record);
}

/** The threads of each session. A compaction begins a thread with its summary and what it kept. */
export function splitPi(transcript: JsonValue): JsonObject[] {
  const lines = Array.isArray(transcript) ? transcript.filter(isObject) : [];
  const sessions: { head: JsonObject; lines: JsonObject[] }[] = [];
  for (const line of lines) {
    if (line["type"] === "session") sessions.push({ head: line, lines: [] });
    else if (sessions.length === 0) sessions.push({ head: {}, lines: [line] });
    else sessions.at(-1)?.lines.push(line);
  }
  const dropped = createRepairLog();
  const runs = sessions.flatMap(({ head, lines: own }) => {
    if (!own.some((line) => isObject(line["message"]))) {
      dropped.add("meta-line-dropped", own.length);
      return [];
    }
    const threads = toTreeThreads(own.map(toTreeLine), dropped);
    const stretches = threads.flatMap((thread) => toStretches(thread, own));
    return stretches.map((stretch, index) => ({
      head,
      ...stretch,
      ...defined({ trial: index === 0 ? undefined : `thread-${index + 1}` }),
    }));
  });
  if (runs.length === 0) throw malformed("this pi session has no message: it ended before its first prompt");
  return runs.map((run, index) => (index === 0 ? { ...run, dropped: writeRepairs(dropped) } : run));
}

function toTreeLine(line: JsonObject): TreeLine<JsonObject> {
  const { role } = toObject(line["message"]);
  const isAnswer = role === "assistant" && !isFailed(toObject(line["message"]));
  return { line, id: toName(line["id"]), parentId: toName(line["parentId"]), isAnswer };
}

/** A stretch of a thread between compactions: what the model still knew of earlier ones, and its own lines. */
function toStretches(
  thread: readonly JsonObject[],
  all: readonly JsonObject[],
): { history: JsonObject[]; lines: JsonObject[] }[] {
  const stretches: { history: JsonObject[]; lines: JsonObject[] }[] = [{ history: [], lines: [] }];
  for (const [index, line] of thread.entries()) {
    const last = stretches.at(-1);
    if (line["type"] !== "compaction") last?.lines.push(line);
    else stretches.push({ history: [line, ...keptBy(line, thread.slice(0, index), all)], lines: [] });
  }
  return stretches.filter(({ lines }) => lines.some((line) => isObject(line["message"])));
}

/** The lines that a compaction kept: from one that it names by its id, or by its place in the file (version 1). */
function keptBy(compaction: JsonObject, before: readonly JsonObject[], all: readonly JsonObject[]): JsonObject[] {
  const { firstKeptEntryId: id, firstKeptEntryIndex: place } = compaction;
  // The header has the place 0.
  const named = typeof place === "number" ? all[place - 1] : undefined;
  const start = before.findIndex((line) => (typeof id === "string" ? line["id"] === id : line === named));
  return start < 0 ? [] : before.slice(start);
}

export function readPi(record: JsonObject, repairs: RepairLog): LogRun {
  const { head, history, trial, dropped } = record;
  addRepairs(dropped, repairs);
  const { id, cwd, systemPrompt, parentSession, branchedFrom, modelId } = toObject(head);
  const lines = listIn(record, "lines", WHAT).filter(isObject);
  const known = listIn({ history: history ?? null }, "history", WHAT).filter(isObject);
  const isAnswered = createResultIds([...known, ...lines]);
  // Counted in the stretch that has them as its own.
  const kept = known.flatMap((line) => readLine(line, isAnswered, createRepairLog()));
  const own = lines.flatMap((line) => readLine(line, isAnswered, repairs));
  const models = own.map((message) => (message.role === "assistant" ? message.model : undefined));
  const [model, ...others] = models.filter((name) => name !== undefined);
  repairs.add("model-differs", others.filter((other) => other !== model).length);
  const parent = toName(parentSession) ?? toName(branchedFrom);
  return {
    model: model ?? toName(modelId),
    task: toName(id),
    trial: toName(trial),
    session: defined({ cwd: toName(cwd), version: "pi", parent: parent?.split(/[\\/]/).at(-1) }),
    messages: [
      ...(toText(systemPrompt) === "" ? [] : [{ role: "system" as const, content: toText(systemPrompt) }]),
      ...kept.map((message) => (message.role === "assistant" ? { ...message, notModel: true } : message)),
      ...own,
    ],
  };
}

/** Tells whether a failed answer has results, so that prompts keep it. */
function createResultIds(lines: readonly JsonObject[]): (id: JsonValue | undefined) => boolean {
  const ids = new Set(lines.map((line) => toObject(line["message"])["toolCallId"] ?? null));
  return (id) => id !== undefined && id !== null && ids.has(id);
}

const NOTES: ReadonlySet<string> = new Set([
  ...["thinking_level_change", "model_change", "label", "session_info", "custom", "ephemeral", "context_transform"],
]);

function readLine(
  line: JsonObject,
  hasResult: (id: JsonValue | undefined) => boolean,
  repairs: RepairLog,
): LogMessage[] {
  const { type, message, summary, content } = line;
  switch (type) {
    case "message":
      return isObject(message) ? readPiMessage(message, hasResult, repairs) : [];
    case "compaction":
    case "branch_summary":
      return [{ role: "user", content: toText(summary) }];
    case "custom_message":
      return readPiMessage({ role: "custom", content: content ?? null }, hasResult, repairs);
    default:
      repairs.add(NOTES.has(toText(type)) ? "meta-line-dropped" : "line-unknown");
      return [];
  }
}
