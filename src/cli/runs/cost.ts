// The cost of the runs of a suite: an estimate from the suite's cassettes, then the sum of the recorded costs.

import { dirname, sep } from "node:path";
import {
  createCassetteStore,
  countedTurns,
  createTurnPricer,
  createUsageCounter,
  readPrices,
  type TurnPricer,
} from "../../cassette/index.js";
import { plural } from "../../core/index.js";
import { filesBelow, findTarget, loadRecording, pathIn } from "../options/recordings.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { isOfUnit, readPart, runOf, SHARD_FILE, splitInto, type Plan } from "./part.js";

/** A cost in USD, and the number of turns or files whose cost is unknown. */
export interface Cost {
  readonly usd: number;
  readonly unknown: number;
}

export const NO_COST: Cost = { usd: 0, unknown: 0 };

export function addCosts(one: Cost, other: Cost): Cost {
  return { usd: one.usd + other.usd, unknown: one.unknown + other.unknown };
}

/** Counts the cost of recordings. A price from the file takes precedence over a list price. */
export type CostCounter = (paths: readonly string[]) => Promise<Cost>;

/** Counts from the figures of the recordings and from prices. A refused file counts as one unknown. */
export async function createCostCounter(prices: string | undefined, io: CommandIo): Promise<CostCounter> {
  const files = filesAt(io);
  const price: TurnPricer = createTurnPricer(prices === undefined ? {} : await readPrices(files, prices));
  const store = createCassetteStore(files);
  return async (paths) => {
    const counter = createUsageCounter(price);
    let refused = 0;
    for (const path of paths) {
      const loaded = await loadRecording(store, path);
      if (loaded.kind === "loaded") for (const turn of countedTurns(loaded.cassette)) counter.add(turn);
      else refused++;
    }
    const usage = counter.total();
    return { usd: usage.costUsd ?? 0, unknown: usage.turnsWithoutCost + refused };
  };
}

/** The cost of one run of a part, and the number of cassettes that it is estimated from. */
export interface Estimate extends Cost {
  readonly cassettes: number;
}

/**
 * Estimates from the cassettes of the suite below the working folder. Without any, it uses the recorded runs of one folder there, which
 * may be a part or a merged folder. Undefined if there are neither. If the tests are split, each part counts an even share of them.
 */
export async function estimateRun(plan: Plan, costOf: CostCounter, io: CommandIo): Promise<Estimate | undefined> {
  const files = filesAt(io);
  const [part] = (await filesBelow(files, ".", SHARD_FILE)).map((path) => dirname(path));
  const found = await filesBelow(files, ".");
  const suite = found.filter((file) => !isOfRun(file));
  if (suite.length > 0) return { ...shareOf(await costOf(suite), splitInto(plan)), cassettes: suite.length };
  const folder = part ?? found[0]?.split(sep)[0];
  return folder === undefined ? undefined : estimateByRuns(folder, plan, costOf, io);
}

/** The cost of all runs of the folder, divided by their number. The folder may have another share of the tests. */
async function estimateByRuns(
  folder: string,
  plan: Plan,
  costOf: CostCounter,
  io: CommandIo,
): Promise<Estimate | undefined> {
  const files = filesAt(io);
  const target = await findTarget(files, folder, { withFailed: true });
  if (target.kind !== "folder" || target.names.length === 0) return undefined;
  const runs = new Set(target.names.map(runOf)).size;
  const part = await readPart(files, folder);
  const shares = (runs * splitInto(plan)) / (part === undefined ? 1 : splitInto(part.plan));
  const cost = await costOf(target.names.map((name) => pathIn(folder, name)));
  return { ...shareOf(cost, shares), cassettes: target.names.length };
}

function shareOf({ usd, unknown }: Cost, shares: number): Cost {
  return { usd: usd / shares, unknown: Math.ceil(unknown / shares) };
}

/** True for a recording of one of several runs: it has their number, or lies in the folder of a run that did not end. */
function isOfRun(path: string): boolean {
  return runOf(path) !== undefined || path.split(sep).some(isOfUnit);
}

/** "0.12 USD", with the number of unknown costs. */
export function costText({ usd, unknown }: Cost): string {
  const known = `${Number(usd.toPrecision(3))} USD`;
  if (unknown === 0) return known;
  return usd === 0 ? "an unknown cost" : `${known} and ${plural(unknown, "turn")} of unknown cost`;
}
