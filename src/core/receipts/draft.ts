// From an event to its receipt, in two steps. A note is taken when the event happens: it copies only what somebody else could still
// change, since the loop waits for it. The draft with its hashes is made later.

import { defined } from "../defined.js";
import { copyJson, isSealed } from "../canon/copy.js";
import { hashJson } from "../canon/digest.js";
import type { LlmMessage } from "../model/message.js";
import type { StopReason } from "../model/provider.js";
import type { Usage } from "../model/usage.js";
import type { AgentEvent, EventDetail } from "../events/event.js";
import type { PromptHashes } from "../events/event-prompt-hash.js";
import type { ReceiptBody, ReceiptDraft, ReceiptOutcome } from "./receipt.js";

type NotePlace = Omit<ReceiptDraft, "body">;

interface TurnNote extends NotePlace {
  readonly kind: "turn";
  readonly stopReason: StopReason;
  readonly toolCalls: number;
  readonly usage: Usage | undefined;
  readonly costUsd: number | undefined;
  readonly model: string | undefined;
  /** Undefined if it was absent or not JSON, like `args` and `content`. */
  readonly response: unknown;
  /** The first `length` messages of the conversation. Undefined if it was not passed in. */
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

/** Everything a receipt is made of. Nobody else can change any of it. */
export type ReceiptNote = TurnNote | CallNote;

/** The outcome that a receipt gives each event that ends a tool call. A masked failure has an outcome of its own. */
const OUTCOMES = {
  "tool-result": "ok",
  "tool-failed": "failed",
  "tool-rejected": "rejected",
  "tool-denied": "denied",
  "tool-interrupted": "interrupted",
  "tool-skipped": "skipped",
} as const satisfies Partial<Record<AgentEvent["type"], ReceiptOutcome>>;

/** Notes a turn or the outcome of a tool call; undefined for any other event. Never throws. */
export function noteReceipt(event: AgentEvent, detail: EventDetail | undefined): ReceiptNote | undefined {
  if (event.type === "llm-turn") return noteTurn(event, detail);
  if (!isCallEnd(event)) return undefined;
  const isMasked = event.type === "tool-failed" && event.masked === true;
  return noteCall(event, isMasked ? "masked" : OUTCOMES[event.type], detail);
}

type CallEnd = Occurred<keyof typeof OUTCOMES>;

function isCallEnd(event: AgentEvent): event is CallEnd {
  return Object.hasOwn(OUTCOMES, event.type);
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

function noteCall(event: CallEnd, outcome: ReceiptOutcome, detail: EventDetail | undefined): CallNote {
  const { agentId, hlc, runId, turnIndex, callId, tool } = event;
  const { call, content } = detail?.kind === "tool" ? detail : NO_CALL;
  const args = own(call?.malformedArguments ?? call?.arguments);
  return { kind: "tool", agentId, hlc, runId, turnIndex, callId, tool, outcome, args, content };
}

const NO_CALL: { call?: undefined; content?: undefined } = {};

/** A copy as a recording would keep it. Copying takes a sixth of the time of hashing (measured). */
function own(value: unknown): unknown {
  if (typeof value !== "object" || value === null || isSealed(value)) return value;
  try {
    return copyJson(value);
  } catch {
    // It is not JSON, or a getter of the provider's object throws.
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

/** Makes the draft of a note, before it has its place in a chain. Never throws. */
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

/** The known figures, in the order of RFC 8785; undefined if one of them is not a number. */
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

/** Outcomes that the model does not read. */
const UNREAD: ReadonlySet<ReceiptOutcome> = new Set(["denied", "interrupted", "skipped"]);

/** Null for a value that cannot be hashed: half a surrogate pair, a BigInt. */
function hashOrNull(value: unknown): string | null {
  if (value === undefined) return null;
  try {
    return hashJson(value);
  } catch {
    return null;
  }
}
