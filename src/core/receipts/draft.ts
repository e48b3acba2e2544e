// From an event to what its receipt says, in two steps. A note is taken where the event happens: it copies whatever somebody else
// could still change, and no more, since the loop waits for it. The draft is made of it later, hashes included.

import { defined } from "../defined.js";
import { copyJson, isSealed } from "../canon/copy.js";
import { hashJson } from "../canon/digest.js";
import type { LlmMessage } from "../model/message.js";
import type { StopReason } from "../model/provider.js";
import type { Usage } from "../model/usage.js";
import type { AgentEvent, EventDetail } from "../events/event.js";
import type { PromptHashes } from "../events/prompt-hash.js";
import type { ReceiptBody, ReceiptDraft, ReceiptOutcome } from "./receipt.js";

interface NotePlace {
  readonly agentId: string;
  readonly hlc: string;
  readonly runId: string;
  readonly turnIndex: number;
}

interface TurnNote extends NotePlace {
  readonly kind: "turn";
  readonly stopReason: StopReason;
  readonly toolCalls: number;
  readonly usage: Usage | undefined;
  readonly costUsd: number | undefined;
  readonly model: string | undefined;
  /** Undefined where it was absent or no JSON, as `args` and `content`. */
  readonly response: unknown;
  /** The first `length` of `messages`, which is the conversation. Undefined where nobody handed it in. */
  readonly prompt: { readonly messages: readonly LlmMessage[]; readonly length: number } | undefined;
}

interface CallNote extends NotePlace {
  readonly kind: "tool";
  readonly callId: string;
  readonly tool: string;
  readonly outcome: ReceiptOutcome;
  readonly args: unknown;
  readonly content: string | undefined;
}

/** All that a receipt is made of, and nothing that anybody else holds and can change. */
export type ReceiptNote = TurnNote | CallNote;

/** What is kept of an event that is a turn or the outcome of a tool call; undefined for all others. Never throws. */
export function noteReceipt(event: AgentEvent, detail: EventDetail | undefined): ReceiptNote | undefined {
  switch (event.type) {
    case "llm-turn":
      return noteTurn(event, detail);
    case "tool-result":
      return noteCall(event, "ok", detail);
    case "tool-failed":
      return noteCall(event, event.masked === true ? "masked" : "failed", detail);
    case "tool-rejected":
      return noteCall(event, "rejected", detail);
    case "tool-denied":
      return noteCall(event, "denied", detail);
    case "tool-interrupted":
      return noteCall(event, "interrupted", detail);
    case "tool-skipped":
      return noteCall(event, "skipped", detail);
    case "run-start":
    case "turn-start":
    case "llm-delta":
    case "llm-error":
    case "tool-call":
    case "tool-policy":
    case "corrections-exhausted":
    case "budget-exhausted":
    case "handoff":
    case "handoff-cycle":
    case "provider-destroy-failed":
    case "run-end":
      return undefined;
  }
}

type Occurred<Type extends AgentEvent["type"]> = Extract<AgentEvent, { type: Type }>;

function noteTurn(event: Occurred<"llm-turn">, detail: EventDetail | undefined): TurnNote {
  const { agentId, hlc, runId, turnIndex, stopReason, toolCalls, usage, costUsd, model } = event;
  const { response, messages } = detail?.kind === "turn" ? detail : NO_TURN;
  return {
    kind: "turn",
    agentId,
    hlc,
    runId,
    turnIndex,
    stopReason,
    toolCalls,
    usage: usage === undefined ? undefined : ownUsage(usage),
    costUsd,
    model,
    response: own(response),
    prompt: messages === undefined ? undefined : { messages, length: messages.length },
  };
}

const NO_TURN: { response?: undefined; messages?: undefined } = {};

function noteCall(
  event: Occurred<
    "tool-result" | "tool-failed" | "tool-rejected" | "tool-denied" | "tool-interrupted" | "tool-skipped"
  >,
  outcome: ReceiptOutcome,
  detail: EventDetail | undefined,
): CallNote {
  const { agentId, hlc, runId, turnIndex, callId, tool } = event;
  const { call, content } = detail?.kind === "tool" ? detail : NO_CALL;
  const args = own(call?.malformedArguments ?? call?.arguments);
  return { kind: "tool", agentId, hlc, runId, turnIndex, callId, tool, outcome, args, content };
}

const NO_CALL: { call?: undefined; content?: undefined } = {};

/** As a recording would keep it: keys without a value are left out. A copy takes a sixth of the time of its hash (measured). */
function own(value: unknown): unknown {
  if (typeof value !== "object" || value === null || isSealed(value)) return value;
  try {
    return copyJson(value);
  } catch {
    // What is not JSON, or an object of a provider's own whose getter throws.
    return undefined;
  }
}

function ownUsage(usage: Usage): Usage | undefined {
  try {
    return isSealed(usage) ? usage : { ...usage };
  } catch {
    return undefined;
  }
}

/** What is to be said of a noted event, before it has its place in a chain. Never throws. */
export function draftReceipt(note: ReceiptNote, prompts: PromptHashes): ReceiptDraft {
  const { agentId, hlc, runId, turnIndex } = note;
  const body = note.kind === "turn" ? describeTurn(note, prompts) : describeCall(note);
  return { agentId: agentId.toWellFormed(), body, hlc, runId: runId.toWellFormed(), turnIndex };
}

function describeTurn(
  { stopReason, toolCalls, usage, costUsd, model, response, prompt }: TurnNote,
  prompts: PromptHashes,
): ReceiptBody {
  const figures = usage === undefined ? undefined : finiteUsage(usage);
  return {
    ...(Number.isFinite(costUsd) ? { costUsd: costUsd as number } : {}),
    kind: "turn",
    ...(model === undefined ? {} : { model: model.toWellFormed() }),
    ...(prompt === undefined ? {} : { promptHash: prompts.of(prompt.messages, prompt.length) }),
    responseHash: hashOrNull(response),
    stopReason,
    toolCalls,
    ...defined({ usage: figures }),
  };
}

const USAGE_FIELDS = [
  "cacheReadTokens",
  "cacheWriteTokens",
  "inputTokens",
  "outputTokens",
  "reasoningTokens",
] as const satisfies readonly (keyof Usage)[];

/** The figures we know, in the order of RFC 8785; undefined when the vendor sent one that is no number. */
function finiteUsage(usage: Usage): Usage | undefined {
  const present = USAGE_FIELDS.filter((field) => usage[field] !== undefined);
  if (!present.every((field) => Number.isFinite(usage[field]))) return undefined;
  return Object.fromEntries(present.map((field) => [field, usage[field]])) as unknown as Usage;
}

function describeCall({ callId, tool, outcome, args, content }: CallNote): ReceiptBody {
  return {
    argumentsHash: hashOrNull(args),
    callId: callId.toWellFormed(),
    kind: "tool",
    outcome,
    ...(UNREAD.has(outcome) ? {} : { resultHash: hashOrNull(content) }),
    tool: tool.toWellFormed(),
  };
}

/** Outcomes of which the model reads nothing. */
const UNREAD: ReadonlySet<ReceiptOutcome> = new Set(["denied", "interrupted", "skipped"]);

/** Null for what is no text that can be hashed: half a surrogate pair, a BigInt. */
function hashOrNull(value: unknown): string | null {
  if (value === undefined) return null;
  try {
    return hashJson(value);
  } catch {
    return null;
  }
}
