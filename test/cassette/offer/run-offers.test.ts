import { describe, expect, it } from "vitest";
import { compareContracts, diffContracts, isBecauseOfSchema } from "../../../src/cassette/offer/run-offers.js";
import { diffCassettes } from "../../../src/cassette/diff/diff.js";
import type { CassetteV1, CassetteV2, ContextExtension } from "../../../src/cassette/file/format.js";
import { hashJson, type JsonObject } from "../../../src/core/index.js";
import { call, stepsOf } from "../diff/runs.js";

const tool = (name: string, schema: JsonObject = {}, description = "Does it."): JsonObject => ({
  name,
  description,
  schema,
});
const of = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({ type: "object", properties, ...rest });

/** A run that was offered these tools and settings, one context after the other. */
function offered(...contexts: { tools?: JsonObject[]; settings?: JsonObject }[]): CassetteV2 {
  return withContexts(stepsOf(call("weather", { city: "Oslo" })), contexts);
}

function withContexts(run: CassetteV2, contexts: { tools?: JsonObject[]; settings?: JsonObject }[]): CassetteV2 {
  const noted = contexts.map(({ tools = [], settings = {} }, fromTurn): ContextExtension => {
    return { fromTurn, toolsHash: hashJson(tools), settingsHash: hashJson(settings), tools, settings };
  });
  return { ...run, extensions: { ...run.extensions, contexts: noted } };
}

const sentences = (a: CassetteV2, b: CassetteV2) => diffContracts(a, b).map(({ sentence }) => sentence);
const schemas = (old: JsonObject, now: JsonObject) =>
  diffContracts(offered({ tools: [tool("weather", old)] }), offered({ tools: [tool("weather", now)] }));

describe("the tools that were offered", () => {
  it("are compared by name, whatever their order", () => {
    const [a, b, c] = [tool("a"), tool("b"), tool("c")];
    expect(diffContracts(offered({ tools: [a, b] }), offered({ tools: [b, a] }))).toEqual([]);
    expect(diffContracts(offered({ tools: [a, b] }), offered({ tools: [c, a] }))).toEqual([
      { kind: "tool-removed", name: "b", old: b, sentence: "Tool b was removed." },
      { kind: "tool-added", name: "c", new: c, sentence: "Tool c was added." },
    ]);
  });

  it("keep their meaning when lists that are sets are written in another order", () => {
    const old = of({ u: { type: ["string", "null"], enum: ["a", "b"] } }, { required: ["u", "v"] });
    const now = of({ u: { type: ["null", "string"], enum: ["b", "a"] } }, { required: ["v", "u"] });
    expect(schemas(old, now)).toEqual([]);
  });

  it("may have words, at every depth, which are not part of the schema", () => {
    const old = of({ city: { type: "string", description: "Where." } });
    const now = of({ city: { type: "string", description: "Which town." } });
    expect(schemas(old, now)).toEqual([
      {
        kind: "description-changed",
        name: "weather",
        pointer: "/schema/properties/city/description",
        old: "Where.",
        new: "Which town.",
        sentence:
          'The schema of tool weather changed at /properties/city/description: it was "Where." and is "Which town.".',
      },
    ]);
    const described = diffContracts(
      offered({ tools: [tool("weather", {}, "Old.")] }),
      offered({ tools: [tool("weather", {}, "New.")] }),
    );
    expect(described).toMatchObject([{ kind: "description-changed", pointer: "/description", old: "Old." }]);
    expect(schemas(of({ description: {} }), of({}))).toMatchObject([{ kind: "schema-changed" }]);
  });

  const city = (schema: JsonObject) => of({ city: schema });
  it.each<[string, JsonObject, JsonObject, string, string | undefined]>([
    ["a property that is gone", of({ city: {} }), of({}), "/properties/city", "the property is gone"],
    ["a property that is new", of({}), of({ city: {} }), "/properties/city", undefined],
    ["a name required", of({}), of({}, { required: ["a"] }), "/required", 'required now: "a"'],
    ["a name required no more", of({}, { required: ["a"] }), of({}, { required: [] }), "/required", undefined],
    ["another type", city({ type: "string" }), city({ type: "number" }), "/properties/city/type", "narrower"],
    ["a wider type", city({ type: "integer" }), city({ type: "number" }), "/properties/city/type", undefined],
    ["a type more", city({ type: "string" }), city({ type: ["string", "null"] }), "/properties/city/type", undefined],
    ["a type less", city({ type: ["string", "null"] }), city({ type: "string" }), "/properties/city/type", "narrower"],
    ["a first type", city({}), city({ type: "string" }), "/properties/city/type", "narrower"],
    ["a value less", city({ enum: ["a", "b"] }), city({ enum: ["a"] }), "/properties/city/enum", 'allowed: "b"'],
    ["a value more", city({ enum: ["a"] }), city({ enum: ["a", "b"] }), "/properties/city/enum", undefined],
    ["values at all", city({}), city({ enum: ["a"] }), "/properties/city/enum", "only some values"],
    ["one value", city({}), city({ const: 1 }), "/properties/city/const", "only one value"],
    ["a higher minimum", city({ minimum: 1 }), city({ minimum: 2 }), "/properties/city/minimum", "tighter"],
    ["a lower minimum", city({ minimum: 2 }), city({ minimum: 1 }), "/properties/city/minimum", undefined],
    ["a shorter text", city({}), city({ maxLength: 5 }), "/properties/city/maxLength", "tighter"],
    ["a form", city({}), city({ pattern: "^a" }), "/properties/city/pattern", "another form"],
    ["a closed object", of({}), of({}, { additionalProperties: false }), "/additionalProperties", "other properties"],
    ["a default", city({}), city({ default: 1 }), "/properties/city/default", undefined],
    ["items", city({ items: [{}, {}] }), city({ items: [{}] }), "/properties/city/items/1", undefined],
  ])("have a schema that changed by %s", (_name, old, now, pointer, breaking) => {
    const found = schemas(old, now);
    expect(found.map((change) => [change.kind, change.pointer])).toEqual([["schema-changed", `/schema${pointer}`]]);
    const words = breaking ?? "not seen to break calls.";
    expect(found[0]?.sentence).toContain(words);
    expect(found[0]?.sentence.includes(", breaking: ")).toBe(breaking !== undefined);
  });

  it("are compared version by version where they changed during a run", () => {
    const [v1, v2, v3] = [1, 2, 3].map((minimum) => tool("weather", of({ n: { minimum } }))) as [
      JsonObject,
      JsonObject,
      JsonObject,
    ];
    const [one, two] = [offered({ tools: [v1] }), offered({ tools: [v1] }, { tools: [v2] })];
    expect(diffContracts(two, offered({ tools: [v2] }, { tools: [v1] }, { tools: [v2] }))).toEqual([]);
    expect(diffContracts(one, two)).toMatchObject([{ old: 1, new: 2 }]);
    expect(diffContracts(two, offered({ tools: [v3] }))).toMatchObject([
      { old: 1, new: 3 },
      { old: 2, new: 3 },
    ]);
  });

  it("are shown so that nothing in a name or a value acts on a terminal", () => {
    const [found] = sentences(offered({}), offered({ tools: [tool("\u001b[2J")] }));
    expect(found).toBe('Tool "\\u001b[2J" was added.');
    expect(sentences(offered({}), offered({ settings: { stop: ["\u202e"] } }))[0]).not.toContain("\u202e");
  });
});

describe("the settings", () => {
  it("are compared by name, as a whole", () => {
    const run = (settings: JsonObject) => offered({ settings });
    expect(diffContracts(run({ seed: 1, temperature: 0 }), run({ temperature: 1, topP: 1 }))).toEqual([
      { kind: "setting-changed", name: "seed", old: 1, sentence: "The setting seed was removed: it was 1." },
      {
        kind: "setting-changed",
        name: "temperature",
        old: 0,
        new: 1,
        sentence: "The setting temperature changed: it was 0 and is 1.",
      },
      { kind: "setting-changed", name: "topP", new: 1, sentence: "The setting topP was added: it is 1." },
    ]);
  });
});

describe("what cannot be compared", () => {
  it("is not recorded: no contexts, or a version 1", () => {
    const [known, silent] = [offered({}), stepsOf(call("weather"))];
    expect(compareContracts(known, silent)).toEqual({ state: "not-recorded", sides: ["new"] });
    const old: CassetteV1 = { version: 1, recordedAt: "", recordedProvider: "p", entries: silent.entries };
    expect(compareContracts(old, known)).toEqual({ state: "not-recorded", sides: ["old"] });
    expect(compareContracts(silent, silent)).toEqual({ state: "not-recorded", sides: ["old", "new"] });
    expect(diffContracts(known, silent)).toEqual([]);
  });

  it("is hashes alone", () => {
    const hashed = (run: CassetteV2): CassetteV2 => ({
      ...run,
      extensions: {
        contexts: (run.extensions?.contexts ?? []).map(({ tools: _tools, settings: _settings, ...rest }) => rest),
      },
    });
    const [a, b] = [offered({ tools: [tool("a")] }), offered({ tools: [tool("b")] })];
    expect(compareContracts(hashed(a), a)).toEqual({ state: "hashes", sides: ["old"], isSame: true });
    expect(compareContracts(a, hashed(b))).toEqual({ state: "hashes", sides: ["new"], isSame: false });
  });
});

describe("a call that changed with its schema", () => {
  const drifted = (
    [old, before]: [JsonObject, JsonObject],
    [now, after]: [JsonObject, JsonObject],
    name = "weather",
  ): boolean[] => {
    const side = (args: JsonObject, schema: JsonObject) =>
      withContexts(stepsOf(call("weather", args)), [{ tools: [tool(name, schema)] }]);
    const [a, b] = [side(old, before), side(now, after)];
    return diffCassettes(a, b).map((drift) => isBecauseOfSchema(drift, diffContracts(a, b)));
  };
  const text = { type: "string" };

  it.each<[string, [JsonObject, JsonObject], [JsonObject, JsonObject]]>([
    ["a renamed property", [{ city: "Oslo" }, of({ city: text })], [{ town: "Oslo" }, of({ town: text })]],
    ["another type", [{ n: 1 }, of({ n: { type: "integer" } })], [{ n: "1" }, of({ n: text })]],
    ["another enum", [{ u: "C" }, of({ u: { enum: ["C"] } })], [{ u: "c" }, of({ u: { enum: ["c"] } })]],
    ["a name that is required", [{}, of({ u: text })], [{ u: "C" }, of({ u: text }, { required: ["u"] })]],
    [
      "a property inside another",
      [{ at: { x: 1 } }, of({ at: of({ x: {} }) })],
      [{ at: { y: 1 } }, of({ at: of({ y: {} }) })],
    ],
    [
      "the items of a list",
      [{ l: [1] }, of({ l: { items: { type: "integer" } } })],
      [{ l: ["1"] }, of({ l: { items: text } })],
    ],
    ["a branch", [{ u: 1 }, of({ u: { anyOf: [{ type: "integer" }] } })], [{ u: "1" }, of({ u: { anyOf: [text] } })]],
    ["a strange name", [{ "a/~": 1 }, of({ "a/~": {} })], [{ "b/~": 1 }, of({ "b/~": {} })]],
    ["all properties", [{}, { type: "object" }], [{ u: 1 }, of({ u: {} })]],
  ])("is told apart for %s", (_name, old, now) => {
    expect(drifted(old, now)).toEqual([true]);
  });

  it.each<[string, [JsonObject, JsonObject], [JsonObject, JsonObject]]>([
    ["the schema is the same", [{ u: 1 }, of({ u: {} })], [{ u: 2 }, of({ u: {} })]],
    ["another place changed as well", [{ u: 1, v: 1 }, of({ u: {}, v: {} })], [{ w: 1, v: 2 }, of({ w: {}, v: {} })]],
    ["words alone changed", [{ u: 1 }, of({ u: { description: "a" } })], [{ u: 2 }, of({ u: { description: "b" } })]],
    ["the object was closed", [{ u: 1 }, of({ u: {} })], [{ u: 2 }, of({ u: {} }, { additionalProperties: false })]],
    [
      "a definition changed",
      [{ u: 1 }, of({ u: {} }, { $defs: { a: {} } })],
      [{ u: 2 }, of({ u: {} }, { $defs: { a: text } })],
    ],
    ["a longer name changed", [{ u: 1 }, of({ u: {}, ux: {} })], [{ u: 2 }, of({ u: {} })]],
  ])("is a change of its own where %s", (_name, old, now) => {
    expect(drifted(old, now)).toEqual([false]);
  });

  it("is one of that tool, and no other kind of drift", () => {
    const renamed = [
      [{ city: "Oslo" }, of({ city: text })],
      [{ town: "Oslo" }, of({ town: text })],
    ] satisfies [JsonObject, JsonObject][];
    expect(drifted(renamed[0] as [JsonObject, JsonObject], renamed[1] as [JsonObject, JsonObject], "other")).toEqual([
      false,
    ]);
    const added = diffCassettes(stepsOf(), stepsOf(call("weather")));
    expect(added.map((drift) => isBecauseOfSchema(drift, []))).toEqual([false]);
  });
});
