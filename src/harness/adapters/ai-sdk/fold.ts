// A streamed answer of the SDK put together: deltas of ours on the way, and at the end what `doGenerate` would have given.

import { AgentError, type LlmStreamDelta } from "../../../core/index.js";
import { type Loose, toLoose, toText } from "../loose.js";

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
  const takeBlock = createBlocks(content);
  const calls = createCalls(content);
  let head: Loose = {};
  let finish: Loose | undefined;

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
    result(name) {
      if (finish === undefined) throw tornStream(name);
      const { usage, finishReason, providerMetadata } = finish;
      return { ...head, content, usage, finishReason, providerMetadata };
    },
  };
}

function tornStream(name: string): AgentError {
  return new AgentError("provider-response", `the stream of ${name} ended before it said that it was whole`, {
    kind: "unknown",
    retryable: true,
  });
}

type BlockType = "text" | "reasoning";

/** Texts and thoughts, which come under ids and may overlap. They stand where they began. */
function createBlocks(content: Loose[]) {
  const open = new Map<string, Block>();

  function blockOf(type: BlockType, part: Loose): Block {
    const key = `${type} ${toText(part["id"])}`;
    const known = open.get(key);
    if (known !== undefined && part["type"] !== `${type}-start`) return known;
    const block: Block = { type, text: "" };
    open.set(key, block);
    content.push(block);
    return block;
  }

  return (type: BlockType, part: Loose): LlmStreamDelta | undefined => {
    const block = blockOf(type, part);
    const { providerMetadata, citations, delta } = part;
    // What an end says stands for the whole block, as in the SDK.
    if (providerMetadata !== undefined) block["providerMetadata"] = providerMetadata;
    if (citations !== undefined) block["citations"] = citations;
    if (part["type"] !== `${type}-delta`) return undefined;
    const text = typeof delta === "string" ? delta : "";
    block.text += text;
    return { type: `${type}-delta`, text };
  };
}

/** Calls, which stand where they were whole. What the vendor runs itself is no call of ours. */
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
      const id = toText(toolCallId);
      if (part["providerExecuted"] === true || indexes.has(id)) return undefined;
      const argumentsText = typeof input === "string" ? input : "";
      return { type: "tool-call-delta", index: indexOf(id), id, name: toText(toolName), argumentsText };
    },
    takeInput(part: Loose): LlmStreamDelta | undefined {
      const id = toText(part["id"]);
      if (part["providerExecuted"] === true) byVendor.add(id);
      if (byVendor.has(id)) return undefined;
      const index = indexOf(id);
      const argumentsText = typeof part["delta"] === "string" ? part["delta"] : "";
      if (part["type"] === "tool-input-delta") return { type: "tool-call-delta", index, argumentsText };
      return { type: "tool-call-delta", index, id, name: toText(part["toolName"]), argumentsText: "" };
    },
  };
}
