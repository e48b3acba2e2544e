// Differences in the assistant's texts, which are aligned like the calls but apart from them.

import { toPointer } from "../../core/index.js";
import type { Cassette } from "../file/format.js";
import type { DriftFact } from "./drift.js";
import { matchItems } from "./align/match.js";
import type { Item, ItemSet } from "./align/sets.js";

/** The differences in the order of the new run. */
export function contentFacts(a: Cassette, b: Cassette): DriftFact[] {
  return matchItems(textsOf(a), textsOf(b)).matches.flatMap((match): DriftFact[] => {
    switch (match.kind) {
      case "same":
      case "moved":
        return [];
      case "added":
        return [{ kind: "content-added", ...newPlace(match.new), new: match.new.key }];
      case "removed":
        return [{ kind: "content-removed", ...oldPlace(match.old), old: match.old.key }];
      case "changed": {
        const { old, new: now } = match;
        return [{ kind: "content-changed", ...oldPlace(old), ...newPlace(now), old: old.key, new: now.key }];
      }
    }
  });
}

/** The turns with text. The text is the key; without a name, any text may have changed into any other. */
function textsOf(cassette: Cassette): ItemSet[] {
  return cassette.entries
    .filter((entry) => entry.response.message.content !== "")
    .map((entry) => [{ turn: entry.turnIndex, key: entry.response.message.content, name: "" }]);
}

function oldPlace({ turn }: Item) {
  return { oldTurn: turn, oldPointer: pointerTo(turn) };
}

function newPlace({ turn }: Item) {
  return { newTurn: turn, newPointer: pointerTo(turn) };
}

function pointerTo(turn: number): string {
  return toPointer(["entries", turn, "response", "message", "content"]);
}
