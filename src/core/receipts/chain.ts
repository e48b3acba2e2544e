// The chain of signed receipts of one runtime: one writer, one queue. Events are noted at once and signed later in the same order, so that
// nothing forks or reorders the chain. The first receipt that cannot be written ends the chain for good, so that no gap is hidden.

import { toHex } from "../canon/bytes.js";
import { readSigningKey, type SigningKey } from "../canon/key.js";
import { AgentError } from "../errors.js";
import { MAX_KEPT_RECEIPTS, MAX_PENDING_RECEIPTS } from "../limits.js";
import type { Ports } from "../ports.js";
import type { Hlc } from "../time/hlc.js";
import { thrownText } from "../text/thrown.js";
import type { AgentEvent, EventDetail } from "../events/event.js";
import { createPromptHashes } from "../events/event-prompt-hash.js";
import type { Receipt, ReceiptDraft } from "./receipt.js";
import { draftReceipt, noteReceipt, type ReceiptNote } from "./draft.js";
import { createReceiptQueue, type QueueEntry } from "./queue.js";
import { createReceiptWriter, receiptFailed, type ReceiptListener } from "./writer.js";

export interface ReceiptChainOptions {
  readonly key: SigningKey;
  readonly ports: Pick<Ports, "randomBytes" | "timer" | "warn">;
  /** The clock of the events. It also stamps the end of the chain. */
  readonly hlc: Hlc;
  readonly onReceipt?: ReceiptListener;
  /** Receipts kept. Default {@link MAX_KEPT_RECEIPTS}. */
  readonly limit?: number;
}

/** A chain of signed receipts that is being written; made by {@link createReceiptChain}. See docs/receipts.md. */
export interface ReceiptChain {
  readonly chainId: string;
  /** The kept receipts in order, each frozen. */
  readonly receipts: readonly Receipt[];
  /** Takes an event of the log. A turn and the outcome of a tool call get a receipt. Never throws. */
  readonly tap: (event: AgentEvent, detail: EventDetail | undefined) => void;
  /** Throws the `AgentError` `receipt-failed` that ended the chain, if one did. */
  assertWhole(): void;
  /** Waits for the receipts of one run so far. Rejects with `receipt-failed` if one of them could not be written. */
  drain(runId: string): Promise<void>;
  /** Waits for all receipts, then writes the end. Rejects if the end cannot be written. Nothing is taken after it. */
  close(): Promise<void>;
}

/** Begins a chain of receipts, as `createRuntime` does with a `signingKey`. Throws `AgentError` `invalid-options` for a wrong key. */
export function createReceiptChain(options: ReceiptChainOptions): ReceiptChain {
  const { ports, hlc, onReceipt, limit = MAX_KEPT_RECEIPTS } = options;
  const chainId = toHex(ports.randomBytes(16));
  const writer = createReceiptWriter({ key: readSigningKey(options.key), chainId, ports, onReceipt, limit });
  const queue = createReceiptQueue<ReceiptNote>(link, ports);
  const prompts = createPromptHashes();
  // The last entry of each run that still waits or has failed; "lost" for what came after the failure.
  const lastOf = new Map<string, QueueEntry<ReceiptNote> | "lost">();
  let failure: AgentError | undefined;
  let closing: Promise<void> | undefined;

  function fail(error: unknown): void {
    const text = thrownText(error);
    failure ??= error instanceof AgentError ? error : receiptFailed(`a receipt could not be written: ${text}`, error);
    ports.warn(`playhead: ${text}; the chain of receipts ${chainId} ends here`);
  }

  function failed(error: unknown): boolean {
    // A queue that ran over meanwhile has reported it.
    if (failure === undefined) fail(error);
    return false;
  }

  function link(entry: QueueEntry<ReceiptNote>): boolean | Promise<boolean> {
    if (failure !== undefined) return false;
    const { item } = entry;
    const forget = (isWhole: boolean): boolean => {
      if (isWhole && lastOf.get(item.runId) === entry) lastOf.delete(item.runId);
      return isWhole;
    };
    const written = isWritten(() => writer.write(draftReceipt(item, prompts)), failed);
    return typeof written === "boolean" ? forget(written) : written.then(forget);
  }

  async function finish(): Promise<void> {
    await queue.settleAll();
    // Receipts that failed before the end were reported to their runs.
    if (failure !== undefined) return;
    const body = { kind: "end", receipts: writer.written() } as const;
    const end: ReceiptDraft = { agentId: "", body, hlc: hlc.tick(), runId: "", turnIndex: -1 };
    if (!(await isWritten(() => writer.write(end), failed))) assertWhole();
  }

  function assertWhole(): void {
    if (failure !== undefined) throw failure;
  }

  return {
    chainId,
    receipts: writer.receipts,
    tap(event, detail) {
      const note = closing === undefined ? noteReceipt(event, detail) : undefined;
      if (note === undefined) return;
      if (queue.size() >= MAX_PENDING_RECEIPTS && failure === undefined) {
        fail(receiptFailed(`more than ${MAX_PENDING_RECEIPTS} receipts wait to be signed`));
      }
      lastOf.set(note.runId, failure === undefined ? queue.add(note) : "lost");
    },
    assertWhole,
    async drain(runId) {
      const last = lastOf.get(runId);
      if (last === undefined) return;
      if (last === "lost" || !(await queue.settle(last))) throw failure as AgentError;
    },
    close: () => (closing ??= finish()),
  };
}

/** True once `write` is done, synchronously if it can be; else the result of `failed`. */
function isWritten(
  write: () => undefined | Promise<undefined>,
  failed: (error: unknown) => boolean,
): boolean | Promise<boolean> {
  try {
    const writing = write();
    return writing === undefined ? true : writing.then(() => true, failed);
  } catch (error) {
    return failed(error);
  }
}
