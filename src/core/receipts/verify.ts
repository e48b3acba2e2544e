// Verifying a chain of receipts: every signature, every place, every link to the receipt before. Each edited, removed, moved or
// forked receipt is named with its line. A tail that was cut off cannot be seen, so `complete` is false for a chain without its end.

import { defined } from "../defined.js";
import { keyIdOf, readPublicKey } from "../canon/key.js";
import { invalidOptions } from "../errors.js";
import { MAX_RECEIPT_FINDINGS } from "../limits.js";
import { showValue } from "../text/show.js";
import { linkReceipts, type Placed } from "./check-links.js";
import { isTornLine, readReceipt, type ReceiptFlaw } from "./read.js";
import type { Receipt } from "./receipt.js";

export type ReceiptFindingKind =
  | ReceiptFlaw
  /** Receipts are missing before this line. */
  | "removed"
  /** It comes before its predecessor, or appears a second time. */
  | "reordered"
  /** Two receipts have the same place, or it does not link to the previous one. */
  | "forked"
  /** The last line ends in the middle, as after a crash. The receipts before it are not affected. */
  | "torn-tail"
  | "after-end"
  /** It belongs to another chain than most lines. */
  | "second-chain";

export interface ReceiptFinding {
  readonly kind: ReceiptFindingKind;
  /** Line number from 1, or the item's position in a list. */
  readonly line: number;
  /** The place in its chain, if the line claims one. */
  readonly seq?: number;
  /** One sentence. It may quote text of the line, which could act on a terminal. */
  readonly text: string;
}

export interface ReceiptCount {
  /** Receipts of the chain that most lines belong to, signed by the key, each counted once. */
  readonly receipts: number;
  readonly keyId: string;
}

/** The result of {@link verifyReceipts}. For a broken chain, `more` counts findings beyond {@link MAX_RECEIPT_FINDINGS}. */
export type ReceiptVerdict =
  | (ReceiptCount & {
      kind: "ok";
      chainId: string;
      /** True if the end is there, so that nothing is missing at the tail, and `openCalls` is 0. */
      complete: boolean;
      /** Tool calls of turns that no receipt reports. Turns of earlier versions, without `promptHash`, do not count. */
      openCalls: number;
      /** The signature of the last receipt. Kept elsewhere, it shows later that no tail was cut off. */
      head: string;
      /** Ids, in the order they appear. */
      runs: readonly string[];
      agents: readonly string[];
      /** The verified receipts in order. */
      chain: readonly Receipt[];
    })
  | (ReceiptCount & { kind: "broken"; findings: readonly ReceiptFinding[]; more: number })
  /** There is no receipt, so nothing is proven. */
  | { kind: "empty"; keyId: string };

/**
 * Checks a file's bytes or text, or a list of lines or of receipts, against the public key. Flaws within the input are findings.
 * Throws `AgentError` `invalid-options` for a wrong key, and for an input of another kind.
 */
export function verifyReceipts(
  input: string | Uint8Array | readonly unknown[],
  key: string | Uint8Array,
): ReceiptVerdict {
  const publicKey = readPublicKey(key);
  const keyId = keyIdOf(publicKey);
  const { lines, isTorn } = toLines(input);
  if (lines.length === 0) return { kind: "empty", keyId };

  const findings: ReceiptFinding[] = [];
  const placed: Placed[] = lines.map((line, index) => {
    const read = readReceipt(line, publicKey);
    if (read.kind === "receipt") return { line: index + 1, receipt: read.receipt };
    const isTail = isTorn && index === lines.length - 1 && (typeof line !== "string" || isTornLine(line));
    const { flaw, text, seq } = read;
    findings.push({
      line: index + 1,
      ...(isTail ? { kind: "torn-tail", text: "the last line ends in the middle" } : { kind: flaw, text }),
      ...defined({ seq }),
    });
    return { line: index + 1, receipt: undefined };
  });
  const { chain, findings: linkFindings } = linkReceipts(placed);
  findings.push(...linkFindings);
  findings.sort((left, right) => left.line - right.line);
  return findings.length === 0 ? whole(chain, keyId) : broken(chain, keyId, findings);
}

/** Splits the input. A file without a line break at its end may have been cut there. */
function toLines(input: string | Uint8Array | readonly unknown[]): { lines: readonly unknown[]; isTorn: boolean } {
  if (typeof input !== "string" && !(input instanceof Uint8Array)) {
    // A copy has no holes, which `map` would pass over.
    if (Array.isArray(input)) return { lines: Array.from<unknown>(input), isTorn: false };
    throw invalidOptions(
      `verifyReceipts was given ${showValue(input)}, not receipts`,
      "Pass the text or the bytes of a file, or a list of its lines or of receipts.",
    );
  }
  const lines: unknown[] = typeof input === "string" ? input.split("\n") : splitBytes(input);
  const isTorn = lines.at(-1) !== "";
  if (!isTorn) lines.pop();
  return { lines, isTorn };
}

/** Decodes line by line. A line that is not UTF-8 is undefined, and the only one with that flaw. */
function splitBytes(bytes: Uint8Array): (string | undefined)[] {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const lines: (string | undefined)[] = [];
  for (let start = 0; start <= bytes.length;) {
    const next = bytes.indexOf(0x0a, start);
    const end = next < 0 ? bytes.length : next;
    try {
      lines.push(decoder.decode(bytes.subarray(start, end)));
    } catch {
      lines.push(undefined);
    }
    start = end + 1;
  }
  return lines;
}

function whole(chain: readonly Receipt[], keyId: string): ReceiptVerdict {
  const last = chain.at(-1) as Receipt;
  const reported = chain.filter((receipt) => receipt.body.kind !== "end");
  const openCalls = countOpenCalls(reported);
  return {
    kind: "ok",
    chainId: last.chainId,
    receipts: chain.length,
    complete: last.body.kind === "end" && openCalls === 0,
    openCalls,
    head: last.sig,
    runs: [...new Set(reported.map((receipt) => receipt.runId))],
    agents: [...new Set(reported.map((receipt) => receipt.agentId))],
    keyId,
    chain,
  };
}

/** A turn of this version is followed by one receipt for each of its calls, whatever their outcome. */
function countOpenCalls(chain: readonly Receipt[]): number {
  const open = new Map<string, number>();
  for (const { runId, agentId, turnIndex, body } of chain) {
    const turn = JSON.stringify([runId, agentId, turnIndex]);
    if (body.kind === "turn" && body.promptHash !== undefined) open.set(turn, body.toolCalls);
    if (body.kind === "tool") open.set(turn, (open.get(turn) ?? 0) - 1);
  }
  return [...open.values()].reduce((sum, calls) => sum + Math.max(calls, 0), 0);
}

function broken(chain: readonly Receipt[], keyId: string, findings: readonly ReceiptFinding[]): ReceiptVerdict {
  const listed = findings.slice(0, MAX_RECEIPT_FINDINGS);
  return { kind: "broken", receipts: chain.length, keyId, findings: listed, more: findings.length - listed.length };
}
