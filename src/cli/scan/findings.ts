// Finds every secret of one file. A finding has the place and the rule, and never the secret.

import { replaceSecrets, type Finder } from "../../cassette/index.js";
import { defined, toPointer } from "../../core/index.js";
import { createOffsets, leavesOf } from "./leaves.js";

/** A place that looks like a secret. Lines and columns count from 1, columns in UTF-16 units. */
export interface Finding {
  line: number;
  column: number;
  rule: string;
  /** JSON pointer, if the file or the line is JSON. Secrets in keys are masked. */
  pointer?: string;
}

/** Reads the whole text as JSON, else line by line, because logs often have a JSON document on each line. */
export function findingsIn(text: string, find: Finder): Finding[] {
  return toFindings(text, inJson(text, 0, find) ?? inLines(text, find));
}

interface Place {
  offset: number;
  rule: string;
  pointer?: string;
}

function inJson(text: string, base: number, find: Finder): Place[] | undefined {
  const leaves = leavesOf(text);
  if (leaves === undefined) return undefined;
  const places: Place[] = [];
  for (const leaf of leaves) {
    const found = find(leaf.value);
    if (found.length === 0) continue;
    const pointer = toPointer(leaf.path.map((key) => (typeof key === "string" ? mask(key, find) : key)));
    const offsetOf = createOffsets(text, leaf);
    for (const { start, rule } of found) places.push({ offset: base + offsetOf(start), rule, pointer });
  }
  return places;
}

/** A secret may span several lines, so all lines that are not JSON are searched together. */
function inLines(text: string, find: Finder): Place[] {
  const places: Place[] = [];
  let plain = "";
  let base = 0;
  for (const line of text.split(/(?<=\n)/)) {
    const found = inJson(line, base, find);
    plain += found === undefined ? line : line.replace(/[^\n]/g, " ");
    if (found !== undefined) for (const place of found) places.push(place);
    base += line.length;
  }
  for (const { start, rule } of find(plain)) places.push({ offset: start, rule });
  return places;
}

function toFindings(text: string, places: readonly Place[]): Finding[] {
  let line = 1;
  let begin = 0;
  return [...places]
    .sort((a, b) => a.offset - b.offset)
    .map(({ offset, rule, pointer }) => {
      for (let end = text.indexOf("\n", begin); end >= 0 && end < offset; end = text.indexOf("\n", begin)) {
        line++;
        begin = end + 1;
      }
      return { line, column: offset - begin + 1, rule, ...defined({ pointer }) };
    });
}

/** The text with `<rule>` in place of anything that looks like a secret. */
export function mask(text: string, find: Finder): string {
  return replaceSecrets(text, find(text), (rule) => `<${rule}>`);
}
