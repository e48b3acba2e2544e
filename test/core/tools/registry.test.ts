import { describe, expect, it } from "vitest";
import { isSealed } from "../../../src/core/canon/copy.js";
import type { JsonObject } from "../../../src/core/canon/value.js";
import { createToolSet, narrowToolSet, type ToolManifest } from "../../../src/core/tools/registry.js";
import type { CustomTool } from "../../../src/core/tools/tool.js";
import { VERB_NAMES } from "../../../src/core/tools/verbs.js";
import { refusal } from "../../support/refusal.js";
import { tool } from "../../support/script.js";
import { verbBodies } from "../../support/verbs.js";

const noop = tool("noop", () => null);
const names = (manifest: ToolManifest) =>
  createToolSet("a", manifest, verbBodies()).definitions.map((definition) => definition.name);
const refused = (manifest: ToolManifest, verbs = verbBodies()) => refusal(() => createToolSet("ann", manifest, verbs));

describe("createToolSet", () => {
  it("PLK-43 grants every verb but act when tools is left out", () => {
    expect(names({})).toEqual(["connect", "extract", "shape", "sense", "probe", "context", "dowse"]);
  });

  it("grants no verb when the runtime has no bodies for any", () => {
    expect(createToolSet("a", {}, undefined).definitions).toEqual([]);
  });

  it("PLK-44 grants act only to an agent that lists it", () => {
    expect(names({ tools: ["act"] })).toEqual(["act"]);
    expect(names({ tools: ["extract", "act"] })).toEqual(["extract", "act"]);
    expect(names({ customTools: [noop] })).not.toContain("act");
  });

  it("PLK-45 refuses a name that is not a verb, and lists the verbs", () => {
    expect(refused({ tools: ["extract", "extrakt"] })).toMatchObject({
      code: "invalid-options",
      message: expect.stringContaining('agent ann: tools has an unknown verb: "extrakt"') as string,
      hint: expect.stringContaining(VERB_NAMES.join(", ")) as string,
    });
  });

  it("PLK-45 refuses a custom tool's name in tools, which takes verbs alone", () => {
    expect(refused({ tools: ["noop"], customTools: [noop] })).toMatchObject({ code: "invalid-options" });
  });

  it.each(["__proto__", "constructor", "toString", "hasOwnProperty", ""])("PLK-45 refuses %j as a verb", (name) => {
    expect(refused({ tools: [name] })).toMatchObject({ code: "invalid-options" });
  });

  it.each([{ tools: { extract: true } }, { tools: "extract" }, { customTools: { noop } }, { customTools: noop }])(
    "refuses what is not a list: %j",
    (manifest) => {
      expect(refused(manifest as never)).toMatchObject({
        code: "invalid-options",
        message: expect.stringMatching(/^agent ann: (?:tools|customTools) is /) as string,
      });
    },
  );

  it("refuses a verb named twice", () => {
    expect(refused({ tools: ["extract", "extract"] })).toMatchObject({ code: "invalid-options" });
  });

  it("refuses a listed verb when the runtime has no bodies, or not that one", () => {
    expect(refusal(() => createToolSet("a", { tools: ["extract"] }, undefined))).toMatchObject({
      hint: "Use createPluck of playhead/host, or pass `verbs`.",
    });
    const { extract, ...rest } = verbBodies();
    expect(typeof extract).toBe("function");
    expect(refused({ tools: ["extract"] }, rest as never)).toMatchObject({ code: "invalid-options" });
  });

  it("PLK-47 grants custom tools alone when tools is an empty list", () => {
    expect(names({ tools: [], customTools: [noop] })).toEqual(["noop"]);
  });

  it("PLK-54 puts verbs and custom tools into one flat list", () => {
    expect(names({ tools: ["extract"], customTools: [noop, tool("my_search", () => null)] })).toEqual([
      "extract",
      "noop",
      "my_search",
    ]);
  });

  it.each(["a", "_", "A9", "my-tool_2", "__proto__", "constructor"])("PLK-51 takes %s as a tool name", (name) => {
    expect(names({ tools: [], customTools: [tool(name, () => null)] })).toEqual([name]);
  });

  it.each(["", "9a", "-a", "a b", "a.b", "a\n", "ä", "a/b", 7, undefined])("PLK-51 refuses %j as one", (name) => {
    expect(refused({ customTools: [tool(name as string, () => null)] })).toMatchObject({ code: "invalid-options" });
  });

  it.each(VERB_NAMES)("PLK-52 refuses a custom tool named %s", (name) => {
    expect(refused({ tools: [], customTools: [tool(name, () => null)] })).toMatchObject({
      code: "invalid-options",
      hint: expect.stringContaining(`my_${name}`) as string,
    });
  });

  it("PLK-53 refuses two custom tools of one name in one agent", () => {
    expect(refused({ customTools: [noop, tool("noop", () => 1)] })).toMatchObject({
      message: expect.stringContaining("two tools have the name noop") as string,
    });
  });

  it.each<[string, Partial<CustomTool>]>([
    ["no description", { description: undefined as unknown as string }],
    ["no schema", { schema: undefined as unknown as JsonObject }],
    ["a schema that leads nowhere", { schema: { $ref: "#/gone" } }],
    ["a schema that is not JSON", { schema: { default: 1n as unknown as number } }],
    ["no invoke", { invoke: undefined as unknown as CustomTool["invoke"] }],
    ["an effect that does not exist", { effect: "delete" as "write" }],
    ["a description that cannot be sent", { description: "\ud800" }],
  ])("PLK-48 refuses a custom tool with %s", (_name, part) => {
    expect(refused({ customTools: [{ ...noop, ...part }] })).toMatchObject({ code: "invalid-options" });
  });

  it("refuses an option of a custom tool that nobody reads, and says whose", () => {
    const custom = { ...noop, efect: "write", timeoutMS: 5 };
    expect(refused({ customTools: [custom] })).toMatchObject({
      code: "invalid-options",
      message: "agent ann: tool noop has an unknown option: efect, timeoutMS",
      hint: "The options are name, description, schema, effect, retryPolicy, timeoutMs, invoke.",
    });
  });

  it("PLK-48 hands name, description and schema to the model word for word, and nothing else", () => {
    const custom = tool("x", () => null, {
      description: "  As is.\n",
      schema: { type: "object", title: "T" },
      effect: "write",
    });
    expect(createToolSet("a", { customTools: [custom] }, undefined).definitions).toEqual([
      { name: "x", description: "  As is.\n", schema: { type: "object", title: "T" } },
    ]);
  });

  it("keeps the definitions the model sees from changing with the caller's object", () => {
    const custom = tool("x", () => null, { schema: { type: "object" } });
    const { definitions } = createToolSet("a", { customTools: [custom] }, undefined);
    (custom.schema as JsonObject)["type"] = "array";
    expect(definitions[0]?.schema).toEqual({ type: "object" });
    expect(Object.isFrozen(definitions) && Object.isFrozen(definitions[0]?.schema)).toBe(true);
  });

  it("takes tools as reading unless they say that they write, and act as writing", () => {
    const manifest = { tools: ["act", "probe"], customTools: [noop, tool("put", () => null, { effect: "write" })] };
    const set = createToolSet("a", manifest, verbBodies());
    expect([...set.byName.values()].map(({ name, effect }) => [name, effect])).toEqual([
      ["act", "write"],
      ["probe", "read"],
      ["noop", "read"],
      ["put", "write"],
    ]);
  });

  it("keeps `this` of a tool that is a class instance", async () => {
    class Counter {
      readonly name = "count";
      readonly description = "Counts.";
      readonly schema = {};
      count = 0;
      invoke(): number {
        return ++this.count;
      }
    }
    const set = createToolSet("a", { customTools: [new Counter()] }, undefined);
    expect(await set.byName.get("count")?.invoke({} as never, {} as never)).toBe(1);
  });
});

describe("narrowToolSet", () => {
  const set = createToolSet(
    "ann",
    { customTools: ["a", "b", "c"].map((name) => ({ name, description: name, schema: {}, invoke: () => name })) },
    undefined,
  );

  it("keeps the tools of these names, in the order of the set", () => {
    const narrow = narrowToolSet(set, ["c", "gone", "a"]);
    expect([...narrow.byName.keys()]).toEqual(["a", "c"]);
    expect(narrow.byName.get("a")).toBe(set.byName.get("a"));
    expect(narrow.definitions).toEqual([set.definitions[0], set.definitions[2]]);
    expect(isSealed(narrow.definitions as never)).toBe(true);
  });

  it("grants nothing by an empty list, and nothing by names of a prototype", () => {
    expect(narrowToolSet(set, []).definitions).toEqual([]);
    expect(narrowToolSet(set, ["__proto__", "constructor"]).byName.size).toBe(0);
  });
});

describe("a retry policy", () => {
  it("is refused if it is not one of the three", () => {
    const custom = { name: "a", description: "a", schema: {}, retryPolicy: "never" as never, invoke: () => 1 };
    expect(() => createToolSet("ann", { customTools: [custom] }, undefined)).toThrow(
      'agent ann: tool a has the retryPolicy "never"',
    );
  });
});
