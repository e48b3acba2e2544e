import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toVisible, toVisibleJson, toVisibleLines } from "../../../src/core/text/visible.js";

describe("toVisible", () => {
  it.each([
    ["\u001b[31mred\u001b[0m", "\\u001b[31mred\\u001b[0m"],
    ["\u009b2J", "\\u009b2J"],
    ["a\r\nb\tc", "a\\r\\nb\\tc"],
    ["user\u202egnp.exe", "user\\u202egnp.exe"],
    ["zero\u200bwidth", "zero\\u200bwidth"],
    ["tag\u{e0041}", "tag\\u{e0041}"],
    ["half\ud800", "half\\ud800"],
    ["Größe € 😀 漢字", "Größe € 😀 漢字"],
  ])("writes %j so that it can be seen", (text, seen) => {
    expect(toVisible(text)).toBe(seen);
  });

  it.each([
    ["soft\u00adhyphen", "soft\\u00adhyphen"],
    ["joined\u034fup", "joined\\u034fup"],
    ["hangul\u3164filler\uffa0", "hangul\\u3164filler\\uffa0"],
    ["variation\u{e0100}", "variation\\u{e0100}"],
    ["braille\u2800blank", "braille\\u2800blank"],
    ["letter a\ufe0f", "letter a\\ufe0f"],
    ["twice \u2764\ufe0f\ufe0f", "twice \u2764\ufe0f\\ufe0f"],
    ["first \ufe0f", "first \\ufe0f"],
    ["digit 1\ufe0f and 1\ufe0e\u20e3", "digit 1\\ufe0f and 1\\ufe0e\u20e3"],
    ["joined to nothing \u{1f469}\u200d", "joined to nothing \u{1f469}\\u200d"],
    ["joined to text \u{1f469}\u200da", "joined to text \u{1f469}\\u200da"],
    ["joined to a digit \u{1f469}\u200d1", "joined to a digit \u{1f469}\\u200d1"],
    ["twice \u{1f469}\u200d\u200d\u{1f4bb}", "twice \u{1f469}\\u200d\\u200d\u{1f4bb}"],
    ["not joined \u{1f469}\u200c\u{1f4bb}", "not joined \u{1f469}\\u200c\u{1f4bb}"],
    ["flag \u{1f1f3}\ufe0f\u200d\u{1f1f4}", "flag \u{1f1f3}\\ufe0f\\u200d\u{1f1f4}"],
    ["latin a\u200cb\u200dc", "latin a\\u200cb\\u200dc"],
    ["one side \u0645\u200ca", "one side \u0645\\u200ca"],
    ["digits \u0661\u200c\u0662", "digits \u0661\\u200c\u0662"],
    ["hidden mark \u0645\u034f\u200c\u0645", "hidden mark \u0645\\u034f\\u200c\u0645"],
    ["khmer \u1780\u17b4\u200c\u1780", "khmer \u1780\\u17b4\\u200c\u1780"],
    ["tag \u{1f3f4}\u{e0067}\u{e007f}", "tag \u{1f3f4}\\u{e0067}\\u{e007f}"],
  ])("shows %j, which takes no room or is blank", (text, seen) => {
    expect(toVisible(text)).toBe(seen);
  });

  it.each([
    "\u26a0\ufe0f \u2764\ufe0e \u00a9\ufe0f \u{1f600}\ufe0f",
    "1\ufe0f\u20e3 #\ufe0f\u20e3",
    "\u{1f469}\u200d\u{1f4bb} \u{1f469}\u{1f3fd}\u200d\u{1f4bb} \u2764\ufe0f\u200d\u{1f525} \u{1f3f3}\ufe0f\u200d\u{1f308}",
    "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}",
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u0645\u064e\u200c\u062e",
    "\u0915\u094d\u200d\u0937 \u0915\u094d\u200c\u0937 \u0dc1\u0dca\u200d\u0dbb",
  ])("leaves ordinary text as it is written: %s", (text) => {
    expect(toVisible(text)).toBe(text);
  });

  it("lets a joiner or a selector pass only where it spells an emoji or a word", () => {
    const emoji = ["\u26a0", "\u2764", "\u{1f469}", "\u{1f4bb}"];
    const [letters, marks] = [
      ["\u0645", "\u06cc", "\u0915", "\u0937"],
      ["\u064e", "\u094d"],
    ];
    const hidden = ["\ufe0e", "\ufe0f", "\u200c", "\u200d", "\u200b", "\u034f", "\u202e"];
    const others = ["a", "1", "#", "\u20e3", "\u0661", "\u{1f3fd}", "\u{1f1f3}"];
    const units = [...emoji, ...letters, ...marks, ...hidden, ...hidden, ...others];
    const spells = (before: readonly string[], sign: string, after: string): boolean => {
      const last = before.at(-1) ?? "";
      const isTuned = last === "\ufe0f" || last === "\u{1f3fd}";
      // As many marks as any word has.
      const base = before.slice(-5).findLast((character) => !marks.includes(character)) ?? "";
      if (sign === "\ufe0f" && ["1", "#"].includes(last) && after === "\u20e3") return true;
      if (sign === "\ufe0e" || sign === "\ufe0f") return emoji.includes(last);
      if (sign === "\u200d" && emoji.includes(isTuned ? (before.at(-2) ?? "") : last) && emoji.includes(after))
        return true;
      return ["\u200c", "\u200d"].includes(sign) && letters.includes(base) && letters.includes(after);
    };
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...units), { maxLength: 12 }), (text) => {
        const expected = text.map((character, index) => {
          const isKept = !hidden.includes(character) || spells(text.slice(0, index), character, text[index + 1] ?? "");
          return isKept ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
        });
        expect(toVisible(text.join(""))).toBe(expected.join(""));
      }),
    );
  });

  it("bears a text of nothing but joiners", () => {
    const [joined, marked] = ["\u{1f469}\u200d".repeat(100_000), `\u0645${"\u064e".repeat(200_000)}\u200c\u0645`];
    expect(toVisible(`${joined}\u{1f469}`)).toBe(`${joined}\u{1f469}`);
    expect(toVisible("\u200d".repeat(100_000))).toBe("\\u200d".repeat(100_000));
    expect(toVisible(marked)).toBe(marked.replace("\u200c", "\\u200c"));
  });

  it("leaves nothing else that a terminal acts on or draws as nothing, and changes nothing twice", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const seen = toVisible(text);
        const others = seen.replaceAll(/[\ufe0e\ufe0f\u200c\u200d]/g, "");
        expect(others).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/u);
        expect(toVisible(seen)).toBe(seen);
      }),
    );
  });
});

describe("toVisibleLines", () => {
  it("keeps line breaks and nothing else", () => {
    expect(toVisibleLines("a\nb\u001b[2J\r\n")).toBe("a\nb\\u001b[2J\\r\n");
  });
});

describe("toVisibleJson", () => {
  it("keeps the value of every JSON document", () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: "binary" }), (text) => {
        const laidOut = JSON.stringify(JSON.parse(text), null, 2);
        const seen = toVisibleJson(laidOut);
        expect(JSON.parse(seen)).toEqual(JSON.parse(text));
        expect(seen).not.toMatch(/[\p{Cf}\p{Zl}\p{Zp}\u007f-\u009f]/u);
      }),
    );
  });
});
