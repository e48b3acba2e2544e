// The output of `codex exec --json`: one event on a line, about threads, their turns and the items of a turn. It holds what the agent
// said and ran, but neither prompts nor the model, and the tokens of a turn only in sum. Items have no requests to belong to: what is
// said after a result is taken as a new answer.

import { defined, type JsonObject, type JsonValue, type Usage } from "../../../core/index.js";
import type { LogRun } from "../log-run.js";
import { countValue } from "../message/message.js";
import type { RepairLog } from "../repair.js";
import { toTracedUsage } from "../trace/traced-call.js";
import { isObject, listIn, malformed, toCount, toList, toName, toObject, toText } from "../foreign-json.js";
import { createExecItems, textOf, type ExecItems } from "./exec-items.js";

/** Recognises an event. One without a name of its own counts only after another. */
export function isCodexExecEvent(record: JsonValue, before?: string): boolean {
  if (!isObject(record) || typeof record["type"] !== "string" || "payload" in record) return false;
  const { type, thread_id: thread, item } = record;
  if (type === "thread.started") return typeof thread === "string";
  if (type.startsWith("item.")) return isObject(item);
  return /^(thread|turn)[./]/.test(type) || before === "codex-exec";
}

/** The events of each thread. A thread that is resumed names itself again. */
export function splitCodexExec(output: JsonValue): JsonObject[] {
  const threads: { thread: string | undefined; events: JsonObject[] }[] = [];
  for (const event of toList(output)) {
    if (!isObject(event)) throw malformed("it is not the output of codex exec: every line must be an object");
    const { type, thread_id: thread } = event;
    const last = threads.at(-1);
    const isOther = type === "thread.started" && last?.thread !== undefined && last.thread !== thread;
    if (last === undefined || isOther) threads.push({ thread: toName(thread), events: [event] });
    else last.events.push(event);
  }
  const said = threads.filter(({ events }) =>
    events.some(({ item, type }) => isObject(item) || type === "turn.completed"),
  );
  if (said.length === 0) throw malformed("this output of codex exec has no item: it ended before the model answered");
  return threads.map(({ thread, events }) => ({ events, ...defined({ thread }) }));
}

export function readCodexExec(record: JsonObject, repairs: RepairLog): LogRun {
  const events = listIn(record, "events", "a thread of codex exec").map(toObject);
  const items = createExecItems(repairs);
  let total: Usage | undefined;
  let error: JsonValue | undefined;
  for (const event of events) {
    const type = toText(event["type"]);
    const { item, metadata, usage } = event;
    if (type.startsWith("item.") && isObject(item)) items.take(type, item);
    else if (type === "thread.started") {
      items.forgetIds();
      countValue(metadata, repairs);
    } else if (type === "turn.started") {
      items.beginTurn();
    } else if (type === "turn.completed") {
      error = undefined;
      total = endTurn(items, event, total);
      if (total === undefined) countValue(usage, repairs);
    } else if (type === "turn.failed" || type === "error") {
      repairs.add("error-exchange-dropped");
      if (type === "turn.failed") error = toObject(event["error"])["message"] ?? type;
    } else repairs.add(/^(thread|turn)\//.test(type) ? "meta-line-dropped" : "line-unknown");
  }
  const outcome = error === undefined ? undefined : { error };
  return { task: toName(record["thread"]), outcome, messages: [...items.messages] };
}

/** Gives a turn's last answer its tokens. Codex counts those of all turns so far, which are returned. */
function endTurn(items: ExecItems, event: JsonObject, before: Usage | undefined): Usage | undefined {
  const text = textOf(toObject(event["final_response"]));
  const isAnswered = items.messages.some(({ role }) => role === "assistant") && items.messages.at(-1)?.role !== "user";
  if (text !== "" && !isAnswered) items.answer().content = text;
  const total = readUsage(toObject(event["usage"]));
  const last = items.messages.findLast((message) => message.role === "assistant");
  if (total === undefined || last === undefined) return undefined;
  last.usage = before === undefined ? total : since(before, total);
  return total;
}

function readUsage(usage: JsonObject): Usage | undefined {
  const { input_tokens: input, output_tokens: output, cached_input_tokens: cached } = usage;
  return toTracedUsage({ input, output, cached, reasoning: usage["reasoning_output_tokens"] });
}

/** What a later total adds to an earlier one. A smaller total counts only its own turn. */
function since(before: Usage, now: Usage): Usage {
  const { inputTokens, outputTokens, cacheReadTokens = 0, reasoningTokens = 0 } = before;
  const [input, output] = [now.inputTokens - inputTokens, now.outputTokens - outputTokens];
  if (input < 0 || output < 0) return now;
  const cached = toCount((now.cacheReadTokens ?? 0) - cacheReadTokens);
  const reasoning = toCount((now.reasoningTokens ?? 0) - reasoningTokens);
  return {
    inputTokens: input,
    outputTokens: output,
    ...(now.cacheReadTokens === undefined ? {} : defined({ cacheReadTokens: cached })),
    ...(now.reasoningTokens === undefined ? {} : defined({ reasoningTokens: reasoning })),
  };
}
