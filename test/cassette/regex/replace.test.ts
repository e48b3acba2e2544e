import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compilePattern } from "../../../src/cassette/regex/compile.js";

function replace(pattern: string, text: string, by = "#"): string {
  const compiled = compilePattern(pattern);
  if (compiled.kind === "refused") throw new Error(`${pattern}: ${compiled.reason}`);
  return compiled.replace(text, by);
}

describe("replacing by a bounded pattern", () => {
  it.each([
    ["build \\d+", "build 12, build 345", "#, #"],
    ["a|ab|abc", "abcd ab a", "#d # #"],
    ["^a", "aa", "#a"],
    ["a$", "aa", "a#"],
    ["a*", "baab", "b#b"],
    ["\\p{L}+", "für 12 😀", "# 12 😀"],
    ["x", "", ""],
    ["bc|abcd", "abce abcd", "a#e #"],
  ])("%s in %j", (pattern, text, expected) => {
    expect(replace(pattern, text)).toBe(expected);
  });

  it("takes the replacement as it is", () => {
    expect(replace("(a)", "a", "$1 $&")).toBe("$1 $&");
  });

  it("agrees with RegExp where no alternative is longer than an earlier one", () => {
    const piece = fc.constantFrom("a", "b", "[ab]", "a+", "b*", "a{2}", "(?:ab)?", ".", "c");
    const pattern = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(""));
    const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 12 });
    fc.assert(
      fc.property(pattern, text, (source, within) => {
        const greedy = within.replace(new RegExp(source, "gu"), (found) => (found === "" ? "" : "#"));
        // A greedy match is not always the longest.
        const isLongest = ["(?:ab)?", "b*", "a+"].every((loop) => source.indexOf(loop) === source.lastIndexOf(loop));
        if (isLongest && !source.includes("?") && !source.includes("*")) expect(replace(source, within)).toBe(greedy);
      }),
    );
  });

  it("ends where RegExp would not", () => {
    expect(replace("(?:a*)*b", "a".repeat(3_000))).toBe("a".repeat(3_000));
    expect(replace("(?:a|a)*c|a.{1900}b", "a".repeat(20_000)).length).toBeGreaterThan(0);
  });
});
