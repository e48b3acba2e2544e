// `cassette verify --receipts`: checks that a chain of receipts is whole, signed by the given key, and covers each turn of the named
// cassettes.

import { defined, verifyReceipts, type ReceiptVerdict } from "../../core/index.js";
import { usageError } from "../errors.js";
import { MAX_RECEIPTS_BYTES } from "../limits.js";
import { readBytes } from "../options/file.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { count, createPrinter, writeJson, type PrintLine } from "../terminal/output.js";
import { coverTurns, type Coverage } from "./coverage.js";
import { readKey } from "./key.js";
import type { Verdict } from "./file-verdict.js";
import { checkCassettes, printVerdicts, secondOpinionOn, toJson, type VerifyOptions } from "./verify.js";

/** The options that belong to `--receipts`. */
export interface ReceiptsOptions {
  receipts: string[];
  key: string;
  requireComplete?: boolean;
}

interface Chain {
  file: string;
  verdict: ReceiptVerdict;
}

/** Limit of printed findings. The JSON document has all listed ones. */
const PRINTED_FINDINGS = 20;

/** Exits 3 if something does not hold, else 2 if something could not be read or there was no receipt. */
export async function verifyWithReceipts(
  paths: readonly string[],
  options: VerifyOptions & Partial<ReceiptsOptions>,
  io: CommandIo,
): Promise<void> {
  const { receipts: named, key } = options;
  if (named === undefined) {
    const flag = key === undefined ? "--require-complete" : "--key";
    throw usageError(`${flag} was given without --receipts`, "Add --receipts FILE.");
  }
  if (key === undefined) {
    const hint =
      "Add --key with a file, the key itself or env:NAME. Get the key from the signer, not with the receipts.";
    throw usageError("--receipts was given without --key, and without the public key nothing is proven", hint);
  }
  const files = filesAt(io);
  const publicKey = await readKey(files, key, io.env);
  const chains: Chain[] = [];
  for (const file of named) {
    const hint = "Check the path. verifyReceipts verifies larger files in your own program.";
    const bytes = await readBytes(files, file, MAX_RECEIPTS_BYTES, { code: "receipts-unreadable", hint });
    chains.push({ file, verdict: verifyReceipts(bytes, publicKey) });
  }
  const cassettes = paths.length === 0 ? [] : await checkCassettes(paths, options, io, true);
  const covered = cassettes.map((cassette) => ({ cassette, coverage: coverageOf(cassette, chains) }));

  const isOpen = chains.some(({ verdict }) => verdict.kind === "ok" && !verdict.complete);
  const exitCode = isOpen && options.requireComplete === true ? EXIT.integrity : exitCodeFor(chains, covered);
  io.exit(exitCode);
  const opinion = await secondOpinionOn(cassettes, options);
  if (options.json === true) {
    const listed = covered.map(({ cassette, coverage }) => ({ ...toJson(cassette), ...defined({ coverage }) }));
    const receipts = chains.map(({ file, verdict }) => ({ file, ...withoutChain(verdict) }));
    writeJson(io, "verify", exitCode, { receipts, files: listed, ...opinion.json });
  } else {
    print(createPrinter(io), chains, covered);
    opinion.print(createPrinter(io));
  }
}

/** Undefined unless the cassette loads and all chains hold. */
function coverageOf(cassette: Verdict, chains: readonly Chain[]): Coverage | undefined {
  const whole = chains.flatMap(({ verdict }) => (verdict.kind === "ok" ? [verdict.chain] : []));
  if (cassette.status !== "ok" || whole.length < chains.length) return undefined;
  return coverTurns(cassette.recorded, whole);
}

type Covered = readonly { cassette: Verdict; coverage: Coverage | undefined }[];

function exitCodeFor(chains: readonly Chain[], covered: Covered): ExitCode {
  const isUncovered = covered.some(({ coverage }) => coverage !== undefined && !isCovered(coverage));
  const isRefused = covered.some(({ cassette }) => cassette.status === "refused");
  if (chains.some(({ verdict }) => verdict.kind === "broken") || isUncovered || isRefused) return EXIT.integrity;
  const isUnread = covered.some(({ cassette }) => cassette.status === "unreadable");
  return chains.some(({ verdict }) => verdict.kind === "empty") || isUnread ? EXIT.failed : EXIT.ok;
}

function isCovered({ uncovered, unrecorded }: Coverage): boolean {
  return uncovered.length === 0 && unrecorded.length === 0;
}

function withoutChain(verdict: ReceiptVerdict): object {
  if (verdict.kind !== "ok") return verdict;
  const { chain: _chain, ...rest } = verdict;
  return rest;
}

function print(line: PrintLine, chains: readonly Chain[], covered: Covered): void {
  for (const { file, verdict } of chains) printChain(line, file, verdict);
  const verdicts = covered.map(({ cassette }) => cassette);
  printVerdicts(line, verdicts);
  for (const { cassette, coverage } of covered) {
    if (coverage !== undefined) printCoverage(line, cassette.file, coverage);
  }
}

function printCoverage(line: PrintLine, file: string, coverage: Coverage): void {
  const { turns, uncovered, promptUncovered, unrecorded } = coverage;
  const look = isCovered(coverage) ? "good" : "bad";
  const rest = uncovered.length === 0 ? "" : `, not ${listed(uncovered)}`;
  line({ look, text: "covered".padEnd(11) }, file, `  ${turns - uncovered.length} of ${count(turns, "turn")}${rest}`);
  if (promptUncovered.length > 0) {
    const text = "           prompt not covered: ";
    line({ look: "warn", text }, `turn ${listed(promptUncovered)}, whose receipts have no prompt hash`);
  }
  for (const { runId, agentId, turnIndex } of unrecorded.slice(0, PRINTED_FINDINGS)) {
    const place = `turn ${turnIndex} of agent ${agentId} in run ${runId.slice(0, 8)} has a receipt`;
    line({ look: "bad", text: "           not recorded: " }, place);
  }
  const left = unrecorded.length - PRINTED_FINDINGS;
  if (left > 0) line(`           and ${left} more`);
}

function listed(turns: readonly number[]): string {
  return `${turns.slice(0, 10).join(", ")}${turns.length > 10 ? " …" : ""}`;
}

function printChain(line: PrintLine, file: string, verdict: ReceiptVerdict): void {
  switch (verdict.kind) {
    case "ok": {
      const { receipts, runs, agents, chainId, head, complete, openCalls } = verdict;
      const what = `${count(receipts, "receipt")}  ${count(runs.length, "run")}  ${count(agents.length, "agent")}`;
      const ids = `chain ${chainId.slice(0, 8)}  head ${head.slice(0, 8)}`;
      line({ look: "good", text: "ok".padEnd(11) }, file, `  ${what}  ${ids}`);
      const why =
        openCalls > 0
          ? `${count(openCalls, "tool call")} without a receipt`
          : "there is no end, so a tail may have been cut off";
      if (complete) line("           complete: the end of the chain is there, so no tail is missing");
      else line({ look: "warn", text: "           not complete: " }, why);
      return;
    }
    case "broken": {
      const { receipts, findings, more } = verdict;
      line({ look: "bad", text: "refused".padEnd(11) }, file, `  ${count(receipts, "receipt")} signed by the key`);
      for (const { line: at, kind, text } of findings.slice(0, PRINTED_FINDINGS))
        line(`  line ${at}  `, { look: "bad", text: kind }, `: ${text}`);
      const left = more + Math.max(0, findings.length - PRINTED_FINDINGS);
      if (left > 0) line(`  and ${left} more`);
      return;
    }
    case "empty":
      line({ look: "bad", text: "empty".padEnd(11) }, file, "  there is no receipt, so nothing is proven");
  }
}
