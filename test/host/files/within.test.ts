import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { isWithin } from "../../../src/host/files/within.js";

describe("isWithin", () => {
  const folder = resolve("agents");

  it.each([
    ["the folder itself", folder, true],
    ["a file below it", join(folder, "a", "b.md"), true],
    ["a name that begins with two dots", join(folder, "..notes"), true],
    ["the folder above", resolve(folder, ".."), false],
    ["a folder next to it", `${folder}-old`, false],
  ])("decides %s", (_what, path, expected) => {
    expect(isWithin(folder, path)).toBe(expected);
  });
});
