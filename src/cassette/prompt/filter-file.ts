// A list of filters in a file of its own, such as `cassette.filters.json`: { "filters": ["date", { "name": …, "pattern": … }] }.

import { defined, isPlainObject, showValue, type FilePort } from "../../core/index.js";
import { CassetteError } from "../errors.js";
import { parseSettings } from "../file/authored-json.js";
import { readWhole } from "../file/read-bytes.js";
import { MAX_FILTERS, MAX_FILTERS_BYTES } from "../limits.js";
import { FILTER_HINT, readNotedFilter, type NotedFilter } from "./hash-filters.js";

const HINT = `A filter file is { "filters": [<name or { "name", "pattern", "replace" }>, …] }. ${FILTER_HINT.replace(/^[^.]*of /, "The names are ")}`;

/** Reads a filter file. Throws `invalid-options` with the place of the first flaw, `file-not-found` and `file-unreadable`. */
export async function readFilters(files: FilePort, path: string): Promise<readonly NotedFilter[]> {
  const missing = 'Check the path. A list of names needs no file: hashFilter: ["date"], or --filter date.';
  const bytes = await readWhole(files, path, { what: "filter file", maxBytes: MAX_FILTERS_BYTES, missing });
  return parseFilters(bytes, path);
}

/** Parses the text of a filter file. Throws `invalid-options`. */
export function parseFilters(input: string | Uint8Array, file?: string): readonly NotedFilter[] {
  const place = defined({ file });
  const what = { what: "filters", code: "invalid-options", hint: HINT, maxBytes: MAX_FILTERS_BYTES } as const;
  const value = parseSettings(input, { ...place, ...what });
  const refuse = (pointer: string, text: string): CassetteError =>
    new CassetteError("invalid-options", `the filter file is wrong: ${pointer === "" ? "it" : pointer} ${text}`, {
      pointer,
      hint: HINT,
      ...place,
    });
  if (!isPlainObject(value)) throw refuse("", `is ${showValue(value)}; it must be an object with filters`);
  const unknown = Object.keys(value).find((key) => !["$schema", "filters"].includes(key));
  if (unknown !== undefined) throw refuse(`/${unknown}`, "is an unknown field");
  const { filters } = value;
  if (!Array.isArray(filters) || filters.length === 0 || filters.length > MAX_FILTERS) {
    throw refuse("/filters", `must be a list of 1 to ${MAX_FILTERS} filters`);
  }
  const names = new Set<string>();
  for (const [index, item] of filters.entries()) {
    const read = readNotedFilter(item);
    if ("flaw" in read) throw refuse(`/filters/${index}${read.at}`, read.flaw);
    if (names.has(read.name)) throw refuse(`/filters/${index}`, `names ${read.name}, which is already in the list`);
    names.add(read.name);
  }
  return filters as NotedFilter[];
}
