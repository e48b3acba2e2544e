// The texts of a JSON document with their places: a secret is looked for in what a text says, not in how JSON spells it.

/** A text, a key or a number of the document. */
export interface Leaf {
  readonly value: string;
  readonly path: readonly (string | number)[];
  /** Where its first character stands in the document. */
  readonly start: number;
}

interface Level {
  isList: boolean;
  key: string | number;
  /** The next string is a key. */
  isKey: boolean;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[0-9][0-9.eE+-]*/g;

/** Undefined for a text that is no JSON object or list. */
export function leavesOf(text: string): Leaf[] | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const leaves: Leaf[] = [];
  const levels: Level[] = [];
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const level = levels.at(-1);
    if (token === "{") levels.push({ isList: false, key: "", isKey: true });
    else if (token === "[") levels.push({ isList: true, key: 0, isKey: false });
    else if (token === "}" || token === "]") levels.pop();
    else if (token === ",") {
      if (level?.isList === true) level.key = Number(level.key) + 1;
      else if (level !== undefined) level.isKey = true;
    } else if (/^[0-9]/.test(token)) {
      leaves.push({ value: token, path: levels.map(({ key }) => key), start: index });
    } else if (token !== ":") {
      const value = JSON.parse(token) as string;
      if (level?.isKey === true) Object.assign(level, { key: value, isKey: false });
      leaves.push({ value, path: levels.map(({ key }) => key), start: index + 1 });
    }
  }
  return leaves;
}

/** Where the character `at` of a leaf's value stands in the document. */
export function offsetIn(text: string, { start }: Leaf, at: number): number {
  let offset = start;
  for (let index = 0; index < at; index++) {
    if (text[offset] !== "\\") offset++;
    else offset += text[offset + 1] === "u" ? 6 : 2;
  }
  return offset;
}
