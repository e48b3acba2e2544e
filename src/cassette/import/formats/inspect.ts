// Logs of Inspect AI (UKGovernmentBEIS/inspect_ai, log format 2): {version, status, eval, samples}. A run is one epoch of one
// sample, read from the model events of its transcript. The model calls of a scorer are a run of their own. Long texts are
// stored apart, in `attachments` (older: the transcript's `content`), and named `attachment://<hash>` (older: `tc://<hash>`).

import type { JsonObject, JsonValue } from "../../../core/index.js";
import { MAX_ATTACHED_CHARACTERS } from "../../limits.js";
import type { LogFacts, LogMessage, LogRun } from "../log-run.js";
import { toUsage } from "../message/message.js";
import type { RepairLog } from "../repair.js";
import type { LogCalls, ModelCall } from "../trace/model-calls.js";
import { createCallReader, type CallWords, type TracedCall } from "../trace/traced-call.js";
import { isObject, malformed, toCount, toList, toName, toObject, toText } from "../foreign-json.js";
import { readInspectMessages } from "./inspect-message.js";

/** Fields of `config` that are for the client, not for the model. */
const CLIENT_FIELDS = new Set([
  ...["max_retries", "timeout", "attempt_timeout", "max_connections", "batch", "cache", "max_tool_output"],
  ...["extra_headers", "extra_body", "internal_tools", "modify_args", "adaptive_connections"],
]);

type Lane = "run" | "scorer";

/** Recognises a log, or one sample of an `.eval` archive with the head of its log. */
export function isInspect(record: JsonValue): boolean {
  if (!isObject(record) || !isObject(record["eval"])) return false;
  const { task, model } = record["eval"];
  return record["version"] !== undefined && toName(task) !== undefined && toName(model) !== undefined;
}

/** One record for each epoch of each sample, and one more where a scorer called a model. */
export function splitInspect(record: JsonValue): JsonObject[] {
  const { samples, eval: head = null } = record as JsonObject;
  if (!Array.isArray(samples) || samples.length === 0) {
    throw malformed("this Inspect log has no samples: it ended before the first, or was written without them");
  }
  return samples.flatMap((sample) => {
    const part = { eval: head, sample };
    const hasScorer = modelEvents(toObject(sample), "scorer").length > 0;
    return hasScorer ? [part, { ...part, lane: "scorer" }] : [part];
  });
}

/** Reads one epoch of one sample, as `splitInspect` gives it. A sample without model events is read from its messages. */
export function readInspect(record: JsonObject, repairs: RepairLog): LogRun | LogCalls {
  const { sample, eval: head } = record;
  if (!isObject(sample)) throw malformed("a sample of the Inspect log must be an object");
  const lane: Lane = record["lane"] === "scorer" ? "scorer" : "run";
  const facts = readFacts(toObject(head), sample, lane);
  const events = modelEvents(sample, lane);
  const attachments = createAttachments(sample, repairs);
  const words: CallWords = {
    read: (list, log) => readInspectMessages(attachments(list), log),
    notSettings: CLIENT_FIELDS,
    listsSettings: true,
  };
  const reader = createCallReader(repairs, words);
  const messages = toList(sample["messages"]);
  if (events.length === 0) return { ...facts, messages: reader.read(messages) };
  const calls = events.flatMap((event) => reader.readCall(toTracedCall(event)));
  const after = lane === "run" ? messagesAfter(calls.at(-1), reader.read(messages)) : [];
  return { ...facts, calls, after };
}

function readFacts(head: JsonObject, sample: JsonObject, lane: Lane): LogFacts {
  const names = [toName(head["task"]), toName(sample["id"]), ...(lane === "scorer" ? [lane] : [])];
  const fields = ["scores", "target", "error", "limit"].map((field) => [field, sample[field] ?? null] as const);
  return {
    model: toName(head["model"]),
    task: names.filter((name) => name !== undefined).join("/"),
    trial: toName(sample["epoch"]),
    outcome: lane === "run" ? Object.fromEntries(fields.filter(([, value]) => value !== null)) : undefined,
  };
}

/** The model events of one lane. Steps (older) and spans tell which events are a scorer's. */
function modelEvents(sample: JsonObject, lane: Lane): JsonObject[] {
  const events = sample["events"] ?? toObject(sample["transcript"])["events"];
  const ofScorer = new Set<JsonValue>();
  let depth = 0;
  return toList(events)
    .filter(isObject)
    .filter(({ event: kind, type, action, id, parent_id: parent, span_id: span }) => {
      const isScorers = type === "scorer" || type === "scorers";
      if (kind === "span_begin" && id !== undefined && (isScorers || ofScorer.has(parent ?? null))) ofScorer.add(id);
      if (kind === "step" && (depth > 0 || isScorers)) depth += action === "begin" ? 1 : -1;
      const isScorer = depth > 0 || (span !== undefined && ofScorer.has(span));
      return kind === "model" && isScorer === (lane === "scorer");
    });
}

function toTracedCall(event: JsonObject): TracedCall {
  const { input, output, config, error, tools, tool_choice: choice } = event;
  if (toList(event["input_refs"]).length > 0) throw malformed("its prompts are kept in a pool, which is not read");
  const { choices, model, error: failed, usage } = toObject(output);
  const [first, ...others] = toList(choices).filter(isObject);
  const { message, stop_reason: reason } = first ?? {};
  return {
    prompt: toList(input),
    answer: message === undefined ? [] : [message],
    alternatives: others.length,
    isFailed: (error ?? failed ?? null) !== null,
    model: typeof model === "string" ? model : undefined,
    finish: reason === "model_length" ? "length" : toText(reason),
    usage: toUsage(usage),
    costUsd: toCount(toObject(usage)["total_cost"]),
    tools: Array.isArray(tools) ? tools : undefined,
    // Inspect writes a choice even where there are no tools to choose from.
    settings: { ...toObject(config), tool_choice: toList(tools).length > 0 ? (choice ?? null) : null },
  };
}

/** The messages of the sample's own list after the last call, where the list continues it. */
function messagesAfter(last: ModelCall | undefined, messages: readonly LogMessage[]): LogMessage[] {
  if (last === undefined) return [];
  const { usage, ...response } = last.response;
  const thread = [...last.request, response];
  const isSame = thread.every((message, at) => JSON.stringify(message) === JSON.stringify(messages[at] ?? null));
  return isSame ? messages.slice(thread.length) : [];
}

/** Puts the texts back in the place of their names. A missing one leaves its name, and is counted. */
function createAttachments(sample: JsonObject, repairs: RepairLog): (list: readonly JsonValue[]) => JsonValue[] {
  const { attachments, transcript } = sample;
  const texts = isObject(attachments) ? attachments : toObject(toObject(transcript)["content"]);
  let attached = 0;
  const resolve = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(resolve);
    if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item)]));
    const [, hash] = typeof value === "string" ? (/^(?:attachment|tc):\/\/([0-9a-f]{32})$/.exec(value) ?? []) : [];
    if (hash === undefined) return value;
    const text = Object.hasOwn(texts, hash) ? toText(texts[hash]) : undefined;
    if (text === undefined) repairs.add("attachment-missing");
    attached += text?.length ?? 0;
    if (attached > MAX_ATTACHED_CHARACTERS)
      throw malformed(`its attachments have more than ${MAX_ATTACHED_CHARACTERS} characters`);
    return text ?? value;
  };
  return (list) => list.map(resolve);
}
