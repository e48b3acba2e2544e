// The chain of signed receipts of one runtime: one writer, one queue. What happens is hashed at once and signed later, in the
// order it happened, so that neither parallel runs nor a slow signer can fork the chain or change its order.
//
// The first receipt that cannot be written ends the chain for good: nothing is signed after it, so that no gap is papered over.

import { toHex } from "../canon/bytes.js";
import { readSigningKey, type SigningKey } from "../canon/key.js";
import { AgentError } from "../errors.js";
import type { Ports } from "../ports.js";
import type { Hlc } from "../time/hlc.js";
import { thrownText } from "../tools/thrown.js";
import type { AgentEvent, EventDetail } from "./event.js";
import { draftReceipt, type Receipt, type ReceiptDraft } from "./receipt.js";
import { createReceiptWriter, receiptFailed, type ReceiptListener } from "./receipt-writer.js";

/** Receipts kept in memory. Later ones are signed and delivered all the same. */
export const MAX_KEPT_RECEIPTS = 100_000;
/** Receipts that may wait to be signed; one more ends the chain. */
export const MAX_PENDING_RECEIPTS = 10_000;

/** The options of {@link createReceiptChain}. */
export interface ReceiptChainOptions {
  readonly key: SigningKey;
  readonly ports: Pick<Ports, "randomBytes" | "timer" | "warn">;
  /** The clock of the events, which stamps the end of the chain. */
  readonly hlc: Hlc;
  readonly onReceipt?: ReceiptListener;
  /** Receipts kept. Default {@link MAX_KEPT_RECEIPTS}. */
  readonly limit?: number;
}

/** A chain of signed receipts that is being written; made by {@link createReceiptChain}. See docs/receipts.md. */
export interface ReceiptChain {
  readonly chainId: string;
  /** Those kept, in order, each frozen. */
  readonly receipts: readonly Receipt[];
  /** Takes an event of the log: a turn or the outcome of a tool call gets a receipt, all others are passed over. Never throws. */
  readonly tap: (event: AgentEvent, detail: EventDetail | undefined) => void;
  /** Throws the `AgentError` `receipt-failed` that has ended the chain, if one has. */
  assertWhole(): void;
  /** Waits for the receipts of one run so far. Rejects with `receipt-failed` when one of them could not be written. */
  drain(runId: string): Promise<void>;
  /** Waits for all, then writes the end. Rejects when the end itself cannot be written. Nothing is taken after it. */
  close(): Promise<void>;
}

/**
 * Begins a chain of receipts, as `createRuntime` does with a `signingKey`. Throws `AgentError` `invalid-options` for a
 * key that is none.
 */
export function createReceiptChain(options: ReceiptChainOptions): ReceiptChain {
  const { ports, hlc, onReceipt, limit = MAX_KEPT_RECEIPTS } = options;
  const chainId = toHex(ports.randomBytes(16));
  const writer = createReceiptWriter({ key: readSigningKey(options.key), chainId, ports, onReceipt, limit });
  // The last link of each run that still waits or has failed; true where its receipt, and so all before it, was written.
  const lastOf = new Map<string, Promise<boolean>>();
  let tail = Promise.resolve(true);
  let pending = 0;
  let failure: AgentError | undefined;
  let closing: Promise<void> | undefined;

  function fail(error: unknown): void {
    const text = thrownText(error);
    failure ??= error instanceof AgentError ? error : receiptFailed(`a receipt could not be written: ${text}`, error);
    ports.warn(`playhead: ${text}; the chain of receipts ${chainId} ends here`);
  }

  /** The mutex: each link waits for the one before. */
  function enqueue(toDraft: () => ReceiptDraft): Promise<boolean> {
    if (pending >= MAX_PENDING_RECEIPTS && failure === undefined) {
      fail(receiptFailed(`more than ${MAX_PENDING_RECEIPTS} receipts wait to be signed`));
    }
    pending += 1;
    tail = tail.then(() => link(toDraft));
    return tail;
  }

  async function link(toDraft: () => ReceiptDraft): Promise<boolean> {
    pending -= 1;
    if (failure !== undefined) return false;
    try {
      await writer.write(toDraft());
      return true;
    } catch (error) {
      // A queue that ran over meanwhile has said so already.
      if (failure === undefined) fail(error);
      return false;
    }
  }

  async function finish(): Promise<void> {
    // Receipts that fail before the end were the business of their runs.
    if (!(await tail)) return;
    const body = { kind: "end", receipts: writer.written } as const;
    const isWritten = await enqueue(() => ({ agentId: "", body, hlc: hlc.tick(), runId: "", turnIndex: -1 }));
    if (!isWritten) throw failure as AgentError;
  }

  return {
    chainId,
    receipts: writer.receipts,
    tap(event, detail) {
      const draft = closing === undefined ? draftReceipt(event, detail) : undefined;
      if (draft === undefined) return;
      const { runId } = event;
      const last = failure === undefined ? enqueue(() => draft) : Promise.resolve(false);
      lastOf.set(runId, last);
      void last.then((isWritten) => {
        if (isWritten && lastOf.get(runId) === last) lastOf.delete(runId);
      });
    },
    assertWhole() {
      if (failure !== undefined) throw failure;
    },
    async drain(runId) {
      const last = lastOf.get(runId);
      if (last !== undefined && !(await last)) throw failure as AgentError;
    },
    close: () => (closing ??= finish()),
  };
}
