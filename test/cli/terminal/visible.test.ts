import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toVisible, toVisibleJson } from "../../../src/cli/terminal/visible.js";

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

  it("leaves nothing that a terminal acts on, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(toVisible(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
      }),
    );
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
