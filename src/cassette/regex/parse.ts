// The tree of a pattern. RegExp parses it first, so that the pattern read here is well-formed.

export type PatternNode =
  | { readonly kind: "atom"; readonly fits: (character: string) => boolean }
  | { readonly kind: "start" }
  | { readonly kind: "end" }
  | { readonly kind: "all" | "any"; readonly nodes: readonly PatternNode[] }
  | { readonly kind: "repeat"; readonly node: PatternNode; readonly min: number; readonly max: number };

export type ParsedPattern =
  { readonly kind: "parsed"; readonly node: PatternNode } | { readonly kind: "refused"; readonly reason: string };

/** One token: a class, an escape, the head of a group, a quantifier, or a character. */
const TOKEN =
  /\[\^?(?:\\[^]|[^\]\\])*\]|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\u\{[0-9a-fA-F]+\}|\\x[0-9a-fA-F]{2}|\\c[A-Za-z]|\\[pP]\{[^}]*\}|\\[^]|\(\?:|\(\?[^]?|(?:[*+?]|\{\d+(?:,\d*)?\})\??|[^]/gu;

const QUANTIFIER = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??$/;
const BEYOND: readonly (readonly [RegExp, string])[] = [
  [/^\\[1-9k]/, "a back reference"],
  [/^\\[bB]$/, "a word boundary"],
  [/^\(\?(?!:)/, "a look-around, a group name or a flag"],
];

export function parsePattern(pattern: string): ParsedPattern {
  try {
    new RegExp(pattern, "u");
  } catch (error) {
    return { kind: "refused", reason: (error as Error).message };
  }
  const tokens = pattern.match(TOKEN) ?? [];
  for (const token of tokens) {
    const found = BEYOND.find(([form]) => form.test(token));
    if (found !== undefined)
      return { kind: "refused", reason: `it has ${found[1]} (${token}), which cannot be matched in bounded time` };
  }
  return { kind: "parsed", node: readChoices(tokens[Symbol.iterator]()) };
}

/** Up to the end of the group, or of the pattern. */
function readChoices(tokens: Iterator<string>): PatternNode {
  const choices: PatternNode[][] = [[]];
  for (let next = tokens.next(); next.done !== true && next.value !== ")"; next = tokens.next()) {
    const nodes = choices.at(-1) ?? [];
    const token = next.value;
    const last = nodes.at(-1);
    const times = last === undefined ? undefined : readTimes(token);
    if (token === "|") choices.push([]);
    else if (last !== undefined && times !== undefined)
      nodes[nodes.length - 1] = { kind: "repeat", node: last, ...times };
    else nodes.push(readNode(token, tokens));
  }
  const nodes = choices.map((choice): PatternNode => ({ kind: "all", nodes: choice }));
  return nodes.length === 1 && nodes[0] !== undefined ? nodes[0] : { kind: "any", nodes };
}

function readTimes(token: string): { min: number; max: number } | undefined {
  const found = QUANTIFIER.exec(token);
  if (found === null) return undefined;
  const [, sign, count = "0", comma, most = ""] = found;
  if (sign !== undefined) return { min: sign === "+" ? 1 : 0, max: sign === "?" ? 1 : Infinity };
  const min = Number(count);
  return { min, max: comma === "" ? min : most === "" ? Infinity : Number(most) };
}

function readNode(token: string, tokens: Iterator<string>): PatternNode {
  if (token === "(" || token === "(?:") return readChoices(tokens);
  if (token === "^") return { kind: "start" };
  if (token === "$") return { kind: "end" };
  if (token !== "." && !/^[\\[]/.test(token)) return { kind: "atom", fits: (character) => character === token };
  const one = new RegExp(`^${token}$`, "u");
  return { kind: "atom", fits: (character) => one.test(character) };
}
