import { describe, expect, it } from "vitest";
import { readSpec } from "../../../../src/core/process/agent/spec.js";
import { readToolList } from "../../../../src/core/process/tools/list.js";
import { codeOf } from "../../../support/process/codes.js";

const inputSchema = { type: "object" };

describe("the list of tools", () => {
  it("PLM-07 gives the tools that a spec names, in its order", () => {
    const list = [
      { name: "a", inputSchema, annotations: { readOnlyHint: true, title: "A" } },
      { name: "unused", inputSchema: 5 },
      { name: "b", inputSchema, description: "Does b.", annotations: { readOnlyHint: "yes" } },
    ];
    expect(readToolList(list, ["b", "a"], "tools.json")).toEqual([
      { name: "b", description: "Does b.", inputSchema, isReadOnly: false },
      { name: "a", description: "", inputSchema, isReadOnly: true },
    ]);
  });

  it.each([
    [{}, "tools.json is an object, but must be a list of tools"],
    [[], "the spec uses the tool a, which tools.json does not have"],
    [[null, "a", { name: "b" }], "the spec uses the tool a, which tools.json does not have"],
    [
      [
        { name: "a", inputSchema },
        { name: "a", inputSchema },
      ],
      "tools.json has two tools named a",
    ],
    [[{ name: "a" }], "the tool a of tools.json has no usable description or inputSchema"],
    [[{ name: "a", description: 1, inputSchema }], "the tool a of tools.json has no usable description or inputSchema"],
    [[{ name: "a", inputSchema: { type: "thing" } }], "the inputSchema of a in tools.json cannot be used"],
  ])("is refused: %j", (list, what) => {
    const read = (): unknown => readToolList(list, ["a"], "tools.json");
    expect(read).toThrow(what);
    expect(codeOf(read)).toBe("spec-malformed");
  });

  it.each([["a"], [["a", "a"]], [["pin"]], [["a b"]], [[5]], [[""]]])("cannot be named by %j", (tools) => {
    expect(codeOf(() => readSpec({ name: "poet", tools }))).toBe("spec-malformed");
  });
});
