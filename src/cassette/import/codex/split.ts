// Splits the lines of a text into Codex sessions, and each session where its history was replaced: by a compaction, or when the user
// went back some turns. A stretch begins with the history that its first prompt has.

import { canonicalize, defined, type JsonObject, type JsonValue } from "../../../core/index.js";
import { MAX_THREAD_LINES } from "../../limits.js";
import { createRepairLog, writeRepairs, type RepairLog } from "../repair.js";
import { isObject, malformed, toCount, toList, toName, toObject, toText } from "../foreign-json.js";
import { failedCallOf } from "./items.js";
import { isWritten, toRolloutLines, type RolloutLine } from "./lines.js";

interface Session {
  meta: JsonObject;
  lines: RolloutLine[];
}

/** Each stretch as `{meta, history, lines, model?, isCountedFirst, trial?, dropped?}`. Throws for a text without a message. */
export function splitCodex(transcript: JsonValue): JsonObject[] {
  const records = Array.isArray(transcript) ? transcript : [transcript];
  const objects = records.filter(isObject);
  if (objects.length < records.length) throw malformed("it is not a Codex rollout: every line must be an object");
  const sessions = toSessions(objects.flatMap(toRolloutLines));
  const dropped = createRepairLog();
  const found = sessions.map((session) => splitSession(withItems(session, dropped), dropped));
  const stretches = found.flat();
  if (stretches.length === 0) throw malformed(describeEmpty(sessions));
  return stretches.map((stretch, index) => (index === 0 ? { ...stretch, dropped: writeRepairs(dropped) } : stretch));
}

function describeEmpty(sessions: readonly Session[]): string {
  const lines = sessions.flatMap((session) => session.lines);
  const errors = lines.filter((line) => line.kind === "event" && line.type === "error").length;
  const noted = errors === 0 ? "" : `, and notes ${errors} ${errors === 1 ? "error" : "errors"}`;
  return `this Codex session has no message: it ended before its first prompt${noted}`;
}

/** A session begins with its meta line. More of them right after it are those of the sessions that it was forked from. */
function toSessions(lines: readonly RolloutLine[]): Session[] {
  const sessions: Session[] = [];
  let current: Session = { meta: {}, lines: [] };
  for (const line of lines) {
    if (line.kind !== "meta") {
      current.lines.push(line);
      continue;
    }
    const isOther = line.body["id"] !== current.meta["id"] && current.lines.length > 0;
    if (isOther) sessions.push(current);
    if (isOther || toName(current.meta["id"]) === undefined) {
      current = { meta: line.body, lines: isOther ? [] : current.lines };
    }
  }
  return [...sessions, current];
}

/** Events that stand for messages, in a log that has no items of the model. */
const SHOWN: Readonly<Record<string, (body: JsonObject) => JsonObject>> = {
  user_message: ({ message }) => ({ type: "message", role: "user", content: toText(message) }),
  agent_message: ({ message }) => ({ type: "message", role: "assistant", content: toText(message) }),
  agent_reasoning: ({ text }) => ({ type: "reasoning", summary: [{ type: "summary_text", text: toText(text) }] }),
  exec_command_begin: ({ call_id: id, command, cwd }) => toCall("shell", id, { command, cwd }),
  exec_command_end: (event) => toResult(event, toText(event["aggregated_output"]) || streamsOf(event)),
  patch_apply_begin: ({ call_id: id, changes }) => toCall("apply_patch", id, { changes }),
  patch_apply_end: (event) => toResult(event, streamsOf(event)),
  mcp_tool_call_begin: ({ call_id: id, invocation }) => {
    const { server, tool, arguments: args } = toObject(invocation);
    return toCall(`mcp__${toText(server)}__${toText(tool)}`, id, toObject(args));
  },
  mcp_tool_call_end: (event) => toResult(event, canonicalize(event["result"] ?? null)),
};

function toCall(name: string, id: JsonValue | undefined, args: object): JsonObject {
  return { type: "function_call", name, call_id: id ?? null, arguments: JSON.stringify(args) };
}

function toResult(event: JsonObject, content: string): JsonObject {
  const output = failedCallOf(event) === undefined ? content : { content, success: false };
  return { type: "function_call_output", call_id: event["call_id"] ?? null, output };
}

function streamsOf({ stdout, stderr }: JsonObject): string {
  return `${toText(stdout)}${toText(stderr)}`;
}

/** Takes the messages from the events where a session has no item that the model wrote. */
function withItems({ meta, lines }: Session, dropped: RepairLog): Session {
  const items = lines.flatMap((line) => (line.kind === "item" ? [line.body] : []));
  const hasShown = lines.some((line) => line.kind === "event" && line.type.startsWith("agent_"));
  if (!hasShown || items.some(isWritten)) return { meta, lines };
  dropped.add("items-missing");
  const hasUser = items.length > 0;
  const read = lines.map((line): RolloutLine => {
    if (line.kind !== "event" || (line.type === "user_message" && hasUser)) return line;
    const toItem = Object.hasOwn(SHOWN, line.type) ? SHOWN[line.type] : undefined;
    return toItem === undefined ? line : { kind: "item", body: toItem(line.body) };
  });
  return { meta, lines: read };
}

function splitSession({ meta, lines }: Session, dropped: RepairLog): JsonObject[] {
  const first: Stretch = { history: [], lines: [], items: [] };
  const all: Stretch[] = [first];
  let total = lines.length;
  const begin = (history: JsonObject[]): void => {
    total += history.length;
    if (total > MAX_THREAD_LINES) throw malformed(`its threads have more than ${MAX_THREAD_LINES} lines together`);
    all.push({ history, lines: [], items: [...history] });
  };
  for (const line of lines) {
    const current = all.at(-1) ?? first;
    if (line.kind === "compacted") begin(toHistory(line.body, dropped));
    else if (line.kind === "event" && line.type === "thread_rolled_back") {
      dropped.add("thread-forked");
      begin(rollBack(current.items, line.body));
    } else {
      current.lines.push(line);
      if (line.kind === "item") current.items.push(line.body);
    }
  }
  const isSaid = ({ items, history }: Stretch): boolean => items.slice(history.length).some((item) => !isOpaque(item));
  const said = all.filter(isSaid);
  for (const stretch of all) if (!isSaid(stretch)) countNotes(stretch.lines, dropped);
  const isCountedFirst = countsFirst(lines);
  let model = lines.map(modelOf).find((name) => name !== undefined);
  return said.map(({ history, lines: own }, index) => {
    const trial = index === 0 ? undefined : `thread-${index + 1}`;
    const stretch = { meta, history, lines: own, isCountedFirst, ...defined({ model, trial }) };
    model = own.map(modelOf).findLast((name) => name !== undefined) ?? model;
    return stretch;
  });
}

interface Stretch {
  history: JsonObject[];
  lines: RolloutLine[];
  /** The history and the items of the lines. */
  items: JsonObject[];
}

/** An item that says nothing by itself. */
function isOpaque({ type }: JsonObject): boolean {
  return type === "reasoning";
}

/** Counts the lines of a stretch without messages of its own. */
function countNotes(lines: readonly RolloutLine[], dropped: RepairLog): void {
  for (const { kind } of lines) dropped.add(kind === "unknown" ? "line-unknown" : "meta-line-dropped");
}

function modelOf(line: RolloutLine): string | undefined {
  return line.kind === "context" ? toName(line.body["model"]) : undefined;
}

/** True where the tokens of an answer are noted before its items, as until version 0.4x. */
function countsFirst(lines: readonly RolloutLine[]): boolean {
  const counted = lines.findIndex((line) => line.kind === "event" && isCounted(line.type, line.body));
  const written = lines.findIndex((line) => line.kind === "item" && isWritten(line.body));
  return counted >= 0 && counted < written;
}

/** True for an event with the tokens of an answer. */
export function isCounted(type: string, { info }: JsonObject): boolean {
  return type === "token_count" && isObject(info) && isObject(info["last_token_usage"]);
}

/** The history after a compaction. Older versions note only the summary that the model wrote. */
function toHistory({ message, replacement_history: replaced }: JsonObject, dropped: RepairLog): JsonObject[] {
  if (Array.isArray(replaced)) {
    const items = replaced.filter(isObject);
    dropped.add("field-dropped", replaced.length - items.length);
    return items;
  }
  dropped.add("history-missing");
  return [{ type: "message", role: "user", content: toText(message) }];
}

/** The items before the last turns of the user, which were undone. */
function rollBack(items: readonly JsonObject[], { num_turns: turns }: JsonObject): JsonObject[] {
  const asked = items.flatMap((item, index) => (isAsked(item) ? [index] : []));
  const first = asked.at(-(toCount(turns) ?? 1));
  return items.slice(0, first ?? 0);
}

/** True for a message of the user. The program adds messages in tags, such as `<environment_context>`. */
function isAsked({ type, role, content }: JsonObject): boolean {
  const [part] = toList(content);
  const text = typeof content === "string" ? content : toText(toObject(part)["text"]);
  return type === "message" && role === "user" && !/^\s*<\w+>/.test(text);
}

/** The lines of a stretch, as `splitCodex` wrote them. */
export function linesOf(record: JsonObject): RolloutLine[] {
  return toList(record["lines"]) as unknown as RolloutLine[];
}
