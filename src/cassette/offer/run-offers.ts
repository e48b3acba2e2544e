// The tools and settings that two runs were offered, compared version by version where a run was offered several.

import { canonicalize, defined, parsePointer, type JsonValue } from "../../core/index.js";
import { extensionsOf, type Cassette, type ContextExtension } from "../file/format.js";
import type { ValueChange } from "../prompt/json-difference.js";
import { changeSentence, compareOffers, type OfferChange } from "./compare-offers.js";
import { placesOf } from "./schema-change.js";

/** A tool or a setting that was added, removed or changed. */
export interface ContractChange {
  kind: "tool-added" | "tool-removed" | "schema-changed" | "description-changed" | "setting-changed";
  name: string;
  /** JSON pointer into the tool's definition, such as `/schema/properties/city/type`. */
  pointer?: string;
  old?: JsonValue;
  new?: JsonValue;
  /** One plain sentence. For a changed schema it says whether calls that were valid may be invalid now. */
  sentence: string;
}

/** What a report says where the hashes of two offers differ. */
export const OFFER_HASHES_DIFFER = "The tools or settings changed, but the recordings hold only their hashes.";

export type ContractSide = "old" | "new";

/** `not-recorded`: these sides did not record what was offered. `hashes`: they keep only its hashes. */
export type ContractComparison =
  | { state: "compared"; changes: ContractChange[] }
  | { state: "not-recorded"; sides: ContractSide[] }
  | { state: "hashes"; sides: ContractSide[]; isSame: boolean };

/** Compares the offers of two runs. Offers that cannot be compared have a state of their own. */
export function compareContracts(a: Cassette, b: Cassette): ContractComparison {
  const [{ contexts: old = [] }, { contexts: now = [] }] = [extensionsOf(a), extensionsOf(b)];
  const silent = sidesWhere(old, now, (contexts) => contexts.length === 0);
  if (silent.length > 0) return { state: "not-recorded", sides: silent };
  const hashed = sidesWhere(old, now, (contexts) =>
    contexts.some(({ tools, settings }) => tools === undefined || settings === undefined),
  );
  if (hashed.length > 0) return { state: "hashes", sides: hashed, isSame: hashesOf(old) === hashesOf(now) };
  return { state: "compared", changes: unique(compareOffers(old, now).flatMap(toContractChange)) };
}

/** The changes from the offer of `a` to that of `b`; also empty if they cannot be compared. */
export function diffContracts(a: Cassette, b: Cassette): ContractChange[] {
  const compared = compareContracts(a, b);
  return compared.state === "compared" ? compared.changes : [];
}

interface AnyDrift {
  kind: string;
  tool?: string;
  changes?: readonly Pick<ValueChange, "pointer">[];
}

/** True for changed arguments if the tool's schema, and not only descriptions, changed at each changed place. */
export function isBecauseOfSchema(drift: AnyDrift, changes: readonly ContractChange[]): boolean {
  const { kind, tool, changes: changed = [] } = drift;
  if (kind !== "args-changed" || changed.length === 0) return false;
  const places = changes.filter((change) => change.kind === "schema-changed" && change.name === tool).flatMap(placesIn);
  return changed.every(({ pointer }) => {
    const tokens = parsePointer(pointer) ?? [];
    return tokens.length > 0 && places.some((place) => covers(place, tokens));
  });
}

/** The arguments that one change of a tool's definition concerns. */
function placesIn({ pointer = "", ...sides }: ContractChange): string[][] {
  const inSchema = /^\/schema(?=\/|$)/.exec(pointer);
  return inSchema === null ? [] : placesOf({ ...sides, pointer: pointer.slice(inSchema[0].length) });
}

function covers(place: readonly string[], tokens: readonly string[]): boolean {
  if (place.length > tokens.length) return false;
  return place.every((token, index) => token === "*" || token === tokens[index]);
}

function sidesWhere<T>(old: T, now: T, holds: (side: T) => boolean): ContractSide[] {
  return [...(holds(old) ? (["old"] as const) : []), ...(holds(now) ? (["new"] as const) : [])];
}

function hashesOf(contexts: readonly ContextExtension[]): string {
  return canonicalize([...new Set(contexts.map(({ toolsHash, settingsHash }) => `${toolsHash} ${settingsHash}`))]);
}

/** Another order, or another way to write the same schema, does not change a contract. */
function toContractChange(change: OfferChange): ContractChange[] {
  const { kind, name, old, new: now } = change;
  if (kind === "tools-reordered" || kind === "schema-rewritten") return [];
  const pointer = "pointer" in change ? change.pointer : undefined;
  return [{ kind, name, ...defined({ pointer, old, new: now }), sentence: changeSentence(change) }];
}

/** Without repetitions: two versions may differ from a third in the same place. */
function unique(changes: readonly ContractChange[]): ContractChange[] {
  const seen = new Set<string>();
  return changes.filter((change) => {
    const key = canonicalize(change);
    return !seen.has(key) && seen.add(key);
  });
}
