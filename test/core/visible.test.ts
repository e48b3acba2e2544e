import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toVisible, toVisibleLines } from "../../src/core/visible.js";

describe("toVisible", () => {
  it.each([
    ["soft\u00adhyphen", "soft\\u00adhyphen"],
    ["joined\u034fup", "joined\\u034fup"],
    ["hangul\u3164filler\uffa0", "hangul\\u3164filler\\uffa0"],
    ["heart\u2764\ufe0f", "heart\u2764\\ufe0f"],
    ["variation\u{e0100}", "variation\\u{e0100}"],
    ["braille\u2800blank", "braille\\u2800blank"],
    ["\u{1f468}\u200d\u{1f469}", "\u{1f468}\\u200d\u{1f469}"],
  ])("shows %j, which takes no room or is blank", (text, seen) => {
    expect(toVisible(text)).toBe(seen);
  });

  it("leaves nothing that a terminal acts on or draws as nothing, and changes nothing twice", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const seen = toVisible(text);
        expect(seen).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/u);
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
