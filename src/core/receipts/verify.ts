// Verifying a chain of receipts: every signature, every place, every link to the receipt before. Whatever was edited, removed, moved
// or forked is named with its line. What no reader can see is a tail that was cut from a chain without its end: `complete` is false.

import { defined } from "../defined.js";
import { keyIdOf, readPublicKey } from "../canon/key.js";
import { invalidOptions } from "../errors.js";
import { showValue } from "../text/show.js";
import { linkReceipts, type Placed } from "./link.js";
import { isTornLine, readReceipt, type ReceiptFlaw } from "./read.js";
import type { Receipt } from "./receipt.js";

/** The most findings that are listed; `more` counts the others. */
export const MAX_RECEIPT_FINDINGS = 1000;

/** What is wrong with a receipt or with its place in the chain. */
export type ReceiptFindingKind =
  | ReceiptFlaw
  /** Receipts are missing before this line. */
  | "removed"
  /** It stands before one that it follows, or stands here a second time. */
  | "reordered"
  /** Two receipts have one place, or it does not follow the one before it. */
  | "forked"
  /** The last line ends in the middle, as after a crash. The receipts before it are not touched by that. */
  | "torn-tail"
  | "after-end"
  /** It belongs to another chain than most. */
  | "second-chain";

/** One thing that is wrong, and in which line. */
export interface ReceiptFinding {
  readonly kind: ReceiptFindingKind;
  /** From 1; in a list, the item's place. */
  readonly line: number;
  /** The place in its chain, where the line claims one. */
  readonly seq?: number;
  /** One sentence. Quotes nothing that could act on a terminal but what stands in the line. */
  readonly text: string;
}

/** What is said of a chain, whole or not. */
export interface ReceiptCount {
  /** How many receipts of the chain that most lines belong to the key signed, each counted once. */
  readonly receipts: number;
  readonly keyId: string;
}

/** What {@link verifyReceipts} found. Of a broken chain, `more` counts findings beyond {@link MAX_RECEIPT_FINDINGS}. */
export type ReceiptVerdict =
  | (ReceiptCount & {
      kind: "ok";
      chainId: string;
      /** True when the end is there, so that nothing is missing at the tail, and `openCalls` is 0. */
      complete: boolean;
      /** Tool calls that a turn asked for and no receipt reports. Turns of earlier versions, without `promptHash`, do not count. */
      openCalls: number;
      /** The signature of the last receipt: kept elsewhere, it shows later that no tail was cut off. */
      head: string;
      /** Ids, in the order they appear. */
      runs: readonly string[];
      agents: readonly string[];
      /** What was verified, in order. */
      chain: readonly Receipt[];
    })
  | (ReceiptCount & { kind: "broken"; findings: readonly ReceiptFinding[]; more: number })
  /** There is no receipt at all, so nothing is proven. */
  | { kind: "empty"; keyId: string };

/**
 * Checks a file's bytes or text, or a list of lines or of receipts, against the public key. Throws `AgentError` `invalid-options` for what
 * is no key, and for an input of another kind; whatever is wrong within the input is a finding.
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

/** A file without a line break at its end was cut there, unless what stands there is whole all the same. */
function toLines(input: string | Uint8Array | readonly unknown[]): { lines: readonly unknown[]; isTorn: boolean } {
  if (typeof input !== "string" && !(input instanceof Uint8Array)) {
    // A copy has no holes, which `map` would pass over.
    if (Array.isArray(input)) return { lines: Array.from<unknown>(input), isTorn: false };
    throw invalidOptions(
      `verifyReceipts was given ${showValue(input)} in place of receipts`,
      "Give the text or the bytes of a file, or a list of its lines or of receipts.",
    );
  }
  const lines: unknown[] = typeof input === "string" ? input.split("\n") : splitBytes(input);
  const isTorn = lines.at(-1) !== "";
  if (!isTorn) lines.pop();
  return { lines, isTorn };
}

/** Line by line, so that bytes which are no UTF-8 are the flaw of one line; that line is undefined. */
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
  const said = chain.filter((receipt) => receipt.body.kind !== "end");
  const openCalls = countOpenCalls(said);
  return {
    kind: "ok",
    chainId: last.chainId,
    receipts: chain.length,
    complete: last.body.kind === "end" && openCalls === 0,
    openCalls,
    head: last.sig,
    runs: [...new Set(said.map((receipt) => receipt.runId))],
    agents: [...new Set(said.map((receipt) => receipt.agentId))],
    keyId,
    chain,
  };
}

/** A turn of this version is followed by one receipt for each call that it asked for, whatever became of the call. */
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
