import { describe, expect, it } from "vitest";
import { readPass } from "../../../src/harness/wire/pass.js";

function passes(pattern: string, method: string, path: string): boolean {
  const isPassed = readPass([pattern]);
  if (typeof isPassed === "string") throw new Error(isPassed);
  return isPassed({ method, path });
}

describe("the patterns of --pass", () => {
  it.each<[pattern: string, method: string, path: string, isPassed: boolean]>([
    ["/v1/models", "GET", "/v1/models", true],
    ["/v1/models", "POST", "/v1/models", true],
    ["GET /v1/models", "POST", "/v1/models", false],
    ["get  /v1/models", "GET", "/v1/models", true],
    ["/v1/models", "GET", "/v1/models/gpt-4o", false],
    ["/v1/models/*", "GET", "/v1/models/gpt-4o", true],
    ["/v1/*", "GET", "/v1/models/gpt-4o", false],
    ["/v1/**", "GET", "/v1/models/gpt-4o", true],
    ["/**/models", "GET", "/openai/v1/models", true],
    ["/v1.models", "GET", "/v1xmodels", false],
    ["/v1/*/x/*", "GET", "/v1/a/x/b", true],
    ["/v1/*/x/*", "GET", "/v1/a/x/b/c", false],
    ["/*a*b", "GET", "/aab", true],
    ["/*a*b", "GET", "/ab/", false],
    ["/**b", "GET", "/b/ab", true],
    ["/v1/*", "GET", "/v1/", true],
    ["/***", "GET", "/a/b", true],
  ])("%s names %s %s: %s", (pattern, method, path, isPassed) => {
    expect(passes(pattern, method, path)).toBe(isPassed);
  });

  it("take no longer with many stars", () => {
    expect(passes(`/${"**a".repeat(20)}!`, "GET", `/${"a".repeat(5_000)}`)).toBe(false);
  });

  it.each(["", "models", "GET", "GET models", "GET /a /b", "/a?b=1", "/a#b"])("must be a path alone: %j", (pattern) => {
    expect(readPass(["/ok", pattern])).toBe(pattern);
  });
});
