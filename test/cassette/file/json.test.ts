// The strict reader of JSON. Vectors: nst/JSONTestSuite (MIT, Nicolas Seriot), 133 files.

import { describe, expect, it } from "vitest";
import { parseBundle } from "../../../src/cassette/bundle/check.js";
import { DEFAULT_MAX_FILE_BYTES } from "../../../src/cassette/limits.js";
import { parseEnvelope } from "../../../src/cassette/trust/dsse-file.js";
import { CassetteError } from "../../../src/cassette/errors.js";
import { parseStrictJson } from "../../../src/cassette/file/json.js";
import { parseCassette } from "../../../src/cassette/trust/load-cassette.js";
import { parseLock } from "../../../src/cassette/trust/lock.js";
import { parseTrust } from "../../../src/cassette/trust/trust.js";
import { hasShared, readSharedLines } from "../../support/shared.js";
import { refusal } from "../../support/refusal.js";

const utf8 = (text: string) => new TextEncoder().encode(text);

function refused(input: string | Uint8Array, options = {}): CassetteError {
  const error = refusal(() => parseStrictJson(input, options));
  expect(error).toBeInstanceOf(CassetteError);
  return error as CassetteError;
}

describe("parseStrictJson", () => {
  it("reads what JSON.parse reads, from text and from bytes", () => {
    const text = ' {"a": [1, -0.5e3, "é😀\\u00e9\\ud83d\\ude00", true, false, null, {}, []], "": {"": ""}}\n';
    expect(parseStrictJson(text)).toEqual(JSON.parse(text));
    expect(parseStrictJson(utf8(text))).toEqual(JSON.parse(text));
  });

  it.each(["0", '"x"', "null", "[]"])("reads %s, which is a JSON text (RFC 8259 §2)", (text) => {
    expect(parseStrictJson(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ["a Latin-1 byte", [0x22, 0xe9, 0x22]],
    ["an overlong slash", [0x22, 0xc0, 0xaf, 0x22]],
    ["a surrogate in UTF-8", [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ["a character cut in two", [0x22, 0xf0, 0x9f, 0x98]],
    ["UTF-16 with its mark", [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])("refuses %s as not UTF-8", (_, bytes) => {
    expect(refused(Uint8Array.from(bytes)).code).toBe("not-utf8");
  });

  it("refuses a byte-order mark, in bytes and in text", () => {
    expect(refused(Uint8Array.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d])).code).toBe("byte-order-mark");
    expect(refused("\uFEFF{}").code).toBe("byte-order-mark");
  });

  it.each([
    "",
    " ",
    "{",
    '{"a":1',
    '{"a":1,}',
    "[1,]",
    "{'a':1}",
    "// no\n{}",
    "/* no */{}",
    "{} {}",
    "NaN",
    "01",
    '"\t"',
  ])("refuses %j as not JSON", (text) => {
    expect(refused(text).code).toBe("not-json");
  });

  it.each([
    ['{"a":1,"a":1}', '"a"'],
    ['{"a":1,"\\u0061":2}', '"a"'],
    ['[{"x":{"b":1,"c":{"b":2},"b":3}}]', '"b"'],
    ['{"__proto__":1,"__proto__":2}', '"__proto__"'],
    ['{"":1,"":2}', '""'],
    ['{"a":[{"a":"a"}],"b":"a","a":0}', '"a"'],
  ])("refuses the duplicate key in %s", (text, key) => {
    const error = refused(text);
    expect(error.code).toBe("duplicate-key");
    expect(error.summary).toContain(`the key ${key} occurs twice`);
  });

  it("tells keys apart that only look alike, and takes equal keys of different objects", () => {
    const text = '{"\\u00e9":1,"e\\u0301":2,"a":{"a":{"a":"a"}},"b":[{"a":1},{"a":1}],"A":"a"}';
    expect(parseStrictJson(text)).toEqual(JSON.parse(text));
  });

  it.each(["1e400", "-1e400", '{"a":[1E999]}', `1${"0".repeat(400)}`])(
    "refuses %s, which is beyond a double",
    (text) => {
      expect(refused(text).code).toBe("number-not-finite");
    },
  );

  it.each([
    "9007199254740993",
    "-9007199254740993",
    "123456789012345678901234567890",
    "1152921504606846976",
    "0.1000000000000000055",
    "1.00000000000000000001",
    "1e-400",
    "5e-400",
    '{"a":[4e-324]}',
  ])("PLK-116 refuses %s, which a double does not keep as it is spelled", (text) => {
    expect(refused(text).code).toBe("number-inexact");
  });

  it("says how such a number would be read, however long it is", () => {
    expect(refused("[1,\n 9007199254740993]").summary).toBe(
      "line 2, column 2: 9007199254740993 would be read as 9007199254740992",
    );
    expect(refused(`0.${"0".repeat(1_000_000)}1`).summary.length).toBeLessThan(100);
    expect(refused(`1${"0".repeat(100_000)}1e-100001`).code).toBe("number-inexact");
  });

  it.each([
    ...['"1e400"', "1e308", "1.7976931348623157e308", "5e-324", "1e23", "9007199254740992", "0.1", "1e-7"],
    ...["-0", "-0.0", "0e5", "0E-999999999999", "1.0", "1.50", "150e-2", "0.015E2", "1E+2", "10000e-4"],
    ...["1152921504606847000", "123456789012345680000000000000"],
  ])("takes %s, whose value is the one it is read as", (text) => {
    expect(parseStrictJson(text)).toBe(JSON.parse(text));
  });

  it.each(['"\\ud800"', '["\\udc00\\ud800"]', '{"\\ud83d":1}', '{"a":"\\ud83dx"}'])(
    "refuses the escaped lone surrogate in %s",
    (text) => {
      expect(refused(text).code).toBe("lone-surrogate");
    },
  );

  it("refuses a lone surrogate that stands in the text itself", () => {
    expect(refused('"\ud800"').code).toBe("lone-surrogate");
  });

  it.each([
    ["arrays", "[", "]"],
    ["objects", '{"a":', "}"],
  ])("takes 128 nested %s and refuses 129", (_, open, close) => {
    const nest = (depth: number) => `${open.repeat(depth)}${open === "[" ? "" : "1"}${close.repeat(depth)}`;
    expect(() => parseStrictJson(nest(128))).not.toThrow();
    expect(refused(nest(129)).code).toBe("too-deep");
  });

  it("refuses a million open brackets without running out of stack", () => {
    expect(refused("[".repeat(1_000_000)).code).toBe("too-deep");
    expect(refused("[".repeat(1_000_000) + "]".repeat(1_000_000)).code).toBe("too-deep");
  });

  it("refuses deep nesting before it parses anything, and says where", () => {
    const text = `{"a": "[[\\"[[",\n  "b": ${"[".repeat(200)}`;
    const error = refused(text);
    expect([error.code, error.summary]).toEqual(["too-deep", "line 2, column 135: nesting deeper than 128 levels"]);
    expect(refused(`${"[".repeat(200)}"`).code).toBe("too-deep");
  });

  it.each(['"', '"\\', '["\\"', "]]", '}{"'])("goes on to refuse %j as not JSON", (text) => {
    expect(refused(text).code).toBe("not-json");
  });

  it("does not count brackets in strings", () => {
    const text = JSON.stringify({ ["[".repeat(500)]: '\\"' + "{".repeat(500), b: "\\" });
    expect(parseStrictJson(text)).toEqual(JSON.parse(text));
  });

  it("PLK-116 prints nothing of the file that a terminal acts on", () => {
    for (const text of ['{"a":1,\u001b[2J', '{"\u009b31m\u202e":1,"\u009b31m\u202e":1}']) {
      expect(refused(text).message).not.toMatch(/[\u001b\u009b\u202e]/);
    }
  });

  it("refuses 65 MiB, before it reads any of it", () => {
    const error = refused(new Uint8Array(65 * 1024 * 1024).fill(0xff));
    expect(error.code).toBe("too-large");
    expect(error.summary).toBe(
      `the file has ${65 * 1024 * 1024} bytes, more than the limit of ${DEFAULT_MAX_FILE_BYTES}`,
    );
    expect(DEFAULT_MAX_FILE_BYTES).toBe(64 * 1024 * 1024);
  });

  it("takes a text of exactly maxBytes and refuses one byte more", () => {
    expect(parseStrictJson(utf8('"abc"'), { maxBytes: 5 })).toBe("abc");
    expect(refused(utf8('"abcd"'), { maxBytes: 5 }).code).toBe("too-large");
  });

  it("takes __proto__ as data and leaves the prototype alone", () => {
    const value = parseStrictJson('{"__proto__":{"polluted":true},"constructor":1}') as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value)).toEqual(["__proto__", "constructor"]);
    expect("polluted" in value).toBe(false);
  });

  it("names the file, the place and what to do", () => {
    const error = refused('{\n  "a": 1,\n  "a": 2\n}', { file: "x.cassette.json" });
    expect(error.file).toBe("x.cassette.json");
    expect(error.summary).toBe('line 3, column 3: the key "a" occurs twice');
    expect(error.hint).toBe("Restore the file from version control, or record it again.");
  });
});

interface SuiteFile {
  name: string;
  expect: "accept" | "reject" | "either";
  bytes_b64: string;
}

describe.skipIf(!hasShared)("JSONTestSuite", () => {
  const files = hasShared ? readSharedLines<SuiteFile>("data/vectors/json/jsontestsuite.jsonl.gz") : [];
  const verdict = (file: SuiteFile): string => {
    try {
      parseStrictJson(Buffer.from(file.bytes_b64, "base64"));
      return "accepted";
    } catch (error) {
      return (error as CassetteError).code;
    }
  };
  const verdicts = (expected: SuiteFile["expect"]) =>
    Object.fromEntries(files.filter((file) => file.expect === expected).map((file) => [file.name, verdict(file)]));

  it("has 39 files to accept, all of them accepted", () => {
    const found = verdicts("accept");
    expect(Object.keys(found)).toHaveLength(39);
    expect(Object.entries(found).filter(([, code]) => code !== "accepted")).toEqual([]);
  });

  it("has 72 files to reject, all of them refused", () => {
    const found = verdicts("reject");
    expect(Object.keys(found)).toHaveLength(72);
    expect(found["n_structure_UTF8_BOM_no_data.json"]).toBe("byte-order-mark");
    const codes = ["not-json", "not-utf8", "byte-order-mark", "too-deep"];
    expect(Object.entries(found).filter(([, code]) => !codes.includes(code))).toEqual([]);
  });

  it("has 133 files, none of which is taken for a cassette, a bundle, a lock, a trust list or an envelope", () => {
    const readers = { parseCassette, parseBundle, parseLock, parseTrust, parseEnvelope };
    const codes = Object.entries(readers).flatMap(([reader, read]) =>
      files.map(({ name, bytes_b64 }) => {
        const error = refusal(() => read(Buffer.from(bytes_b64, "base64")));
        return [reader, name, error instanceof CassetteError ? "refused" : String(error)];
      }),
    );
    expect(codes).toHaveLength(133 * 5);
    expect(codes.filter(([, , outcome]) => outcome !== "refused")).toEqual([]);
  });

  it("has 22 files that may go either way, and each goes the way the format says", () => {
    expect(verdicts("either")).toEqual({
      "i_number_neg_int_huge_exp.json": "number-not-finite",
      "i_number_pos_double_huge_exp.json": "number-not-finite",
      "i_number_real_underflow.json": "number-inexact",
      "i_number_too_big_neg_int.json": "number-inexact",
      "i_string_1st_valid_surrogate_2nd_invalid.json": "lone-surrogate",
      "i_string_invalid_lonely_surrogate.json": "lone-surrogate",
      "i_string_inverted_surrogates_U+1D11E.json": "lone-surrogate",
      "i_string_iso_latin_1.json": "not-utf8",
      "i_string_lone_utf8_continuation_byte.json": "not-utf8",
      "i_string_not_in_unicode_range.json": "not-utf8",
      "i_string_overlong_sequence_2_bytes.json": "not-utf8",
      "i_string_overlong_sequence_6_bytes.json": "not-utf8",
      "i_string_overlong_sequence_6_bytes_null.json": "not-utf8",
      "i_string_utf16LE_no_BOM.json": "not-utf8",
      "number_-9223372036854775808.json": "number-inexact",
      "number_10000000000000000999.json": "number-inexact",
      "object_key_nfd_nfc.json": "accepted",
      "object_same_key_same_value.json": "duplicate-key",
      "string_1_invalid_codepoint.json": "not-utf8",
      "string_2_escaped_invalid_codepoints.json": "lone-surrogate",
      "string_3_invalid_codepoints.json": "not-utf8",
      "string_with_escaped_NULL.json": "accepted",
    });
  });
});
