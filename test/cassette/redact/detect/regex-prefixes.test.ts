import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createPrefixTest, literalPrefixes } from "../../../../src/cassette/redact/detect/regex-prefixes.js";
import { KNOWN_RULES } from "../../../../src/cassette/redact/detect/secret-rules.js";

describe("literalPrefixes", () => {
  it.each([
    ["sk-ant-", ["sk-a"]],
    ["gh[pou]_|github_pat_", ["ghp_", "gho_", "ghu_", "gith"]],
    ["gl(?:pat|dt)-", ["glpa", "gldt"]],
    ["[Ss](?:ecret|ECRET)_?x", ["Secr", "SECR", "secr", "sECR"]],
    ["hooks\\.slack", ["hook"]],
    ["a\\.b\\/c", ["a.b/"]],
    ["[0-2]Q~", ["0Q~", "1Q~", "2Q~"]],
    ["ab?cd", ["abcd", "acd"]],
    ["abc+d", ["abc"]],
    ["abcd{2,3}", ["abcd"]],
    ["abcd*", ["abc"]],
    ["abcd{0,3}?e", ["abc"]],
    ["abc??d", ["abcd", "abd"]],
    ["SK(?=[01]{32})", ["SK0", "SK1"]],
    ["sk-(?!ant-)", ["sk-"]],
    ["(?<!x)abc", ["abc"]],
    ["abc\\s", ["abc"]],
    ["abc.d", ["abc"]],
    ["x(?:ab|c)?de", ["xabd", "xcde", "xde"]],
    ["[^-]abc|", undefined],
    ["ab", undefined],
    ["[0-9]{8,10}:AA", undefined],
    ["[A-Z]abc", undefined],
    ["\\d\\d\\dabc", undefined],
    ["a{2}?bc", undefined],
    ["(?<secret>abc)", undefined],
    ["abc)", undefined],
    ["abcd{x|def", undefined],
    ["abcd{2", undefined],
    ["abcd{,2}", undefined],
    ["[😀a]bcd", undefined],
    ["(?:abc", undefined],
    ["[abc", undefined],
    ["", undefined],
    [
      "[ab][ab][ab][ab][ab][ab][ab]",
      ["aaaa", "aaab", "aaba", "aabb", "abaa", "abab", "abba", "abbb"].concat([
        "baaa",
        "baab",
        "baba",
        "babb",
        "bbaa",
        "bbab",
        "bbba",
        "bbbb",
      ]),
    ],
    ["[a-d][a-d][a-d][a-d]", undefined],
  ])("of %s", (source, prefixes) => {
    expect(literalPrefixes(source)).toEqual(prefixes);
  });

  it("are what every match of a rule begins with", () => {
    const known = KNOWN_RULES.flatMap(({ id, near }) => {
      const prefixes = literalPrefixes(near);
      return prefixes === undefined ? [] : [{ id, near, prefixes }];
    });
    // Of most rules they can be told, or nothing is gained.
    expect(known.length).toBeGreaterThan(KNOWN_RULES.length - 6);
    const matched = fc
      .constantFrom(...known)
      .chain(({ near, prefixes }) => fc.record({ text: matching(near), prefixes: fc.constant(prefixes) }));
    fc.assert(
      fc.property(fc.string(), matched, fc.string({ unit: "binary" }), (before, { text, prefixes }, after) => {
        expect(createPrefixTest(prefixes)(before + text + after)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

const NOT_AROUND = /\(\?<?!/;

/** Texts that match, but for what must not stand around them; what must follow is a part of them here. */
function matching(near: string): fc.Arbitrary<string> {
  let alone = near.replaceAll("(?=", "(?:");
  for (let at = alone.search(NOT_AROUND); at >= 0; at = alone.search(NOT_AROUND)) {
    let [end, depth] = [at, 0];
    do depth += { "(": 1, ")": -1 }[alone.charAt(end++)] ?? 0;
    while (depth > 0);
    alone = alone.slice(0, at) + alone.slice(end);
  }
  return fc.stringMatching(new RegExp(`^(?:${alone})$`));
}

describe("createPrefixTest", () => {
  it("finds them where String.includes does", () => {
    const letter = fc.constantFrom("a", "b", "c", "A", "á", "\u0161", "\u{1f600}");
    const text = fc.array(letter, { maxLength: 30 }).map((letters) => letters.join(""));
    const prefix = fc.array(letter, { minLength: 3, maxLength: 4 }).map((letters) => letters.join(""));
    fc.assert(
      fc.property(fc.array(prefix, { maxLength: 6 }), text, (prefixes, given) => {
        expect(createPrefixTest(prefixes)(given)).toBe(prefixes.some((one) => given.includes(one)));
      }),
      { numRuns: 2_000 },
    );
  });
});
