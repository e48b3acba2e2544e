import { describe, expect, it } from "vitest";
import { parseStrictJson } from "../../../src/cassette/file/json.js";
import { isTooHeavy } from "../../../src/cassette/file/memory-estimate.js";

const MIB = 2 ** 20;
const objects = `[${"{},".repeat(10_000)}{}]`;

describe("the weight of a JSON text", () => {
  it("is that of its values, not of its characters", () => {
    const words = JSON.stringify([`${"{},".repeat(10_000)}"\\"[`]);
    expect(isTooHeavy(objects, MIB)).toBe(true);
    expect(isTooHeavy(words, MIB)).toBe(false);
    expect(isTooHeavy(objects, 16 * MIB)).toBe(false);
    expect(isTooHeavy(`[${"1,".repeat(20_000)}1]`, MIB)).toBe(true);
  });

  it("is bounded before the text is parsed, and the refusal says what to do", () => {
    expect(() => parseStrictJson(`${objects},`, { maxMemory: MIB })).toThrow(
      expect.objectContaining({
        code: "too-large",
        summary: expect.stringContaining("1 MiB of memory") as string,
        hint: expect.stringContaining("--max-old-space-size") as string,
      }),
    );
    expect(parseStrictJson(objects)).toHaveLength(10_001);
  });
});
