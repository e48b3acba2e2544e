// A streamed answer of the SDK put together: deltas of ours on the way, and at the end what `doGenerate` would have given.

import { AgentError, type LlmStreamDelta } from "../../../core/index.js";
import { toLoose, toText, type Loose } from "./spec.js";

export interface Fold {
  /** The delta that a part is, if it is one. */
  take(part: Loose): LlmStreamDelta | undefined;
  /** Throws `provider-response` where the stream ended before it said how. */
  result(name: string): Loose;
}

interface Block {
  type: string;
  text: string;
  [field: string]: unknown;
}

export function createFold(): Fold {
  const content: Loose[] = [];
  const open = new Map<string, Block>();
  const calls = new Map<string, number>();
  const byVendor = new Set<string>();
  let head: Loose = {};
  let finish: Loose | undefined;

  function blockOf(type: "text" | "reasoning", part: Loose): Block {
    const key = `${type} ${toText(part["id"])}`;
    const known = open.get(key);
    if (known !== undefined && !String(part["type"]).endsWith("-start")) return known;
    const block: Block = { type, text: "" };
    open.set(key, block);
    content.push(block);
    return block;
  }

  /** What an end says stands for the whole block, as in the SDK. */
  function mark(block: Block, { providerMetadata, citations }: Loose): Block {
    if (providerMetadata !== undefined) block["providerMetadata"] = providerMetadata;
    if (citations !== undefined) block["citations"] = citations;
    return block;
  }

  function takeBlock(type: "text" | "reasoning", part: Loose): LlmStreamDelta | undefined {
    const block = mark(blockOf(type, part), part);
    if (part["type"] !== `${type}-delta`) return undefined;
    const delta = typeof part["delta"] === "string" ? part["delta"] : "";
    block.text += delta;
    return { type: `${type}-delta`, text: delta };
  }

  function takeCall(part: Loose): LlmStreamDelta | undefined {
    content.push(part);
    const id = toText(part["toolCallId"]);
    if (part["providerExecuted"] === true || calls.has(id)) return undefined;
    const input = part["input"];
    const argumentsText = typeof input === "string" ? input : "";
    return { type: "tool-call-delta", index: indexOf(id), id, name: toText(part["toolName"]), argumentsText };
  }

  function indexOf(id: string): number {
    const index = calls.get(id) ?? calls.size;
    calls.set(id, index);
    return index;
  }

  function takeInput(part: Loose): LlmStreamDelta | undefined {
    const id = toText(part["id"]);
    if (part["providerExecuted"] === true) byVendor.add(id);
    if (byVendor.has(id)) return undefined;
    const index = indexOf(id);
    if (part["type"] === "tool-input-delta") {
      return { type: "tool-call-delta", index, argumentsText: typeof part["delta"] === "string" ? part["delta"] : "" };
    }
    return { type: "tool-call-delta", index, id, name: toText(part["toolName"]), argumentsText: "" };
  }

  return {
    take(part) {
      const type = toText(part["type"]);
      switch (type) {
        case "text-start":
        case "text-delta":
        case "text-end":
          return takeBlock("text", part);
        case "reasoning-start":
        case "reasoning-delta":
        case "reasoning-end":
          return takeBlock("reasoning", part);
        case "tool-input-start":
        case "tool-input-delta":
          return takeInput(part);
        case "tool-call":
          return takeCall(part);
        case "stream-start":
          head = { ...head, warnings: part["warnings"] };
          return undefined;
        case "response-metadata":
          head = { ...head, response: { ...toLoose(head["response"]), ...part } };
          return undefined;
        case "finish":
          finish = part;
          return undefined;
        case "tool-input-end":
        case "raw":
        case "ping":
          return undefined;
      }
      if (part["preliminary"] !== true) content.push(part);
      return undefined;
    },
    result(name) {
      if (finish === undefined) {
        throw new AgentError("provider-response", `the stream of ${name} ended before it said that it was whole`, {
          kind: "unknown",
          retryable: true,
        });
      }
      const { usage, finishReason, providerMetadata } = finish;
      return { ...head, content, usage, finishReason, providerMetadata };
    },
  };
}
