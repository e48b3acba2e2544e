import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/index.js";
import { createRepairLog } from "../../../../src/cassette/import/repair.js";
import { createSettingsReader } from "../../../../src/cassette/import/message/settings.js";

function read(...fields: JsonObject[]) {
  const repairs = createRepairLog();
  const toSettings = createSettingsReader(repairs, new Set(["stream"]));
  const settings = fields.map(toSettings);
  return { settings, dropped: repairs.list()[0]?.count ?? 0 };
}

describe("the settings of a call", () => {
  it.each<[JsonObject, object]>([
    [
      { temperature: 1, top_p: 0.5, max_completion_tokens: 3, seed: 7 },
      { temperature: 1, topP: 0.5, maxTokens: 3, seed: 7 },
    ],
    [
      { maxOutputTokens: "9", topP: 1 },
      { maxTokens: 9, topP: 1 },
    ],
    [{ stop: "a" }, { stop: ["a"] }],
    [{ stop_sequences: ["a", "b"] }, { stop: ["a", "b"] }],
    [{ tool_choice: "any" }, { toolChoice: "required" }],
    [{ tool_choice: { type: "auto" } }, { toolChoice: "auto" }],
    [{ tool_choice: { type: "function", function: { name: "f" } } }, { toolChoice: { name: "f" } }],
    [{ toolChoice: { type: "tool", toolName: "f" } }, { toolChoice: { name: "f" } }],
    [
      { response_format: { type: "json_schema", json_schema: { name: "n", schema: { type: "object" } } } },
      { responseFormat: { name: "n", schema: { type: "object" } } },
    ],
    [
      { response_schema: { json_schema: { type: "object" } } },
      { responseFormat: { name: "response", schema: { type: "object" } } },
    ],
    [{ response_format: { type: "text" }, stream: true, user: null, stop: [], logit_bias: {} }, {}],
  ])("are read by all their names (%#)", (fields, settings) => {
    expect(read(fields)).toEqual({ settings: [settings], dropped: 0 });
  });

  it("count each field without a place once, however many calls have it", () => {
    expect(read({ top_k: 1, stop: [7] }, { top_k: 2, seed: "none" }).dropped).toBe(3);
  });
});
