// The origin of a cassette in words, for `cassette show` and its page. Specification: docs/cassette-format.md.

import { isPlainObject } from "../../core/index.js";
import type { Cassette } from "./format.js";
import { migrationOf } from "./migrate.js";

const SHOWN_NAMES = 12;

/** One sentence about a recording. Names in it are recorded text and not escaped. */
export interface OriginNote {
  /** `warn`: the hashes prove less than usual. */
  kind: "warn" | "plain";
  text: string;
}

/** Sentences about a loaded cassette, the warning first. Empty for a plain recording and for version 1. */
export function describeOrigin(cassette: Cassette): OriginNote[] {
  if (cassette.version === 1) return [];
  const { filtered, filters, redacted, forkedFrom, import: source } = cassette.extensions ?? {};
  const plain = [
    describeFilter(filtered === true, filters),
    describeRedaction(redacted),
    describeFork(forkedFrom),
    describeImport(source),
  ];
  const notes: OriginNote[] = plain.flatMap((text) => (text === undefined ? [] : [{ kind: "plain", text }]));
  if (migrationOf(cassette) === undefined) return notes;
  return [{ kind: "warn", text: "migrated from version 1: nothing proves what it held before" }, ...notes];
}

function describeFilter(isFiltered: boolean, filters: unknown): string | undefined {
  if (!isFiltered) return undefined;
  const names = namesIn(filters);
  return `prompts were rewritten by a hashFilter${names.length === 0 ? "" : `: ${listed(names)}`}`;
}

function describeRedaction(redacted: unknown): string | undefined {
  const rules = namesIn(redacted);
  return rules.length === 0 ? undefined : `secrets were redacted by the rules ${listed(rules)}`;
}

function describeFork(forkedFrom: unknown): string | undefined {
  if (!isPlainObject(forkedFrom)) return undefined;
  const { cassetteId, at } = forkedFrom;
  if (typeof cassetteId !== "string" || typeof at !== "number") return undefined;
  return `forked at turn ${at} from cassette ${cassetteId}`;
}

function describeImport(source: unknown): string | undefined {
  if (!isPlainObject(source) || typeof source["format"] !== "string") return undefined;
  const counts: unknown = source["repairs"];
  const repairs = isPlainObject(counts)
    ? Object.entries(counts).flatMap(([kind, count]) => (typeof count === "number" ? [`${count} ${kind}`] : []))
    : [];
  const said = repairs.length === 0 ? "nothing repaired" : `repaired ${listed(repairs)}`;
  return `imported from a log of format ${source["format"]}, ${said}`;
}

function namesIn(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((name): name is string => typeof name === "string") : [];
}

function listed(names: readonly string[]): string {
  const more = names.length - SHOWN_NAMES;
  return names.slice(0, SHOWN_NAMES).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
