// Fields of request bodies that no setting stands for: kept as the vendor spells them, under the name of the wire.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { NOT_COMPARED, wireFieldsOf } from "../../../src/core/wire/fields.js";
import { WIRE_NAMES, type WireName } from "../../../src/core/vendors/table.js";
import { throughWire } from "../../../src/core/vendors/through-wire.js";
import { VENDORS } from "../../../src/core/vendors/vendors.js";

const messages = [{ role: "user", content: "q" }];
const CONVERSATION: Readonly<Record<WireName, object>> = {
  openai: { messages },
  responses: { input: messages },
  anthropic: { messages },
  gemini: { contents: [{ role: "user", parts: [{ text: "q" }] }] },
  bedrock: { messages: [{ role: "user", content: [{ text: "q" }] }] },
  cohere: { messages },
  ollama: { messages },
};
const fields = (wire: WireName, body: object) =>
  wireFieldsOf(VENDORS[wire].parse({ model: "m", ...CONVERSATION[wire], ...body }).request.settings, wire);

const parameters = { type: "object" };
const KEPT: readonly (readonly [WireName, body: object, fields: object])[] = [
  ["openai", { reasoning_effort: "low" }, { reasoning_effort: "low" }],
  [
    "openai",
    { parallel_tool_calls: false, service_tier: "flex" },
    { parallel_tool_calls: false, service_tier: "flex" },
  ],
  ["openai", { a_field_of_next_year: { deep: [1] } }, { a_field_of_next_year: { deep: [1] } }],
  [
    "openai",
    { tools: [{ type: "function", function: { name: "weather", parameters, strict: true } }] },
    { tools: { weather: { strict: true } } },
  ],
  [
    "openai",
    { response_format: { type: "json_schema", json_schema: { name: "n", schema: parameters, strict: true } } },
    { response_format: { strict: true } },
  ],
  [
    "openai",
    { response_format: { type: "grammar", grammar: "x" } },
    { response_format: { type: "grammar", grammar: "x" } },
  ],
  [
    "anthropic",
    { top_k: 3, seed: 7, thinking: { type: "adaptive" } },
    { top_k: 3, seed: 7, thinking: { type: "adaptive" } },
  ],
  ["anthropic", { output_config: { effort: "high" } }, { output_config: { effort: "high" } }],
  [
    "anthropic",
    { tool_choice: { type: "auto", disable_parallel_tool_use: true } },
    { tool_choice: { disable_parallel_tool_use: true } },
  ],
  ["ollama", { think: "high", options: { top_k: 3, seed: 1 } }, { think: "high", options: { top_k: 3 } }],
  ["ollama", { format: "json" }, { format: "json" }],
  ["responses", { reasoning: { effort: "high" } }, { reasoning: { effort: "high" } }],
  ["responses", { text: { verbosity: "low", format: { type: "text" } } }, { text: { verbosity: "low" } }],
  ["responses", { include: ["reasoning.encrypted_content", "x"] }, { include: ["x"] }],
  ["responses", { tools: [{ type: "web_search" }] }, { hosted_tools: [{ type: "web_search" }] }],
  [
    "gemini",
    { generationConfig: { thinkingConfig: { thinkingBudget: 0 }, topK: 3, seed: 1 } },
    { generationConfig: { thinkingConfig: { thinkingBudget: 0 }, topK: 3 } },
  ],
  ["gemini", { safety_settings: [{ category: "x" }] }, { safetySettings: [{ category: "x" }] }],
  ["gemini", { tools: [{ googleSearch: {} }] }, { hosted_tools: [{ googleSearch: {} }] }],
];

const DROPPED: readonly (readonly [WireName, body: object])[] = [
  ["openai", { reasoning_effort: null, temperature: 1, max_tokens: 4, n: 1, stop: "x", seed: 1 }],
  ["openai", { response_format: { type: "text" } }],
  ["openai", { response_format: { type: "json_object" } }],
  ["openai", { tools: [{ type: "function", function: { name: "w", description: "d", parameters } }] }],
  ["anthropic", { output_config: { format: { type: "json_schema", schema: parameters } }, thread: { type: "create" } }],
  ["anthropic", { tools: [{ name: "w", input_schema: parameters, cache_control: { type: "ephemeral" } }] }],
  ["responses", { reasoning: null, temperature: 1, max_output_tokens: 4, include: ["reasoning.encrypted_content"] }],
  ["responses", { tools: [{ type: "function", name: "w", description: "d", parameters }] }],
  ["responses", { text: { format: { type: "json_schema", name: "n", schema: parameters } } }],
  ["gemini", { generationConfig: { temperature: 1, top_p: 1, maxOutputTokens: 4, stopSequences: ["x"], seed: 1 } }],
  ["gemini", { tools: [{ function_declarations: [{ name: "w", description: "d", parameters }] }] }],
  ["ollama", { format: "", options: { num_predict: 3 }, stream: false, keep_alive: "5m" }],
];

describe("request fields that no setting stands for", () => {
  it.each(KEPT)("are kept by the reader of %s: %j", (wire, body, kept) => {
    expect(fields(wire, body)).toEqual(kept);
  });

  it.each(DROPPED)("are not what settings of %s stand for, and not null: %j", (wire, body) => {
    expect(fields(wire, body)).toEqual({});
  });

  it("leave an empty setting if there are none, which says that all were kept", () => {
    expect(VENDORS.openai.parse({ model: "m", messages }).request.settings).toEqual({ model: "m", openai: {} });
  });

  it.each(Object.keys(NOT_COMPARED))("leave out %s, which cannot change the answer", (field) => {
    const value = field === "thread" ? { type: "create" } : "x";
    // Gemini spells its fields otherwise and has none of these.
    const wires = WIRE_NAMES.filter((name) => name !== "gemini");
    for (const wire of wires) expect(fields(wire, { [field]: value })).toEqual({});
  });

  it("go over their own wire, and over no other", () => {
    const { request } = VENDORS.openai.parse({ model: "m", messages, reasoning_effort: "low" });
    const over = (wire: WireName) => throughWire(request, VENDORS[wire], request)?.settings;
    expect(over("openai")).toEqual({ model: "m", openai: { reasoning_effort: "low" } });
    expect(over("ollama")).toEqual({ model: "m", ollama: {} });
  });
});

const image = { type: "image_url", image_url: { url: "https://a.test/i.png", detail: "low" } };
const block = { type: "image", source: { type: "url", url: "https://a.test/i.png", zoom: 2 } };
const cached = { type: "text", text: "q", cache_control: { type: "ephemeral" } };
const IN_MESSAGES: readonly (readonly [WireName, message: object, fields: object])[] = [
  ["openai", { role: "user", content: "q", name: "ann" }, { name: "ann" }],
  [
    "openai",
    { role: "system", content: [{ type: "text", text: "s", lang: "en" }] },
    { content: { 0: { lang: "en" } } },
  ],
  ["openai", { role: "user", content: [cached, image] }, { content: { 1: { image_url: { detail: "low" } } } }],
  [
    "openai",
    { role: "tool", tool_call_id: "c", name: "look", content: "r", next_year: 1 },
    { name: "look", next_year: 1 },
  ],
  ["openai", { role: "user", content: "q", name: null }, {}],
  ["openai", { role: "assistant", content: "a", refusal: null, annotations: [] }, {}],
  ["openai", { role: "assistant", content: "a", prefix: true, name: "bot" }, { prefix: true, name: "bot" }],
  [
    "anthropic",
    {
      role: "assistant",
      content: [
        { type: "compaction", content: "summary" },
        { type: "text", text: "a" },
      ],
    },
    { content: { 0: { type: "compaction", content: "summary" } } },
  ],
  ["ollama", { role: "system", content: "s", images: ["AAAA"] }, { images: ["AAAA"] }],
  [
    "anthropic",
    { role: "user", content: [cached, block], origin: "o" },
    { origin: "o", content: { 1: { source: { zoom: 2 } } } },
  ],
  [
    "anthropic",
    { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: "r", ttl: 1 }] },
    { ttl: 1 },
  ],
  ["anthropic", { role: "assistant", content: [{ type: "text", text: "a", citations: [] }] }, {}],
  ["ollama", { role: "user", content: "q", images: ["iVBORw0KGgo="], name: "ann" }, { name: "ann" }],
  ["ollama", { role: "assistant", content: "a", thinking: "t" }, {}],
  ["ollama", { role: "assistant", content: "a", next_year: 1 }, { next_year: 1 }],
];

describe("message fields that a message of ours has no place for", () => {
  it.each(IN_MESSAGES)("are kept by the reader of %s: %j", (wire, message, kept) => {
    const { request } = VENDORS[wire].parse({ model: "m", messages: [message] });
    expect(wireFieldsOf(request.messages[0] as object, wire)).toEqual(kept);
    if (Object.keys(kept).length === 0) expect(request.messages[0]).not.toHaveProperty(wire);
  });

  it("go over their own wire with their message, although system messages are joined there", () => {
    const system = ["one", "two"].map((text) => ({ type: "text", text }));
    const asked = [{ role: "user", content: "q", origin: "o" }];
    const { request } = VENDORS.anthropic.parse({ model: "m", max_tokens: 9, system, messages: asked });
    const over = (wire: WireName) => throughWire(request, VENDORS[wire], request)?.messages.at(-1);
    expect(over("anthropic")).toMatchObject({ content: "q", anthropic: { origin: "o" } });
    expect(over("openai")).toEqual({ role: "user", content: "q" });
  });
});

it("docs/serve.md lists every field that is not compared, and no other", () => {
  const page = readFileSync(new URL("../../../docs/serve.md", import.meta.url), "utf8");
  const [, section = ""] = page.split("## Which fields are compared\n");
  const rows = (section.split("\n## ")[0] ?? "").split("\n").filter((line) => line.startsWith("| `"));
  const listed = rows.flatMap((row) =>
    [...(row.split("|")[1] ?? "").matchAll(/`([a-zA-Z_]+)`/g)].map(([, name]) => name),
  );
  // The row of threads names the one type that is not compared.
  expect(listed.filter((name) => name !== "create").sort()).toEqual(Object.keys(NOT_COMPARED).sort());
});
