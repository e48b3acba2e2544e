// The texts of a JSON document with their places, because secrets are searched in the decoded text, not in its JSON spelling.

import { parseBoundedJson } from "../../core/index.js";

/** A text, a key or a number of the document. */
interface Leaf {
  readonly value: string;
  readonly path: readonly (string | number)[];
  /** The offset of its first character. */
  readonly start: number;
}

interface Level {
  isList: boolean;
  key: string | number;
  /** The next string is a key. */
  isKey: boolean;
}

/** Undefined for anything but a JSON object or list, and for one that is nested too deep, which is searched as text. */
export function leavesOf(text: string): Iterable<Leaf> | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    parseBoundedJson(text);
  } catch {
    return undefined;
  }
  return walk(text);
}

/** Without a sign, which no secret has. */
const NUMBER = /[0-9][0-9.eE+-]*/y;

/** Yields one at a time, because a document may have millions. */
function* walk(text: string): Generator<Leaf> {
  const levels: Level[] = [];
  for (let at = 0; at < text.length; at++) {
    const level = levels.at(-1);
    switch (text.charAt(at)) {
      case "{":
        levels.push({ isList: false, key: "", isKey: true });
        break;
      case "[":
        levels.push({ isList: true, key: 0, isKey: false });
        break;
      case "}":
      case "]":
        levels.pop();
        break;
      case ",":
        if (level?.isList === true) level.key = Number(level.key) + 1;
        else if (level !== undefined) level.isKey = true;
        break;
      case '"': {
        const end = endOfString(text, at);
        const value = JSON.parse(text.slice(at, end)) as string;
        if (level?.isKey === true) Object.assign(level, { key: value, isKey: false });
        yield { value, path: levels.map(({ key }) => key), start: at + 1 };
        at = end - 1;
        break;
      }
      default: {
        NUMBER.lastIndex = at;
        if (!NUMBER.test(text)) break;
        const end = NUMBER.lastIndex;
        yield { value: text.slice(at, end), path: levels.map(({ key }) => key), start: at };
        at = end - 1;
      }
    }
  }
}

/** The offset after the closing quote. */
function endOfString(text: string, start: number): number {
  let end = start + 1;
  while (text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
  return end + 1;
}

/** Maps characters of a leaf's value to offsets in the document. Call it in ascending order, because it passes each character once. */
export function createOffsets(text: string, { start }: Leaf): (at: number) => number {
  let [index, offset] = [0, start];
  return (at) => {
    for (; index < at; index++) {
      if (text[offset] !== "\\") offset++;
      else offset += text[offset + 1] === "u" ? 6 : 2;
    }
    return offset;
  };
}
