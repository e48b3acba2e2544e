import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { quote } from "../../src/cli/shell.js";

describe("a word of a printed command", () => {
  it.each([
    ["plain/path.json", "plain/path.json"],
    ["a b", "'a b'"],
    ["it's", "'it'\\''s'"],
    ["two\nlines", "$'two\\nlines'"],
    ["a'\\\t", "$'a\\'\\\\\\011'"],
    ["\u{1f600}\n", "$'\u{1f600}\\n'"],
    ["a\u009b\u202eb", "$'a\\302\\233\\342\\200\\256b'"],
  ])("%j is written as %s", (word, written) => {
    expect(quote(word)).toBe(written);
  });

  it.skipIf(process.platform === "win32")("is read by bash as it was", () => {
    for (const word of [
      "a b",
      "it's",
      "two\nlines",
      "a'\\\t\u0001\u007f$(x)`y`",
      '\u{1f600}\n"',
      "\u009b31m\u202e\u2028",
      "",
      "-n",
    ]) {
      const read = execFileSync("bash", ["-c", `printf %s ${quote(word)}`], { encoding: "utf8" });
      expect(read, word).toBe(word === "-n" ? "-n" : word);
    }
  });
});
