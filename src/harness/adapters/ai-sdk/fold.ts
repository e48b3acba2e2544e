// Assembles a streamed answer of the SDK: our deltas on the way, and at the end the result that `doGenerate` would return.

import type { LlmStreamDelta } from "../../../core/index.js";
import { tornStream } from "../foreign-model.js";
import { type Loose, toLoose, asText } from "../loose.js";

type Block = Record<string, unknown> & { text: string };

export function createFold() {
  const content: Loose[] = [];
  const takeBlock = createBlocks(content);
  const calls = createCalls(content);
  let head: Loose = {};
  let finish: Loose | undefined;

  return {
    take(part: Loose): LlmStreamDelta | undefined {
      const type = asText(part["type"]);
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
          return calls.takeInput(part);
        case "tool-call":
          return calls.take(part);
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
    /** Throws `provider-response` if the stream ended without a `finish` part. */
    result(name: string): Loose {
      if (finish === undefined) throw tornStream(name);
      const { usage, finishReason, providerMetadata } = finish;
      return { ...head, content, usage, finishReason, providerMetadata };
    },
  };
}

/** Texts and reasoning, each under an id. They may overlap; a block stands where it began. */
function createBlocks(content: Loose[]) {
  const open = new Map<string, Block>();

  function blockOf(type: string, part: Loose): Block {
    const key = `${type} ${asText(part["id"])}`;
    const known = open.get(key);
    if (known !== undefined && part["type"] !== `${type}-start`) return known;
    const block: Block = { type, text: "" };
    open.set(key, block);
    content.push(block);
    return block;
  }

  return (type: "text" | "reasoning", part: Loose): LlmStreamDelta | undefined => {
    const block = blockOf(type, part);
    const { providerMetadata, citations, delta } = part;
    // The metadata of an end belongs to the whole block, as in the SDK.
    if (providerMetadata !== undefined) block["providerMetadata"] = providerMetadata;
    if (citations !== undefined) block["citations"] = citations;
    if (part["type"] !== `${type}-delta`) return undefined;
    const text = typeof delta === "string" ? delta : "";
    block.text += text;
    return { type: `${type}-delta`, text };
  };
}

/** Calls, each at the place where it was complete. Calls that the vendor runs itself are not ours. */
function createCalls(content: Loose[]) {
  const indexes = new Map<string, number>();
  const byVendor = new Set<string>();

  function indexOf(id: string): number {
    const index = indexes.get(id) ?? indexes.size;
    indexes.set(id, index);
    return index;
  }

  return {
    take(part: Loose): LlmStreamDelta | undefined {
      content.push(part);
      const { toolCallId, toolName, input } = part;
      const id = asText(toolCallId);
      if (part["providerExecuted"] === true || indexes.has(id)) return undefined;
      const argumentsText = typeof input === "string" ? input : "";
      return { type: "tool-call-delta", index: indexOf(id), id, name: asText(toolName), argumentsText };
    },
    takeInput(part: Loose): LlmStreamDelta | undefined {
      const id = asText(part["id"]);
      if (part["providerExecuted"] === true) byVendor.add(id);
      if (byVendor.has(id)) return undefined;
      const index = indexOf(id);
      const argumentsText = typeof part["delta"] === "string" ? part["delta"] : "";
      if (part["type"] === "tool-input-delta") return { type: "tool-call-delta", index, argumentsText };
      return { type: "tool-call-delta", index, id, name: asText(part["toolName"]), argumentsText: "" };
    },
  };
}
