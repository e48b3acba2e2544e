// The law of the request readers: whatever value of a body changes, the request that is compared changes too, or the body is refused, or
// the place is on the list below with the reason why it does not count. The bodies are mutated at every JSON pointer they have.

import { expect, it } from "vitest";
import { canonicalize } from "../../../src/core/canon/json.js";
import { NOT_COMPARED, NOT_COMPARED_IN_ANSWERS } from "../../../src/core/wire/fields.js";
import type { WireName } from "../../../src/core/vendors/table.js";
import { throughWire } from "../../../src/core/vendors/through-wire.js";
import { VENDORS } from "../../../src/core/vendors/vendors.js";

const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const labels = Object.fromEntries(Object.keys(NOT_COMPARED).map((field) => [field, { label: "x" }]));
const vendorOnly = Object.fromEntries(Object.keys(NOT_COMPARED_IN_ANSWERS).map((field) => [field, { label: "x" }]));

const OPENAI = {
  ...labels,
  model: "m",
  stream: true,
  thread: { type: "create", origin: "o" },
  messages: [
    { role: "system", content: [{ type: "text", text: "s", lang: "en" }] },
    {
      role: "user",
      name: "ann",
      content: [
        { type: "text", text: "q", lang: "en" },
        { type: "image_url", image_url: { url: "https://a.test/i.png", detail: "low" } },
        { type: "image_url", image_url: "data:image/png;base64,iVBORw0KGgo=" },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "text", text: "a" },
        { type: "input_audio", input_audio: { data: "x" } },
      ],
      name: "bot",
      prefix: true,
      images: [{ image_url: { url: "u" } }],
      tool_calls: [
        { id: "c1", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' }, own: 1 },
        { id: "c2", type: "custom", custom: { name: "weather", input: "text" } },
      ],
    },
    { role: "tool", tool_call_id: "c1", name: "weather", content: "rain", next_year: { deep: [1] } },
    { role: "assistant", content: "a", ...vendorOnly, audio: { transcript: "t" } },
    { role: "assistant", refusal: "no", function_call: { name: "weather", arguments: "{}" } },
    { role: "function", name: "weather", content: "r" },
    { role: "user", content: "q" },
  ],
  tools: [
    { type: "function", function: { name: "weather", description: "d", parameters, strict: true }, own: 1 },
    { type: "function", function: { name: "weather", description: "d", parameters } },
  ],
  functions: [{ name: "old", description: "d", parameters }],
  temperature: 0.5,
  top_p: 0.5,
  max_completion_tokens: 5,
  max_tokens: 6,
  n: 1,
  stop: ["x", "y"],
  seed: 3,
  tool_choice: { type: "function", function: { name: "weather", own: 1 }, own: 1 },
  function_call: "none",
  response_format: { type: "json_schema", own: 1, json_schema: { name: "n", schema: parameters, strict: true } },
  reasoning_effort: "low",
  next_year: { deep: [1, { a: 1 }] },
};

const ANTHROPIC = {
  ...labels,
  model: "m",
  stream: true,
  thread: { type: "create", origin: "o" },
  max_tokens: 9,
  system: [
    { type: "text", text: "s", cache_control: { type: "ephemeral" }, own: 1 },
    { type: "text", text: "t" },
  ],
  messages: [
    {
      role: "user",
      origin: "o",
      content: [
        { type: "text", text: "q", own: 1 },
        { type: "image", source: { type: "url", url: "https://a.test/i.png", media_type: "image/png" } },
        { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" }, own: 1 },
      ],
    },
    {
      role: "assistant",
      origin: "o",
      content: [
        { type: "thinking", thinking: "hm", signature: "s" },
        { type: "redacted_thinking", data: "d" },
        { type: "compaction", content: "summary" },
        { type: "mcp_tool_use", id: "1", name: "f", server_name: "s", input: { a: 1 } },
        { type: "text", text: "a", citations: [{ cited_text: "c" }], own: 1 },
        { type: "tool_use", id: "t1", name: "weather", input: { city: "Oslo" }, caller: { type: "direct" } },
        { type: "tool_use", id: "t2", name: "weather", input: "not an object" },
      ],
    },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "t1",
          content: [{ type: "text", text: "rain", own: 1 }],
          is_error: true,
          own: 1,
        },
        { type: "tool_result", tool_use_id: "t2", content: "r" },
        { type: "text", text: "and?" },
      ],
    },
  ],
  tools: [
    { type: "custom", name: "weather", description: "d", input_schema: parameters, strict: true },
    { name: "weather", description: "d", input_schema: parameters },
  ],
  temperature: 0.5,
  top_p: 0.5,
  top_k: 3,
  stop_sequences: ["x"],
  tool_choice: { type: "tool", name: "weather", disable_parallel_tool_use: true },
  output_config: { effort: "high", format: { type: "json_schema", schema: parameters, own: { a: 1 } } },
  thinking: { type: "adaptive" },
  mcp_servers: [{ url: "u" }],
};

const call = { id: "c1", function: { index: 0, name: "weather", arguments: { city: "Oslo" } }, own: 1 };
const OLLAMA = {
  ...labels,
  model: "m",
  stream: true,
  thread: { type: "create", origin: "o" },
  messages: [
    { role: "system", content: "s", images: ["AAAA"] },
    { role: "user", content: "q", images: ["iVBORw0KGgo="], name: "ann" },
    { role: "assistant", content: "a", thinking: "t", images: ["AAAA"], next_year: 1, tool_calls: [call] },
    { role: "tool", tool_name: "weather", content: "rain", images: ["AAAA"], next_year: 1 },
  ],
  tools: [{ type: "function", function: { name: "weather", description: "d", parameters, strict: true } }],
  options: { temperature: 0.5, top_p: 0.5, num_predict: 5, stop: ["x"], seed: 3, top_k: 3 },
  format: parameters,
  think: "high",
};

const RESPONSES = {
  ...labels,
  model: "m",
  stream: true,
  thread: { type: "create", origin: "o" },
  instructions: "s",
  input: [
    { role: "developer", content: [{ type: "input_text", text: "s", lang: "en" }], origin: "o" },
    {
      type: "message",
      role: "user",
      content: [
        { type: "input_text", text: "q", lang: "en" },
        { type: "input_image", image_url: "https://a.test/i.png", detail: "low" },
        { type: "input_image", file_id: "file_1" },
        { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=" },
        { type: "input_file", filename: "a.pdf", file_data: "AAAA" },
      ],
    },
    {
      type: "reasoning",
      id: "rs_1",
      summary: [{ type: "summary_text", text: "hm" }],
      encrypted_content: "e",
      own: 1,
    },
    { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "x" } },
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      phase: "commentary",
      content: [
        { type: "output_text", text: "a", annotations: [{ url: "u" }], logprobs: [] },
        { type: "output_audio", data: "x" },
      ],
    },
    { type: "function_call", id: "fc_1", call_id: "c1", name: "weather", arguments: '{"city":"Oslo"}', own: 1 },
    { type: "custom_tool_call", call_id: "c2", name: "weather", input: "text" },
    { type: "function_call_output", call_id: "c1", output: [{ type: "input_text", text: "rain", own: 1 }], own: 1 },
    { type: "custom_tool_call_output", call_id: "c2", output: "r" },
    { type: "mcp_approval_response", approval_request_id: "a", approve: true },
    { role: "assistant", content: [{ type: "refusal", refusal: "no" }] },
    { role: "user", content: "q" },
  ],
  tools: [
    { type: "function", name: "weather", description: "d", parameters, strict: true },
    { type: "function", name: "weather", description: "d", parameters },
    { type: "web_search", search_context_size: "low" },
  ],
  include: ["reasoning.encrypted_content", "web_search_call.action.sources"],
  temperature: 0.5,
  top_p: 0.5,
  max_output_tokens: 5,
  tool_choice: { type: "function", name: "weather" },
  text: { verbosity: "low", format: { type: "json_schema", name: "n", schema: parameters, strict: true } },
  reasoning: { effort: "high", summary: "auto" },
  parallel_tool_calls: false,
  background: false,
  next_year: { deep: [1, { a: 1 }] },
};

const GEMINI = {
  systemInstruction: { role: "system", parts: [{ text: "s" }, { text: "t" }] },
  contents: [
    {
      role: "user",
      parts: [
        { text: "q", own: 1 },
        { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=", displayName: "i" } },
        { fileData: { mimeType: "image/png", fileUri: "https://a.test/i.png" }, mediaResolution: "low" },
        { inlineData: { mimeType: "application/pdf", data: "AAAA" } },
      ],
    },
    {
      role: "model",
      parts: [
        { text: "hm", thought: true, thoughtSignature: "s1" },
        { executableCode: { language: "PYTHON", code: "1" }, thoughtSignature: "s2" },
        { text: "a", thoughtSignature: "s3" },
        { functionCall: { id: "f1", name: "weather", args: { city: "Oslo" }, own: 1 }, thoughtSignature: "s4" },
        { functionCall: { id: "f2", name: "other", args: {} } },
      ],
    },
    {
      role: "user",
      parts: [
        { functionResponse: { id: "f1", name: "weather", response: { output: "rain" }, scheduling: "SILENT" }, own: 1 },
        { functionResponse: { id: "f2", name: "other", response: { error: "r" } } },
        { text: "and?" },
      ],
    },
  ],
  tools: [
    { functionDeclarations: [{ name: "weather", description: "d", parameters, response: parameters }] },
    {
      functionDeclarations: [{ name: "weather", description: "d", parametersJsonSchema: parameters }],
      googleSearch: {},
    },
  ],
  toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["weather"] }, retrievalConfig: { a: 1 } },
  generationConfig: {
    temperature: 0.5,
    topP: 0.5,
    topK: 3,
    maxOutputTokens: 5,
    stopSequences: ["x"],
    seed: 3,
    responseMimeType: "application/json",
    responseSchema: parameters,
    thinkingConfig: { thinkingBudget: 0 },
  },
  safetySettings: [{ category: "c", threshold: "t" }],
  nextYear: { deep: [1, { a: 1 }] },
};

const BEDROCK = {
  ...labels,
  thread: { type: "create", origin: "o" },
  system: [{ text: "s", own: 1 }, { guardContent: { text: { text: "g", qualifiers: ["query"] } } }],
  messages: [
    {
      role: "user",
      origin: "o",
      content: [
        { text: "q", own: 1 },
        { image: { format: "png", source: { bytes: "iVBORw0KGgo=", own: 1 }, own: 1 } },
        { image: { format: "png", source: { s3Location: { uri: "s3://b/i.png" } } } },
        { document: { format: "txt", name: "d", source: { text: "t" }, citations: { enabled: true } } },
        { video: { format: "mp4", source: { s3Location: { uri: "s3://b/v.mp4" } } } },
        { guardContent: { text: { text: "g", qualifiers: ["grounding_source"] } } },
      ],
    },
    {
      role: "assistant",
      origin: "o",
      content: [
        { reasoningContent: { reasoningText: { text: "hm", signature: "s", own: 1 }, own: 1 } },
        { reasoningContent: { redactedContent: "ZA==", own: 1 } },
        { text: "a", own: 1 },
        { citationsContent: { content: [{ text: "c" }], citations: [{ title: "t" }], own: 1 } },
        { toolUse: { toolUseId: "t1", name: "weather", input: { city: "Oslo" }, own: 1 } },
        { toolUse: { toolUseId: "t2", name: "weather", input: "not an object" } },
        { toolUse: { toolUseId: "t3", name: "code", input: { a: 1 }, type: "server_tool_use" } },
        { toolResult: { toolUseId: "t3", content: [{ json: { out: "1" } }] } },
      ],
    },
    {
      role: "user",
      content: [
        { toolResult: { toolUseId: "t1", content: [{ text: "rain", own: 1 }], status: "error", own: 1 }, own: 1 },
        { toolResult: { toolUseId: "t2", content: [{ json: { deep: [1] } }, { image: { format: "png" } }] } },
        { text: "and?" },
      ],
    },
  ],
  inferenceConfig: { maxTokens: 9, temperature: 0.5, topP: 0.5, stopSequences: ["x"], own: 1 },
  toolConfig: {
    tools: [
      { toolSpec: { name: "weather", description: "d", inputSchema: { json: parameters, own: 1 }, strict: true } },
      { toolSpec: { name: "weather", description: "d", inputSchema: { json: parameters } } },
      { systemTool: { name: "nova_code_interpreter" } },
    ],
    toolChoice: { tool: { name: "weather", own: 1 } },
    own: 1,
  },
  outputConfig: {
    textFormat: {
      type: "json_schema",
      structure: { jsonSchema: { schema: '{"type":"object"}', name: "n", description: "d" }, own: 1 },
      own: 1,
    },
    own: 1,
  },
  additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 1024 } },
  guardrailConfig: { guardrailIdentifier: "g", guardrailVersion: "1" },
  performanceConfig: { latency: "optimized" },
};

const COHERE = {
  ...labels,
  model: "m",
  stream: true,
  thread: { type: "create", origin: "o" },
  messages: [
    { role: "system", content: [{ type: "text", text: "s", lang: "en" }] },
    {
      role: "user",
      name: "ann",
      content: [
        { type: "text", text: "q", lang: "en" },
        { type: "image_url", image_url: { url: "https://a.test/i.png", detail: "low" } },
        { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
      ],
    },
    {
      role: "assistant",
      tool_plan: "p",
      content: [
        { type: "thinking", thinking: "t", own: 1 },
        { type: "document", document: { data: "d" } },
      ],
      next_year: 1,
      tool_calls: [
        { id: "c1", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' }, own: 1 },
        { id: "c2", type: "function", function: { name: "weather", arguments: "not an object" } },
      ],
    },
    {
      role: "tool",
      tool_call_id: "c1",
      own: 1,
      content: [
        { type: "document", document: { id: "1", data: { output: "rain", deep: [1] }, own: 1 }, own: 1 },
        { type: "document", document: { data: "text" } },
        { type: "text", text: "a", lang: "en" },
      ],
    },
    { role: "tool", tool_call_id: "c2", content: "r" },
    { role: "assistant", content: [{ type: "text", text: "a", own: 1 }], ...vendorOnly },
    { role: "user", content: "q" },
  ],
  tools: [
    { type: "function", function: { name: "weather", description: "d", parameters, strict: true }, own: 1 },
    { type: "function", function: { name: "weather", description: "d", parameters } },
  ],
  documents: ["d", { id: "1", data: { text: "t" } }],
  citation_options: { mode: "FAST" },
  response_format: { type: "json_object", json_schema: parameters, schema: { type: "object" }, own: 1 },
  safety_mode: "STRICT",
  strict_tools: true,
  max_tokens: 5,
  stop_sequences: ["x", "y"],
  temperature: 0.5,
  seed: 3,
  frequency_penalty: 0.1,
  k: 3,
  p: 0.5,
  tool_choice: "REQUIRED",
  thinking: { type: "enabled", token_budget: 9 },
  next_year: { deep: [1, { a: 1 }] },
};

const BODIES: Readonly<Record<WireName, object>> = {
  openai: OPENAI,
  responses: RESPONSES,
  anthropic: ANTHROPIC,
  gemini: GEMINI,
  bedrock: BEDROCK,
  cohere: COHERE,
  ollama: OLLAMA,
};

/** Places where another value leaves the same request, each with its reason. */
const SAME: readonly (readonly [WireName | "any", RegExp, reason: string])[] = [
  [
    "any",
    new RegExp(
      `^/(?:${Object.keys(NOT_COMPARED)
        .filter((field) => field !== "thread")
        .join("|")})(?:/|$)`,
    ),
    "NOT_COMPARED",
  ],
  ["any", /\/cache_control(?:\/|$)/, "the vendor's cache"],
  [
    "any",
    new RegExp(
      `^/messages/\\d+/(?:content/\\d+/)?(?:tool_calls/\\d+/(?:function/)?|citationsContent/)?(?:${Object.keys(NOT_COMPARED_IN_ANSWERS).join("|")})(?:/|$)`,
    ),
    "NOT_COMPARED_IN_ANSWERS",
  ],
  ["responses", /^\/input\/\d+\/(?:id|status)(?:\/|$)/, "a replay makes its own ids of items"],
  ["responses", /\/(?:annotations|logprobs)(?:\/|$)/, "what the vendor adds to a text"],
  ["responses", /^\/include\/0$/, "asks for reasoning that is compared where it comes back"],
  ["gemini", /^\/systemInstruction\/role(?:\/|$)/, "the vendor ignores it"],
];

/** Pairs of values that mean the same. */
const TWINS: readonly (readonly [pointer: RegExp, one: string, other: string])[] = [
  [/\/(?:stop|stop_sequences|stopSequences|include|allowedFunctionNames)$/, '"A"', '["A"]'],
  [/\/(?:stop|stop_sequences|stopSequences|include|allowedFunctionNames)$/, '"B"', '["B"]'],
  [/\/input\/\d+\/type$/, '"message"', "nothing"],
  [/\/thought$/, "nothing", "false"],
  // The call of a result is found by its name.
  [/\/functionResponse\/id$/, '"f1"', "nothing"],
  [/\/functionResponse\/id$/, '"f2"', "nothing"],
  [/\/role$/, '"user"', "nothing"],
  [/\/args$/, "{}", "nothing"],
  [/\/(?:tools|tool_calls)\/\d+\/type$/, '"function"', "nothing"],
  [/^\/tools\/\d+\/type$/, '"custom"', "nothing"],
  [/\/is_error$/, "nothing", "false"],
  [/^\/n$/, "1", "nothing"],
  [/^\/messages\/3\/name$/, '"weather"', "nothing"],
  [/\/function_call\/arguments$/, '"{}"', "nothing"],
  [/^\/tool_choice\/type$/, '"function"', "nothing"],
];

const OTHERS: readonly unknown[] = [
  "A",
  "B",
  1.5,
  2.5,
  { z: 1 },
  { z: 2 },
  [1],
  [2],
  ["A"],
  ["B"],
  [{ type: "A" }],
  [{ type: "B" }],
];

interface Place {
  pointer: string;
  value: unknown;
  set: (value: unknown) => unknown;
}

function placesOf(value: unknown, pointer = "", set: (value: unknown) => unknown = (other) => other): Place[] {
  const own = { pointer, value, set };
  if (typeof value !== "object" || value === null) return [own];
  const inner = Object.entries(value).flatMap(([key, item]) =>
    placesOf(item, `${pointer}/${key}`, (other) => {
      const copy: object = structuredClone(value);
      if (other === undefined && Array.isArray(copy)) copy.splice(Number(key), 1);
      else if (other === undefined) Reflect.deleteProperty(copy, key);
      else Reflect.set(copy, key, other);
      return set(copy);
    }),
  );
  return [...(pointer === "" ? [] : [own]), ...inner];
}

/** The request as it is compared; undefined for a body that is refused. */
function compared(wire: WireName, body: unknown): string | undefined {
  try {
    const { request } = VENDORS[wire].parse(body);
    const over = throughWire(request, VENDORS[wire], request) ?? request;
    return canonicalize({ ...over, settings: { ...over.settings, model: "" } });
  } catch (error) {
    expect(error).toMatchObject({ code: "invalid-options" });
    return undefined;
  }
}

it.each(Object.keys(BODIES) as WireName[])("every value in a body of %s is compared, refused or listed", (wire) => {
  const body = BODIES[wire];
  expect(compared(wire, body)).toBeDefined();
  const equal: string[] = [];
  for (const { pointer, value, set } of placesOf(body)) {
    if (SAME.some(([of, pattern]) => (of === "any" || of === wire) && pattern.test(pointer))) continue;
    const seen = new Map([[compared(wire, body), JSON.stringify(value)]]);
    for (const other of [
      undefined,
      typeof value === "string" ? `${value}!` : value === true ? false : null,
      ...OTHERS,
    ]) {
      // An absent value and null mean the same.
      if (other === null || JSON.stringify(other) === JSON.stringify(value)) continue;
      const read = compared(wire, set(other));
      if (read === undefined) continue;
      const twin = seen.get(read);
      const name = JSON.stringify(other) ?? "nothing";
      if (TWINS.some(([pattern, one, second]) => pattern.test(pointer) && one === twin && second === name)) continue;
      if (twin !== undefined) equal.push(`${pointer}: ${twin} and ${name}`);
      seen.set(read, name);
    }
  }
  expect(equal).toEqual([]);
});
