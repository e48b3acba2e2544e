// The items of a thread of `codex exec --json` as messages. An item may come in deltas, begin, change and end. Items have no requests to
// belong to: what is said after a result, or in the next turn, is a new answer.

import type { JsonObject } from "../../../core/index.js";
import type { LogAssistantMessage, LogMessage } from "../log-run.js";
import type { RepairLog } from "../repair.js";
import { toName, toObject, toText } from "../foreign-json.js";
import { toCall, toResult } from "./exec-calls.js";

/** What the events tell about one item. */
interface Item {
  latest: JsonObject;
  deltas: string;
  /** Its place. Absent for an item that is not in an answer yet. */
  answer?: LogAssistantMessage;
  /** What its message has of a text so far. */
  said?: string;
}

export interface ExecItems {
  readonly messages: readonly LogMessage[];
  /** Takes an event of the type `item.…`. */
  take(type: string, item: JsonObject): void;
  /** Begins a turn. Its prompt is not in the output, unless it came before. */
  beginTurn(): void;
  /** Forgets the ids of a thread's earlier run. */
  forgetIds(): void;
  /** The answer that is being read. A result, a prompt or the next turn ends it. */
  answer(): LogAssistantMessage;
}

export function createExecItems(repairs: RepairLog): ExecItems {
  const messages: LogMessage[] = [];
  let items = new Map<string, Item>();
  let isPrompted = false;
  let isOver = true;

  function answer(): LogAssistantMessage {
    const last = messages.at(-1);
    if (last?.role === "assistant" && !isOver) return last;
    if (!isPrompted) repairs.add("history-missing");
    [isPrompted, isOver] = [true, false];
    const next: LogAssistantMessage = { role: "assistant", content: "", reasoning: [], calls: [] };
    messages.push(next);
    return next;
  }

  function place(item: Item, id: string, isWhole: boolean): void {
    const { latest } = item;
    const kind = toText(latest["type"]);
    if (kind === "input_text" || latest["role"] === "user") {
      ask(item, messages);
      isPrompted = true;
    } else if (SAID.has(kind)) {
      if (isWhole || item.deltas !== "") say(item, (item.answer ??= answer()), repairs);
    } else if (kind === "error") {
      if (isWhole) repairs.add("meta-line-dropped");
    } else call(item, id, isWhole);
  }

  function call(item: Item, id: string, isWhole: boolean): void {
    const found = toCall(item.latest, repairs);
    if (found === undefined) {
      if (isWhole) repairs.add("line-unknown");
      return;
    }
    if (item.answer === undefined) {
      item.answer = answer();
      item.answer.calls.push({ id, ...found });
    }
    if (isWhole) messages.push({ role: "tool", callId: id, ...toResult(item.latest) });
  }

  return {
    messages,
    answer,
    take(type, own) {
      const id = toName(own["id"]) ?? `item_${items.size}`;
      const item = items.get(id) ?? { latest: own, deltas: "" };
      items.set(id, item);
      item.latest = type.endsWith(".delta") ? { ...own, text: addDelta(item, textOf(own)) } : own;
      place(item, id, type === "item.completed");
    },
    beginTurn() {
      [isPrompted, isOver] = [messages.at(-1)?.role === "user", true];
    },
    forgetIds() {
      items = new Map();
    },
  };
}

const SAID: ReadonlySet<string> = new Set(["agent_message", "reasoning", "plan"]);

export function textOf({ text, content }: JsonObject): string {
  if (typeof text === "string") return text;
  return typeof content === "string" ? content : toText(toObject(content)["text"]);
}

/** The last delta of a message may hold all of it. */
function addDelta(item: Item, text: string): string {
  item.deltas = text.startsWith(item.deltas) ? text : item.deltas + text;
  return item.deltas;
}

/** Adds a prompt, or corrects the one that deltas began. */
function ask(item: Item, messages: LogMessage[]): void {
  const content = textOf(item.latest);
  const last = messages.at(-1);
  if (item.said !== undefined && last?.role === "user") last.content = content;
  else messages.push({ role: "user", content });
  item.said = content;
}

/** Adds a text to the answer, or corrects the one that deltas began. */
function say(item: Item, answer: LogAssistantMessage, repairs: RepairLog): void {
  const { said, latest } = item;
  const text = textOf(latest);
  item.said = text;
  if (latest["type"] === "reasoning") {
    const thought = answer.reasoning.findLast((each) => each.type === "text" && each.text === said);
    if (thought?.type === "text") thought.text = text;
    else answer.reasoning.push({ type: "text", text });
  } else if (said !== undefined && answer.content.endsWith(said)) {
    answer.content = answer.content.slice(0, answer.content.length - said.length) + text;
  } else {
    if (answer.content !== "") repairs.add("content-list-joined");
    answer.content += answer.content === "" ? text : `\n\n${text}`;
  }
}
