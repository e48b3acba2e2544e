// Short forms for a scripted model's answers, and a way to see its requests.

import { systemPorts, type Ports } from "../../src/core/ports.js";
import type { LlmMessage, LlmToolCall } from "../../src/core/model/message.js";
import type { LlmProviderAdapter, LlmToolDefinition, LlmTurnResponse } from "../../src/core/model/provider.js";
import { scriptedProvider, type ScriptStep } from "../../src/core/providers/scripted.js";
import type { JsonObject } from "../../src/core/canon/value.js";
import type { CustomTool } from "../../src/core/tools/tool.js";

type Extra = Partial<Pick<LlmTurnResponse, "usage" | "costUsd" | "model" | "stopReason">>;

/** A turn that ends the run. */
export function say(text: string, extra: Extra = {}): LlmTurnResponse {
  return { message: { role: "assistant", content: text }, finalAnswer: text, stopReason: "stop", ...extra };
}

/** A turn that calls tools. Ids count from `c0` within the turn unless given. */
export function ask(
  calls: (Partial<LlmToolCall> & Pick<LlmToolCall, "name">)[],
  extra: Extra & { content?: string } = {},
): LlmTurnResponse {
  const { content = "", ...rest } = extra;
  const toolCalls = calls.map((call, index) => ({ id: `c${index}`, arguments: {}, ...call }));
  return { message: { role: "assistant", content, toolCalls }, stopReason: "toolUse", ...rest };
}

export interface Asked {
  messages: LlmMessage[];
  tools: readonly LlmToolDefinition[] | undefined;
  signal: AbortSignal | undefined;
}

/** A scripted provider that keeps a copy of the conversation at each request. */
export function watchedScript(steps: readonly ScriptStep[]): LlmProviderAdapter & { readonly asked: Asked[] } {
  const script = scriptedProvider(steps);
  const asked: Asked[] = [];
  return {
    name: "watched",
    asked,
    turn(request) {
      asked.push({ messages: [...request.messages], tools: request.tools, signal: request.signal });
      return script.turn(request);
    },
  };
}

/** A tool that takes any object and runs `invoke`. */
export function tool(name: string, invoke: CustomTool["invoke"], extra: Partial<CustomTool> = {}): CustomTool {
  return { name, description: `Does ${name}.`, schema: { type: "object" }, invoke, ...extra };
}

/** Ports with a clock that counts by one from 1,000, and warnings kept in a list. */
export function quietPorts(): Ports & { readonly warnings: string[] } {
  const warnings: string[] = [];
  let time = 1_000;
  return { ...systemPorts, warnings, now: () => time++, warn: (message) => void warnings.push(message) };
}

/** `levels` nested objects. */
export function deepObject(levels: number): JsonObject {
  let value: JsonObject = {};
  for (let level = 1; level < levels; level++) value = { a: value };
  return value;
}
