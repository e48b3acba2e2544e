// The parts of a streamed answer that is not known in advance, as from a vendor's API.

import type { JsonObject, LlmStreamDelta } from "../../../../core/index.js";
import { type Loose, asText } from "../../loose.js";
import { OWN_KEY, writeAssistant } from "../assistant.js";
import type { Player } from "./layout.js";
import type { SpecVersion } from "../sdk-types.js";

/** One block of each kind, because the ends of the answer's blocks are unknown. The whole reasoning is attached at the end. */
export function createBlocks(version: SpecVersion): Player {
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
        // An empty piece begins no block: a replay and a whole answer have none for it either.
        case "text-delta":
          return delta.text === "" ? [] : block("text", delta.text);
        case "reasoning-delta":
          return delta.text === "" ? [] : block("reasoning", delta.text);
        case "tool-call-delta":
          return takeCall(delta);
      }
    },
    finish({ message }) {
      const { content, toolCalls = [], reasoning = [] } = message;
      const thoughts = { [OWN_KEY]: { reasoning: reasoning as unknown as JsonObject[] } };
      const others = writeAssistant(message, "answer", version).filter(
        (part) => !["text", "reasoning"].includes(asText(part["type"])),
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
    const id = asText(part["toolCallId"]);
    const begun = named.has(index) ? [] : [{ type: "tool-input-start", id, toolName: part["toolName"] }];
    return [...begun, { type: "tool-input-end", id: named.get(index) ?? id }, part];
  }
}
