// toHaveValidReceipts: the chain of receipts is unbroken, is signed by an accepted key, and covers every turn of a run.

import { checkTrust, validityAt, type Trust } from "../../cassette/index.js";
import {
  isPlainObject,
  plural,
  systemPorts,
  verifyReceipts,
  type Receipt,
  type ReceiptVerdict,
  type RunResult,
} from "../../core/index.js";
import { MAX_MATCHED_RECEIPTS_BYTES } from "../limits.js";
import type { MatcherHost } from "./host.js";
import { assertOptions, misfit, misuse, type MatcherResult } from "./matcher.js";
import { assertPath, openTrust } from "./baseline/pinned.js";
import { findRun, type RunLike } from "./run-result.js";
import { atMost } from "../text/at-most.js";
import { describeValue } from "../text/describe.js";
import { cutText } from "../text/hide.js";

const NAME = "toHaveValidReceipts";
const SHOWN_FINDINGS = 10;

/** Pass `key` or `trust`, but not both. Receipts alone do not prove who signed them. */
export interface ReceiptsOptions {
  /** The public key: the text of a PEM file, or 32 bytes as hexadecimal, base64 or a Uint8Array. */
  readonly key?: string | Uint8Array;
  /** The path of a trust file, or its list. One key that is in force now must have signed the whole chain. */
  readonly trust?: string | Trust;
  /** Requires the end of the chain, which `runtime.destroy()` signs. Default false. */
  readonly requireComplete?: boolean;
  /** The result of a run. Each of its turns and tool calls must have a receipt. */
  readonly run?: RunResult;
}

/** Accepts a runtime, a list of receipts, or the path of a file with one receipt per line. */
export function createValidReceipts(host: MatcherHost) {
  return async (received: unknown, options?: unknown): Promise<MatcherResult> => {
    assertOptions(NAME, options, {
      key: "a key as text or bytes",
      trust: "a path or a trust list",
      requireComplete: "a boolean",
      run: "an object",
    });
    const { key, trust, requireComplete = false, run } = (options ?? {}) as ReceiptsOptions;
    const keys = await keysOf(key, trust, host);
    const { receipts, name } = await receiptsOf(received, host);
    const verdict = bestOf(keys.map((one) => verifyReceipts(receipts, one)));
    switch (verdict.kind) {
      case "empty":
        throw misuse(
          NAME,
          `${name} has no receipts, so there is nothing to verify`,
          "Pass a signingKey to createRuntime.",
        );
      case "broken": {
        const lines = verdict.findings.length + verdict.more;
        const what = lines === 1 ? "1 line is invalid" : `${lines} lines are invalid`;
        return refused(name, what, findingLines(verdict));
      }
      case "ok":
        return wholeResult(name, verdict, requireComplete, run === undefined ? undefined : runOf(run));
    }
  };
}

/** The result for a chain in which every line is valid: something may still be missing. */
function wholeResult(
  name: string,
  verdict: ReceiptVerdict & { kind: "ok" },
  requireComplete: boolean,
  run: RunLike | undefined,
): MatcherResult {
  if (requireComplete && !verdict.complete) {
    return refused(name, "the chain has no end, so later receipts may be missing", [
      "  Await runtime.destroy() first.",
    ]);
  }
  const gaps = run === undefined ? [] : gapsOf(run, verdict.chain);
  if (gaps.length > 0) return refused(name, "it does not cover the run", gaps);
  const { receipts, keyId } = verdict;
  const message = () =>
    `expected ${name} not to have valid receipts, but ${plural(receipts, "receipt")} ${receipts === 1 ? "is" : "are"} valid, signed by key ${keyId}.\n` +
    "Remove .not, or check that this is the changed chain.";
  return { pass: true, message };
}

function refused(name: string, what: string, lines: readonly string[]): MatcherResult {
  const message = () =>
    `expected ${name} to have valid receipts, but ${what}:\n${lines.join("\n")}\n` +
    "To check them on the command line, write them to a file and run `npx playhead verify --receipts <file> --key <public key>`.";
  return { pass: false, message };
}

function findingLines({ findings, more }: ReceiptVerdict & { kind: "broken" }): string[] {
  const shown = findings.slice(0, SHOWN_FINDINGS).map(({ line, kind, text }) => {
    return `  line ${line}  ${kind}: ${cutText(text, 200)}`;
  });
  const rest = findings.length - shown.length + more;
  return rest > 0 ? [...shown, `  and ${plural(rest, "more finding")}`] : shown;
}

async function keysOf(
  key: string | Uint8Array | undefined,
  trust: string | Trust | undefined,
  host: MatcherHost,
): Promise<readonly (string | Uint8Array)[]> {
  if ((key === undefined) === (trust === undefined)) {
    const what = key === undefined ? "no accepted signer was given" : "both key and trust were given";
    throw misuse(NAME, what, "Pass { key } with the public key, or { trust } with a list of keys.");
  }
  if (key !== undefined) return [key];
  const { keys } = checkTrust(await openTrust(NAME, trust ?? { keys: [] }, host));
  const now = systemPorts.now();
  const inForce = keys.filter((each) => validityAt(each, now) === "in-force");
  if (inForce.length > 0) return inForce.map(({ publicKey }) => publicKey);
  throw misuse(NAME, `none of ${plural(keys.length, "trusted key")} is in force`, "Check notBefore and notAfter.");
}

/** The valid verdict, if any, or the one for the key that signed the most receipts. */
function bestOf(verdicts: readonly ReceiptVerdict[]): ReceiptVerdict {
  const rank = (verdict: ReceiptVerdict): number =>
    verdict.kind === "ok" ? Infinity : verdict.kind === "broken" ? verdict.receipts : -1;
  return verdicts.reduce((best, next) => (rank(next) > rank(best) ? next : best));
}

async function receiptsOf(
  received: unknown,
  { files }: MatcherHost,
): Promise<{ receipts: Uint8Array | readonly unknown[]; name: string }> {
  if (typeof received === "string") {
    assertPath(NAME, received);
    if (files !== undefined) return { receipts: await readBytes(received, files), name: received };
    throw misuse(NAME, "it cannot read a file", "Pass the list of receipts, or createMatchers({ files }).");
  }
  if (Array.isArray(received)) return { receipts: received as readonly unknown[], name: "the list" };
  const receipts = (received as { receipts?: unknown } | null | undefined)?.receipts;
  if (Array.isArray(receipts)) return { receipts: receipts as readonly unknown[], name: "the runtime" };
  const hint = isPlainObject(received) && findRun(received) !== undefined ? RUN_ADVICE : SOURCE_ADVICE;
  throw misfit(NAME, "it needs receipts", received, hint);
}

const SOURCE_ADVICE = "Pass a runtime, its receipts, or the path of a file of them.";
const RUN_ADVICE =
  "The runtime keeps the receipts of a run: expect(runtime).toHaveValidReceipts({ key, run: result }).";

async function readBytes(path: string, files: NonNullable<MatcherHost["files"]>): Promise<Uint8Array> {
  const result = await files.read(path, MAX_MATCHED_RECEIPTS_BYTES);
  switch (result.kind) {
    case "read":
      return result.bytes;
    case "not-found":
      throw misuse(NAME, `there are no receipts at ${path}`, "Check the path.");
    case "too-large": {
      const what = `${path} has ${result.size} bytes, more than ${MAX_MATCHED_RECEIPTS_BYTES}`;
      throw misuse(NAME, what, "Use npx playhead verify --receipts.");
    }
    case "failed":
      throw misuse(NAME, `${path} cannot be read: ${result.message}`, "Check the path.");
  }
}

function runOf(run: unknown): RunLike {
  const found = findRun(run);
  if (found === undefined) throw misuse(NAME, `run is ${describeValue(run)}`, "Pass the whole result of run().");
  if (found.droppedEvents === 0) return found;
  throw misuse(NAME, "the run dropped events, so its turns are unknown", "Verify the receipts without run.");
}

/** Lists the turns and tool calls of the run without a receipt, one line each. */
function gapsOf({ runId, events }: RunLike, chain: readonly Receipt[]): string[] {
  const placeOf = (agentId: string, turnIndex: number, callId?: string): string =>
    JSON.stringify([agentId, turnIndex, callId]);
  const there = new Map<string, number>();
  for (const { body, agentId, turnIndex, runId: id } of chain) {
    if (id !== runId || body.kind === "end") continue;
    const place = placeOf(agentId, turnIndex, body.kind === "tool" ? body.callId : undefined);
    there.set(place, (there.get(place) ?? 0) + 1);
  }
  const gaps: string[] = [];
  for (const event of events) {
    const { agentId, turnIndex } = event;
    const callId = RECEIPTED.has(event.type) && "callId" in event ? event.callId : undefined;
    if (event.type !== "llm-turn" && callId === undefined) continue;
    const place = placeOf(agentId, turnIndex, callId);
    const left = (there.get(place) ?? 0) - 1;
    there.set(place, left);
    const what = callId === undefined ? "its answer" : `the call ${cutText(callId)}`;
    if (left < 0) gaps.push(`  agent ${cutText(agentId)}, turn ${turnIndex}: ${what} has no receipt`);
  }
  return atMost(gaps, SHOWN_FINDINGS, String, (rest) => `  and ${plural(rest, "more")}`);
}

const RECEIPTED: ReadonlySet<string> = new Set([
  "tool-result",
  "tool-failed",
  "tool-rejected",
  "tool-denied",
  "tool-interrupted",
  "tool-skipped",
]);
