// Finds the lines of a cassette file where its turns begin.

import { endOfString } from "../../core/index.js";

/** The line of each entry, counted from 1. Empty if the text is not a cassette. */
export function turnLines(text: string): number[] {
  const lines: number[] = [];
  let [line, depth, key, isEntries] = [1, 0, "", false];
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case "\n":
        line++;
        break;
      case '"': {
        const end = endOfString(text, at + 1);
        if (depth === 1) key = text.slice(at + 1, end);
        at = end;
        break;
      }
      case ",":
        if (depth === 1) key = "";
        break;
      case "{":
      case "[":
        if (depth === 1) isEntries = key === "entries" && text[at] === "[";
        if (depth === 2 && isEntries) lines.push(line);
        depth++;
        break;
      case "}":
      case "]":
        depth--;
        break;
      default:
    }
  }
  return lines;
}
