import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { toVisible } from "../../../src/core/text/visible.js";
import { shellText } from "../../../src/harness/text/shell.js";

describe("a word of a printed command", () => {
  it.each([
    ["plain/path.json", "plain/path.json"],
    ["a b", "'a b'"],
    ["it's", "'it'\\''s'"],
    ["two\nlines", `"$(printf %b 'two\\0012lines')"`],
    ["a'\\\t!", `"$(printf %b 'a'\\''\\0134\\0011\\0041')"`],
    ["\u{1f600}", "'\u{1f600}'"],
    ["\u{1f600}\u0001", `"$(printf %b '\u{1f600}\\0001')"`],
    ["a\u009b\u202eb", `"$(printf %b 'a\\0302\\0233\\0342\\0200\\0256b')"`],
    // A heart whose variation selector nobody sees.
    ["\u2764\ufe0f", "'\u2764\ufe0f'"],
    ["a\ufe0f", `"$(printf %b 'a\\0357\\0270\\0217')"`],
  ])("%j is written as %s", (word, written) => {
    expect(shellText(word)).toBe(written);
  });

  const shells = ["sh", "bash", "dash"].filter((shell) => {
    try {
      return execFileSync(shell, ["-c", "echo x"], { encoding: "utf8" }) === "x\n";
    } catch {
      return false;
    }
  });
  it.skipIf(process.platform === "win32")("is read by every shell as it was, also as an error shows it", () => {
    expect(shells).toContain("sh");
    const words = [
      "a b",
      "it's",
      "two\nlines",
      "a'\\\t\u0001\u007f$(x)`y`",
      "\\0101\u0001\\n%s%d\u0001",
      '\u{1f600}\n"',
      "\u009b31m\u202e\u2028",
      "\u2764\ufe0f \u3164\u2800",
      "\u{1f468}\u200d\u{1f469}",
      "~ # ! * ? [a] {b,c} | & ; < > ( )",
      "",
      "-n",
      "-e \u0001",
    ];
    for (const shell of shells) {
      for (const word of words) {
        const written = shellText(word);
        expect(toVisible(written)).toBe(written);
        const read = execFileSync(shell, ["-c", `printf '<%s>' ${written}`], { encoding: "utf8" });
        expect(read, `${word} in ${shell}`).toBe(`<${word}>`);
      }
    }
  });
});
