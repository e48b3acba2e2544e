// A receipt: one turn or one tool call as a signed statement that names the one before it. What is signed are the DSSE
// pre-authentication encoding (secure-systems-lab/dsse, protocol.md) of the payload type below and, as payload, the RFC 8785 text
// of the receipt without `sig`. A receipt holds hashes and figures, no words of a prompt, an answer or a result.

import { copyJson } from "../canon/copy.js";
import { hashJson } from "../canon/digest.js";
import { canonicalize } from "../canon/json.js";
import type { LlmToolCall } from "../model/message.js";
import type { LlmTurnResponse, StopReason } from "../model/provider.js";
import type { Usage } from "../model/usage.js";
import type { AgentEvent, EventDetail } from "./event.js";

/** Raised when a field goes away or changes its meaning. */
export const RECEIPT_VERSION = 1;

/** The payload type that every signature covers, so that it counts for nothing else. */
export const RECEIPT_PAYLOAD_TYPE = "application/vnd.playhead.receipt.v1+json";

/** How a tool call ended; `masked` when the model read "tool unavailable" in place of the reason. */
export type ReceiptOutcome = "ok" | "failed" | "masked" | "rejected" | "denied";

/** A hash is null where the value was not plain JSON, so that there is no text of it to hash. */
export type ReceiptBody =
  /** `responseHash` is the SHA-256 of the RFC 8785 text of the response, as it stands in an entry of a cassette. */
  | {
      kind: "turn";
      responseHash: string | null;
      stopReason: StopReason;
      toolCalls: number;
      usage?: Usage;
      costUsd?: number;
      model?: string;
    }
  /**
   * `argumentsHash` is of the arguments as the model wrote them: of the object, or of the text where it was no object.
   * `resultHash` is of the text that the model read, as a JSON string; absent for a denied call, of which it read nothing.
   */
  | {
      kind: "tool";
      callId: string;
      tool: string;
      argumentsHash: string | null;
      outcome: ReceiptOutcome;
      resultHash?: string | null;
    }
  /** The last of a chain: `receipts` stand before it, and none comes after. */
  | { kind: "end"; receipts: number };

/** Plain JSON. Its keys are in the order of RFC 8785, so that `JSON.stringify` gives the line that `verifyReceipts` asks for. */
export interface Receipt {
  /** "" for the end of a chain, as `runId`. */
  readonly agentId: string;
  readonly body: Readonly<ReceiptBody>;
  /** 16 random bytes as 32 hexadecimal digits: one chain of one runtime. */
  readonly chainId: string;
  readonly hlc: string;
  /** Which key signed, as a hint for finding it; it proves nothing. See `keyIdOf`. */
  readonly keyId: string;
  /** `sig` of the receipt before; null for the first. */
  readonly parentSig: string | null;
  readonly runId: string;
  /** 0, 1, 2 … without a gap within one chain. */
  readonly seq: number;
  /** The Ed25519 signature in base64. */
  readonly sig: string;
  /** -1 for the end of a chain. */
  readonly turnIndex: number;
  readonly version: typeof RECEIPT_VERSION;
}

/** What a receipt says before it has its place in a chain. */
export type ReceiptDraft = Pick<Receipt, "agentId" | "body" | "hlc" | "runId" | "turnIndex">;

const encoder = new TextEncoder();

/** The bytes that are signed. Throws `NotJsonError`. */
export function receiptMessage(unsigned: Omit<Receipt, "sig">): Uint8Array {
  const payload = canonicalize(unsigned);
  const head = `DSSEv1 ${RECEIPT_PAYLOAD_TYPE.length} ${RECEIPT_PAYLOAD_TYPE} ${encoder.encode(payload).length} `;
  return encoder.encode(head + payload);
}

/** What is to be said of an event that is a turn or the outcome of a tool call; undefined for all others. Never throws. */
export function draftReceipt(event: AgentEvent, detail: EventDetail | undefined): ReceiptDraft | undefined {
  const body = describe(event, detail);
  if (body === undefined) return undefined;
  const { hlc, runId, agentId, turnIndex } = event;
  return { agentId: agentId.toWellFormed(), body, hlc, runId: runId.toWellFormed(), turnIndex };
}

function describe(event: AgentEvent, detail: EventDetail | undefined): ReceiptBody | undefined {
  switch (event.type) {
    case "llm-turn":
      return describeTurn(event, detail?.kind === "turn" ? detail.response : undefined);
    case "tool-result":
      return describeCall(event, "ok", detail);
    case "tool-failed":
      return describeCall(event, event.masked === true ? "masked" : "failed", detail);
    case "tool-rejected":
      return describeCall(event, "rejected", detail);
    case "tool-denied":
      return describeCall(event, "denied", detail);
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

function describeTurn(
  { stopReason, toolCalls, usage, costUsd, model }: Extract<AgentEvent, { type: "llm-turn" }>,
  response: LlmTurnResponse | undefined,
): ReceiptBody {
  const figures = usage === undefined ? undefined : finiteUsage(usage);
  return {
    ...(Number.isFinite(costUsd) ? { costUsd: costUsd as number } : {}),
    kind: "turn",
    ...(model === undefined ? {} : { model: model.toWellFormed() }),
    responseHash: hashOrNull(response),
    stopReason,
    toolCalls,
    ...(figures === undefined ? {} : { usage: figures }),
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

function describeCall(
  { callId, tool }: { callId: string; tool: string },
  outcome: ReceiptOutcome,
  detail: EventDetail | undefined,
): ReceiptBody {
  const { call, content } = detail?.kind === "tool" ? detail : {};
  return {
    argumentsHash: hashOrNull(asWritten(call)),
    callId: callId.toWellFormed(),
    kind: "tool",
    outcome,
    ...(outcome === "denied" ? {} : { resultHash: hashOrNull(content) }),
    tool: tool.toWellFormed(),
  };
}

function asWritten(call: LlmToolCall | undefined): unknown {
  return call?.malformedArguments ?? call?.arguments;
}

/** As a recording would keep it: keys without a value are left out. */
function hashOrNull(value: unknown): string | null {
  if (value === undefined) return null;
  try {
    return hashJson(copyJson(value));
  } catch {
    // What is not JSON, or an object of a provider's own whose getter throws.
    return null;
  }
}
