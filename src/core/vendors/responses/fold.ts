// Assembles a response object from its stream. Specification: OpenAI API reference, "Streaming events". An item that is done is sent
// whole, and so is the response at the end. Deltas count only while the stream runs. Some hosts end with an empty list of output (Codex),
// and some leave out the event of a done item.

import { isPlainObject } from "../../canon/value.js";
import type { LlmStreamDelta } from "../../model/provider.js";
import { assertRoom, toDeltas, toPiece, type Fold, type StreamWire } from "../../http/fold.js";
import { createSseReader } from "../../http/sse.js";
import { refuseErrorBody, toList, toObject, toText, type Decoding, type WireObject } from "../../http/json-readers.js";
import { decodeResponses } from "./decode.js";
import { SUMMARY_BREAK } from "./items.js";

/** The Responses API, streamed. Without a last event that has the response, the answer is not whole. */
export const responsesStream: StreamWire = {
  createReader: createSseReader,
  createFold: createResponsesFold,
  decode: decodeResponses,
  isSse: true,
};

/** One item that is not done. */
interface OpenItem {
  item: WireObject;
  isDone: boolean;
  /** The place among the calls of the answer, for a call. */
  call: number;
  text: string;
  thought: string;
  /** The last `summary_index` of its thought. */
  summary: unknown;
  input: string;
}

const LAST_EVENTS = ["response.completed", "response.incomplete", "response.failed", "response.cancelled"];

function createResponsesFold(decoding: Decoding): Fold {
  const items = createOpenItems(decoding);
  let last: WireObject | undefined;

  const takeEvent = (event: WireObject): LlmStreamDelta[] => {
    const type = toPiece(event["type"]);
    const [index, delta] = [event["output_index"], toPiece(event["delta"])];
    switch (type) {
      case "response.output_item.added":
        return items.open(index, toObject(event["item"]));
      case "response.output_item.done":
        return items.close(index, toObject(event["item"]));
      case "response.output_text.delta":
      case "response.refusal.delta":
        items.at(index).text += delta;
        return toDeltas(delta, "");
      case "response.reasoning_summary_text.delta":
        return takeThought(items.at(index), delta, event["summary_index"]);
      case "response.reasoning_text.delta":
        return takeThought(items.at(index), delta);
      case "response.function_call_arguments.delta":
      case "response.custom_tool_call_input.delta":
        return takeInput(items.at(index), delta);
    }
    if (LAST_EVENTS.includes(type)) last = toObject(event["response"]);
    return [];
  };

  return {
    isEnded: () => last !== undefined,
    isWhole: () => last !== undefined,
    take(json) {
      const event = toObject(json);
      if (event["type"] === "error") refuseErrorBody(event["error"] ?? event, decoding);
      refuseErrorBody(event["error"], decoding);
      return takeEvent(event);
    },
    body() {
      const output = toList(last?.["output"]);
      return { ...last, output: output.length > 0 ? output : items.list() };
    },
  };
}

/** The items of an answer by their `output_index`, since ids may change on the way. */
function createOpenItems(decoding: Decoding) {
  const items = new Map<unknown, OpenItem>();
  let callCount = 0;

  const at = (index: unknown): OpenItem => {
    const known = items.get(index);
    if (known !== undefined) return known;
    assertRoom(items.size, "output items", decoding);
    const opened: OpenItem = {
      item: {},
      isDone: false,
      call: -1,
      text: "",
      thought: "",
      summary: undefined,
      input: "",
    };
    items.set(index, opened);
    return opened;
  };
  const open = (index: unknown, item: WireObject): LlmStreamDelta[] => {
    const opened = at(index);
    opened.item = item;
    if (!isCall(item)) return [];
    opened.call = callCount++;
    const [id, name] = [toPiece(item["call_id"]), toPiece(item["name"])];
    return [
      { type: "tool-call-delta", index: opened.call, ...(id === "" ? {} : { id }), name, argumentsText: "" },
      ...takeInput(opened, inputOf(item)),
    ];
  };
  return {
    at,
    open,
    /** The deltas of a done item that did not come before it, for a host that sends none. */
    close(index: unknown, item: WireObject): LlmStreamDelta[] {
      const started = items.has(index) ? [] : open(index, item);
      const opened = at(index);
      opened.item = item;
      opened.isDone = true;
      if (isCall(item)) return [...started, ...(opened.input === "" ? takeInput(opened, inputOf(item)) : [])];
      const { text, thought } = heardOf(item);
      return toDeltas(opened.text === "" ? text : "", opened.thought === "" ? thought : "");
    },
    list: () => [...items.values()].map(toItem),
  };
}

/** A summary begins on a new paragraph, as in the whole answer. */
function takeThought(opened: OpenItem, delta: string, summary?: unknown): LlmStreamDelta[] {
  const isNext = opened.thought !== "" && summary !== opened.summary;
  opened.summary = summary;
  const text = isNext ? `${SUMMARY_BREAK}${delta}` : delta;
  opened.thought += text;
  return toDeltas("", text);
}

function takeInput(opened: OpenItem, text: string): LlmStreamDelta[] {
  opened.input += text;
  return text === "" || opened.call < 0 ? [] : [{ type: "tool-call-delta", index: opened.call, argumentsText: text }];
}

function isCall({ type }: WireObject): boolean {
  return type === "function_call" || type === "custom_tool_call";
}

function inputOf(item: WireObject): string {
  return toPiece(item["type"] === "function_call" ? item["arguments"] : item["input"]);
}

/** The text and the thoughts of a whole item. */
function heardOf(item: WireObject): { text: string; thought: string } {
  const textOf = (list: unknown, between = ""): string =>
    toList(list)
      .filter(isPlainObject)
      .map((part) => toText(part["text"]) || toText(part["refusal"]))
      .join(between);
  const { type, summary, content } = item;
  if (type === "reasoning") return { text: "", thought: textOf(summary, SUMMARY_BREAK) || textOf(content) };
  return { text: type === "message" ? textOf(content) : "", thought: "" };
}

/** An item as its last event gave it, else as its deltas did. */
function toItem({ item, isDone, text, thought, input }: OpenItem): WireObject {
  if (isDone) return item;
  switch (item["type"]) {
    case "function_call":
      return { ...item, arguments: input };
    case "custom_tool_call":
      return { ...item, input };
    case "reasoning":
      return thought === "" ? item : { ...item, summary: [{ type: "summary_text", text: thought }] };
    default:
      return text === "" ? item : { type: "message", ...item, content: [{ type: "output_text", text }] };
  }
}
