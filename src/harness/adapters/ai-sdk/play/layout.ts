// The parts of a streamed answer that is known in advance: deltas fill the parts of its layout, so that a replay gives the SDK the
// parts of the recorded call.

import type { LlmStreamDelta, LlmTurnResponse } from "../../../../core/index.js";
import { type Loose, asText } from "../../loose.js";
import { writeAssistant } from "../assistant.js";
import type { SpecVersion } from "../sdk-types.js";

/** Turns deltas into parts; `finish` gives the parts of the whole answer that no delta brought. */
export interface Player {
  take(delta: LlmStreamDelta): Loose[];
  finish(response: LlmTurnResponse): Loose[];
}

interface Planned {
  part: Loose;
  id: string;
  kind: "text" | "reasoning" | "call" | "other";
  state: "waiting" | "open" | "closed";
  /** The text that no delta has brought yet. */
  left: string;
}

/** Puts deltas into their parts. A part begins only after the parts before it, so that their order is kept. */
export function createLayout(response: LlmTurnResponse, version: SpecVersion): Player {
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
  const planned = { part, state: "waiting" as const, left: asText(part["text"]) };
  if (type === "tool-call" && part["providerExecuted"] !== true) {
    return { ...planned, kind: "call", id: asText(part["toolCallId"]) };
  }
  return { ...planned, kind: type === "text" || type === "reasoning" ? type : "other", id: String(index) };
}

/** Begins all parts up to `last`. A call stands where it is complete, so calls before a part of another kind end first. */
function beginUpTo(plan: readonly Planned[], last: Planned): Loose[] {
  const upTo = plan.slice(0, plan.indexOf(last) + 1);
  const lastOther = upTo.findLastIndex(({ kind }) => kind !== "call");
  return upTo.flatMap((item, index) => {
    const begun = begin(item);
    return item.kind === "call" && index < lastOther ? [...begun, ...end(item)] : begun;
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
  const { type: _, text: _text, ...fields } = part;
  item.left = "";
  const rest = left === "" ? [] : [{ type: `${kind}-delta`, id, delta: left }];
  return [...rest, { ...fields, type: `${kind}-end`, id }];
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
