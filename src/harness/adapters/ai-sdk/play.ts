// A streamed answer of ours as parts of the SDK. Where the whole answer is known ahead, as in a replay, the parts come in the order
// of its layout; from a live model of the SDK they are its own; from any other provider there is one block of text and one of
// thoughts.

import {
  answerAhead,
  type JsonObject,
  type LlmStreamDelta,
  type LlmStreamEvent,
  type LlmTurnResponse,
} from "../../../core/index.js";
import { type Loose, toText } from "../loose.js";
import { OWN_KEY, writeAssistant } from "./assistant.js";
import { writeHead } from "./result.js";
import type { SpecVersion, StreamPart } from "./spec.js";

/** The parts that a live model of the SDK sent for an event; see `fromAiSdk`. */
export const liveParts = new WeakMap<LlmStreamEvent, readonly Loose[]>();

/** Turns deltas into parts; `finish` gives the parts that the whole answer has beyond them. */
interface Player {
  take(delta: LlmStreamDelta): Loose[];
  finish(response: LlmTurnResponse): Loose[];
}

/** `events` end with the response, which becomes the `finish` part. */
export async function* playParts(
  events: AsyncIterable<LlmStreamEvent>,
  version: SpecVersion,
): AsyncGenerator<StreamPart, void, undefined> {
  let player: Player | undefined;
  for await (const event of events) {
    const live = liveParts.get(event);
    if (live !== undefined) yield* live.filter(isKept) as unknown as StreamPart[];
    else {
      if (player === undefined) {
        const response = answerAhead(event);
        yield* startParts(response, version);
        player = response === undefined ? createBlocks(version) : createLayout(response, version);
      }
      const parts = event.type === "response" ? player.finish(event.response) : player.take(event);
      yield* parts as unknown as StreamPart[];
    }
    if (event.type === "response") yield finishPart(event.response, version);
  }
}

/** The vendor's own chunks are in no recording, and the end is written from the response, whatever the versions. */
function isKept({ type }: Loose): boolean {
  return type !== "finish" && type !== "raw";
}

function startParts(response: LlmTurnResponse | undefined, version: SpecVersion): StreamPart[] {
  if (response === undefined) return [{ type: "stream-start", warnings: [] }];
  const { warnings, response: metadata = {} } = writeHead(response, version);
  const told: StreamPart[] = Object.keys(metadata).length === 0 ? [] : [{ type: "response-metadata", ...metadata }];
  return [{ type: "stream-start", warnings }, ...told];
}

function finishPart(response: LlmTurnResponse, version: SpecVersion): StreamPart {
  const { usage, finishReason, providerMetadata } = writeHead(response, version);
  return { type: "finish", usage, finishReason, ...(providerMetadata === undefined ? {} : { providerMetadata }) };
}

interface Planned {
  part: Loose;
  id: string;
  kind: "text" | "reasoning" | "call" | "other";
  state: "waiting" | "open" | "closed";
  /** Text that no delta brought yet. */
  left: string;
}

/** Deltas put into the parts they belong to. A part begins once those before it have begun, so that their order holds. */
function createLayout(response: LlmTurnResponse, version: SpecVersion): Player {
  const plan = writeAssistant(response.message, "answer", version).map(toPlanned);
  const calls = plan.filter(({ kind }) => kind === "call");
  return {
    take(delta) {
      if (delta.type !== "tool-call-delta") {
        return takeText(plan, delta.type === "text-delta" ? "text" : "reasoning", delta.text);
      }
      const item = calls[delta.index];
      if (item === undefined || item.state === "closed") return [];
      const begun = beginUpTo(plan, item);
      return delta.argumentsText === ""
        ? begun
        : [...begun, { type: "tool-input-delta", id: item.id, delta: delta.argumentsText }];
    },
    finish: () => plan.flatMap((item) => [...begin(item), ...end(item)]),
  };
}

function toPlanned(part: Loose, index: number): Planned {
  const { type } = part;
  const planned = { part, state: "waiting" as const, left: toText(part["text"]) };
  if (type === "tool-call" && part["providerExecuted"] !== true) {
    return { ...planned, kind: "call", id: toText(part["toolCallId"]) };
  }
  return { ...planned, kind: type === "text" || type === "reasoning" ? type : "other", id: String(index) };
}

/** Calls before a part that is none are over by then, so that their place holds as well. */
function beginUpTo(plan: readonly Planned[], last: Planned): Loose[] {
  return plan.slice(0, plan.indexOf(last) + 1).flatMap((item) => {
    const begun = begin(item);
    return item.kind === "call" && last.kind !== "call" ? [...begun, ...end(item)] : begun;
  });
}

function begin(item: Planned): Loose[] {
  if (item.state !== "waiting") return [];
  const { part, id, kind, left } = item;
  item.state = kind === "other" ? "closed" : "open";
  switch (kind) {
    case "other":
      return [part];
    case "call": {
      const dynamic = part["dynamic"] === true ? { dynamic: true } : {};
      return [{ type: "tool-input-start", id, toolName: part["toolName"], ...dynamic }];
    }
    case "text":
    case "reasoning":
      return [{ type: `${kind}-start`, id }, ...(left === "" ? end(item) : [])];
  }
}

function end(item: Planned): Loose[] {
  if (item.state !== "open") return [];
  const { part, id, kind, left } = item;
  item.state = "closed";
  if (kind === "call") return [{ type: "tool-input-end", id }, part];
  const { type: _, text: _text, ...told } = part;
  item.left = "";
  const rest = left === "" ? [] : [{ type: `${kind}-delta`, id, delta: left }];
  return [...rest, { ...told, type: `${kind}-end`, id }];
}

function takeText(plan: readonly Planned[], kind: "text" | "reasoning", text: string): Loose[] {
  const parts: Loose[] = [];
  let rest = text;
  while (rest !== "") {
    const item = plan.find((other) => other.kind === kind && other.left !== "");
    if (item === undefined) break;
    const delta = rest.slice(0, item.left.length);
    parts.push(...beginUpTo(plan, item), { type: `${kind}-delta`, id: item.id, delta });
    item.left = item.left.slice(delta.length);
    rest = rest.slice(delta.length);
    if (item.left === "") parts.push(...end(item));
  }
  return parts;
}

/** One block for each kind, since nobody knows yet where the answer has its borders. Its thoughts go along at the end, whole. */
function createBlocks(version: SpecVersion): Player {
  const open = new Set<string>();
  const named = new Map<number, string>();
  const early = new Map<number, string>();

  function block(type: "text" | "reasoning", delta: string): Loose[] {
    const begun = open.has(type) ? [] : [{ type: `${type}-start`, id: type }];
    open.add(type);
    return delta === "" ? begun : [...begun, { type: `${type}-delta`, id: type, delta }];
  }

  function takeCall({ index, id, name, argumentsText }: Extract<LlmStreamDelta, { type: "tool-call-delta" }>): Loose[] {
    const known = named.get(index);
    const text = (early.get(index) ?? "") + argumentsText;
    if (known === undefined && (id === undefined || name === undefined)) {
      early.set(index, text);
      return [];
    }
    early.delete(index);
    const callId = known ?? id ?? "";
    named.set(index, callId);
    const begun = known === undefined ? [{ type: "tool-input-start", id: callId, toolName: name }] : [];
    return text === "" ? begun : [...begun, { type: "tool-input-delta", id: callId, delta: text }];
  }

  return {
    take(delta) {
      switch (delta.type) {
        case "text-delta":
          return block("text", delta.text);
        case "reasoning-delta":
          return block("reasoning", delta.text);
        case "tool-call-delta":
          return takeCall(delta);
      }
    },
    finish({ message }) {
      const { content, toolCalls = [], reasoning = [] } = message;
      const thoughts = { [OWN_KEY]: { reasoning: reasoning as unknown as JsonObject[] } };
      const others = writeAssistant(message, "answer", version).filter(
        (part) => !["text", "reasoning"].includes(toText(part["type"])),
      );
      return [
        ...(open.has("reasoning") || reasoning.length === 0 ? [] : block("reasoning", "")),
        ...(open.has("reasoning") ? [{ type: "reasoning-end", id: "reasoning", providerMetadata: thoughts }] : []),
        ...(open.has("text") || content === "" ? [] : block("text", content)),
        ...(open.has("text") ? [{ type: "text-end", id: "text" }] : []),
        ...others.flatMap((part) =>
          endCall(
            part,
            toolCalls.findIndex(({ id }) => id === part["toolCallId"]),
          ),
        ),
      ];
    },
  };

  function endCall(part: Loose, index: number): Loose[] {
    if (index < 0) return [part];
    const id = toText(part["toolCallId"]);
    const begun = named.has(index) ? [] : [{ type: "tool-input-start", id, toolName: part["toolName"] }];
    return [...begun, { type: "tool-input-end", id: named.get(index) ?? id }, part];
  }
}
