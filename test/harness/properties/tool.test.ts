import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ToolArgError } from "../../../src/core/errors.js";
import { TOOL_UNAVAILABLE, type CustomTool } from "../../../src/core/tools/tool.js";
import { checkTool, LawBrokenError } from "../../../src/harness/properties/index.js";
import { rejection } from "../../support/refusal.js";

const city: CustomTool["schema"] = {
  type: "object",
  required: ["city"],
  properties: { city: { type: "string" }, days: { type: "integer", minimum: 0, maximum: 9 } },
  additionalProperties: false,
};
const weather = (invoke: CustomTool["invoke"], schema = city): CustomTool => ({
  name: "weather",
  description: "The weather in a city.",
  schema,
  invoke,
});
const broken = async (tool: CustomTool, options: Parameters<typeof checkTool>[1] = {}) => {
  const error = await rejection(checkTool(tool, { seed: 7, ...options }));
  expect(error).toBeInstanceOf(LawBrokenError);
  return error as LawBrokenError;
};

describe("a good tool", () => {
  it("passes, with what was tried", async () => {
    const asked: object[] = [];
    const tool = weather((args) => {
      asked.push(args);
      return { ...args, sky: "clear", at: new Date(0) };
    });
    const report = await checkTool(tool, { seed: 7 });
    expect(report.runs).toBe(200);
    expect(report.accepted + report.refused).toBe(200);
    expect(report.accepted).toBeGreaterThan(80);
    expect(report.refused).toBeGreaterThan(20);
    expect([report.answered, report.threw, report.drawn]).toEqual([report.accepted, 0, { from: "schema" }]);
    expect(asked).toHaveLength(report.accepted);
  });

  it("may throw what a model is to read, and is counted as such", async () => {
    const tool = weather(({ city: name }) => {
      if (name === "") throw new Error("which city?");
      throw new ToolArgError(TOOL_UNAVAILABLE);
    });
    const { accepted, answered, threw } = await checkTool(tool);
    expect([answered, threw]).toEqual([0, accepted]);
  });

  it("has a signal, verbs and a memory at hand", async () => {
    const tool = weather(async (_, { signal, agentId, pluck, memory }) => {
      await memory.set("agent", "seen", 1);
      const verb = await pluck.connect({ uri: "https://example.com" }).catch((error: { code: string }) => error.code);
      return [signal.aborted, agentId, await memory.get("agent", "seen"), await memory.keys("shared"), verb];
    });
    expect((await checkTool(tool, { numRuns: 20 })).answered).toBeGreaterThan(0);
    const given = await checkTool(
      weather((_, { agentId }) => {
        if (agentId !== "ann") throw new TypeError("not given");
        return 1;
      }),
      { numRuns: 20, context: { agentId: "ann" } },
    );
    expect(given.answered).toBeGreaterThan(0);
  });

  it("is called with examples first", async () => {
    const asked: object[] = [];
    await checkTool(
      weather((args) => void asked.push(args)),
      { examples: [{ city: "Oslo", days: 2 }] },
    );
    expect(asked[0]).toEqual({ city: "Oslo", days: 2 });
  });
});

describe("a bad tool", () => {
  it("that trips over an empty text is told the least arguments, the law and how to see it again", async () => {
    const tool = weather(({ city: name }) => (name as string)[0]!.toUpperCase());
    const error = await broken(tool);
    expect(error).toMatchObject({ code: "law-broken", law: "a call gives a result or a readable error", seed: 7 });
    expect(error.counterexample).toEqual({ city: "" });
    expect(error.message.split("\n")).toEqual([
      expect.stringMatching(/^tool weather breaks the law "a call gives .*": it threw TypeError: .*toUpperCase/),
      expect.stringMatching(/^counterexample.*: \{"city":""\}$/),
      `again: checkTool(tool, { seed: 7, path: "${error.path}" })`,
    ]);
    expect(error.cause).toBeInstanceOf(TypeError);
    const again = (await rejection(checkTool(tool, { seed: error.seed, path: error.path }))) as LawBrokenError;
    expect(again.counterexample).toEqual(error.counterexample);
  });

  it("that gives a value that is not JSON names the place", async () => {
    expect((await broken(weather(() => ({ list: [1, new Map()] })))).message).toContain("at /list/1 is not plain JSON");
    expect((await broken(weather(() => ({ count: 1n })))).law).toBe("a result is plain JSON");
    const circular: Record<string, unknown> = {};
    circular["me"] = circular;
    expect((await broken(weather(() => circular))).message).toContain("a cycle");
    const trap = {
      get secret() {
        throw new Error("no");
      },
    };
    expect((await broken(weather(() => trap))).message).toContain("reading it throws Error: no");
    // Half a character: found only where the text has one outside the basic plane.
    const half = await broken(
      weather(({ city: name }) => (name as string).slice(0, 1)),
      { numRuns: 2_000 },
    );
    expect((half.counterexample as { city: string }).city).toMatch(/^[\ud800-\udbff]/);
  });

  it("that throws no error is told so", async () => {
    const error = await broken(
      weather(() => {
        // eslint-disable-next-line @typescript-eslint/only-throw-error
        throw "oops";
      }),
    );
    expect(error.message).toContain("it threw no error but oops");
  });

  it("that merges arguments into a prototype is found out, and the prototype is clean again", async () => {
    const merge = (target: Record<string, unknown>, key: string) => {
      (target["__proto__"] as Record<string, unknown>)[`p_${key}`] = true;
      return {};
    };
    const error = await broken(weather(({ city: name }) => merge({}, String(name))));
    expect(error.law).toBe("a call does not change prototypes");
    expect(error.message).toContain("it added Object.prototype.p_");
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it("that never ends is given up, and told so by its signal", async () => {
    let stopped = 0;
    const tool = weather((_, { signal }) => {
      signal.addEventListener("abort", () => (stopped += 1));
      return new Promise(() => undefined);
    });
    const error = await broken(tool, { timeoutMs: 5, numRuns: 1, examples: [{ city: "Oslo" }] });
    expect(error.message).toContain("it gave nothing within 5 ms");
    expect(stopped).toBeGreaterThan(0);
  });

  it("is judged by mayThrow where that is given", async () => {
    const tool = weather(() => {
      throw new TypeError("fetch failed");
    });
    expect((await checkTool(tool, { mayThrow: (error) => error instanceof TypeError })).answered).toBe(0);
    const strict = weather(() => {
      throw new Error("no such city");
    });
    expect((await broken(strict, { mayThrow: () => false })).counterexample).toEqual({ city: "" });
  });
});

describe("what cannot be checked", () => {
  it("is a tool that a runtime refuses", async () => {
    expect(await rejection(checkTool({ ...weather(() => 1), name: "a b" }))).toMatchObject({ code: "invalid-options" });
    expect(await rejection(checkTool(weather(() => 1, { type: "objekt" })))).toMatchObject({ code: "invalid-options" });
    expect(
      await rejection(
        checkTool(
          weather(() => 1),
          { runs: 3 } as never,
        ),
      ),
    ).toMatchObject({ code: "invalid-options" });
    expect(
      await rejection(
        checkTool(
          weather(() => 1),
          { numRuns: 0 },
        ),
      ),
    ).toMatchObject({ code: "law-empty" });
  });

  it("is a schema that nothing is drawn for: hostile arguments are tried, and it is said", async () => {
    const open = weather(() => 1, { type: "object", patternProperties: { x: { type: "number" } } });
    const report = await checkTool(open);
    expect(report.drawn).toEqual({ from: "hostile", why: "nothing is drawn for patternProperties at the top" });
    expect(report.accepted).toBeGreaterThan(0);
  });

  it("is a tool that was never called, unless that is all right", async () => {
    const closed = weather(() => 1, { type: "object", required: ["q"], properties: { q: { not: {} } } });
    const error = (await rejection(checkTool(closed))) as Error;
    expect(error).toMatchObject({ code: "law-empty" });
    expect(error.message).toContain("nothing is drawn for not at /properties/q");
    expect((await checkTool(closed, { minAccepted: 0 })).accepted).toBe(0);
  });

  it("keeps fast-check's own settings", async () => {
    fc.configureGlobal({ numRuns: 3 });
    try {
      expect(
        (
          await checkTool(
            weather(() => 1),
            { numRuns: 5, minAccepted: 0 },
          )
        ).runs,
      ).toBe(5);
    } finally {
      fc.resetConfigureGlobal();
    }
  });
});
