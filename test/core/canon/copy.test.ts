import { describe, expect, it } from "vitest";
import {
  copyJson,
  isSealed,
  seal,
  sealedLevels,
  sealedWeight,
  sealOwn,
  sealTexts,
} from "../../../src/core/canon/copy.js";
import { NotJsonError } from "../../../src/core/canon/value.js";
import { nested, NOT_JSON } from "../../support/not-json.js";
import { refusal } from "../../support/refusal.js";

describe("copyJson", () => {
  it("shares no container with its source", () => {
    const source = { list: [{ a: 1 }], object: { b: [] as unknown[] } };
    const copy = copyJson(source);
    expect(copy).toEqual(source);
    expect(copy.list).not.toBe(source.list);
    expect(copy.list[0]).not.toBe(source.list[0]);
    expect(copy.object.b).not.toBe(source.object.b);
  });

  it("keeps the order of keys", () => {
    expect(Object.keys(copyJson({ z: 1, a: 2, m: 3 }))).toEqual(["z", "a", "m"]);
  });

  it("leaves out keys whose value is undefined, at any depth", () => {
    expect(Object.keys(copyJson({ a: undefined, b: { c: undefined, d: 1 } }).b)).toEqual(["d"]);
    expect(copyJson({ a: undefined })).toStrictEqual({});
  });

  it("copies an own __proto__ key as data and sets no prototype", () => {
    const copy = copyJson(JSON.parse('{"__proto__":{"polluted":true}}') as Record<string, unknown>);
    expect(Object.keys(copy)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(copy["polluted"]).toBeUndefined();
  });

  it("copies a toJSON key as data", () => {
    expect(copyJson({ toJSON: "data" })).toEqual({ toJSON: "data" });
  });

  it("copies one object referenced twice into two", () => {
    const shared = { x: 1 };
    const copy = copyJson({ a: shared, b: shared });
    expect(copy.a).toEqual(copy.b);
    expect(copy.a).not.toBe(copy.b);
  });

  it("gives an object without prototype the ordinary one", () => {
    const copy = copyJson(Object.assign(Object.create(null) as object, { a: 1 }));
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  });

  it("copies 128 containers in each other", () => {
    expect(copyJson(nested(128))).toEqual(nested(128));
  });

  it.each(NOT_JSON)("refuses $name", ({ make, reason, pointer }) => {
    const error = refusal(() => copyJson(make()));
    expect(error).toBeInstanceOf(NotJsonError);
    expect(error).toMatchObject({ code: "not-json", reason, pointer });
  });
});

describe("seal", () => {
  it("freezes a copy at every depth and leaves the source alone", () => {
    const source = { list: [{ a: 1 }] };
    const sealed = seal(source);
    expect(sealed).not.toBe(source);
    expect(Object.isFrozen(sealed) && Object.isFrozen(sealed.list) && Object.isFrozen(sealed.list[0])).toBe(true);
    source.list[0]!.a = 2;
    expect(sealed.list[0]!.a).toBe(1);
    expect(Object.isFrozen(source)).toBe(false);
  });

  it("freezes what lies below an own __proto__ key", () => {
    const sealed = seal(JSON.parse('{"__proto__":{"a":[]}}') as Record<string, unknown>);
    const below = sealed["__proto__"] as { a: unknown[] };
    expect(Object.isFrozen(below) && Object.isFrozen(below.a)).toBe(true);
    expect(Object.isFrozen(Object.prototype)).toBe(false);
  });

  it("gives a sealed value back as it is", () => {
    const sealed = seal({ a: 1 });
    expect(seal(sealed)).toBe(sealed);
  });

  it("knows what it sealed, and not what another froze", () => {
    expect(isSealed(seal([1]))).toBe(true);
    expect(isSealed(Object.freeze([1]))).toBe(false);
  });

  it("vouches for the parts of a sealed value, and takes them over as they are", () => {
    const { inner } = seal({ inner: { a: [1] } });
    expect(isSealed(inner) && isSealed(inner.a)).toBe(true);
    expect(seal({ again: inner }).again).toBe(inner);
  });

  it("copies a sealed part where a copy was asked for", () => {
    const { inner } = seal({ inner: { a: 1 } });
    const copy = copyJson({ inner });
    copy.inner.a = 2;
    expect(inner.a).toBe(1);
  });

  it("refuses what is not plain JSON", () => {
    expect(refusal(() => seal({ at: new Date(0) }))).toMatchObject({ reason: "instance", pointer: "/at" });
  });
});

describe("sealOwn", () => {
  it("freezes a value in place, and shares its sealed parts", () => {
    const part = seal({ a: [1] });
    const own = { part, list: [{ b: 2 }] };
    const sealed = sealOwn(own);
    expect(sealed).toBe(own);
    expect(sealed.part).toBe(part);
    expect(
      [sealed, sealed.list, sealed.list[0]].every((each) => Object.isFrozen(each) && isSealed(each as object)),
    ).toBe(true);
    expect(sealedLevels(sealed)).toBe(3);
    expect(seal(sealed)).toBe(own);
  });

  it("copies what it cannot seal in place: a key without a value, or what is frozen already", () => {
    for (const own of [{ a: 1, b: undefined }, Object.freeze({ a: 1 }), { list: [Object.freeze({ a: 1 })] }]) {
      const sealed = sealOwn<object>(own);
      expect(sealed).not.toBe(own);
      expect(sealed).toEqual(JSON.parse(JSON.stringify(own)));
      expect(isSealed(sealed)).toBe(true);
    }
  });

  it("refuses what is not plain JSON", () => {
    for (const { make } of NOT_JSON) expect(() => sealOwn({ value: make() ?? Symbol("none") })).toThrow(NotJsonError);
    expect(() => sealOwn(nested(129) as object)).toThrow(NotJsonError);
  });
});

describe("sealedWeight", () => {
  it.each([
    ["texts", { text: 'é"\u0000\ud83d\ude00', list: ["a", "b"] }],
    ["numbers", [1.7976931348623157e308, -5e-324, 0, 12]],
    ["the rest", { a: null, b: [true, false], c: {}, d: [] }],
  ])("is at least the bytes of %s", (_what, value) => {
    expect(sealedWeight(seal(value))).toBeGreaterThanOrEqual(Buffer.byteLength(JSON.stringify(value)));
    expect(sealedWeight(seal(value))).toBeLessThan(2_000);
  });

  it("is unknown for a large value, also as a part", () => {
    expect(sealedWeight(seal({ text: "x".repeat(500_000) }))).toBeLessThan(Infinity);
    expect(sealedWeight(seal({ part: { text: "x".repeat(5_000_000) } }))).toBe(Infinity);
    expect(sealedLevels(seal({ part: { text: "x".repeat(5_000_000) } }))).toBe(2);
  });
});

describe("sealedLevels", () => {
  it("counts the containers in one another, of a whole and of its parts", () => {
    const whole = seal({ a: 1, b: [{ c: [] }], d: "x" });
    expect(sealedLevels(whole)).toBe(4);
    expect(sealedLevels(whole.b)).toBe(3);
    expect(sealedLevels(seal({ again: whole }))).toBe(5);
  });

  it("says nothing of what was not sealed", () => {
    expect(sealedLevels({ a: 1 })).toBeUndefined();
    expect(sealedLevels(Object.freeze([1]))).toBeUndefined();
  });
});

describe("sealTexts", () => {
  it("seals in place", () => {
    const own = { role: "tool", content: "ok", isError: true };
    expect(sealTexts(own)).toBe(own);
    expect(isSealed(own) && Object.isFrozen(own)).toBe(true);
    expect(sealedLevels(own)).toBe(1);
  });

  it.each<[string, object]>([
    ["a text that is not well-formed", { content: "\ud800" }],
    ["anything but texts and booleans", { content: { deep: 1 } }],
    ["an absent field", { content: undefined }],
  ])("leaves alone what has %s", (_name, own) => {
    expect(sealTexts(own)).toBe(own);
    expect(isSealed(own) || Object.isFrozen(own)).toBe(false);
  });
});
