import { describe, expect, it } from "vitest";
import { MAX_MEMORY_CHARACTERS, MAX_MEMORY_KEYS } from "../../../src/core/limits.js";
import { createInMemoryRuntimeMemory } from "../../../src/core/memory/memory.js";
import type { JsonValue } from "../../../src/core/canon/value.js";
import { refusal } from "../../support/refusal.js";

describe("the default memory", () => {
  it("PLK-94 is a map in the process: what was written is read, by scope and key", () => {
    const memory = createInMemoryRuntimeMemory();
    memory.set("a", "k", { n: [1] });
    memory.set("b", "k", "other");
    memory.set("a", "__proto__", null);
    expect([memory.get("a", "k"), memory.get("b", "k"), memory.get("a", "__proto__")]).toEqual([
      { n: [1] },
      "other",
      null,
    ]);
    expect([memory.get("a", "x"), memory.get("x", "k"), memory.get("a", "toString")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(createInMemoryRuntimeMemory().get("a", "k")).toBeUndefined();
  });

  it.each([{ maxkeys: 10 }, { maxKeys: NaN }, { maxKeys: -1 }, { maxCharacters: "1MB" }, null])(
    "refuses the options %j",
    (options) => {
      expect(refusal(() => createInMemoryRuntimeMemory(options as never))).toMatchObject({ code: "invalid-options" });
    },
  );

  it("shares nothing with what was written or read", () => {
    const memory = createInMemoryRuntimeMemory();
    const value = { list: [1] };
    memory.set("s", "k", value);
    value.list.push(2);
    (memory.get("s", "k") as { list: number[] }).list.push(3);
    expect(memory.get("s", "k")).toEqual({ list: [1] });
  });

  it("lists keys by code unit, deletes one, and clears a scope alone", () => {
    const memory = createInMemoryRuntimeMemory();
    for (const key of ["b", "a", "B", "é"]) memory.set("s", key, key);
    memory.set("t", "k", 1);
    expect(memory.keys("s")).toEqual(["B", "a", "b", "é"]);
    expect([memory.delete("s", "a"), memory.delete("s", "a"), memory.delete("u", "a")]).toEqual([true, false, false]);
    memory.clear("s");
    expect([memory.keys("s"), memory.keys("t")]).toEqual([[], ["k"]]);
  });

  it("refuses what is not JSON and keeps the value it had", () => {
    const memory = createInMemoryRuntimeMemory();
    memory.set("s", "k", 1);
    expect(refusal(() => memory.set("s", "k", (() => 1) as unknown as JsonValue))).toMatchObject({ code: "not-json" });
    expect(memory.get("s", "k")).toBe(1);
  });

  it("has generous limits", () => {
    expect([MAX_MEMORY_KEYS, MAX_MEMORY_CHARACTERS]).toEqual([100_000, 67_108_864]);
  });

  it("refuses one key more than its limit, says which, and keeps what it had", () => {
    const memory = createInMemoryRuntimeMemory({ maxKeys: 2 });
    memory.set("s", "a", 1);
    memory.set("t", "b", 1);
    const error = refusal(() => memory.set("s", "c", 1)) as Error;
    expect(error).toMatchObject({ code: "memory-failed" });
    expect(error.message).toContain('"c" of the scope "s": it holds 2 keys, its limit (maxKeys)');
    memory.set("s", "a", 2);
    expect(memory.get("s", "a")).toBe(2);
    memory.delete("t", "b");
    memory.set("s", "c", 3);
    expect(memory.keys("s")).toEqual(["a", "c"]);
  });

  it("refuses one character more than its limit, says which, and keeps what it had", () => {
    const memory = createInMemoryRuntimeMemory({ maxCharacters: 10 });
    memory.set("s", "k", "123456"); // 1 + 1 + 8
    const error = refusal(() => memory.set("s", "k", "1234567")) as Error;
    expect(error).toMatchObject({ code: "memory-failed" });
    expect(error.message).toContain("more than 10 characters, its limit (maxCharacters)");
    expect(memory.get("s", "k")).toBe("123456");
    memory.clear("s");
    memory.set("t", "k", "654321");
    expect(memory.get("t", "k")).toBe("654321");
  });
});
