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
  ])("%s names %s %s: %s", (pattern, method, path, isPassed) => {
    expect(passes(pattern, method, path)).toBe(isPassed);
  });

  it.each(["", "models", "GET", "GET models", "GET /a /b"])("must have a path: %j", (pattern) => {
    expect(readPass(["/ok", pattern])).toBe(pattern);
  });
});
