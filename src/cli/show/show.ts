// `cassette show`: prints a cassette turn by turn, after checking it.

import {
  countedTurns,
  createCassetteStore,
  describeOrigin,
  exchangesOf,
  extensionsOf,
  nameOfExchange,
  readAnsweredBy,
  sizeOfBody,
  sumUsage,
  type Cassette,
  type RecordedExchange,
  type UsageSum,
} from "../../cassette/index.js";
import { defined, isPlainObject, PRICING_DATE } from "../../core/index.js";
import { agreementOf, agreementText, meanGrade, scoresOf } from "../../harness/index.js";
import { CliError, usageError } from "../errors.js";
import { EXIT } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { cachedOf, count, createPrinter, writeJson, type PrintLine } from "../terminal/output.js";
import { printTurn, type ShownEntry } from "./turn.js";
import { assertNoFolder } from "../options/recordings.js";

export interface ShowOptions {
  turn?: string;
  full?: boolean;
  force?: boolean;
  maxBytes?: number;
  json?: boolean;
}

/** Prints a cassette. Throws what loading throws. */
export async function show(file: string, options: ShowOptions, io: CommandIo): Promise<void> {
  if (options.force === true) {
    throw usageError("--force was given without --html", "Add --html, or leave --force out.");
  }
  const files = filesAt(io);
  await assertNoFolder(files, file, "show");
  const cassette = await createCassetteStore(files).load(file, {
    ports: { warn: () => undefined },
    ...defined({ maxBytes: options.maxBytes }),
  });
  const entries: readonly ShownEntry[] = cassette.entries;
  const totals = sumUsage(countedTurns(cassette));
  const chosen = options.turn === undefined ? entries : [pick(entries, options.turn, file)];
  if (options.json === true) {
    const { entries: all, ...head } = cassette;
    writeJson(io, "show", EXIT.ok, { file, cassette: { ...head, turns: all.length }, turns: chosen, totals });
    return;
  }
  const line = createPrinter(io);
  printHead(line, file, cassette);
  const answeredBy = readAnsweredBy(cassette);
  for (const entry of chosen) {
    const steps = answeredBy.steps.get(entry.turnIndex);
    printTurn(line, entry, entries[entry.turnIndex - 1], { isFull: options.full === true, steps });
  }
  if (options.turn !== undefined) return;
  printExchanges(line, exchangesOf(cassette));
  if (entries.length > 0) printTotals(line, totals);
}

function pick(entries: readonly ShownEntry[], turn: string, file: string): ShownEntry {
  const entry = /^\d+$/.test(turn) ? entries[Number(turn)] : undefined;
  if (entry !== undefined) return entry;
  const range = entries.length === 0 ? "it has no turns" : `it has turns 0 to ${entries.length - 1}`;
  throw new CliError("usage", `there is no turn ${JSON.stringify(turn)}: ${range}`, "Turns are counted from 0.", file);
}

/** The outcome that the test recorded. */
function printOutcome(line: PrintLine, outcome: unknown): void {
  if (!isPlainObject(outcome)) return;
  const { success, error, ...others } = outcome;
  if (success === false) line({ look: "bad", text: "  the run failed" }, typeof error === "string" ? `: ${error}` : "");
  else if (success === true) line({ look: "good", text: "  the run succeeded" });
  const rest = success === false ? others : { ...others, ...defined({ error }) };
  if (Object.keys(rest).length > 0) line(`  outcome ${JSON.stringify(rest)}`);
}

/** The scores that the test recorded, and how well repeated grades agree. */
function printScores(line: PrintLine, cassette: Cassette): void {
  if (extensionsOf(cassette)["scores"] === undefined) return;
  for (const [name, grades] of scoresOf(cassette)) {
    const agreement = agreementOf([grades]);
    const value = Number(meanGrade(grades).toPrecision(6));
    line(
      `  score ${name} ${value}`,
      agreement === undefined ? "" : ` (${grades.join(", ")}: ${agreementText(agreement)})`,
    );
  }
}

function printHead(line: PrintLine, file: string, cassette: Cassette): void {
  const { version, recordedProvider, recordedAt, agentId, entries } = cassette;
  line({ look: "bold", text: file });
  line(`  version ${version}, ${count(entries.length, "turn")}, recorded ${recordedAt} from ${recordedProvider}`);
  if (agentId !== undefined) line(`  agent ${agentId}`);
  if (cassette.version === 1) {
    line({ look: "warn", text: "  version 1: nothing proves its contents" });
    return;
  }
  line(`  cassetteId ${cassette.cassetteId}, every hash holds`);
  for (const { kind, text } of describeOrigin(cassette)) {
    line(kind === "warn" ? { look: "warn", text: `  ${text}` } : `  ${text}`);
  }
  printOutcome(line, cassette.extensions?.["outcome"]);
  printScores(line, cassette);
  if (cassette.extensions !== undefined) line(`  extensions ${Object.keys(cassette.extensions).join(", ")}`);
}

/** Counts the turns whose values are unknown, so that no sum passes for the whole. */
function printTotals(line: PrintLine, totals: UsageSum): void {
  const { turns, inputTokens, outputTokens, turnsWithoutTokens, costUsd, turnsWithDerivedCost, turnsWithoutCost } =
    totals;
  const rest = (without: number): string => (without === 0 ? "" : ` (unknown for ${count(without, "turn")})`);
  const tokens = `${inputTokens} tokens in${cachedOf(totals)}, ${outputTokens} out${rest(turnsWithoutTokens)}`;
  const derived = turnsWithDerivedCost === undefined ? "" : ` (derived by list prices of ${PRICING_DATE})`;
  const cost = costUsd === undefined ? "cost unknown" : `${costUsd} USD${derived}${rest(turnsWithoutCost)}`;
  line("");
  line({ look: "bold", text: "in all" }, `  ${turnsWithoutTokens === turns ? "tokens unknown" : tokens}, ${cost}`);
}

function printExchanges(line: PrintLine, exchanges: readonly RecordedExchange[]): void {
  if (exchanges.length === 0) return;
  line("");
  line({ look: "bold", text: count(exchanges.length, "exchange") });
  exchanges.forEach((exchange, index) => {
    const { query, request, status, response, isCut } = exchange;
    const sizes = `${count(sizeOfBody(request), "byte")} sent, ${count(sizeOfBody(response), "byte")} received`;
    const place = `  ${index} ${nameOfExchange(exchange)}${query === undefined ? "" : `?${query}`}`;
    line(place, { look: "dim", text: `  status ${status}, ${sizes}${isCut === true ? ", cut" : ""}` });
  });
}
