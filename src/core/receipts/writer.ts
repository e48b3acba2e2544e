// Writing one receipt after another: place and parent, signature, keeping, delivery. The chain makes sure that calls do not overlap.

import { defined } from "../defined.js";
import { toBase64 } from "../canon/bytes.js";
import { seal } from "../canon/copy.js";
import type { ReadKey } from "../canon/key.js";
import { verifySignature } from "../canon/signature.js";
import { AgentError } from "../errors.js";
import { RECEIPT_TIMEOUT_MS } from "../limits.js";
import type { Ports } from "../ports.js";
import { quoteForeign } from "../text/mask.js";
import { thrownText } from "../text/thrown.js";
import { isThenable, within } from "../time/wait.js";
import { RECEIPT_VERSION, receiptMessage, type Receipt, type ReceiptDraft } from "./receipt.js";

/** Contract: called once for each receipt, in order, and awaited if it is async. If it throws or rejects, the chain ends. Receipts are frozen. */
export type ReceiptListener = (receipt: Receipt) => unknown;

export interface ReceiptWriterOptions {
  readonly key: ReadKey;
  readonly chainId: string;
  readonly ports: Pick<Ports, "timer" | "warn">;
  readonly onReceipt: ReceiptListener | undefined;
  readonly limit: number;
}

export interface ReceiptWriter {
  readonly receipts: readonly Receipt[];
  /** Counts the signed receipts, kept or not. */
  written(): number;
  /** Synchronous if signing and delivery are. Throws, or rejects with, `AgentError` `receipt-failed`. No call may follow one that failed. */
  write(draft: ReceiptDraft): undefined | Promise<undefined>;
}

export function createReceiptWriter({ key, chainId, ports, onReceipt, limit }: ReceiptWriterOptions): ReceiptWriter {
  const receipts: Receipt[] = [];
  let seq = 0;
  let parentSig: string | null = null;

  const keep = (receipt: Receipt): void => {
    if (receipts.length < limit) receipts.push(receipt);
    else if (seq === limit)
      ports.warn(`playhead: only the first ${limit} receipts of chain ${chainId} are kept in memory`);
  };

  return {
    receipts,
    written: () => seq,
    write({ agentId, body, hlc, runId, turnIndex }) {
      const head = { agentId, body, chainId, hlc, keyId: key.keyId, parentSig, runId, seq };
      const tail = { turnIndex, version: RECEIPT_VERSION } as const;
      return after(signature({ ...head, ...tail }, key, ports), (sig) => {
        const receipt: Receipt = seal({ ...head, sig, ...tail });
        keep(receipt);
        parentSig = sig;
        seq += 1;
        return onReceipt === undefined ? undefined : deliver(receipt, onReceipt, ports);
      });
    },
  };
}

function signature(
  unsigned: Omit<Receipt, "sig">,
  key: ReadKey,
  ports: Pick<Ports, "timer">,
): string | Promise<string> {
  const message = receiptMessage(unsigned);
  const what = `the signing key, asked for the signature of receipt ${unsigned.seq},`;
  // A foreign signer gets a copy, so that it cannot change the bytes its signature is checked against.
  const signed = attempt(() => key.sign(key.isOwn ? message : message.slice()), what, ports);
  return after(signed, (bytes) => {
    if (!(bytes instanceof Uint8Array)) throw receiptFailed(`${what} did not return bytes`);
    if (!key.isOwn && !verifySignature(key.publicKey, message, bytes)) {
      throw receiptFailed(
        `${what} returned ${bytes.length} bytes that are not a valid Ed25519 signature by its publicKey`,
      );
    }
    return toBase64(bytes);
  });
}

function deliver(
  receipt: Receipt,
  onReceipt: ReceiptListener,
  ports: Pick<Ports, "timer">,
): undefined | Promise<undefined> {
  const taken = attempt(() => onReceipt(receipt), `onReceipt, given receipt ${receipt.seq},`, ports);
  return after(taken, () => undefined);
}

/** Calls `next` immediately, or when `value` resolves if it is a promise. */
function after<T, Result>(
  value: T | Promise<T>,
  next: (value: T) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Returns the result of `act`. A returned promise gets a time limit. */
function attempt(act: () => unknown, what: string, ports: Pick<Ports, "timer">): unknown {
  try {
    const given = act();
    if (!isThenable(given)) return given;
    const late = () => receiptFailed(`${what} took more than ${RECEIPT_TIMEOUT_MS} ms`, undefined, LATE);
    return within(given, RECEIPT_TIMEOUT_MS, ports, late).catch((error: unknown) => {
      throw attemptFailed(error, what);
    });
  } catch (error) {
    throw attemptFailed(error, what);
  }
}

function attemptFailed(error: unknown, what: string): AgentError {
  if (error instanceof AgentError && error.code === "receipt-failed") return error;
  return receiptFailed(`${what} failed: ${quoteForeign(thrownText(error))}`, error);
}

const FIX = "Fix the signing key or onReceipt, then build a new runtime: it begins a new chain.";
const LATE = `${FIX} After its first \`await\`, onReceipt must not wait for a run or for destroy() of its own runtime.`;

/** Not retryable: the chain it belongs to has ended. */
export function receiptFailed(message: string, cause?: unknown, hint: string = FIX): AgentError {
  return new AgentError("receipt-failed", message, { hint, ...defined({ cause }) });
}
