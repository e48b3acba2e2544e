// The receipts of a runtime: a chain, or nothing, so that a run without a key pays nothing.

import type { SigningKey } from "../canon/key.js";
import { invalidOptions } from "../errors.js";
import type { EventLogOptions } from "../events/log.js";
import type { Receipt } from "../receipts/receipt.js";
import { createReceiptChain, type ReceiptChain } from "../receipts/chain.js";
import type { ReceiptListener } from "../receipts/writer.js";
import type { RunReceipts } from "../loop/run-control.js";
import type { Ports } from "../ports.js";
import type { Hlc } from "../time/hlc.js";
import { untilAborted } from "../time/wait.js";
import { abortError } from "../tools/abort.js";

export interface RuntimeReceipts {
  readonly kept: readonly Receipt[];
  readonly tap: Pick<EventLogOptions, "tap">;
  /** True in the synchronous part of `onReceipt`. A run started there must not wait for receipts, which wait for it. */
  isDelivering(): boolean;
  /** Makes a run settle once its receipts are written, and reject if one could not be. They do not delay an abort. */
  of<T>(runId: string, signal: AbortSignal, run: (receipts?: RunReceipts) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Throws `AgentError` `invalid-options` for a wrong key, and for a listener without a key. `owner` names who was given them. */
export function createReceipts(
  { signingKey, onReceipt }: { signingKey?: SigningKey; onReceipt?: ReceiptListener },
  ports: Ports,
  hlc: Hlc,
  owner = "createRuntime",
): RuntimeReceipts {
  if (onReceipt !== undefined && (signingKey === undefined || typeof onReceipt !== "function")) {
    const what = signingKey === undefined ? "onReceipt and no signingKey" : "an onReceipt that is not a function";
    throw invalidOptions(
      `${owner} has ${what}`,
      "Pass both: a key that signs, and a function that takes each receipt.",
    );
  }
  if (signingKey === undefined)
    return { kept: [], tap: {}, isDelivering: () => false, of: (_runId, _signal, run) => run(), close: async () => {} };
  let isDelivering = false;
  const deliver = (receipt: Receipt): unknown => {
    isDelivering = true;
    try {
      return onReceipt?.(receipt);
    } finally {
      isDelivering = false;
    }
  };
  const listener = onReceipt === undefined ? {} : { onReceipt: deliver };
  const chain = createReceiptChain({ key: signingKey, ports, hlc, ...listener });
  return {
    kept: chain.receipts,
    tap: { tap: chain.tap },
    isDelivering: () => isDelivering,
    of: (runId, signal, run) => (isDelivering ? runWithin : runSigned)(chain, runId, signal, run),
    close: () => chain.close(),
  };
}

/** The error of the run comes before that of its receipts, which `ports.warn` has reported. */
async function runSigned<T>(
  chain: ReceiptChain,
  runId: string,
  signal: AbortSignal,
  run: (receipts: RunReceipts) => Promise<T>,
): Promise<T> {
  chain.assertWhole();
  const receipts: RunReceipts = {
    assertWhole: () => chain.assertWhole(),
    async settle() {
      await untilAborted(chain.drain(runId), signal, abortError);
      chain.assertWhole();
    },
  };
  const result = await run(receipts).catch(async (error: unknown) => {
    const drained = chain.drain(runId).catch(() => undefined);
    if (!signal.aborted) await untilAborted(drained, signal, abortError).catch(() => undefined);
    throw error;
  });
  await untilAborted(chain.drain(runId), signal, abortError);
  return result;
}

/** A run that `onReceipt` starts. It waits for no receipt, since the current one may be waiting for this run. */
async function runWithin<T>(
  chain: ReceiptChain,
  _runId: string,
  _signal: AbortSignal,
  run: (receipts: RunReceipts) => Promise<T>,
): Promise<T> {
  chain.assertWhole();
  return run({ assertWhole: () => chain.assertWhole(), settle: async () => chain.assertWhole() });
}
