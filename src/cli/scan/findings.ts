// Every secret of one file with its place. What was found is never given on: only where, and by which rule.

import { replaceSecrets, type Finder } from "../../cassette/index.js";
import { defined, toPointer } from "../../core/index.js";
import { createOffsets, leavesOf } from "./leaves.js";

/** A place that looks like a secret. Lines and columns count from 1, columns in UTF-16 units. */
export interface Finding {
  line: number;
  column: number;
  rule: string;
  /** JSON pointer, where the file is JSON or a line of it is; a key that holds a secret is masked. */
  pointer?: string;
}

/** Looks at the whole as JSON, else line by line, since logs are often a JSON document a line. */
export function findingsIn(text: string, find: Finder): Finding[] {
  const whole = inJson(text, 0, find);
  const found = whole ?? inLines(text, find);
  return toFindings(text, found);
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

/** A secret may go over several lines, so what is no JSON is looked at as a whole. */
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

/** The text without what looks like a secret in it. */
export function mask(text: string, find: Finder): string {
  return replaceSecrets(text, find(text), (rule) => `<${rule}>`);
}
