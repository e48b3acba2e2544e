// `cassette verify --receipts`: is the chain of receipts whole, signed by the key that was given, and does it cover each turn of
// the cassettes beside it?

import { defined, verifyReceipts, type FilePort, type ReceiptVerdict } from "../../core/index.js";
import { CliError } from "../errors.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { count, createPrinter, writeJson, type PrintLine } from "../terminal/output.js";
import { coverTurns, type Coverage } from "./coverage.js";
import { readKey } from "./key.js";
import type { Verdict } from "./file-verdict.js";
import { checkCassettes, printVerdicts, secondOpinionOn, toJson, type VerifyOptions } from "./verify.js";

/** The flags that `--receipts` brings, as commander gives them. */
export interface ReceiptsOptions {
  /** Each must hold. */
  receipts: string[];
  key: string;
  /** Refuse a chain without its end. */
  requireComplete?: boolean;
}

/** A file of receipts and what became of it. */
interface Chain {
  file: string;
  verdict: ReceiptVerdict;
}

/** The most a file of receipts may have: some 700,000 receipts. */
export const MAX_RECEIPTS_BYTES = 512 * 1024 * 1024;

/** Findings that are printed for people; the JSON document has all that were listed. */
const PRINTED_FINDINGS = 20;

/** Exits 3 where something does not hold, else 2 where something could not be read or there was no receipt. */
export async function verifyWithReceipts(
  paths: readonly string[],
  options: VerifyOptions & Partial<ReceiptsOptions>,
  io: CommandIo,
): Promise<void> {
  const { receipts: named, key } = options;
  if (named === undefined) {
    const flag = key === undefined ? "--require-complete" : "--key";
    throw usage(`${flag} was given without --receipts`, "Add --receipts FILE.");
  }
  if (key === undefined) {
    throw usage(
      "--receipts was given without --key, and without the public key nothing is proven",
      "Add --key with a file, the key itself or env:NAME; it comes from whoever signs, not from beside the receipts.",
    );
  }
  const files = filesAt(io);
  const publicKey = await readKey(files, key, io.env);
  const chains: Chain[] = [];
  for (const file of named) {
    chains.push({ file, verdict: verifyReceipts(await readReceipts(files, file), publicKey) });
  }
  const cassettes = paths.length === 0 ? [] : await checkCassettes(paths, options, io, true);
  const covered = cassettes.map((cassette) => ({ cassette, coverage: coverageOf(cassette, chains) }));

  const isOpen = chains.some(({ verdict }) => verdict.kind === "ok" && !verdict.complete);
  const exitCode = isOpen && options.requireComplete === true ? EXIT.integrity : exitCodeFor(chains, covered);
  io.exit(exitCode);
  const opinion = await secondOpinionOn(cassettes, options);
  if (options.json === true) {
    const listed = covered.map(({ cassette, coverage }) => ({
      ...toJson(cassette),
      ...defined({ coverage }),
    }));
    const receipts = chains.map(({ file, verdict }) => ({ file, ...withoutChain(verdict) }));
    writeJson(io, "verify", exitCode, { receipts, files: listed, ...opinion.json });
  } else {
    print(createPrinter(io), chains, covered);
    opinion.print(createPrinter(io));
  }
}

async function readReceipts(files: FilePort, path: string): Promise<Uint8Array> {
  const result = await files.read(path, MAX_RECEIPTS_BYTES);
  switch (result.kind) {
    case "read":
      return result.bytes;
    case "not-found":
      throw new CliError("receipts-unreadable", `there are no receipts at ${path}`, "Check the path.", path);
    case "too-large": {
      const message = `${path} has ${result.size} bytes, more than the limit of ${MAX_RECEIPTS_BYTES}`;
      throw new CliError("receipts-unreadable", message, "Verify it in your own program, with verifyReceipts.", path);
    }
    case "failed":
      throw new CliError("receipts-unreadable", `${path} cannot be read: ${result.message}`, "Check the path.", path);
  }
}

/** Only chains that hold can cover anything, and only of a cassette that loads. */
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
  printVerdicts(
    line,
    covered.map(({ cassette }) => cassette),
  );
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
    line({ look: "warn", text }, `turn ${listed(promptUncovered)}, whose receipts hold no prompt hash`);
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
      line(
        { look: "good", text: "ok".padEnd(11) },
        file,
        `  ${what}  chain ${chainId.slice(0, 8)}  head ${head.slice(0, 8)}`,
      );
      if (complete) line("           complete: the end of the chain is there, so no tail is missing");
      else if (openCalls > 0)
        line({ look: "warn", text: "           not complete: " }, `${count(openCalls, "tool call")} without a receipt`);
      else
        line({ look: "warn", text: "           not complete: " }, "there is no end, so a tail may have been cut off");
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

function usage(message: string, hint: string): CliError {
  return new CliError("usage", message, hint);
}
