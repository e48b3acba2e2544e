// A receipt: one turn or one tool call as a signed statement that names the one before it. What is signed are the DSSE
// pre-authentication encoding (secure-systems-lab/dsse, protocol.md) of the payload type below and, as payload, the RFC 8785 text
// of the receipt without `sig`. A receipt holds hashes and figures, no words of a prompt, an answer or a result.

import { canonicalize } from "../canon/json.js";
import type { StopReason } from "../model/provider.js";
import type { Usage } from "../model/usage.js";

/** Raised when a field goes away or changes its meaning. */
export const RECEIPT_VERSION = 1;

/** The payload type that every signature covers, so that it counts for nothing else. */
export const RECEIPT_PAYLOAD_TYPE = "application/vnd.playhead.receipt.v1+json";

/** How a tool call ended; `masked` when the model read "tool unavailable" in place of the reason. */
export type ReceiptOutcome =
  | "ok"
  | "failed"
  | "masked"
  | "rejected"
  | "denied"
  /** The run ended while the call was in flight: it may have had effects. */
  | "interrupted"
  /** The call never began. */
  | "skipped";

/** A hash is null where the value was not plain JSON, so that there is no text of it to hash. */
export type ReceiptBody =
  /**
   * `responseHash` is the SHA-256 of the RFC 8785 text of the response, as it stands in an entry of a cassette. `promptHash` is that
   * of the messages sent, as in a cassette; receipts of earlier versions lack it. Where it is present, each of the `toolCalls`
   * has a receipt of its own.
   */
  | {
      kind: "turn";
      promptHash?: string | null;
      responseHash: string | null;
      stopReason: StopReason;
      toolCalls: number;
      usage?: Usage;
      costUsd?: number;
      model?: string;
    }
  /**
   * `argumentsHash` is of the arguments as the model wrote them: of the object, or of the text where it was no object.
   * `resultHash` is of the text that the model read, as a JSON string; absent where it read nothing: a call that was
   * denied, interrupted or skipped.
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
