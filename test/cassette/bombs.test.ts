// Files that are small to write and dear to read. Each is refused or read by every reader, with an error of ours and no other, and
// what it holds changes no prototype. How long that takes is for `npm run bench` to say; here it has to end.

import { describe, expect, it } from "vitest";
import { parseBundle } from "../../src/cassette/bundle/check.js";
import { DEFAULT_MAX_FILE_BYTES } from "../../src/cassette/limits.js";
import { parseEnvelope } from "../../src/cassette/trust/dsse-file.js";
import { CassetteError } from "../../src/cassette/errors.js";
import { parseStrictJson } from "../../src/cassette/file/json.js";
import { parseCassette } from "../../src/cassette/trust/load-cassette.js";
import { parseLock } from "../../src/cassette/trust/lock.js";
import { formatCassette } from "../../src/cassette/trust/cassette-store.js";
import { parseTrust } from "../../src/cassette/trust/trust.js";
import { weatherCassette } from "../support/recording.js";
import { refusal } from "../support/refusal.js";

const readers = { parseCassette, parseBundle, parseLock, parseTrust, parseEnvelope };
const whole = formatCassette(await weatherCassette());
const inside = (value: string) => whole.replace('"days": 2', `"days": ${value}`);
const keys = (count: number) => Array.from({ length: count }, (_, index) => `"k${index}":1`).join(",");

function codeOf(run: () => unknown): string {
  const error = refusal(run);
  expect(error).toBeInstanceOf(CassetteError);
  return (error as CassetteError).code;
}

describe("bombs", () => {
  it.each([
    ["100,000 open brackets", "[".repeat(100_000)],
    ["100,000 open objects", '{"a":'.repeat(100_000)],
    ["100,000 levels, closed again", "[".repeat(100_000) + "]".repeat(100_000)],
  ])("%s are too deep for every reader, also inside a cassette", (_name, text) => {
    for (const read of Object.values(readers)) expect(codeOf(() => read(text))).toBe("too-deep");
    expect(codeOf(() => parseCassette(inside(text)))).toBe("too-deep");
  });

  it("a million keys are read once, and refused where they do not belong", { timeout: 120_000 }, () => {
    expect(Object.keys(parseStrictJson(`{${keys(1_000_000)}}`) as object)).toHaveLength(1_000_000);
    expect(codeOf(() => parseCassette(inside(`{${keys(100_000)}}`)))).toBe("response-hash");
  });

  it("a million times one key is a key twice", () => {
    expect(codeOf(() => parseCassette(`{${'"a":1,'.repeat(1_000_000)}"a":1}`))).toBe("duplicate-key");
  });

  it("a string of just under 64 MiB is read, and one byte more is too large", () => {
    const bytes = new Uint8Array(DEFAULT_MAX_FILE_BYTES).fill(0x61);
    bytes[0] = bytes[bytes.length - 1] = 0x22;
    expect((parseStrictJson(bytes) as string).length).toBe(DEFAULT_MAX_FILE_BYTES - 2);
    expect(codeOf(() => parseStrictJson(new Uint8Array(DEFAULT_MAX_FILE_BYTES + 1)))).toBe("too-large");
  });

  it.each([
    ["of a million digits", "9".repeat(1_000_000), "number-not-finite"],
    ["with an exponent of a million digits", `1e${"9".repeat(1_000_000)}`, "number-not-finite"],
    ["of a million places", `0.${"0".repeat(1_000_000)}1`, "number-inexact"],
    ["of a million zeros that count for nothing", `2.${"0".repeat(1_000_000)}`, "accepted"],
  ])("a number %s is told in a short message", (_name, text, expected) => {
    if (expected === "accepted") {
      expect(parseCassette(inside(text)).version).toBe(2);
      return;
    }
    const error = refusal(() => parseCassette(inside(text))) as CassetteError;
    expect(error.code).toBe(expected);
    expect(error.message.length).toBeLessThan(300);
  });
});

describe("keys that mean something to JavaScript", () => {
  it.each(["__proto__", "constructor", "prototype", "toString", "toJSON", "hasOwnProperty"])(
    "%s is data wherever it stands, and changes nothing but the file it stands in",
    (key) => {
      const pair = `${JSON.stringify(key)}: {"version": 2, "polluted": true}`;
      expect(codeOf(() => parseCassette(whole.replace('"version": 2,', `"version": 2, ${pair},`)))).toBe(
        "unknown-field",
      );
      expect(codeOf(() => parseCassette(inside(`{${pair}}`)))).toBe("response-hash");
      for (const read of Object.values(readers)) expect(refusal(() => read(`{${pair}}`))).toBeInstanceOf(CassetteError);
      const value = parseStrictJson(`{${pair}}`) as object;
      expect([Object.keys(value), Object.getPrototypeOf(value) === Object.prototype]).toEqual([[key], true]);
      expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    },
  );
});

describe("names that lead elsewhere", () => {
  it.each(["../a", "/a", "a/../../b", "C:/a", "a\\..\\b", "./a", "a//b", ".", "..", "a\u0000b"])(
    "%j is not a path of a lock",
    (path) => {
      const entry = { version: 2, cassetteId: "0".repeat(32), envelopeHash: "0".repeat(64), entries: 1 };
      const text = JSON.stringify({ lockVersion: 1, cassettes: { [`${path}.cassette.json`]: entry } });
      const isPlain = path === "." || path === "..";
      if (isPlain) expect([...parseLock(text).keys()]).toEqual([`${path}.cassette.json`]);
      else expect(codeOf(() => parseLock(text))).toBe("lock-malformed");
    },
  );
});
