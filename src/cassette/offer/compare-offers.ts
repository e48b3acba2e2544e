// The comparison of two offers, by the names of their tools and settings, and the words for a change.

import {
  canonicalize,
  defined,
  parsePointer,
  shorten,
  toPointer,
  toVisible,
  type JsonObject,
  type JsonValue,
} from "../../core/index.js";
import { firstDifference, type ValueChange } from "../prompt/json-difference.js";
import { namedSettings, namedTools, nameText, type Named } from "./named.js";
import { schemaChanges, type SchemaChange } from "./schema-change.js";

export interface Offer {
  tools?: JsonObject[];
  settings?: JsonObject;
}

interface Change<Kind extends string> {
  kind: Kind;
  /** The name of the tool or setting. */
  name: string;
  /** Leads into the tools or the settings of the new offer, or of the old one for something that was removed. */
  path: readonly (string | number)[];
  old?: JsonValue;
  new?: JsonValue;
}

/** One change. Without `old` the value was added, without `new` it was removed. */
export type OfferChange =
  | Change<"tool-added" | "tool-removed" | "setting-changed">
  /** The lists have the same tools. `name`, `old` and `new` are of the first place that differs. */
  | Change<"tools-reordered">
  /** The pointer leads into the definition of the tool. */
  | (Change<SchemaChange["kind"]> & Pick<SchemaChange, "pointer" | "breaking">);

/**
 * Every change, tools first, by name. A side is every offer of a run in order: where a run had several definitions for one name,
 * they are compared in order, and the last one of the shorter side is compared again.
 */
export function compareOffers(old: readonly Offer[], now: readonly Offer[]): OfferChange[] {
  const [before, after] = [old, now].map((side) => side.flatMap(({ tools }) => namedTools(tools))) as [
    Named[],
    Named[],
  ];
  const tools = pairVersions(before, after).flatMap(toolChanges);
  const [were, are] = [old, now].map((side) => side.flatMap(({ settings }) => namedSettings(settings)));
  const settings = pairVersions(were ?? [], are ?? []).map(settingChange);
  return [...(tools.length === 0 ? orderChange(before, after) : tools), ...settings];
}

/** Two versions that differ. At least one is there. */
interface Pair {
  name: string;
  was: Named | undefined;
  is: Named | undefined;
}

function pairVersions(old: readonly Named[], now: readonly Named[]): Pair[] {
  const [before, after] = [versionsOf(old), versionsOf(now)];
  return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((name) => {
    const [were, are] = [before.get(name) ?? [], after.get(name) ?? []];
    if (isSameSet(were, are)) return [];
    const pairs = Array.from({ length: Math.max(were.length, are.length) }, (_, at): Pair => {
      return { name, was: were[at] ?? were.at(-1), is: are[at] ?? are.at(-1) };
    });
    return pairs.filter(({ was, is }) => firstDifference(was?.value, is?.value) !== undefined);
  });
}

/** Each version that a name stood for, once. */
function versionsOf(all: readonly Named[]): Map<string, Named[]> {
  const versions = new Map<string, Map<string, Named>>();
  for (const named of all) {
    const known = versions.get(named.name) ?? new Map<string, Named>();
    const text = canonicalize(named.value);
    if (!known.has(text)) versions.set(named.name, known.set(text, named));
  }
  return new Map([...versions].map(([name, known]) => [name, [...known.values()]]));
}

function isSameSet(old: readonly Named[], now: readonly Named[]): boolean {
  const [before, after] = [old, now].map((side) => side.map(({ value }) => canonicalize(value)).sort());
  return canonicalize(before ?? []) === canonicalize(after ?? []);
}

function toolChanges({ name, was, is }: Pair): OfferChange[] {
  if (was !== undefined && is !== undefined) {
    return schemaChanges(was.value, is.value).map((change) => ({ ...change, name, path: is.path }));
  }
  return [{ ...toSides(name, was, is), kind: was === undefined ? "tool-added" : "tool-removed" }];
}

function settingChange({ name, was, is }: Pair): OfferChange {
  return { ...toSides(name, was, is), kind: "setting-changed" };
}

function toSides(name: string, was: Named | undefined, is: Named | undefined): Omit<OfferChange, "kind" | "pointer"> {
  return { name, path: (is ?? was)?.path ?? [], ...defined({ old: was?.value, new: is?.value }) };
}

function orderChange(old: readonly Named[], now: readonly Named[]): OfferChange[] {
  const at = isSameSet(old, now) ? now.findIndex(({ name }, index) => old[index]?.name !== name) : -1;
  const [was, is] = [old[at], now[at]];
  if (was === undefined || is === undefined) return [];
  return [{ kind: "tools-reordered", name: is.name, path: [...is.path, "name"], old: was.name, new: is.name }];
}

/** The first place that differs. The pointer leads into the tools or the settings, like `path`. */
export function placeOf(change: OfferChange): ValueChange {
  const inside = "pointer" in change ? change.pointer : "";
  const first = firstDifference(change.old, change.new);
  return { ...first, pointer: toPointer(change.path) + inside + (first?.pointer ?? "") };
}

/** The change in a few words, without values, such as `the schema of tool weather changed at /properties/city/type`. */
export function changeText(change: OfferChange): string {
  const name = nameText(change.name);
  switch (change.kind) {
    case "tools-reordered":
      return "the tools are in a different order";
    case "tool-added":
    case "tool-removed":
      return toVisible(`tool ${name} ${verbText(change, "")}`);
    case "setting-changed": {
      const [, field] = change.path;
      const subject = field === undefined ? `the setting ${name}` : `the request field ${nameText(String(field))}`;
      return toVisible(`${subject} ${verbText(change, firstDifference(change.old, change.new)?.pointer ?? "")}`);
    }
    default: {
      const [field = "definition", ...inside] = parsePointer(change.pointer) ?? [];
      const part = ["definition", "description", "schema"].includes(field) ? field : `field ${nameText(field)}`;
      return toVisible(`the ${part} of tool ${name} ${verbText(change, toPointer(inside))}`);
    }
  }
}

function verbText({ kind, old, new: now }: OfferChange, inside: string): string {
  if (old === undefined) return inside === "" ? "was added" : `now has ${inside}`;
  if (now === undefined) return inside === "" ? "was removed" : `no longer has ${inside}`;
  const verb = kind === "schema-rewritten" ? "has the same meaning but is written differently" : "changed";
  return inside === "" ? verb : `${verb} at ${inside}`;
}

/** The change as a sentence with its values. For a changed schema it says whether calls that were valid may be invalid now. */
export function changeSentence(change: OfferChange): string {
  const text = changeText(change);
  const values = change.kind === "tool-added" || change.kind === "tool-removed" ? "" : `: ${valuesText(change)}`;
  return toVisible(`${text.charAt(0).toUpperCase()}${text.slice(1)}${values}${effectText(change)}.`);
}

function effectText(change: OfferChange): string {
  if (change.kind !== "schema-changed") return "";
  return change.breaking === undefined ? ", not seen to break calls" : `, breaking: ${change.breaking}`;
}

const SHOWN_CHARACTERS = 80;

function valuesText({ old, new: now }: OfferChange): string {
  const [was, is] = [old, now].map((value) => shorten(canonicalize(value ?? null), SHOWN_CHARACTERS)) as [
    string,
    string,
  ];
  if (old === undefined) return `it is ${is}`;
  return now === undefined ? `it was ${was}` : `it was ${was} and is ${is}`;
}
