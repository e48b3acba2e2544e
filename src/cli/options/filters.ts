// The filters of `--filter` and `--filter-file`, as one list for recorders and replays.

import {
  CassetteError,
  HASH_FILTER_NAMES,
  readFilters,
  readHashFilter,
  readNotedFilter,
  type HashFilterOption,
  type NotedFilter,
} from "../../cassette/index.js";
import type { FilePort } from "../../core/index.js";

export interface FilterOptions {
  readonly filter?: readonly string[] | undefined;
  readonly filterFile?: string | undefined;
  /** Filters that a coding agent needs, before those of the options. */
  readonly presets?: readonly NotedFilter[] | undefined;
}

const HINT =
  `Give names, separated by commas: ${HASH_FILTER_NAMES.join(", ")} or number-in:FIELD. ` +
  "A pattern of your own goes into a file for --filter-file.";

const nameOf = (item: string | { readonly name: string }): string => (typeof item === "string" ? item : item.name);

/** Undefined without either option. Throws `CassetteError` `invalid-options` for an unknown filter. */
export async function readFilterOptions(
  { filter = [], filterFile, presets = [] }: FilterOptions,
  files: FilePort,
): Promise<HashFilterOption | undefined> {
  if (filter.length + presets.length === 0 && filterFile === undefined) return undefined;
  for (const name of filter) {
    const read = readNotedFilter(name);
    if ("flaw" in read) throw new CassetteError("invalid-options", `--filter ${read.flaw}`, { hint: HINT });
  }
  const fromFile = filterFile === undefined ? [] : await readFilters(files, filterFile);
  const all = [
    ...new Map([...presets, ...fromFile, ...filter].map((item) => [nameOf(item), item])).values(),
  ] as HashFilterOption;
  readHashFilter(all);
  return all;
}
