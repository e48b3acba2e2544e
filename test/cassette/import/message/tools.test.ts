import { describe, expect, it } from "vitest";
import { hashJson } from "../../../../src/core/index.js";
import { importOne } from "../verify.js";

const schema = { type: "object", properties: { a: { type: "number" } } };
const none = { type: "object", properties: {} };

function toolsOf(fields: object) {
  const { cassette, repairs } = importOne({ messages: [{ role: "assistant", content: "" }], ...fields });
  return { contexts: cassette.extensions?.contexts, repairs };
}

describe("the tools a log says were offered", () => {
  it.each([
    [
      "OpenAI's",
      { tools: [{ type: "function", function: { name: "f", description: "d", parameters: schema, strict: true } }] },
    ],
    ["OpenAI's, flat", { tools: [{ type: "function", name: "f", description: "d", parameters: schema }] }],
    ["OpenAI's, legacy", { functions: [{ name: "f", description: "d", parameters: schema }] }],
    ["Anthropic's", { tools: [{ name: "f", description: "d", input_schema: schema, cache_control: {} }] }],
    ["Anthropic's, typed", { tools: [{ type: "custom", name: "f", description: "d", input_schema: schema }] }],
  ])("are read in %s words", (_, fields) => {
    const tools = [{ name: "f", description: "d", schema }];
    const context = { fromTurn: 0, toolsHash: hashJson(tools), settingsHash: hashJson({}), tools };
    expect(toolsOf(fields)).toEqual({ contexts: [context], repairs: [] });
  });

  it("may lack a description and parameters", () => {
    const { contexts } = toolsOf({ tools: [{ type: "function", function: { name: "f" } }] });
    expect(contexts?.[0]?.tools).toEqual([{ name: "f", description: "", schema: none }]);
  });

  it("are kept as text if they are not functions", () => {
    const { contexts, repairs } = toolsOf({
      tools: [{ type: "web_search_20250305", name: "search" }, "f", { name: 7 }],
    });
    expect(contexts?.[0]?.tools).toEqual([
      { name: "search", description: '{"name":"search","type":"web_search_20250305"}', schema: {} },
      { name: "unknown", description: '"f"', schema: {} },
      { name: "7", description: '{"name":7}', schema: {} },
    ]);
    expect(repairs).toEqual([{ kind: "tool-definition-unsupported", count: 3 }]);
  });

  it.each([{}, { tools: null }])("give no context when the log does not say (%j)", (fields) => {
    expect(toolsOf(fields).contexts).toBeUndefined();
  });
});
