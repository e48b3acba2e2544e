import { describe, expect, it } from "vitest";
import { createArgumentCheck } from "../../../src/core/tools/argument-check.js";
import { createToolSet } from "../../../src/core/tools/registry.js";
import { isVerbName, READ_ONLY_VERBS, VERB_NAMES, VERBS, type VerbName } from "../../../src/core/tools/verbs.js";
import { refusal } from "../../support/refusal.js";
import { verbBodies } from "../../support/verbs.js";

const GOOD: Record<VerbName, Record<string, unknown>> = {
  connect: { uri: "https://example.test" },
  extract: { uri: "https://example.test", as: "markdown" },
  shape: { template: "{{name}}", data: { name: "x" } },
  act: { uri: "https://example.test", action: "delete", input: [1] },
  sense: { uri: "https://example.test", measure: "size" },
  probe: { uri: "https://example.test" },
  context: {},
  dowse: { query: "words", below: "docs" },
};

/** Arguments with one wrong field, and the pointer of that field. */
const BAD: [verb: VerbName, args: Record<string, unknown>, field: string][] = [
  ["connect", { uri: 1 }, "/uri"],
  ["connect", {}, ""],
  ["extract", { uri: "x", as: "pdf" }, "/as"],
  ["shape", { template: { toString: () => "x" } }, "/template"],
  ["shape", { template: "x", data: [] }, "/data"],
  ["act", { uri: "x", action: { toString: () => "delete" } }, "/action"],
  ["act", { uri: "x" }, ""],
  ["sense", { uri: "x", measure: null }, "/measure"],
  ["probe", { uri: "x", extra: 1 }, "/extra"],
  ["context", { query: ["x"] }, "/query"],
  ["dowse", { query: "x", below: 1 }, "/below"],
];

const checkOf = (verb: VerbName) => createArgumentCheck(verb, VERBS[verb].schema);

describe("the verbs", () => {
  it("PLK-08 are eight tools that an agent's manifest offers by name", () => {
    expect(VERB_NAMES).toEqual(["connect", "extract", "shape", "act", "sense", "probe", "context", "dowse"]);
    const { byName, definitions } = createToolSet("a", { tools: VERB_NAMES }, verbBodies());
    expect([...byName.keys()]).toEqual([...VERB_NAMES]);
    expect(definitions.map(({ name, description }) => [name, description.length > 0])).toEqual(
      VERB_NAMES.map((name) => [name, true]),
    );
  });

  it("PLK-43 only read, but for act", () => {
    expect(VERB_NAMES.filter((name) => !READ_ONLY_VERBS.includes(name))).toEqual(["act"]);
  });

  it.each(VERB_NAMES)("PLK-09 %s takes arguments that match its schema", (verb) => {
    expect(checkOf(verb)(GOOD[verb])).toEqual(GOOD[verb]);
  });

  it.each(BAD)("PLK-09 %s refuses %j at %j", (verb, args, field) => {
    expect(refusal(() => checkOf(verb)(args))).toMatchObject({ tool: verb, field });
  });

  it("PLK-65 a Buffer as the input of act reaches its body as it is", () => {
    const bytes = Buffer.from("x");
    expect(checkOf("act")({ uri: "x", action: "put", input: bytes })["input"]).toBe(bytes);
  });

  it("PLK-66 shape.template and act.action must be strings, not things that can become one", () => {
    const sly = { toString: () => "delete", toJSON: () => "delete", [Symbol.toPrimitive]: () => "delete" };
    expect(refusal(() => checkOf("act")({ uri: "x", action: sly }))).toMatchObject({ name: "ToolArgError" });
    expect(refusal(() => checkOf("shape")({ template: sly }))).toMatchObject({ name: "ToolArgError" });
  });

  it("are known by name, and nothing inherited is", () => {
    expect(VERB_NAMES.every(isVerbName)).toBe(true);
    expect(["toString", "__proto__", "length", "Act", ""].some(isVerbName)).toBe(false);
  });
});
