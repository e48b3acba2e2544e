import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toHex } from "../../../../src/core/canon/bytes.js";
import { PlumbError } from "../../../../src/core/process/errors.js";
import { decodeFrame, encodeFrame } from "../../../../src/core/process/wire/frame.js";
import type { WireItem } from "../../../../src/core/process/wire/item.js";
import { codeOf } from "../../../support/process/codes.js";
import "../../../support/law-seed.js";

const message = (value: unknown): WireItem => ({ kind: "message", value: value as never });

describe("a frame", () => {
  it.each<[string, WireItem, string]>([
    ["a message", message("hi"), "22686922"],
    ["the end", { kind: "eof" }, ""],
    ["a marker", { kind: "marker", name: "heat" }, "0168656174"],
    ["a traced message", { kind: "message", value: "hi", trace: {} }, "02000000027b7d22686922"],
  ])("PLM-33 PLM-40 PLM-48 PLM-155 holds %s behind its topic", (_name, item, payload) => {
    const frame = encodeFrame("ab", item);
    expect(toHex(frame)).toBe(`000000026162${payload}`);
    expect(decodeFrame(frame)).toEqual({ topic: "ab", item });
  });

  it("is a shorter item or a coded error where it is cut", () => {
    const frame = encodeFrame("ab", { kind: "message", value: "hi", trace: {} });
    const cuts = Array.from({ length: frame.length }, (_, end) => frame.subarray(0, end));
    const found = cuts.map((cut) => codeOf(() => decodeFrame(cut)));
    expect(found.slice(0, 6)).toEqual(Array(6).fill("frame-malformed"));
    // Without a payload it is the end.
    expect(found[6]).toBe("ok");
    expect(found.slice(7, 13)).toEqual(Array(6).fill("frame-malformed"));
    expect(found.slice(13)).toEqual(Array(4).fill("not-json"));
  });

  it.each<[string, () => unknown, string]>([
    ["an empty topic", () => encodeFrame("", { kind: "eof" }), "frame-malformed"],
    ["a topic of 65 bytes", () => encodeFrame("a".repeat(65), { kind: "eof" }), "frame-malformed"],
    ["a marker without a name", () => encodeFrame("a", { kind: "marker", name: "" }), "frame-malformed"],
    ["a marker with a line feed", () => encodeFrame("a", { kind: "marker", name: "a\nb" }), "frame-malformed"],
    [
      "a provenance that is a list",
      () => decodeFrame(bytes("a", [2, 0, 0, 0, 2, 0x5b, 0x5d, 0x31])),
      "frame-malformed",
    ],
    ["bytes that are not UTF-8", () => decodeFrame(bytes("a", [0xff])), "frame-malformed"],
    ["a value nested 129 levels deep", () => decodeFrame(bytes("a", Array(129).fill(0x5b))), "not-json"],
  ])("refuses %s", (_name, act, code) => {
    expect(codeOf(act)).toBe(code);
    expect(act).toThrow(PlumbError);
  });

  it("comes back as it was", () => {
    const items: fc.Arbitrary<WireItem> = fc.oneof(
      fc.jsonValue().map(clean).map(message),
      fc
        .record({ value: fc.jsonValue().map(clean), id: fc.string() })
        .map(({ value, id }): WireItem => ({ kind: "message", value: value as never, trace: { id } })),
      fc.stringMatching(/^[a-z@é]{1,60}$/).map((name): WireItem => ({ kind: "marker", name })),
      fc.constant<WireItem>({ kind: "eof" }),
    );
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/), items, (topic, item) => {
        expect(decodeFrame(encodeFrame(topic, item))).toEqual({ topic, item });
      }),
    );
  });
});

/** As JSON writes it: without -0. */
function clean(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function bytes(topic: string, payload: readonly number[]): Uint8Array {
  return Uint8Array.of(0, 0, 0, topic.length, ...[...topic].map((letter) => letter.charCodeAt(0)), ...payload);
}
