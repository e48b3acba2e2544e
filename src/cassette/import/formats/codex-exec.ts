// The output of `codex exec --json`: one event on a line, about threads, their turns and the items of a turn. It holds what the agent
// said and ran, but neither prompts nor the model, and the tokens of a turn only in sum. Items have no requests to belong to: what is
// said after a result is taken as a new answer.

import { canonicalize, defined, type JsonObject, type JsonValue, type Usage } from "../../../core/index.js";
import type { LogAssistantMessage, LogMessage, LogRun } from "../log-run.js";
import { countValue } from "../message/message.js";
import type { RepairLog } from "../repair.js";
import { toTracedUsage } from "../trace/traced-call.js";
import { isObject, listIn, malformed, toCount, toList, toName, toObject, toText } from "../foreign-json.js";

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
  const reader = createReader(repairs);
  for (const event of events) reader.take(event);
  const { messages, error } = reader.end();
  return { task: toName(record["thread"]), outcome: error === undefined ? undefined : { error }, messages };
}

/** What the events tell about one item. */
interface Item {
  latest: JsonObject;
  deltas: string;
  /** Where it stands. Absent for an item that is not in an answer yet. */
  answer?: LogAssistantMessage;
  /** What the answer has of a text so far. */
  said?: string;
}

function createReader(repairs: RepairLog) {
  const messages: LogMessage[] = [];
  let items = new Map<string, Item>();
  let isPrompted = false;
  let isOver = true;
  let before: Usage | undefined;
  let error: JsonValue | undefined;

  /** The answer that is being read. A result, a prompt or the next turn ends it. */
  function answer(): LogAssistantMessage {
    const last = messages.at(-1);
    if (last?.role === "assistant" && !isOver) return last;
    if (!isPrompted) repairs.add("history-missing");
    [isPrompted, isOver] = [true, false];
    const next: LogAssistantMessage = { role: "assistant", content: "", reasoning: [], calls: [] };
    messages.push(next);
    return next;
  }

  function takeItem(type: string, own: JsonObject): void {
    const id = toName(own["id"]) ?? `${items.size}`;
    const known = items.get(id);
    const item = known ?? { latest: own, deltas: "" };
    items.set(id, item);
    if (type.endsWith(".delta")) {
      // The last delta of a message may hold all of it.
      const text = textOf(own);
      item.deltas = text.startsWith(item.deltas) ? text : item.deltas + text;
      item.latest = { ...own, text: item.deltas };
    } else item.latest = own;
    place(item, type === "item.completed", id);
  }

  function place(item: Item, isWhole: boolean, id: string): void {
    const { latest } = item;
    const kind = toText(latest["type"]);
    if (kind === "input_text" || latest["role"] === "user") {
      const prompt = messages.at(-1);
      if (item.said !== undefined && prompt?.role === "user") prompt.content = textOf(latest);
      else messages.push({ role: "user", content: textOf(latest) });
      item.said = textOf(latest);
      isPrompted = true;
    } else if (kind === "agent_message" || kind === "reasoning" || kind === "plan") {
      if (isWhole || item.deltas !== "") say(item, kind === "reasoning");
    } else if (kind === "error") {
      if (isWhole) repairs.add("meta-line-dropped");
    } else {
      const call = toCall(latest, repairs);
      if (call === undefined) {
        if (isWhole) repairs.add("line-unknown");
        return;
      }
      if (item.answer === undefined) {
        item.answer = answer();
        item.answer.calls.push({ id, ...call });
      }
      if (isWhole) messages.push({ role: "tool", callId: id, ...toResult(latest) });
    }
  }

  /** Adds a text to the answer, or corrects the one that deltas began. */
  function say(item: Item, isThought: boolean): void {
    const text = textOf(item.latest);
    const { said } = item;
    const own = (item.answer ??= answer());
    item.said = text;
    if (isThought) {
      const thought = own.reasoning.findLast((each) => each.type === "text" && each.text === said);
      if (thought?.type === "text") thought.text = text;
      else own.reasoning.push({ type: "text", text });
    } else if (said !== undefined && own.content.endsWith(said)) {
      own.content = own.content.slice(0, own.content.length - said.length) + text;
    } else {
      if (own.content !== "") repairs.add("content-list-joined");
      own.content += own.content === "" ? text : `\n\n${text}`;
    }
  }

  function endTurn({ usage, final_response: final }: JsonObject): void {
    const text = textOf(toObject(final));
    const last = messages.findLast((message) => message.role === "assistant");
    if (text !== "" && (last === undefined || messages.at(-1)?.role === "user")) answer().content = text;
    const counted = readUsage(toObject(usage));
    const own = messages.findLast((message) => message.role === "assistant");
    if (counted === undefined || own === undefined) return countValue(usage, repairs);
    // The tokens of all turns so far, as Codex counts them.
    own.usage = before === undefined ? counted : since(before, counted);
    before = counted;
  }

  return {
    take(event: JsonObject): void {
      const type = toText(event["type"]);
      const { item } = event;
      if (type.startsWith("item.") && isObject(item)) return takeItem(type, item);
      switch (type) {
        case "thread.started":
          items = new Map();
          return countValue(event["metadata"], repairs);
        case "turn.started":
          error = undefined;
          [isPrompted, isOver] = [messages.at(-1)?.role === "user", true];
          return;
        case "turn.completed":
          error = undefined;
          return endTurn(event);
        case "turn.failed":
        case "error":
          repairs.add("error-exchange-dropped");
          if (type === "turn.failed") error = toObject(event["error"])["message"] ?? event["error"] ?? "turn.failed";
          return;
        default:
          repairs.add(/^(thread|turn)\//.test(type) ? "meta-line-dropped" : "line-unknown");
      }
    },
    end: () => ({ messages, error }),
  };
}

function textOf({ text, content }: JsonObject): string {
  if (typeof text === "string") return text;
  return typeof content === "string" ? content : toText(toObject(content)["text"]);
}

/** The names of the tools that Codex offers for these items. */
function toCall(item: JsonObject, repairs: RepairLog): { name: string; arguments: JsonObject } | undefined {
  const { type, command, changes, server, tool, arguments: args, query, items, prompt } = item;
  switch (type) {
    case "command_execution":
      return { name: "shell", arguments: defined({ command }) as JsonObject };
    case "file_change":
      return { name: "apply_patch", arguments: defined({ changes }) as JsonObject };
    case "mcp_tool_call":
      if (!isObject(args)) countValue(args, repairs);
      return { name: `mcp__${toText(server)}__${toText(tool)}`, arguments: toObject(args) };
    case "collab_tool_call":
      return { name: toText(tool), arguments: defined({ prompt }) as JsonObject };
    case "web_search":
      return { name: "web_search", arguments: defined({ query }) as JsonObject };
    case "todo_list":
      return { name: "update_plan", arguments: defined({ items }) as JsonObject };
    default:
      return undefined;
  }
}

function toResult(item: JsonObject): { content: string; isError: boolean } {
  const { aggregated_output: output, exit_code: code, status, result, error } = item;
  const { content } = toObject(result);
  const texts = toList(content).map((part) => (isObject(part) ? toText(part["text"]) : toText(part)));
  const isError = status === "failed" || status === "declined" || (typeof code === "number" && code !== 0);
  const said = toText(output) || texts.join("") || toText(toObject(error)["message"]);
  const whole = said === "" && isObject(result) ? canonicalize(result) : said;
  return { content: whole === "" ? toText(status) : whole, isError: isError || isObject(error) };
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
