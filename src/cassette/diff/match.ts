// Pairs the items of two runs: in order by the edit script, then by what `refine` makes of it. The script is always sought
// from the same side, whichever is called the old one, so that comparing the other way round gives the mirror image.

import { align, type Keyed } from "./align.js";

/** Something a run did, in a turn. One object belongs to one side alone. */
export interface Item extends Keyed {
  turn: number;
}

export type Match<T> =
  | { kind: "same"; old: T; new: T }
  | { kind: "changed"; old: T; new: T }
  | { kind: "moved"; old: T; new: T }
  | { kind: "removed"; old: T }
  | { kind: "added"; new: T };

/** All items of both sides, each in one match, in the order of the new run with what was removed at its old place. */
export function matchItems<T extends Item>(
  old: readonly T[],
  now: readonly T[],
  refine: (script: Match<T>[]) => Match<T>[] = (script) => script,
): Match<T>[] {
  const swapped = comesAfter(old, now);
  const script = swapped ? scriptOf(now, old) : scriptOf(old, now);
  const place = placesOf(script);
  const matches = refine(script);
  return (swapped ? matches.map(mirror) : matches).sort((x, y) => placeIn(place, x) - placeIn(place, y));
}

/** The side that is aligned as the old one: the longer, else the one whose first differing key is smaller. */
function comesAfter(a: readonly Item[], b: readonly Item[]): boolean {
  if (a.length !== b.length) return a.length < b.length;
  const index = a.findIndex((item, position) => item.key !== b[position]?.key);
  return index >= 0 && (a[index]?.key ?? "") > (b[index]?.key ?? "");
}

function scriptOf<T extends Item>(old: readonly T[], now: readonly T[]): Match<T>[] {
  return align(old, now).edits.map((edit): Match<T> => {
    switch (edit.kind) {
      case "keep":
        return { kind: "same", old: old[edit.old] as T, new: now[edit.new] as T };
      case "change":
        return { kind: "changed", old: old[edit.old] as T, new: now[edit.new] as T };
      case "remove":
        return { kind: "removed", old: old[edit.old] as T };
      case "add":
        return { kind: "added", new: now[edit.new] as T };
    }
  });
}

function mirror<T>(match: Match<T>): Match<T> {
  switch (match.kind) {
    case "same":
    case "changed":
    case "moved":
      return { kind: match.kind, old: match.new, new: match.old };
    case "removed":
      return { kind: "added", new: match.old };
    case "added":
      return { kind: "removed", old: match.new };
  }
}

function placesOf<T>(script: readonly Match<T>[]): Map<T, number> {
  const places = new Map<T, number>();
  script.forEach((match, index) => {
    if ("old" in match) places.set(match.old, index);
    if ("new" in match) places.set(match.new, index);
  });
  return places;
}

function placeIn<T>(places: ReadonlyMap<T, number>, match: Match<T>): number {
  return places.get("new" in match ? match.new : match.old) ?? 0;
}
