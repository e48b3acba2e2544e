import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_SESSION_KEY_CHARACTERS } from "../../src/core/limits.js";
import { childKey, type ChildName } from "../../src/core/session/namespace.js";

/** Texts that look like the words of a key. */
const word = fc.constantFrom(
  "a",
  "b",
  ":",
  "subagent",
  ":subagent:",
  "task",
  ":task:",
  "%",
  "%3A",
  "parent:",
  "x".repeat(300),
);
const sessionKey = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join("").slice(0, 512));
const name = fc.record(
  {
    namespace: fc.constantFrom("agent:a", "agent:a%3Asubagent"),
    sessionKey,
    subagent: fc.constantFrom("a", "subagent", "task"),
    suffix: fc.constantFrom("a", "task", "subagent"),
    taskId: fc.constantFrom("bg_0123456789abcdef", "bg_fedcba9876543210"),
  },
  { requiredKeys: ["namespace", "sessionKey", "subagent"] },
);

describe("the keys of subagents' sessions", () => {
  it("PSS-34 PSS-119 PSS-120 are as different as what they name, also one below another, and never too long", () => {
    const seen = new Map<string, string>();
    fc.assert(
      fc.property(name, fc.option(name, { nil: undefined }), (outer: ChildName, inner) => {
        const key = inner === undefined ? childKey(outer) : childKey({ ...inner, sessionKey: childKey(outer) });
        expect(key.length).toBeLessThanOrEqual(MAX_SESSION_KEY_CHARACTERS);
        expect(key.startsWith("parent:")).toBe(true);
        const named = JSON.stringify(inner === undefined ? [outer] : [outer, { ...inner, sessionKey: "" }]);
        // The same fields in another order name the same session.
        const sorted = JSON.stringify(
          Object.values(JSON.parse(named) as object).map((each: object) => Object.entries(each).sort()),
        );
        expect(seen.get(key) ?? sorted).toBe(sorted);
        seen.set(key, sorted);
      }),
      { numRuns: 3_000 },
    );
  });
});
