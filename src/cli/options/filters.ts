// The filters of `--filter` and `--filter-file`, as one list for recorders and replays.

import { readFilters, readHashFilter, type HashFilterOption } from "../../cassette/index.js";
import type { FilePort } from "../../core/index.js";

export interface FilterOptions {
  readonly filter?: readonly string[] | undefined;
  readonly filterFile?: string | undefined;
}

/** Undefined without either option. Throws `CassetteError` `invalid-options` for an unknown filter. */
export async function readFilterOptions(
  { filter = [], filterFile }: FilterOptions,
  files: FilePort,
): Promise<HashFilterOption | undefined> {
  if (filter.length === 0 && filterFile === undefined) return undefined;
  const fromFile = filterFile === undefined ? [] : await readFilters(files, filterFile);
  const all = [...fromFile, ...filter.filter((name) => !fromFile.includes(name as never))] as HashFilterOption;
  readHashFilter(all);
  return all;
}
