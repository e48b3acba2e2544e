// One task of `cassette diff`: its two recordings loaded, checked and compared, and nothing of them kept but what is different. In
// a form that can cross from one thread to another.

import { defined } from "../../core/index.js";
import {
  CassetteError,
  createCassetteStore,
  diffSets,
  type CallOrder,
  type CassetteErrorCode,
  type CassetteStore,
  type DiffOptions,
  type NamedCassette,
  type SetDiff,
} from "../../cassette/index.js";
import type { FilePort } from "../../core/index.js";
import type { Failure } from "../errors.js";
import { loadRecording, type LoadOptions } from "../options/recordings.js";
import { openTolerances, type OpenTolerances, type TolerancesFlag } from "../options/tolerances.js";
import { contractsOf, withContract } from "./contract.js";
import { outcomesOf, type TaskDiff } from "./report.js";

/** A task with its files; one that is on one side only is still checked. */
export interface PairJob {
  task: string;
  old?: string;
  new?: string;
}

/** What a thread is told before it gets its first task. */
export interface PairSettings {
  cwd: string;
  ignore: string[];
  order: CallOrder;
  readOnly: string[];
  ignoreContent: boolean;
  tolerances: TolerancesFlag;
  maxBytes: number | undefined;
}

/** What was found of one task. */
export interface PairResult {
  /** Why a side cannot be compared. */
  failures: { old?: Failure; new?: Failure };
  /** How many of the two have version 1. */
  version1: number;
  /** Both sides are there, and were compared. */
  compared?: Pick<SetDiff, "tolerances"> & { diff: TaskDiff };
  /** Both sides are there, and comparing them was given up. */
  refused?: { code: CassetteErrorCode; message: string; details: { file?: string; pointer?: string; hint?: string } };
}

/** Compares one pair after another. */
export async function createComparer(files: FilePort, settings: PairSettings) {
  return comparerWith(files, settings, await openTolerances(files, settings.tolerances));
}

/** The same, with the tolerances at hand. */
export function comparerWith(files: FilePort, settings: PairSettings, tolerated: OpenTolerances | undefined) {
  const { ignore, order, readOnly, ignoreContent, maxBytes } = settings;
  const limits = defined({ maxBytes });
  const tolerances = tolerated === undefined ? {} : { tolerances: tolerated.tolerances };
  const options: DiffOptions = { ignore, order, readOnly, ignoreContent, ignoreStops: false, ...tolerances };
  const store = createCassetteStore(files);

  return async ({ task, old, new: now }: PairJob): Promise<PairResult> => {
    const result: PairResult = { failures: {}, version1: 0 };
    const before = await load({ store, limits }, { task, file: old, side: "old" }, result);
    const after = await load({ store, limits }, { task, file: now, side: "new" }, result);
    return before === undefined || after === undefined ? result : { ...result, ...compare(before, after, options) };
  };
}

async function load(
  { store, limits }: { store: CassetteStore; limits: LoadOptions },
  { task, file, side }: { task: string; file: string | undefined; side: "old" | "new" },
  result: PairResult,
): Promise<NamedCassette | undefined> {
  if (file === undefined) return undefined;
  const loaded = await loadRecording(store, file, limits);
  if (loaded.kind === "failed") {
    result.failures[side] = loaded.failure;
    return undefined;
  }
  if (loaded.cassette.version === 1) result.version1++;
  return { task, cassette: loaded.cassette };
}

function compare(
  before: NamedCassette,
  after: NamedCassette,
  options: DiffOptions,
): Pick<PairResult, "compared" | "refused"> {
  try {
    const { shared, tolerances } = diffSets([before], [after], options);
    const { task } = before;
    const drifts = shared.flatMap((each) => each.drifts);
    const contract = contractsOf([before], [after]).get(task);
    const diff = { task, ...withContract(drifts, contract), ...outcomesOf([before], [after]).get(task) };
    return { compared: { diff, tolerances } };
  } catch (error) {
    if (!(error instanceof CassetteError)) throw error;
    const { code, summary: message, file, pointer, hint } = error;
    const details = defined({ file, pointer, hint });
    return { refused: { code, message, details } };
  }
}
