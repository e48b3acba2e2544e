// One task of `cassette diff`: loads, checks and compares two recordings, and keeps only the differences, as plain data for other
// threads.

import {
  CassetteError,
  compareContracts,
  createCassetteStore,
  diffExchanges,
  diffSets,
  isJudgeRecording,
  type CallOrder,
  type CassetteErrorCode,
  type DiffOptions,
  type NamedCassette,
  type SetDiff,
} from "../../cassette/index.js";
import { defined, type FilePort } from "../../core/index.js";
import type { Failure } from "../errors.js";
import { loadRecording } from "../options/recordings.js";
import { openTolerances, type OpenTolerances, type FileFlag } from "../options/tolerances.js";
import { withContract } from "./contract.js";
import { outcomesOf, type TaskDiff } from "./report.js";

/** A task with its files. A file on one side only is still checked. */
export interface PairJob {
  task: string;
  old?: string;
  new?: string;
}

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

export async function createComparer(files: FilePort, settings: PairSettings) {
  return comparerWith(files, settings, await openTolerances(files, settings.tolerances));
}

export function comparerWith(files: FilePort, settings: PairSettings, tolerated: OpenTolerances | undefined) {
  const { ignore, order, readOnly, ignoreContent, maxBytes } = settings;
  const compared = { ignore, order, readOnly, ignoreContent, ignoreStops: false };
  const options: DiffOptions = { ...compared, ...defined({ tolerances: tolerated?.value }) };
  const store = createCassetteStore(files);

  async function load(side: "old" | "new", { task, ...job }: PairJob, result: PairResult) {
    const file = job[side];
    if (file === undefined) return undefined;
    const loaded = await loadRecording(store, file, defined({ maxBytes }));
    if (loaded.kind === "failed") {
      result.failures[side] = loaded.failure;
      return undefined;
    }
    if (loaded.cassette.version === 1) result.version1++;
    return { task, cassette: loaded.cassette };
  }

  return async (job: PairJob): Promise<PairResult> => {
    const result: PairResult = { failures: {}, version1: 0 };
    const before = await load("old", job, result);
    const after = await load("new", job, result);
    return before === undefined || after === undefined ? result : { ...result, ...compare(before, after, options) };
  };
}

function compare(before: NamedCassette, after: NamedCassette, options: DiffOptions): Partial<PairResult> {
  try {
    const { shared, tolerances } = diffSets([before], [after], options);
    const { task } = before;
    const drifts = shared.flatMap((each) => each.drifts);
    const contract = compareContracts(before.cassette, after.cassette);
    const exchanges = diffExchanges(before.cassette, after.cassette);
    const diff = {
      task,
      ...(isJudgeRecording(before.cassette) && isJudgeRecording(after.cassette) ? { judge: true as const } : {}),
      ...withContract(drifts, contract),
      ...(exchanges.length === 0 ? {} : { exchanges }),
      ...outcomesOf(before.cassette, after.cassette),
    };
    return { compared: { diff, tolerances } };
  } catch (error) {
    if (!(error instanceof CassetteError)) throw error;
    const { code, summary: message, file, pointer, hint } = error;
    return { refused: { code, message, details: defined({ file, pointer, hint }) } };
  }
}
