import { describe, expect, it } from "vitest";
import { quoteForeign } from "../../../src/core/text/mask.js";
import { apiKey } from "../../support/wire.js";

describe("quoteForeign", () => {
  it("masks the key itself, whatever its shape", () => {
    expect(quoteForeign(`wrong key ${apiKey}!`, apiKey)).toBe("wrong key ***!");
    expect(quoteForeign("wrong key plainword1", "plainword1")).toBe("wrong key ***");
  });

  it.each([
    ["sk-ab***********wxyz"],
    ["sk-proj-AAAA_bbbb-1234"],
    ["sk-ant-api03-xxxxxxx"],
    ["gsk_abcdefghijkl"],
    ["Bearer abc.def"],
    ["pplx-abcdefghijkl"],
    ["nvapi-abcdefghijkl"],
    ["AIzaSyA0123456789abcdefghijklm"],
    ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefgh"],
  ])("masks %s, which looks like one", (echo) =>
    expect(quoteForeign(`got ${echo}, no`, apiKey)).not.toContain(echo.slice(-4)),
  );

  const key = "Zq9xKp3mWv7/Tn2LcR8d+Hs";
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  it.each<[string, string]>([
    ["in capitals", key.toUpperCase()],
    ["in small letters", key.toLowerCase()],
    ["with nulls in it", [...key].join("\0")],
    ["with characters of no width in it", [...key].join("\u200b")],
    ["with soft hyphens in it", [...key].join("\u00ad")],
    ["with tag characters in it", [...key].join("\u{e0041}")],
    ["in lines of seven", key.replace(/.{7}/g, "$&\n")],
    ["escaped as JSON may", [...key].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join("")],
    ["escaped twice", [...key].map((letter) => `\\\\u00${letter.charCodeAt(0).toString(16)}`).join("")],
    ["with escaped slashes", key.replaceAll("/", "\\/")],
  ])("masks a key %s", (_how, echo) => {
    expect(quoteForeign(`wrong key "${echo}", no`, key)).toBe('wrong key "***", no');
  });

  it("masks the base64 of a key wherever it begins in a group, and its form for URLs", () => {
    for (const before of ["", "x", "xy", "Bearer ", "user:"]) {
      const echo = base64(`${before}${key}`);
      for (const shown of [echo, echo.replaceAll("+", "-").replaceAll("/", "_")]) {
        const quoted = quoteForeign(`got ${shown}`, key);
        expect(quoted).toContain("***");
        // Six bits of a neighbour may stay at either end.
        expect(quoted.replace(`got ${base64(before).slice(0, -4)}`, "").length).toBeLessThan(16);
      }
    }
  });

  it("keeps the lines of a body apart around a masked key", () => {
    expect(quoteForeign(`a\nb ${[...key].join("\u200d")}\nc`, key)).toBe("a b *** c");
  });

  it("leaves words alone that only begin alike", () => {
    expect(quoteForeign("desk-management is risk-free", "a")).toBe("desk-management is risk-free");
  });

  it("is one line without control characters", () => {
    expect(quoteForeign('{\n\t"a": 1\u001b[31m\u0000}')).toBe('{ "a": 1 [31m }');
  });

  it("PLK-33 is 500 characters at most, cut between characters and after masking", () => {
    expect(quoteForeign("x".repeat(9000))).toBe("x".repeat(500));
    expect(quoteForeign("x".repeat(499) + "😀")).toBe("x".repeat(499));
    expect(quoteForeign(`${"x".repeat(490)} ${apiKey}`, apiKey)).toBe(`${"x".repeat(490)} ***`);
    expect(quoteForeign("a\ud800")).toBe("a\\ud800");
  });

  it("masks the beginning of a key that was cut off at the end of what was read", () => {
    const long = "plain/".repeat(40);
    expect(quoteForeign(`wrong key ${long.slice(0, 100)}`, long)).toBe("wrong key ***");
    expect(quoteForeign("in plain", long)).toBe("in plain");
  });
});
