// Checks each value when its turn is recorded, so that no paid call ends in a cassette that the loader refuses.

import {
  findMessageFlaw,
  findResponseFlaw,
  MAX_JSON_DEPTH,
  NotJsonError,
  providerName,
  sealedLevels,
  toVisible,
  type LlmMessage,
  type LlmProviderAdapter,
  type LlmTurnResponse,
} from "../../core/index.js";
import type { TurnContext } from "../offer/context.js";
import { CassetteError } from "../errors.js";
import type { CassetteV2 } from "../file/format.js";
import { checkShape } from "../file/shape.js";

/** Levels left at /entries/0/response, /entries/0/prompt/messages/0 and /extensions/contexts/0/tools. */
const RESPONSE_DEPTH = MAX_JSON_DEPTH - 3;
const MESSAGE_DEPTH = MAX_JSON_DEPTH - 5;
const CONTEXT_DEPTH = MAX_JSON_DEPTH - 4;

/** Refuses a provider whose name is not well-formed text. */
export function assertName(provider: LlmProviderAdapter): void {
  const name: unknown = providerName(provider);
  if (typeof name === "string" && name.isWellFormed()) return;
  const what = typeof name === "string" ? "holds a lone surrogate" : `is a ${typeof name}`;
  throw new CassetteError("invalid-options", `the name of the provider ${what}, so it cannot be recorded`, {
    hint: "Pass a provider with a name such as openai:gpt-4o, or without a name.",
  });
}

/** Refuses a message of the prompt that the loader would refuse; `index` is its place in the prompt. */
export function assertMessage(message: LlmMessage, index: number): void {
  const flaw = findMessageFlaw(message);
  if (flaw !== undefined) {
    const field = flaw.pointer === "" ? "it" : flaw.pointer;
    throw notRecordable(`message ${index} of the prompt is malformed: ${field} is not ${flaw.expected}`, {
      pointer: `/${index}${flaw.pointer}`,
      hint: "Fix the message in the agent, or in the hashFilter that made it. A vendor's own shapes cannot be recorded.",
    });
  }
  assertDepth(message, MESSAGE_DEPTH, `message ${index} of the prompt`, `/${index}`);
}

export function assertContext({ tools, settings }: TurnContext): void {
  assertDepth(tools, CONTEXT_DEPTH, "the list of tools", "/tools");
  assertDepth(settings, CONTEXT_DEPTH, "the settings", "/settings");
}

/** Refuses a malformed answer. {@link assertResponseDepth} checks it once it is sealed. */
export function assertResponse(response: unknown): void {
  const flaw = findResponseFlaw(response);
  if (flaw !== undefined) {
    throw notRecordable(`the provider's response is malformed: ${flaw.pointer || "it"} is not ${flaw.expected}`, {
      pointer: flaw.pointer,
      hint: "Fix the provider, or the redact function: turn(request) resolves to { message, stopReason, … }.",
    });
  }
}

export function assertResponseDepth(response: LlmTurnResponse): void {
  assertDepth(response, RESPONSE_DEPTH, "the response", "");
}

/** Refuses a cassette that the loader would refuse for its `agentId`, an extension or the clock. Its turns were checked before. */
export function assertLoadable(cassette: CassetteV2): void {
  checkShape({ ...cassette, entries: [] }, (_, message, pointer) => {
    throw notRecordable(`the cassette would not load: ${message}`, {
      pointer,
      hint: "Fix the arguments of toCassette() or the recorder's ports.",
    });
  });
}

/** Turns the core's "not JSON" into "not recordable". */
export function recordable<T>(take: () => T, what = "this turn cannot be recorded"): T {
  try {
    return take();
  } catch (error) {
    if (!(error instanceof NotJsonError)) throw error;
    throw notRecordable(`${what}: ${toVisible(error.message)}`, {
      pointer: error.pointer,
      hint: "Return only JSON from providers and tools, or turn the recorder off.",
      cause: error,
    });
  }
}

function assertDepth(value: unknown, levels: number, what: string, pointer: string): void {
  if (!isDeeper(value, levels)) return;
  throw notRecordable(`${what} is nested deeper than the ${levels} levels a cassette has room for`, {
    pointer,
    hint: "Flatten it, or turn the recorder off.",
  });
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  const known = sealedLevels(value);
  if (known !== undefined) return known > levels;
  if (levels === 0) return true;
  for (const key in value) {
    if (isDeeper((value as Record<string, unknown>)[key], levels - 1)) return true;
  }
  return false;
}

function notRecordable(summary: string, options: { pointer: string; hint: string; cause?: unknown }): CassetteError {
  return new CassetteError("not-recordable", summary, options);
}
