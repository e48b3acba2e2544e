// A receipt: one turn or one tool call as a signed statement that names the one before it. The signature is over the DSSE
// pre-authentication encoding (secure-systems-lab/dsse, protocol.md) of the RFC 8785 text of the receipt without `sig`. A receipt
// holds hashes and figures, but no words of a prompt, an answer or a result.

import { canonicalize } from "../canon/json.js";
import type { StopReason } from "../model/provider.js";
import type { Usage } from "../model/usage.js";

/** The version of the format. Raised when a field is removed or changes its meaning. */
export const RECEIPT_VERSION = 1;

/** The payload type that every signature covers, so that it is valid for nothing else. */
export const RECEIPT_PAYLOAD_TYPE = "application/vnd.playhead.receipt.v1+json";

/** How a tool call ended. `masked`: the model read "tool unavailable" in place of the reason. */
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

/** The content of a receipt. A hash is null if the value was not plain JSON. */
export type ReceiptBody =
  /**
   * `responseHash` is the SHA-256 of the RFC 8785 text of the response, as in an entry of a cassette. `promptHash` is that of the
   * messages sent; receipts of earlier versions lack it. If it is present, each of the `toolCalls` has a receipt of its own.
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
   * `argumentsHash` covers the arguments as the model wrote them: the object, or the text if it was not an object. `resultHash`
   * covers the text that the model read, as a JSON string. It is absent for a call that was denied, interrupted or skipped.
   */
  | {
      kind: "tool";
      callId: string;
      tool: string;
      argumentsHash: string | null;
      outcome: ReceiptOutcome;
      resultHash?: string | null;
    }
  /** The last of a chain, after `receipts` others. */
  | { kind: "end"; receipts: number };

/** A receipt as plain JSON. Its keys are in the order of RFC 8785, so `JSON.stringify` gives the line that `verifyReceipts` expects. */
export interface Receipt {
  /** "" for the end of a chain, like `runId`. */
  readonly agentId: string;
  readonly body: Readonly<ReceiptBody>;
  /** 16 random bytes as 32 hexadecimal digits, one id for each runtime. */
  readonly chainId: string;
  readonly hlc: string;
  /** A hint for finding the key that signed. It proves nothing. See `keyIdOf`. */
  readonly keyId: string;
  /** The `sig` of the previous receipt. Null for the first. */
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

/** A receipt without its place in a chain. */
export type ReceiptDraft = Pick<Receipt, "agentId" | "body" | "hlc" | "runId" | "turnIndex">;

const encoder = new TextEncoder();

/** Returns the bytes to sign. Throws `NotJsonError`. */
export function receiptMessage(unsigned: Omit<Receipt, "sig">): Uint8Array {
  const payload = canonicalize(unsigned);
  const head = `DSSEv1 ${RECEIPT_PAYLOAD_TYPE.length} ${RECEIPT_PAYLOAD_TYPE} ${encoder.encode(payload).length} `;
  return encoder.encode(head + payload);
}
