// Checks the links between receipts with valid signatures, in the order of the lines. Lines without a valid receipt are reported
// elsewhere. Here, each of them accounts for one missing receipt.

import type { Receipt } from "./receipt.js";

/** A line, with its receipt if that is valid. */
export interface Placed {
  readonly line: number;
  readonly receipt: Receipt | undefined;
}

export interface LinkFinding {
  readonly kind: "removed" | "reordered" | "forked" | "after-end" | "second-chain";
  readonly line: number;
  readonly seq: number;
  readonly text: string;
}

type Signed = Placed & { readonly receipt: Receipt };

function finding(kind: LinkFinding["kind"], { line, receipt }: Signed, text: string): LinkFinding {
  return { kind, line, seq: receipt.seq, text };
}

/** Checks the chain that most lines belong to. `chain` holds its receipts, one for each place. */
export function linkReceipts(placed: readonly Placed[]): { chain: Receipt[]; findings: LinkFinding[] } {
  const findings: LinkFinding[] = [];
  const signed = placed.filter((line): line is Signed => line.receipt !== undefined);
  const own = takeChain(signed, findings);
  const unique = takeUnique(own, findings);
  const ordered = longestRise(unique);
  const inOrder = new Set(ordered);
  for (const item of unique) {
    const { seq } = item.receipt;
    if (!inOrder.has(seq)) findings.push(finding("reordered", item, `receipt ${seq} is out of order`));
  }
  const rising = unique.filter(({ receipt }) => inOrder.has(receipt.seq));
  checkLinks(rising, placed, new Set(unique.map(({ receipt }) => receipt.seq)), findings);
  return { chain: unique.map(({ receipt }) => receipt), findings };
}

/** Those of the chain that most lines belong to. */
function takeChain(signed: readonly Signed[], findings: LinkFinding[]): Signed[] {
  const counts = new Map<string, number>();
  for (const { receipt } of signed) counts.set(receipt.chainId, (counts.get(receipt.chainId) ?? 0) + 1);
  let chainId = "";
  for (const [id, count] of counts) if (count > (counts.get(chainId) ?? 0)) chainId = id;
  for (const item of signed) {
    const { chainId: own } = item.receipt;
    if (own === chainId) continue;
    findings.push(finding("second-chain", item, `it belongs to chain ${own}, but most lines belong to ${chainId}`));
  }
  return signed.filter(({ receipt }) => receipt.chainId === chainId);
}

/** The first line of each place. */
function takeUnique(own: readonly Signed[], findings: LinkFinding[]): Signed[] {
  const firsts = new Map<number, Signed>();
  for (const item of own) {
    const { seq, sig } = item.receipt;
    const first = firsts.get(seq);
    if (first === undefined) firsts.set(seq, item);
    else if (first.receipt.sig === sig) {
      findings.push(finding("reordered", item, `it repeats receipt ${seq} of line ${first.line}`));
    } else findings.push(finding("forked", item, `line ${first.line} has a different receipt ${seq}`));
  }
  return [...firsts.values()];
}

/** The places of a longest rising part, so that the receipt that was moved is named, not those it passed. */
function longestRise(items: readonly Signed[]): number[] {
  const ends: number[] = [];
  const before: number[] = [];
  const seqAt = (index: number): number => (items[index] as Signed).receipt.seq;
  for (let index = 0; index < items.length; index++) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (seqAt(ends[middle] as number) < seqAt(index)) low = middle + 1;
      else high = middle;
    }
    before[index] = low === 0 ? -1 : (ends[low - 1] as number);
    ends[low] = index;
  }
  const rise: number[] = [];
  for (let index = ends.at(-1) ?? -1; index >= 0; index = before[index] as number) rise.push(seqAt(index));
  return rise;
}

/** Checks gaps, parents and the end of receipts in order. `known` are the places that have a receipt on any line. */
function checkLinks(
  rising: readonly Signed[],
  placed: readonly Placed[],
  known: ReadonlySet<number>,
  findings: LinkFinding[],
): void {
  const sorted = [...known].sort((left, right) => left - right);
  const rankOf = new Map(sorted.map((seq, rank) => [seq, rank]));
  const lost = lostBefore(placed);
  let previous: Signed | undefined;
  let end: Signed | undefined;
  for (const item of rising) {
    const { line, receipt } = item;
    const { seq, parentSig, body } = receipt;
    const from = previous?.receipt.seq ?? -1;
    const elsewhere = (rankOf.get(seq) as number) - (rankOf.get(from) ?? -1) - 1;
    const unread = (lost[line - 1] as number) - (previous === undefined ? 0 : (lost[previous.line - 1] as number));
    const missing = seq - from - 1 - elsewhere - unread;
    if (missing > 0) findings.push(finding("removed", item, removedText(missing, from, seq)));
    const follows = previous === undefined ? parentSig === null : parentSig === previous.receipt.sig;
    if (seq === from + 1 && !follows) {
      findings.push(finding("forked", item, `it does not follow ${whatBefore(previous)}`));
    }
    if (end !== undefined) findings.push(finding("after-end", item, `the chain ended at line ${end.line}`));
    if (body.kind === "end") {
      end ??= item;
      if (body.receipts !== seq) {
        findings.push(finding("removed", item, `the end counts ${body.receipts} receipts before it, not ${seq}`));
      }
    }
    previous = item;
  }
}

/** For each line, the number of lines up to it without a good receipt. */
function lostBefore(placed: readonly Placed[]): number[] {
  let lost = 0;
  return placed.map(({ receipt }) => (receipt === undefined ? ++lost : lost));
}

function whatBefore(previous: Signed | undefined): string {
  return previous === undefined ? "the beginning, where a chain has no parent" : `the receipt of line ${previous.line}`;
}

function removedText(missing: number, from: number, seq: number): string {
  const what = missing === 1 ? "1 receipt is" : `${missing} receipts are`;
  const where = from < 0 ? `before receipt ${seq}, at the beginning` : `between receipt ${from} and receipt ${seq}`;
  return `${what} missing ${where}`;
}
