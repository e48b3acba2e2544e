// The middle level: replaces, inserts, removes, doubles, swaps and respells JSON tokens, so that most results are JSON
// or nearly JSON. A spelling with the same value must be read as that value.

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:]|\s+/g;
const AWKWARD = [
  "null",
  "true",
  "{}",
  "[]",
  '""',
  "0",
  "-0",
  "1e400",
  "1e-400",
  "9007199254740993",
  "-1",
  "1.0",
  "0.1e1",
  "01",
  "+1",
  "NaN",
  "Infinity",
  '"__proto__"',
  '"constructor"',
  '"\\ud800"',
  '"\\u0000"',
  '"prototype":1,',
  '"__proto__":{"version":2},',
  '"toJSON":null,',
  '"version":2,',
  "// comment\n",
  "/* */",
  "'",
  ",",
  "[".repeat(200),
  "[".repeat(130) + "]".repeat(130),
  '{"a":'.repeat(129),
];

const WAYS = {
  replace: (tokens, at, random, others) => tokens.splice(at, 1, random.pick(others)),
  awkward: (tokens, at, random) => tokens.splice(at, random.below(2), random.pick(AWKWARD)),
  insert: (tokens, at, random, others) => tokens.splice(at, 0, random.pick(others)),
  drop: (tokens, at, random) => tokens.splice(at, 1 + random.below(3)),
  double: (tokens, at) => tokens.splice(at, 0, tokens[at] ?? ""),
  swap: (tokens, at, random) => {
    const other = random.below(tokens.length);
    [tokens[at], tokens[other]] = [tokens[other] ?? "", tokens[at] ?? ""];
  },
  respell: (tokens, at, random) => (tokens[at] = respell(tokens[at] ?? "", random)),
  space: (tokens, at, random) => tokens.splice(at, 0, random.pick([" ", "\t", "\r\n", "\u00a0", "\ufeff", "\v"])),
};

/** Makes one or a few changes. `other` is another text to take tokens from. */
export function mutateTokens(text, random, other) {
  const tokens = text.match(TOKEN) ?? [];
  const others = other.match(TOKEN) ?? [""];
  const done = [];
  for (let left = 1 + (random.chance(0.3) ? random.below(4) : 0); left > 0; left--) {
    const way = random.pick(Object.keys(WAYS));
    WAYS[way](tokens, random.below(tokens.length), random, others);
    done.push(way);
  }
  return { bytes: new TextEncoder().encode(tokens.join("")), what: done.join("+") };
}

/** The same value in other characters: an escape in a string, zeros and powers of ten in a number. */
function respell(token, random) {
  if (token.startsWith('"') && token.length > 2) {
    const at = 1 + random.below(token.length - 2);
    const unit = token.charCodeAt(at);
    const isPlain = token[at] !== "\\" && !/\\u?[0-9a-fA-F]{0,3}$/.test(token.slice(0, at));
    return isPlain ? `${token.slice(0, at)}\\u${unit.toString(16).padStart(4, "0")}${token.slice(at + 1)}` : token;
  }
  if (/^-?\d+$/.test(token)) return random.pick([`${token}.0`, `${token}e0`, `${token}0e-1`, `${token}.000E+0`]);
  return /^-?\d+\.\d+$/.test(token) ? random.pick([`${token}0`, `${token}e0`]) : token;
}
