// Logs of Inspect AI (UKGovernmentBEIS/inspect_ai, log format 2): {version, status, eval, samples}. A run is one epoch of one
// sample, read from the model events of its transcript; what a scorer asked its own models is a run of its own. Long texts
// stand apart in `attachments` (older: the transcript's `content`) and are named `attachment://<hash>` (older: `tc://<hash>`).

import { defined } from "../../../core/index.js";
import type { JsonObject, JsonValue } from "../../../core/index.js";
import { createPromptReader, readOnce, type LogCalls, type ModelCall } from "../trace/model-calls.js";
import { readInspectMessages } from "./inspect-message.js";
import type { LogFacts, LogMessage, LogRun } from "../log.js";
import { toCost, toUsage } from "../message/message.js";
import type { RepairLog } from "../repair.js";
import { createSettingsReader } from "../message/settings.js";
import { readTools } from "../message/tools.js";
import { isObject, malformed, toName, toText } from "../value.js";

/** What the attachments of one run may come to, in UTF-16 units: one text may be named any number of times. */
const MAX_ATTACHED = 64 * 1024 * 1024;

/** What `config` says to the client and not to the model. */
const CLIENT_FIELDS = new Set([
  ...["max_retries", "timeout", "attempt_timeout", "max_connections", "batch", "cache", "max_tool_output"],
  ...["extra_headers", "extra_body", "internal_tools", "modify_args", "adaptive_connections"],
]);

/** Who asked the model: the agent, or a scorer that judges it. */
type Lane = "run" | "scorer";

/** True for a log, or for one sample of an `.eval` archive with the head of its log. */
export function isInspect(record: JsonValue): boolean {
  if (!isObject(record) || !isObject(record["eval"])) return false;
  const { task, model } = record["eval"];
  return record["version"] !== undefined && toName(task) !== undefined && toName(model) !== undefined;
}

/** One record for each epoch of each sample, and one more where a scorer asked a model. */
export function splitInspect(record: JsonValue): JsonObject[] {
  const { samples, eval: head } = record as JsonObject;
  if (!Array.isArray(samples) || samples.length === 0) {
    throw malformed("it is an Inspect log without samples: it ended before any, or was written without them");
  }
  return samples.flatMap((sample) => {
    const part = { eval: head ?? null, sample };
    const hasScorer = isObject(sample) && modelEvents(sample, "scorer").length > 0;
    return hasScorer ? [part, { ...part, lane: "scorer" }] : [part];
  });
}

/** Reads one epoch of one sample, as `splitInspect` gives it. A sample without model events is read from its messages. */
export function readInspect(record: JsonObject, repairs: RepairLog): LogRun | LogCalls {
  const { sample, eval: head } = record;
  if (!isObject(sample)) throw malformed("a sample of the Inspect log is no object");
  const lane: Lane = record["lane"] === "scorer" ? "scorer" : "run";
  const facts = readFacts(isObject(head) ? head : {}, sample, lane);
  const events = modelEvents(sample, lane);
  const attachments = createAttachments(sample, repairs);
  const read = createPromptReader((list, log) => readInspectMessages(attachments(list), log), repairs);
  const messages = Array.isArray(sample["messages"]) ? sample["messages"] : [];
  if (events.length === 0) return { ...facts, messages: read(messages) };
  const calls = readCalls(events, read, repairs);
  const after = lane === "run" ? messagesAfter(calls.at(-1), read(messages)) : [];
  return { ...facts, calls, ...(after.length === 0 ? {} : { after }) };
}

function readFacts(head: JsonObject, sample: JsonObject, lane: Lane): LogFacts {
  const model = toName(head["model"]);
  const names = [toName(head["task"]), toName(sample["id"]), ...(lane === "scorer" ? [lane] : [])];
  const epoch = toName(sample["epoch"]);
  const outcome: JsonObject = {};
  for (const field of ["scores", "target", "error", "limit"]) {
    const value = sample[field];
    if (value !== undefined && value !== null) outcome[field] = value;
  }
  return {
    ...defined({ model }),
    task: names.filter((name) => name !== undefined).join("/"),
    ...defined({ trial: epoch }),
    ...(lane === "run" ? { outcome } : {}),
  };
}

/** Steps (older) and spans tell which events are a scorer's. */
function modelEvents(sample: JsonObject, lane: Lane): JsonObject[] {
  const transcript = isObject(sample["transcript"]) ? sample["transcript"] : {};
  const events = sample["events"] ?? transcript["events"];
  const ofScorer = new Set<JsonValue>();
  let depth = 0;
  const found: JsonObject[] = [];
  for (const event of Array.isArray(events) ? events.filter(isObject) : []) {
    const { event: kind, type, action, id, parent_id: parent, span_id: span } = event;
    const isScorers = type === "scorer" || type === "scorers";
    if (kind === "span_begin" && id !== undefined && (isScorers || ofScorer.has(parent ?? null))) ofScorer.add(id);
    if (kind === "step" && (depth > 0 || isScorers)) depth += action === "begin" ? 1 : -1;
    if (kind !== "model") continue;
    const isScorer = depth > 0 || (span !== undefined && ofScorer.has(span));
    if (isScorer === (lane === "scorer")) found.push(event);
  }
  return found;
}

type ReadPrompt = (list: readonly JsonValue[]) => LogMessage[];

function readCalls(events: readonly JsonObject[], read: ReadPrompt, repairs: RepairLog): ModelCall[] {
  const toSettings = createSettingsReader(repairs, CLIENT_FIELDS);
  const toTools = readOnce((tools) => readTools(tools, repairs));
  return events.flatMap((event): ModelCall[] => {
    const { input, output, config, error, input_refs: refs } = event;
    if (Array.isArray(refs) && refs.length > 0) throw malformed("its prompts are kept in a pool, which is not read");
    const { choices, model, error: failed, usage } = isObject(output) ? output : {};
    const [choice, ...others] = Array.isArray(choices) ? choices.filter(isObject) : [];
    const isFailed = (error ?? failed ?? null) !== null;
    const message = choice?.["message"];
    const [response] = isFailed || message === undefined ? [] : read([message]);
    if (choice === undefined || response?.role !== "assistant") {
      repairs.add("call-unanswered");
      return [];
    }
    for (let n = 0; n < others.length; n++) repairs.add("answer-alternative-dropped");
    const tokens = toUsage(usage);
    const tools = toTools(event["tools"]);
    const costUsd = isObject(usage) ? toCost(usage["total_cost"]) : undefined;
    return [
      {
        request: read(Array.isArray(input) ? input : []),
        response: { ...response, ...defined({ usage: tokens }) },
        ...toStopReason(choice["stop_reason"]),
        ...(typeof model === "string" ? { model } : {}),
        ...defined({ costUsd, tools }),
        settings: toSettings({ ...(isObject(config) ? config : {}), tool_choice: toChoice(event, tools?.length ?? 0) }),
      },
    ];
  });
}

/** Inspect writes "none" where there is no tool to choose, and "auto" is what a model does unasked. */
function toChoice({ tool_choice: choice }: JsonObject, tools: number): JsonValue {
  return choice === undefined || choice === "auto" || tools === 0 ? null : choice;
}

function toStopReason(reason: JsonValue | undefined): Pick<ModelCall, "stopReason"> {
  if (reason === "max_tokens" || reason === "model_length") return { stopReason: "length" };
  return reason === "content_filter" ? { stopReason: "contentFilter" } : {};
}

/** What the sample's own list of messages has beyond the last call, where it goes on from there. */
function messagesAfter(last: ModelCall | undefined, messages: readonly LogMessage[]): LogMessage[] {
  if (last === undefined) return [];
  const { usage, ...response } = last.response;
  const thread = [...last.request, response];
  const isSame = thread.every((message, at) => JSON.stringify(message) === JSON.stringify(messages[at] ?? null));
  return isSame ? messages.slice(thread.length) : [];
}

/** Puts the texts back in the place of their names. One that is not there leaves its name, and is counted. */
function createAttachments(sample: JsonObject, repairs: RepairLog): (list: readonly JsonValue[]) => JsonValue[] {
  const { attachments, transcript } = sample;
  const stored = isObject(attachments) ? attachments : isObject(transcript) ? transcript["content"] : undefined;
  const texts = isObject(stored) ? stored : {};
  let attached = 0;
  const resolve = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(resolve);
    if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item)]));
    const [, hash] = typeof value === "string" ? (/^(?:attachment|tc):\/\/([0-9a-f]{32})$/.exec(value) ?? []) : [];
    if (hash === undefined) return value;
    const text = Object.hasOwn(texts, hash) ? toText(texts[hash]) : undefined;
    if (text === undefined) repairs.add("attachment-missing");
    attached += text?.length ?? 0;
    if (attached > MAX_ATTACHED) throw malformed(`its attachments come to more than ${MAX_ATTACHED} characters`);
    return text ?? value;
  };
  return (list) => list.map(resolve);
}
