// What a turn was asked beside its prompt: the tools offered and the settings but the model. A recording notes it when it
// changes; strict replay compares it, so that a changed tool list is not mistaken for the same question.

import { copyJson, hashJson, isSealed, type JsonObject, type LlmTurnRequest } from "../core/index.js";
import type { ContextExtension } from "./format.js";

export interface TurnContext {
  toolsHash: string;
  settingsHash: string;
  tools: JsonObject[];
  settings: JsonObject;
}

/** Reads a request's context. Sealed tools and settings are hashed once; others on every turn. */
export function createContextReader(): (request: LlmTurnRequest) => TurnContext {
  let last: { request: LlmTurnRequest; context: TurnContext } | undefined;
  return (request) => {
    if (
      last !== undefined &&
      isUnchanged(last.request.tools, request.tools) &&
      isUnchanged(last.request.settings, request.settings)
    ) {
      return last.context;
    }
    last = { request, context: readContext(request) };
    return last.context;
  };
}

function isUnchanged(before: object | undefined, now: object | undefined): boolean {
  return before === now && (now === undefined || isSealed(now));
}

function readContext({ tools = [], settings = {} }: LlmTurnRequest): TurnContext {
  const { model, ...rest } = settings;
  const offered = copyJson([...tools]) as unknown as JsonObject[];
  const asked = copyJson(rest) as JsonObject;
  return { tools: offered, settings: asked, toolsHash: hashJson(offered), settingsHash: hashJson(asked) };
}

/** The context in force at a turn, if the recording has one. */
export function contextAt(contexts: readonly ContextExtension[], turnIndex: number): ContextExtension | undefined {
  return contexts.findLast((context) => context.fromTurn <= turnIndex);
}

/** True where either side knows of no context, since there is nothing to compare then. */
export function isSameContext(recorded: ContextExtension | undefined, now: TurnContext | undefined): boolean {
  if (recorded === undefined || now === undefined) return true;
  return recorded.toolsHash === now.toolsHash && recorded.settingsHash === now.settingsHash;
}
