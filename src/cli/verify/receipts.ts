// `cassette verify --receipts`: is the chain of receipts whole, signed by the key that was given, and does it cover each turn of
// the cassettes beside it?

import { verifyReceipts, type FilePort, type ReceiptVerdict } from "../../core/index.js";
import { CliError } from "../errors.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../io.js";
import { count, createPrinter, writeJson, type PrintLine } from "../output.js";
import { coverTurns, type Coverage } from "./coverage.js";
import { readKey } from "./key.js";
import type { Verdict } from "./one.js";
import { checkCassettes, printVerdicts, secondOpinionOn, toJson, type VerifyOptions } from "./verify.js";

/** The flags that `--receipts` brings, as commander gives them. */
export interface ReceiptsOptions {
  receipts: string;
  key: string;
  /** Refuse a chain without its end. */
  requireComplete?: boolean;
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
  const { receipts: file, key } = options;
  if (file === undefined) {
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
  const verdict = verifyReceipts(await readReceipts(files, file), publicKey);
  const cassettes = paths.length === 0 ? [] : await checkCassettes(paths, options, io, true);
  const covered = cassettes.map((cassette) => ({ cassette, coverage: coverageOf(cassette, verdict) }));

  const isOpen = verdict.kind === "ok" && !verdict.complete && options.requireComplete === true;
  const exitCode = isOpen ? EXIT.integrity : exitCodeFor(verdict, covered);
  io.exit(exitCode);
  const opinion = await secondOpinionOn(cassettes, options);
  if (options.json === true) {
    const listed = covered.map(({ cassette, coverage }) => ({
      ...toJson(cassette),
      ...(coverage === undefined ? {} : { coverage }),
    }));
    writeJson(io, "verify", exitCode, { receipts: { file, ...withoutChain(verdict) }, files: listed, ...opinion.json });
  } else {
    print(createPrinter(io), file, verdict, covered);
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

/** Only a chain that holds can cover anything, and only of a cassette that loads. */
function coverageOf(cassette: Verdict, verdict: ReceiptVerdict): Coverage | undefined {
  if (cassette.status !== "ok" || verdict.kind !== "ok") return undefined;
  return coverTurns(cassette.responses, verdict.chain);
}

type Covered = readonly { cassette: Verdict; coverage: Coverage | undefined }[];

function exitCodeFor(verdict: ReceiptVerdict, covered: Covered): ExitCode {
  const isUncovered = covered.some(({ coverage }) => coverage !== undefined && coverage.uncovered.length > 0);
  const isRefused = covered.some(({ cassette }) => cassette.status === "refused");
  if (verdict.kind === "broken" || isUncovered || isRefused) return EXIT.integrity;
  const isUnread = covered.some(({ cassette }) => cassette.status === "unreadable");
  return verdict.kind === "empty" || isUnread ? EXIT.failed : EXIT.ok;
}

function withoutChain(verdict: ReceiptVerdict): object {
  if (verdict.kind !== "ok") return verdict;
  const { chain: _chain, ...rest } = verdict;
  return rest;
}

function print(line: PrintLine, file: string, verdict: ReceiptVerdict, covered: Covered): void {
  printChain(line, file, verdict);
  printVerdicts(
    line,
    covered.map(({ cassette }) => cassette),
  );
  for (const { cassette, coverage } of covered) {
    if (coverage === undefined) continue;
    const { turns, uncovered } = coverage;
    const look = uncovered.length === 0 ? "good" : "bad";
    const rest =
      uncovered.length === 0 ? "" : `, not ${uncovered.slice(0, 10).join(", ")}${uncovered.length > 10 ? " …" : ""}`;
    line(
      { look, text: "covered".padEnd(11) },
      cassette.file,
      `  ${turns - uncovered.length} of ${count(turns, "turn")}${rest}`,
    );
  }
}

function printChain(line: PrintLine, file: string, verdict: ReceiptVerdict): void {
  switch (verdict.kind) {
    case "ok": {
      const { receipts, runs, agents, chainId, head, complete } = verdict;
      const what = `${count(receipts, "receipt")}  ${count(runs.length, "run")}  ${count(agents.length, "agent")}`;
      line(
        { look: "good", text: "ok".padEnd(11) },
        file,
        `  ${what}  chain ${chainId.slice(0, 8)}  head ${head.slice(0, 8)}`,
      );
      if (complete) line("           complete: the end of the chain is there, so no tail is missing");
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
