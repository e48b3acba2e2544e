// The context of a turn: its tools, and its settings except the model. It is recorded when it changes, and strict replay compares it.

import {
  defined,
  hashJson,
  isSealed,
  seal,
  type JsonObject,
  type JsonValue,
  type LlmTurnRequest,
} from "../../core/index.js";
import type { ContextExtension } from "../file/format.js";

export interface TurnContext {
  toolsHash: string;
  settingsHash: string;
  tools: JsonObject[];
  settings: JsonObject;
}

export type Scrub = <T extends JsonValue>(value: T) => T;

const AS_IT_IS: Scrub = (value) => value;

/**
 * Reads a request's context. Sealed tools and settings are hashed once, others on every turn. A request equal to the previous one keeps
 * its context, even if a part of it has since become known as a secret. Object identity never changes a recording. `filterTools` changes
 * the tools after `scrub`.
 */
export function createContextReader(
  scrub: Scrub = AS_IT_IS,
  filterTools: Scrub = AS_IT_IS,
): (request: LlmTurnRequest) => TurnContext {
  // Compares the lists and not the request, since a caller may reuse the request with other lists.
  let last: (Pick<LlmTurnRequest, "tools" | "settings"> & { raw: TurnContext; context: TurnContext }) | undefined;
  return (request) => {
    const { tools, settings } = request;
    if (last !== undefined && isUnchanged(last.tools, tools) && isUnchanged(last.settings, settings)) {
      return last.context;
    }
    const raw = readContext(request);
    const context =
      last !== undefined && isSameContext(last.raw, raw) ? last.context : scrubContext(raw, scrub, filterTools);
    last = { ...defined({ tools, settings }), raw, context };
    return context;
  };
}

function isUnchanged(before: object | null | undefined, now: object | null | undefined): boolean {
  return before === now && (now === undefined || now === null || isSealed(now));
}

/** Reads null as absent, since some clients write every field. */
function readContext(request: LlmTurnRequest): TurnContext {
  const { model, ...rest } = request.settings ?? {};
  const tools = seal(Array.from(request.tools ?? [])) as unknown as JsonObject[];
  const settings = seal(rest) as JsonObject;
  return { tools, settings, toolsHash: hashJson(tools), settingsHash: hashJson(settings) };
}

function scrubContext(raw: TurnContext, scrub: Scrub, filterTools: Scrub): TurnContext {
  const tools = seal(filterTools(scrub(raw.tools)));
  const settings = seal(scrub(raw.settings));
  return {
    tools,
    settings,
    toolsHash: tools === raw.tools ? raw.toolsHash : hashJson(tools),
    settingsHash: settings === raw.settings ? raw.settingsHash : hashJson(settings),
  };
}

export function contextAt(contexts: readonly ContextExtension[], turnIndex: number): ContextExtension | undefined {
  return contexts.findLast((context) => context.fromTurn <= turnIndex);
}

/** Returns `contextAt` for each of the first `turns` turns, in one pass. */
export function contextsByTurn(contexts: readonly ContextExtension[], turns: number): (ContextExtension | undefined)[] {
  const begins = new Array<number>(turns).fill(-1);
  contexts.forEach(({ fromTurn }, place) => {
    const turn = Math.max(0, fromTurn);
    if (turn < turns) begins[turn] = place;
  });
  let last = -1;
  return begins.map((place) => contexts[(last = Math.max(last, place))]);
}

/** Compares two contexts. True if either side has no context, since there is nothing to compare. */
export function isSameContext(
  recorded: Pick<ContextExtension, "toolsHash" | "settingsHash"> | undefined,
  now: TurnContext | undefined,
): boolean {
  if (recorded === undefined || now === undefined) return true;
  return recorded.toolsHash === now.toolsHash && recorded.settingsHash === now.settingsHash;
}
