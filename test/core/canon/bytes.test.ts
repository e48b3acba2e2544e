import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromBase64, fromHex, toBase64, toHex } from "../../../src/core/canon/bytes.js";

const bytes = fc.uint8Array({ maxLength: 70 });

describe("hexadecimal and base64", () => {
  it("are written as Node writes them, and read back from every spelling", () => {
    fc.assert(
      fc.property(bytes, (value) => {
        const node = Buffer.from(value);
        expect(toHex(value)).toBe(node.toString("hex"));
        expect(toBase64(value)).toBe(node.toString("base64"));
        expect(fromHex(toHex(value).toUpperCase())).toEqual(value);
        expect(fromBase64(toBase64(value))).toEqual(value);
        expect(fromBase64(node.toString("base64url"))).toEqual(value);
      }),
    );
  });

  it.each(["a", "0g", " 00", "00\n"])("%j is not hexadecimal", (text) => {
    expect(fromHex(text)).toBeUndefined();
  });

  it.each(["A", "AAAAA", "A===", "AA=A", "====", "AA==\n", "AA ==", "AB==", "AAB=", "é", "AAAA=", "AA="])(
    "%j is not base64, or has another spelling",
    (text) => {
      expect(fromBase64(text)).toBeUndefined();
    },
  );
});
