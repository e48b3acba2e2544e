// The filters of a replay: those that the recording notes, and those that the replay adds. Both sides are filtered, so a filter that
// was added later needs no new recording. A function cannot be noted, so it must be the same on both sides.

import { defined, hashJson } from "../../core/index.js";
import { CassetteError } from "../errors.js";
import { extensionsOf, type Cassette, type CassetteEntry } from "../file/format.js";
import { mapMessage } from "../redact/leaves.js";
import {
  readHashFilter,
  readNotedFilter,
  type HashFilterOption,
  type NamedFilter,
  type NotedFilter,
} from "./hash-filters.js";
import { mapContexts, mapDescriptions } from "./tool-texts.js";
import { createPromptChain, type HashFilter } from "./prompt-delta.js";
import { deltasOf } from "./rebuild.js";

/** The filters that both sides of a replay pass. */
export interface ReplayFilter {
  /** The option that a recording which continues this one must use. */
  readonly option: HashFilterOption | undefined;
  readonly filter: HashFilter | undefined;
  /** Filters the descriptions of tools, by all filters but functions. */
  readonly filterTools: <T>(tools: T) => T;
  /** The recording with its prompts and tools filtered. Its hashes are those of the filtered ones. */
  readonly recording: Cassette;
}

/** The tools of a replay without filters that have a name. */
export const AS_RECORDED = { filterTools: <T>(tools: T): T => tools };

/** Throws `filter-one-sided` for a function on one side only, and for filters that a recording without prompts does not note. */
export function resolveFilter(recording: Cassette, option: HashFilterOption | undefined, file?: string): ReplayFilter {
  const { names, filter } = readHashFilter(option);
  if (recording.version === 1) return { ...AS_RECORDED, option, filter, recording };
  const noted = notedFilters(recording);
  if (noted === undefined || (option !== undefined && names?.includes("custom") !== false)) {
    assertSame(recording, option, file);
    return { ...AS_RECORDED, option, filter, recording };
  }
  assertUsable(noted, file);
  const given = (option ?? []) as readonly NotedFilter[];
  const known = new Set(noted.map(keyOf));
  const added = given.filter((item) => !known.has(keyOf(item)));
  const all = [...noted, ...added];
  if (all.length === 0) return { ...AS_RECORDED, option, filter, recording };
  if (deltasOf(recording) === undefined && added.length > 0) assertSame(recording, option, file);
  const read = readHashFilter(all);
  const { rewrite } = read;
  const filterTools = <T>(tools: T): T => (rewrite === undefined ? tools : mapDescriptions(tools, rewrite));
  return { option: all, filter: read.filter, filterTools, recording: filterRecording(recording, read) };
}

/** The filters that a recording notes, as far as they can be read. Undefined if it used a function. */
export function notedFilters(recording: Cassette): readonly NotedFilter[] | undefined {
  const { filtered, filters, filterPatterns } = extensionsOf(recording);
  if (filters === undefined) return filtered === true ? undefined : [];
  if (!Array.isArray(filters) || filters.includes("custom")) return undefined;
  const left: unknown[] = Array.isArray(filterPatterns) ? [...(filterPatterns as unknown[])] : [];
  return filters.map((name: unknown) => {
    // Two patterns may have one name. Both lists have the same order.
    const at = left.findIndex((item) => (item as { name?: unknown } | null)?.name === name);
    return (at < 0 ? name : left.splice(at, 1)[0]) as NotedFilter;
  });
}

function keyOf(item: NotedFilter): string {
  if (typeof item === "string") return item;
  const { name, pattern, replace = `<${name}>` } = item;
  return hashJson([name, pattern, replace]);
}

function assertUsable(noted: readonly NotedFilter[], file: string | undefined): void {
  const flaw = noted.map(readNotedFilter).find((read) => "flaw" in read);
  if (flaw === undefined || !("flaw" in flaw)) return;
  throw new CassetteError(
    "filter-one-sided",
    `the filters that the cassette notes cannot be used: its list ${flaw.flaw}`,
    {
      hint: "Update playhead if a newer version recorded it, or record again.",
      ...defined({ file }),
    },
  );
}

function filterRecording(recording: Cassette, { rewrite, noted }: NamedFilter): Cassette {
  const deltas = deltasOf(recording);
  if (recording.version === 1 || deltas === undefined || rewrite === undefined) return recording;
  const chain = createPromptChain();
  const entries = recording.entries.map((entry, index): CassetteEntry => {
    const { keep, messages } = deltas[index] as (typeof deltas)[number];
    const filtered = messages.map((message) => mapMessage(message, rewrite));
    return { ...entry, promptHash: chain.advance(keep, filtered), prompt: { keep, messages: filtered } };
  });
  const { contexts } = extensionsOf(recording);
  const offered = contexts === undefined ? {} : { contexts: mapContexts(contexts, rewrite) };
  return { ...recording, entries, extensions: { ...recording.extensions, ...noted, ...offered } };
}

/** Refuses a filter on one side only, which would miss every prompt it changes, or hide a difference. */
function assertSame(recording: Cassette, option: HashFilterOption | undefined, file: string | undefined): void {
  const { filter, names } = readHashFilter(option);
  const { filtered, filters } = extensionsOf(recording);
  const [recorded, now] = [filtered === true, filter !== undefined];
  // Older recordings do not name their filters.
  const isSame = hashJson(filters ?? null) === hashJson(names ?? null);
  if (recorded === now && isSame) return;
  const listed = (list: unknown): string => (Array.isArray(list) ? ` (${list.join(", ")})` : "");
  throw new CassetteError(
    "filter-one-sided",
    recorded && now
      ? `the cassette was recorded with another hashFilter${listed(filters)} than it is replayed with${listed(names)}`
      : recorded
        ? `the cassette was recorded with a hashFilter${listed(filters)} and is replayed without one`
        : `the cassette was recorded without a hashFilter and is replayed with one${listed(names)}`,
    {
      hint: "Pass the same hashFilter where it is recorded and where it is replayed, or record again.",
      ...defined({ file }),
    },
  );
}
