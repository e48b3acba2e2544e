import { describe, expect, it } from "vitest";
import { createGetters, createPrivateField } from "../../src/core/properties.js";

const withSize = createGetters({
  size: (list: string[]) => list.length,
  first: (list: string[]) => list[0],
});

describe("getters with a source", () => {
  it("are read-only properties that follow the source", () => {
    const list = ["a"];
    const object = withSize({ name: "list" }, list);
    expect([object.size, object.first]).toEqual([1, "a"]);
    list.unshift("b");
    expect({ ...object }).toEqual({ name: "list", size: 2, first: "b" });
    expect(JSON.stringify(object)).toBe('{"name":"list","size":2,"first":"b"}');
    expect(() => Object.assign(object, { size: 3 })).toThrow(TypeError);
  });

  it("keep the objects apart, and work through a proxy and an heir", () => {
    const [one, two] = [withSize({}, ["a"]), withSize({}, [])];
    expect([one.size, two.size]).toEqual([1, 0]);
    expect(new Proxy(one, {}).first).toBe("a");
    expect((Object.create(one) as typeof one).size).toBe(1);
    const wrap = <T extends object>(target: T): T =>
      new Proxy(target, {
        get(inner, key, receiver) {
          const value: unknown = Reflect.get(inner, key, receiver);
          return typeof value === "object" && value !== null ? wrap(value) : value;
        },
      });
    expect(wrap(one).size).toBe(1);
  });
});

describe("a private field", () => {
  it("holds the last value of each object, which no key shows", () => {
    const field = createPrivateField<string>();
    const object = { a: 1 };
    expect(field.get(object)).toBeUndefined();
    field.set(object, "one");
    field.set(object, "two");
    expect(field.get(object)).toBe("two");
    expect(Reflect.ownKeys(object)).toEqual(["a"]);
    expect(field.get({ ...object })).toBeUndefined();
  });

  it("is another one for each call", () => {
    const [first, second] = [createPrivateField<number>(), createPrivateField<number>()];
    const object = {};
    first.set(object, 1);
    expect(second.get(object)).toBeUndefined();
  });
});
