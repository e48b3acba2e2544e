import { describe, expect, it } from "vitest";
import { MAX_SUMMARY_CHARACTERS } from "../../../src/core/limits.js";
import { callFacts, resultFacts } from "../../../src/core/tools/facts.js";

describe("the facts of a call", () => {
  it("REL-62 are its tool and its input, without keys that reach prototypes", () => {
    const args = JSON.parse('{"a":{"__proto__":1,"b":2}}') as { a: { b: number } };
    expect(callFacts("t", args, false)).toEqual({ toolId: "t", toolInput: { a: { b: 2 } } });
  });

  it("REL-72 have no input when the call was refused", () => {
    expect(callFacts("t", { password: "hunter2" }, true)).toEqual({ toolId: "t", toolInput: {} });
  });
});

describe("the facts of a result", () => {
  it("REL-62 are its tool, whether it succeeded and what it gave", () => {
    expect(resultFacts("t", true, "fine")).toEqual({ toolId: "t", success: true, outputSummary: "fine" });
    expect(resultFacts("t", false, "broke")).toEqual({ toolId: "t", success: false, outputSummary: "broke" });
  });

  it.each([
    ["of the very length", "x".repeat(500), "x".repeat(500)],
    ["too long", "x".repeat(501), `${"x".repeat(499)}…`],
    ["cut within a pair", `${"x".repeat(498)}𝄞𝄞`, `${"x".repeat(498)}…`],
    ["of half a pair", "\ud800", "\ufffd"],
  ])("REL-71 bound a text %s", (_what, output, summary) => {
    const { outputSummary } = resultFacts("t", true, output);
    expect(outputSummary).toBe(summary);
    expect(outputSummary.length).toBeLessThanOrEqual(MAX_SUMMARY_CHARACTERS);
  });
});
