// One task of `cassette diff`: loads, checks and compares two recordings, and keeps only the differences, as plain data for other
// threads.

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
import { defined, type FilePort } from "../../core/index.js";
import type { Failure } from "../errors.js";
import { loadRecording, type LoadOptions } from "../options/recordings.js";
import { openTolerances, type OpenTolerances, type FileFlag } from "../options/tolerances.js";
import { contractsOf, withContract } from "./contract.js";
import { outcomesOf, type TaskDiff } from "./report.js";

/** A task with its files. A file on one side only is still checked. */
export interface PairJob {
  task: string;
  old?: string;
  new?: string;
}

/** The settings of a thread. */
export interface PairSettings {
  cwd: string;
  ignore: string[];
  order: CallOrder;
  readOnly: string[];
  ignoreContent: boolean;
  tolerances: FileFlag;
  maxBytes: number | undefined;
}

export interface PairResult {
  /** Why a side cannot be compared. */
  failures: { old?: Failure; new?: Failure };
  /** How many of the two have version 1. */
  version1: number;
  /** Present if both sides exist and were compared. */
  compared?: Pick<SetDiff, "tolerances"> & { diff: TaskDiff };
  /** Present if both sides exist and could not be compared. */
  refused?: { code: CassetteErrorCode; message: string; details: { file?: string; pointer?: string; hint?: string } };
}

/** Compares one pair after another. */
export async function createComparer(files: FilePort, settings: PairSettings) {
  return comparerWith(files, settings, await openTolerances(files, settings.tolerances));
}

export function comparerWith(files: FilePort, settings: PairSettings, tolerated: OpenTolerances | undefined) {
  const { ignore, order, readOnly, ignoreContent, maxBytes } = settings;
  const limits = defined({ maxBytes });
  const tolerances = tolerated?.value;
  const compared = { ignore, order, readOnly, ignoreContent, ignoreStops: false };
  const options: DiffOptions = { ...compared, ...defined({ tolerances }) };
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
    return { refused: { code, message, details: defined({ file, pointer, hint }) } };
  }
}
