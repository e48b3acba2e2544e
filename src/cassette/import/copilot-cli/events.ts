// The events of a Copilot CLI session (`~/.copilot/session-state/<id>/events.jsonl`), sorted into lanes: the session itself, and one for
// each side agent, named by the call that started it. The format is not published; this follows the files of versions 0.3 to 1.0.

import { defined, type JsonObject, type JsonValue } from "../../../core/index.js";
import { MAX_THREAD_LINES } from "../../limits.js";
import { createRepairLog, writeRepairs, type RepairLog } from "../repair.js";
import { isObject, malformed, toList, toName, toObject, toText } from "../foreign-json.js";

export function isCopilotEvent(record: JsonValue, before?: string): boolean {
  if (!isObject(record)) return false;
  const { type, data, id, timestamp } = record;
  if (typeof record["sessionId"] === "string" && Array.isArray(record["chatMessages"])) return true;
  const isEvent = [type, id, timestamp].every((value) => typeof value === "string") && isObject(data);
  return isEvent && (toText(type).includes(".") || before === "copilot-cli");
}

interface Stretch {
  history: JsonObject[];
  events: JsonObject[];
}

/** Each stretch as `{session, history, events, trial?, task?, dropped?}`. `task` is what a side agent was asked. */
export function splitCopilot(transcript: JsonValue): JsonObject[] {
  const records = Array.isArray(transcript) ? transcript.filter(isObject) : [];
  const whole = records.filter((record) => Array.isArray(record["chatMessages"]));
  const dropped = createRepairLog();
  const runs = toSessions(records.filter((record) => isObject(record["data"]))).flatMap((events) =>
    splitSession(events, dropped),
  );
  const all = [...whole, ...runs];
  if (all.length === 0) throw malformed("this Copilot CLI session has no message: it ended before its first prompt");
  return all.map((run, index) => (index === 0 ? { ...run, dropped: writeRepairs(dropped) } : run));
}

function toSessions(events: readonly JsonObject[]): JsonObject[][] {
  const sessions: JsonObject[][] = [];
  for (const event of events) {
    if (sessions.length === 0 || (event["type"] === "session.start" && isOther(event, sessions.at(-1)?.[0]))) {
      sessions.push([event]);
    } else sessions.at(-1)?.push(event);
  }
  return sessions;
}

function isOther(event: JsonObject, first: JsonObject | undefined): boolean {
  return dataOf(event)["sessionId"] !== toObject(first?.["data"])["sessionId"];
}

export function dataOf({ data }: JsonObject): JsonObject {
  return toObject(data);
}

function splitSession(events: readonly JsonObject[], dropped: RepairLog): JsonObject[] {
  const lanes = new Map<string, JsonObject[]>([["", []]]);
  for (const event of events) {
    const lane = toText(dataOf(event)["parentToolCallId"]);
    const own = lanes.get(lane);
    if (own === undefined) lanes.set(lane, [event]);
    else own.push(event);
  }
  const prompts = promptsOf(events);
  const session = dataOf(events.find(({ type }) => type === "session.start") ?? {});
  let total = 0;
  return [...lanes].flatMap(([lane, own]) => {
    const stretches = toStretches(own, dropped);
    return stretches.map(({ history, events: part }, index) => {
      total += history.length + part.length;
      if (total > MAX_THREAD_LINES) throw malformed(`its threads have more than ${MAX_THREAD_LINES} lines together`);
      const names = [lane === "" ? undefined : `agent-${lane}`, index === 0 ? undefined : `thread-${index + 1}`];
      const trial = names.filter((name) => name !== undefined).join(".");
      const asked = lane === "" ? undefined : prompts.get(lane);
      return { session, history, events: part, ...defined({ trial: trial === "" ? undefined : trial, asked }) };
    });
  });
}

/** What each side agent was asked, by the call that started it. */
function promptsOf(events: readonly JsonObject[]): Map<string, string> {
  const requests = events.flatMap((event) => toList(dataOf(event)["toolRequests"]).filter(isObject));
  return new Map(
    requests.flatMap(({ toolCallId: id, arguments: args }) => {
      const prompt = toName(toObject(args)["prompt"]);
      return typeof id === "string" && prompt !== undefined ? [[id, prompt] as const] : [];
    }),
  );
}

/** Stretches between compactions, and up to where the user went back. */
function toStretches(events: readonly JsonObject[], dropped: RepairLog): Stretch[] {
  const stretches: Stretch[] = [{ history: [], events: [] }];
  for (const event of events) {
    const last = stretches.at(-1) as Stretch;
    const { success, summaryContent, upToEventId } = dataOf(event);
    if (event["type"] === "session.compaction_complete" && success !== false && typeof summaryContent === "string") {
      dropped.add("history-missing");
      stretches.push({ history: [{ type: "user.message", data: { content: summaryContent } }], events: [] });
    } else if (event["type"] === "session.snapshot_rewind" && typeof upToEventId === "string") {
      dropped.add("thread-forked");
      const before = [...last.history, ...last.events];
      const end = before.findIndex(({ id }) => id === upToEventId);
      stretches.push({ history: end < 0 ? [] : before.slice(0, end), events: [] });
    } else last.events.push(event);
  }
  const said = stretches.filter((stretch) => stretch.events.some(isSaid));
  const silent = stretches.filter((stretch) => !stretch.events.some(isSaid));
  dropped.add("meta-line-dropped", silent.flatMap((stretch) => stretch.events).length);
  return said;
}

function isSaid({ type }: JsonObject): boolean {
  return type === "user.message" || type === "assistant.message";
}
