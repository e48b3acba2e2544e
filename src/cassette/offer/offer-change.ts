// Compares the tools and settings that two runs were offered, by name, and by version if a run was offered several versions.

import {
  canonicalize,
  defined,
  parsePointer,
  shorten,
  toVisible,
  type JsonObject,
  type JsonValue,
} from "../../core/index.js";
import type { Cassette, ContextExtension } from "../file/format.js";
import { namedSettings, namedTools, nameText, type Named } from "./named.js";
import { placesOf, schemaChanges, type SchemaChange } from "./schema-change.js";
import { firstDifference, type ValueChange } from "../prompt/values.js";

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

export type ContractSide = "old" | "new";

/** `not-recorded`: these sides have no record of the offer. `hashes`: they keep only its hashes. */
export type ContractComparison =
  | { state: "compared"; changes: ContractChange[] }
  | { state: "not-recorded"; sides: ContractSide[] }
  | { state: "hashes"; sides: ContractSide[]; isSame: boolean };

/** Compares the tools and settings offered to two runs. `state` is `compared`, or the reason why they cannot be compared. */
export function compareContracts(a: Cassette, b: Cassette): ContractComparison {
  const [old, now] = [contextsOf(a), contextsOf(b)];
  const silent = sidesWhere(old, now, (contexts) => contexts.length === 0);
  if (silent.length > 0) return { state: "not-recorded", sides: silent };
  const hashed = sidesWhere(old, now, (contexts) =>
    contexts.some(({ tools, settings }) => tools === undefined || settings === undefined),
  );
  if (hashed.length > 0) return { state: "hashes", sides: hashed, isSame: hashesOf(old) === hashesOf(now) };
  const changes = [
    ...toolChanges(versionsOf(old, toolsIn), versionsOf(now, toolsIn)),
    ...settingChanges(versionsOf(old, settingsIn), versionsOf(now, settingsIn)),
  ];
  return { state: "compared", changes };
}

/** Lists the changes from the tools and settings offered to `a` to those of `b`. Also empty if they cannot be compared. */
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

/** Returns the arguments that one change of a tool's definition affects. */
function placesIn({ pointer = "", ...sides }: ContractChange): string[][] {
  const inSchema = /^\/schema(?=\/|$)/.exec(pointer);
  return inSchema === null ? [] : placesOf({ ...sides, pointer: pointer.slice(inSchema[0].length), isText: false });
}

function covers(place: readonly string[], tokens: readonly string[]): boolean {
  if (place.length > tokens.length) return false;
  return place.every((token, index) => token === "*" || token === tokens[index]);
}

function contextsOf(cassette: Cassette): readonly ContextExtension[] {
  return cassette.version === 1 ? [] : (cassette.extensions?.contexts ?? []);
}

function sidesWhere<T>(old: T, now: T, holds: (side: T) => boolean): ContractSide[] {
  return [...(holds(old) ? (["old"] as const) : []), ...(holds(now) ? (["new"] as const) : [])];
}

function hashesOf(contexts: readonly ContextExtension[]): string {
  return canonicalize([...new Set(contexts.map(({ toolsHash, settingsHash }) => `${toolsHash} ${settingsHash}`))]);
}

const toolsIn = ({ tools }: ContextExtension): Named[] => namedTools(tools);
const settingsIn = ({ settings }: ContextExtension): Named[] => namedSettings(settings);

/** Lists the distinct versions of each name in the course of a run. */
function versionsOf(
  contexts: readonly ContextExtension[],
  read: (context: ContextExtension) => Named[],
): Map<string, JsonValue[]> {
  const seen = new Map<string, Map<string, JsonValue>>();
  for (const { name, value } of contexts.flatMap(read)) {
    const known = seen.get(name) ?? new Map<string, JsonValue>();
    seen.set(name, known.set(canonicalize(value), value));
  }
  return new Map([...seen].map(([name, known]) => [name, [...known.values()]]));
}

type Versions = ReadonlyMap<string, readonly JsonValue[]>;

/** Pairs the versions of every name, in sorted order. On the shorter side the last version is paired again. */
function* pairs(
  old: Versions,
  now: Versions,
): Generator<{ name: string; was: JsonValue | undefined; is: JsonValue | undefined }> {
  for (const name of [...new Set([...old.keys(), ...now.keys()])].sort()) {
    const [before, after] = [old.get(name) ?? [], now.get(name) ?? []];
    if (isSameSet(before, after)) continue;
    for (let at = 0; at < Math.max(before.length, after.length); at++) {
      yield { name, was: before[at] ?? before.at(-1), is: after[at] ?? after.at(-1) };
    }
  }
}

function isSameSet(a: readonly JsonValue[], b: readonly JsonValue[]): boolean {
  const [before, after] = [a, b].map((list) => list.map((value) => canonicalize(value)).sort());
  return canonicalize(before ?? []) === canonicalize(after ?? []);
}

function toolChanges(old: Versions, now: Versions): ContractChange[] {
  const found: ContractChange[] = [];
  for (const { name, was, is } of pairs(old, now)) {
    const tool = nameText(name);
    if (is === undefined) {
      found.push({ kind: "tool-removed", name, ...defined({ old: was }), sentence: `The tool ${tool} was removed.` });
    } else if (was === undefined) {
      found.push({ kind: "tool-added", name, new: is, sentence: `The tool ${tool} was added.` });
    } else found.push(...schemaChanges(was, is).map((change) => toolChange(name, change)));
  }
  return unique(found);
}

function toolChange(name: string, { pointer, isText, breaking, ...sides }: SchemaChange): ContractChange {
  const kind = isText ? "description-changed" : "schema-changed";
  const what = isText ? "has another description" : "has another schema";
  const effect = isText ? "" : breaking === undefined ? ", not seen to break calls" : `, breaking: ${breaking}`;
  const sentence = `The tool ${nameText(name)} ${what} at ${pointer}: ${sidesText(sides)}${effect}.`;
  return { kind, name, pointer, ...sides, sentence: toVisible(sentence) };
}

function settingChanges(old: Versions, now: Versions): ContractChange[] {
  const found: ContractChange[] = [];
  for (const { name, was, is } of pairs(old, now)) {
    const difference = firstDifference(only(name, was), only(name, is));
    if (difference === undefined) continue;
    const sides = defined({ old: was, new: is });
    const sentence = toVisible(`The setting ${nameText(name)} changed: ${sidesText(sides)}.`);
    found.push({ kind: "setting-changed", name, ...sides, sentence });
  }
  return unique(found);
}

function only(name: string, value: JsonValue | undefined): JsonObject {
  return value === undefined ? {} : { [name]: value };
}

/** Without repetitions: two versions may differ from a third in the same place. */
function unique(changes: readonly ContractChange[]): ContractChange[] {
  const seen = new Set<string>();
  return changes.filter((change) => {
    const key = canonicalize(change);
    return !seen.has(key) && seen.add(key);
  });
}

const MAX_SHOWN = 80;

function sidesText({ old, new: now }: { old?: JsonValue; new?: JsonValue }): string {
  if (old === undefined) return `${valueText(now)} is new`;
  if (now === undefined) return `${valueText(old)} is gone`;
  return `it was ${valueText(old)} and is ${valueText(now)}`;
}

function valueText(value: JsonValue | undefined): string {
  return shorten(canonicalize(value ?? null), MAX_SHOWN);
}
