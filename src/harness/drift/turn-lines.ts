// Finds the lines of a cassette file where its turns begin.

import { findNodeAtLocation, parseTree } from "jsonc-parser";

/** The line of each entry, counted from 1. Empty if the text is not a cassette. */
export function turnLines(text: string): number[] {
  const root = parseTree(text);
  const entries = root === undefined ? undefined : findNodeAtLocation(root, ["entries"]);
  let [line, read] = [1, 0];
  return (entries?.children ?? []).map(({ offset }) => {
    for (; read < offset; read++) if (text.charCodeAt(read) === 10) line++;
    return line;
  });
}
