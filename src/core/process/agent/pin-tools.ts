// The tools `pin` and `unpin`, which every agent process has, and the policy that answers a call whose result is pinned.

import type { JsonObject } from "../../canon/value.js";
import type { LlmMessage, LlmToolCall, ToolMessage } from "../../model/message.js";
import type { ToolPolicy } from "../../tools/policy-decision.js";
import { defineTool, type CustomTool } from "../../tools/tool.js";
import { pinKey, pinNote, type Pins } from "./pins.js";

export const PIN_TOOLS: readonly string[] = ["pin", "unpin"];

interface PinArguments {
  readonly tool: string;
  readonly arguments: JsonObject;
}

const SCHEMA: JsonObject = {
  type: "object",
  properties: { tool: { type: "string" }, arguments: { type: "object" } },
  required: ["tool", "arguments"],
};

/** `changed` is called for each pin and unpin. */
export function createPinTools(
  pins: Pins,
  history: () => readonly LlmMessage[],
  changed: (action: "pin" | "unpin") => void,
): CustomTool[] {
  return [
    defineTool<PinArguments>({
      name: "pin",
      description: "Keep the result of a previous tool call in your context when the conversation is shortened.",
      schema: SCHEMA,
      effect: "write",
      invoke({ tool, arguments: args }) {
        const key = pinKey(tool, args);
        if (pins.find(key) === undefined) {
          const result = findResult(history(), key);
          if (result === undefined) throw new Error(`there is no earlier result of ${key}`);
          pins.add({ key, tool, arguments: args, content: result.content });
        }
        changed("pin");
        return { pinned: key };
      },
    }),
    defineTool<PinArguments>({
      name: "unpin",
      description: "Let the result of a pinned tool call be shortened again.",
      schema: SCHEMA,
      effect: "write",
      invoke({ tool, arguments: args }) {
        const key = pinKey(tool, args);
        pins.remove(key);
        changed("unpin");
        return { unpinned: key };
      },
    }),
  ];
}

/** A call whose result is pinned is answered with a note, and no tool runs. */
export function createPinPolicy(pins: Pins): ToolPolicy {
  return {
    call({ tool, arguments: args }) {
      if (PIN_TOOLS.includes(tool) || pins.list.length === 0) return undefined;
      const key = pinKey(tool, args);
      return pins.find(key) === undefined ? undefined : { action: "synthesize", output: pinNote(key) };
    },
  };
}

/** The last result of a call with this key that did not fail. */
function findResult(history: readonly LlmMessage[], key: string): ToolMessage | undefined {
  let found: ToolMessage | undefined;
  for (const { call, result } of pairResults(history))
    if (result.isError !== true && pinKey(call.name, call.arguments) === key) found = result;
  return found;
}

/** Each result with the call that it answers, in order. */
export function pairResults(history: readonly LlmMessage[]): { call: LlmToolCall; result: ToolMessage }[] {
  const open = new Map<string, LlmToolCall>();
  return history.flatMap((message) => {
    if (message.role === "assistant") for (const call of message.toolCalls ?? []) open.set(call.id, call);
    if (message.role !== "tool") return [];
    const call = open.get(message.toolCallId);
    return call === undefined ? [] : [{ call, result: message }];
  });
}
