// What the runs of a suite cost: an estimate from the cassettes that the suite has, then the sum of what was recorded.

import { dirname, join } from "node:path";
import { createCassetteStore, createStatsCounter } from "../../cassette/index.js";
import { plural } from "../../core/index.js";
import { filesBelow, loadRecording } from "../options/recordings.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { readPart, SHARD_FILE } from "./part.js";

/** A cost in USD, and the number of turns or files whose cost is unknown. */
export interface Cost {
  readonly usd: number;
  readonly unknown: number;
}

export const NO_COST: Cost = { usd: 0, unknown: 0 };

export function addCosts(one: Cost, other: Cost): Cost {
  return { usd: one.usd + other.usd, unknown: one.unknown + other.unknown };
}

/** The cost of the recordings, by their own figures and the list prices. A file that is refused counts as one unknown. */
export async function costOfFiles(paths: readonly string[], io: CommandIo): Promise<Cost> {
  const store = createCassetteStore(filesAt(io));
  const counter = createStatsCounter();
  let refused = 0;
  for (const path of paths) {
    const loaded = await loadRecording(store, path);
    if (loaded.kind === "loaded") counter.add(path, 0, loaded.cassette);
    else refused++;
  }
  const { usage } = counter.total();
  return { usd: usage.costUsd ?? 0, unknown: usage.turnsWithoutCost + refused };
}

/** The cost of one run of the suite, and how many cassettes say so. */
export interface Estimate extends Cost {
  readonly cassettes: number;
}

/**
 * By the cassettes of the suite below the working folder. Without any, by the runs of another part there. Undefined without either.
 */
export async function estimateRun(io: CommandIo): Promise<Estimate | undefined> {
  const files = filesAt(io);
  const parts = (await filesBelow(files, ".", SHARD_FILE)).map((path) => dirname(path));
  const suite = (await filesBelow(files, ".")).filter(
    (file) => !parts.some((part) => file.startsWith(join(part, "/"))),
  );
  if (suite.length > 0) return { ...(await costOfFiles(suite, io)), cassettes: suite.length };
  for (const folder of parts) {
    const units = (await readPart(files, folder))?.units ?? [];
    const paths = units.flatMap((unit) => unit.files.map(({ path }) => join(folder, path)));
    const { usd, unknown } = await costOfFiles(paths, io);
    const perRun = (sum: number): number => sum / units.length;
    if (paths.length > 0) return { usd: perRun(usd), unknown: Math.ceil(perRun(unknown)), cassettes: paths.length };
  }
  return undefined;
}

/** "0.12 USD", with what is unknown. */
export function costText({ usd, unknown }: Cost): string {
  const known = `${Number(usd.toPrecision(3))} USD`;
  if (unknown === 0) return known;
  return usd === 0 ? "an unknown cost" : `${known} and ${plural(unknown, "turn")} of unknown cost`;
}
