// The records of Gemini CLI: a chat as one document (`chats/session-*.json`), or as lines that add to it and correct it
// (`session-*.jsonl`, since version 0.3x), a checkpoint (a list of Gemini's contents), and recorded answers (`*.responses`).

import { defined, type JsonObject, type JsonValue } from "../../../core/index.js";
import { MAX_THREAD_LINES } from "../../limits.js";
import { createRepairLog, writeRepairs, type RepairLog } from "../repair.js";
import { isObject, malformed, toList, toName, toText } from "../foreign-json.js";

const TYPES: ReadonlySet<string> = new Set(["user", "gemini", "model", "info", "error", "warning"]);

export function isGeminiCli(record: JsonValue, before?: string): boolean {
  if (Array.isArray(record)) return isContents(record);
  if (!isObject(record)) return false;
  const { sessionId, projectHash, messages, history, method, response } = record;
  if (isChat(record) || isContents(toList(history))) return true;
  if (typeof sessionId === "string" && typeof projectHash === "string" && messages === undefined) return true;
  if (typeof method === "string" && response !== undefined)
    return method.startsWith("generateContent") || before === "gemini-cli";
  return (
    isObject(record["$set"]) || typeof record["$rewindTo"] === "string" || isTyped(record) || isMessage(record, before)
  );
}

function isChat({ sessionId, messages }: JsonObject): boolean {
  const typed = toList(messages).filter((message) => isObject(message) && TYPES.has(toText(message["type"])));
  return typeof sessionId === "string" && Array.isArray(messages) && typed.length > 0;
}

function isContents(list: readonly JsonValue[]): boolean {
  const isContent = (item: JsonValue): boolean => isObject(item) && Array.isArray(item["parts"]) && "role" in item;
  return list.length > 0 && list.every(isContent);
}

/** What a user typed, as `logs.json` lists it for the program's own history. */
function isTyped({ sessionId, messageId, message }: JsonObject): boolean {
  return typeof sessionId === "string" && typeof messageId === "number" && typeof message === "string";
}

function isMessage({ id, type, content, parts }: JsonObject, before: string | undefined): boolean {
  const isOurs = type === "gemini" || (before === "gemini-cli" && typeof type === "string");
  return isOurs && typeof id === "string" && (content !== undefined || parts !== undefined);
}

/** Each thread as `{session, messages, trial?, dropped?}`, each checkpoint as `{contents}`, and all answers as `{answers}`. */
export function splitGeminiCli(records: JsonValue): JsonObject[] {
  const dropped = createRepairLog();
  const all = toList(records);
  const lines = all.filter(isObject);
  const chats = lines.filter(isChat).flatMap((chat) => toThreads(chat, toList(chat["messages"]), dropped));
  const isLine = (line: JsonObject): boolean =>
    !isChat(line) && line["method"] === undefined && !Array.isArray(line["history"]);
  const read = readLines(lines.filter(isLine), dropped);
  const checkpoints = [...all.filter(Array.isArray), ...lines.map(({ history }) => history).filter(Array.isArray)];
  const answers = lines.filter(({ method }) => method !== undefined);
  const runs: JsonObject[] = [
    ...[...chats, ...read],
    ...checkpoints.map((contents) => ({ contents: contents as JsonValue })),
    ...(answers.length === 0 ? [] : [{ answers }]),
  ];
  if (runs.length === 0) throw malformed(describeEmpty(lines));
  return runs.map((run, index) => (index === 0 ? { ...run, dropped: writeRepairs(dropped) } : run));
}

function describeEmpty(lines: readonly JsonObject[]): string {
  if (!lines.some(isTyped)) return "this Gemini CLI chat has no message: it ended before its first prompt";
  return "this is Gemini CLI's list of what users typed, without answers: import the files in `chats` next to it";
}

/** The threads of chats that come as lines. A line with the id of an earlier message replaces it. */
function readLines(lines: readonly JsonObject[], dropped: RepairLog): JsonObject[] {
  const threads: JsonObject[] = [];
  let session: JsonObject = {};
  let messages = new Map<string, JsonObject>();
  let total = 0;
  const end = (): void => {
    total += messages.size;
    if (total > MAX_THREAD_LINES) throw malformed(`its threads have more than ${MAX_THREAD_LINES} lines together`);
    threads.push(...toThreads(session, [...messages.values()], dropped));
  };
  /** Goes on with other messages. An answer that is not among them ends a thread. */
  const replace = (next: Map<string, JsonObject>): void => {
    const isLost = ([id, message]: [string, JsonObject]): boolean => isAnswer(message) && !next.has(id);
    if ([...messages].some(isLost)) {
      dropped.add("thread-forked");
      end();
    }
    messages = next;
  };
  for (const line of lines) {
    const { $set: set, $rewindTo: rewound, sessionId, id } = line;
    if (isObject(set)) {
      const { messages: replaced, ...fields } = set;
      session = { ...session, ...fields };
      if (Array.isArray(replaced)) replace(byId(replaced.filter(isObject)));
    } else if (typeof rewound === "string") {
      const kept = [...messages];
      const place = kept.findIndex(([own]) => own === rewound);
      replace(new Map(kept.slice(0, Math.max(0, place))));
    } else if (isTyped(line)) {
      dropped.add("meta-line-dropped");
    } else if (typeof id === "string") {
      messages.set(id, line);
    } else if (typeof sessionId === "string") {
      if (messages.size > 0 && session["sessionId"] !== sessionId) {
        end();
        messages = new Map();
      }
      session = { ...session, ...line };
    } else dropped.add("line-unknown");
  }
  end();
  return nameThreads(threads);
}

function byId(messages: readonly JsonObject[]): Map<string, JsonObject> {
  return new Map(messages.map((message, index) => [toName(message["id"]) ?? `#${index}`, message]));
}

function isAnswer({ type }: JsonObject): boolean {
  return type === "gemini" || type === "model";
}

/** One thread, or none for a chat without a message of a user or the model. */
function toThreads(session: JsonObject, messages: readonly JsonValue[], dropped: RepairLog): JsonObject[] {
  const isSaid = (message: JsonValue): boolean =>
    isObject(message) && (message["type"] === "user" || isAnswer(message));
  const { messages: _, ...head } = session;
  if (messages.some(isSaid)) return [{ session: head, messages: [...messages] }];
  dropped.add("meta-line-dropped", messages.length);
  return [];
}

function nameThreads(threads: readonly JsonObject[]): JsonObject[] {
  const counts = new Map<JsonValue, number>();
  return threads.map((thread) => {
    const { sessionId = null } = thread["session"] as JsonObject;
    const number = (counts.get(sessionId) ?? 0) + 1;
    counts.set(sessionId, number);
    return { ...thread, ...defined({ trial: number === 1 ? undefined : `thread-${number}` }) };
  });
}
