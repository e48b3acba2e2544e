// The verdict on one file of `cassette verify`, as plain data for other threads.

import { BUNDLE_SUFFIX, createCassetteStore, exchangesOf } from "../../cassette/index.js";
import type { FilePort } from "../../core/index.js";
import { toFailure } from "../errors.js";
import { toRefusal, verifyBundle, type BundleVerdict, type RefusalVerdict } from "./bundle.js";
import { recordedTurns, type RecordedTurns } from "./coverage.js";
import type { Recomputed } from "./independent/tally.js";
import { loadLayered, type Layered, type LayerJob, type LayerRules, type Layers } from "./layers.js";

/** `recorded` is for receipts, empty without any, and not printed. */
export type Verdict =
  | {
      file: string;
      status: "ok";
      version: 1 | 2;
      turns: number;
      /** Present if there are any. */
      exchanges?: number;
      recordedProvider: string;
      cassetteId?: string;
      layers: Layers;
      /** With --independent. */
      independent?: Recomputed;
      recorded: readonly RecordedTurns[];
    }
  | BundleVerdict
  | RefusalVerdict;

/** The settings of a thread. */
export interface VerifySettings {
  cwd: string;
  rules: LayerRules;
  /** Computes everything again with the second implementation. */
  isIndependent: boolean;
  /** Keeps the turns of all files in memory, for receipts. */
  keepsTurns: boolean;
}

export function createChecker(files: FilePort, { rules, isIndependent, keepsTurns }: VerifySettings) {
  const store = createCassetteStore(files);
  return async (job: LayerJob): Promise<Verdict> => {
    try {
      const isBundle = job.file.endsWith(BUNDLE_SUFFIX);
      const verdict = isBundle
        ? await verifyBundle(files, job.file, rules.maxBytes)
        : toVerdict(await loadLayered(files, store, rules, job));
      if (verdict.status !== "ok") return verdict;
      const kept = keepsTurns ? verdict : { ...verdict, recorded: [] };
      if (!isIndependent) return kept;
      const { recomputeFile } = await import("./second-opinion.js");
      const found = "layers" in verdict ? verdict.layers.signatures : [];
      return { ...kept, independent: await recomputeFile(files, job.file, rules, found) };
    } catch (error) {
      return toRefusal(job.file, toFailure(error, job.file));
    }
  };
}

function toVerdict(loaded: Layered): Verdict {
  const { file } = loaded;
  if (loaded.kind === "failed") return toRefusal(file, loaded.failure);
  const { version, entries, recordedProvider } = loaded.cassette;
  const recorded = [recordedTurns(loaded.cassette)];
  const { layers } = loaded;
  const exchanges = exchangesOf(loaded.cassette).length;
  const size = { turns: entries.length, ...(exchanges === 0 ? {} : { exchanges }) };
  const base = { file, status: "ok" as const, version, ...size, recordedProvider, layers, recorded };
  return loaded.cassette.version === 1 ? base : { ...base, cassetteId: loaded.cassette.cassetteId };
}
