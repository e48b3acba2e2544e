// What only one wire has of an answer comes back over that wire, whole and streamed, and is not part of the message.

import { describe, expect, it } from "vitest";
import type { LlmTurnResponse } from "../../../src/core/model/provider.js";
import { VENDORS } from "../../../src/core/vendors/vendors.js";
import type { WireName } from "../../support/exchanges.js";
import { bodyBytes } from "../../support/wire.js";

const stamp = { id: "1", createdAt: 0, model: "m" };
const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };

const read = (wire: WireName, body: unknown, isStream = false): LlmTurnResponse => {
  const bytes = isStream ? (body as Uint8Array) : Buffer.from(JSON.stringify(body));
  return VENDORS[wire].read({ bytes, isStream, isCut: false });
};
const written = (wire: WireName, answer: LlmTurnResponse) => VENDORS[wire].write(answer, stamp);
const streamed = (wire: WireName, answer: LlmTurnResponse) =>
  read(wire, bodyBytes(VENDORS[wire].stream(answer, { ...stamp, wantsUsage: true })), true);

const chat = (choice: object, message: object = {}) => ({
  choices: [
    { index: 0, finish_reason: "stop", message: { role: "assistant", content: "rain", ...message }, ...choice },
  ],
});
const claude = (fields: object) => ({ content: [{ type: "text", text: "rain" }], ...fields });
const gemini = (fields: object, parts: object[] = [{ text: "rain" }]) => ({
  candidates: [{ content: { role: "model", parts }, finishReason: "STOP", ...fields }],
});
const nova = (fields: object) => ({
  output: { message: { role: "assistant", content: [{ text: "rain" }] } },
  stopReason: "end_turn",
  usage,
  ...fields,
});
const command = (fields: object) => ({
  message: { role: "assistant", content: [{ type: "text", text: "rain" }] },
  ...fields,
});
const source = { type: "url_citation", url: "https://example.com", title: "Rain", start_index: 0, end_index: 4 };
const likely = { token: "rain", logprob: -0.5, bytes: null, top_logprobs: [] };
const response = (...content: object[]) => ({
  status: "completed",
  output: [{ type: "message", role: "assistant", content: content.map((part) => ({ type: "output_text", ...part })) }],
});

const page = { type: "page_location", cited_text: "It rains.", document_index: 0 };
const cited = { citationsContent: { content: [{ text: "rains" }], citations: [{ title: "Rain" }] } };
const span = { start: 0, end: 4, text: "rain", sources: [{ type: "document", id: "1" }] };
const billed = {
  usage: {
    tokens: { input_tokens: 3, output_tokens: 1 },
    billed_units: { input_tokens: 1, output_tokens: 0, search_units: 2 },
  },
};
const called = { id: "c", type: "function", function: { name: "weather", arguments: "{}" } };
const signed = { extra_content: { google: { thought_signature: "s" } } };
const thought = { type: "reasoning.text", text: "Clouds.", signature: "s", format: "anthropic-claude-v1", index: 0 };
const edited = { context_management: { applied_edits: [{ type: "clear_thinking_20251015" }] } };
const safe = { filtered: false, severity: "safe" };
const flex = { service_tier: "flex" };
const tier = { ...flex, system_fingerprint: "fp_1" };
const chatUsage = { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3 };

const KEPT: readonly (readonly [string, WireName, object, object])[] = [
  ["log probabilities", "openai", chat({ logprobs: { content: [likely] } }), { logprobs: { content: [likely] } }],
  ["sources of a chat", "openai", chat({}, { annotations: [source] }), { annotations: [source] }],
  [
    "Mistral's word for its context",
    "openai",
    chat({ finish_reason: "model_length" }),
    { finish_reason: "model_length" },
  ],
  [
    "a stop sequence",
    "anthropic",
    claude({ stop_reason: "stop_sequence", stop_sequence: "END" }),
    { stop_reason: "stop_sequence", stop_sequence: "END" },
  ],
  [
    "the word of a host that ends calls as it ends texts",
    "openai",
    chat({ finish_reason: "stop" }, { content: null, tool_calls: [called] }),
    { finish_reason: "stop" },
  ],
  [
    "signatures of calls",
    "openai",
    chat({ finish_reason: "tool_calls" }, { content: null, tool_calls: [called, { ...called, id: "d", ...signed }] }),
    { calls: { 1: signed } },
  ],
  [
    "signed thoughts",
    "openai",
    chat({}, { reasoning: "Clouds.", reasoning_details: [thought] }),
    { reasoning_details: [thought] },
  ],
  [
    "encrypted thoughts, and one in the open",
    "openai",
    chat(
      {},
      {
        reasoning_details: [
          thought,
          { ...thought, text: "Wind.", index: 1 },
          { type: "reasoning.encrypted", data: "e" },
        ],
      },
    ),
    {
      reasoning_details: [thought, { ...thought, text: "Wind.", index: 1 }, { type: "reasoning.encrypted", data: "e" }],
    },
  ],
  [
    "Anthropic's edits of the context, the container and details of the end",
    "anthropic",
    claude({ stop_reason: "end_turn", ...edited, container: { id: "c" }, stop_details: { type: "x" } }),
    { message: { ...edited, container: { id: "c" }, stop_details: { type: "x" } } },
  ],
  [
    "Amazon's tier, latency and details of its cache",
    "bedrock",
    nova({ serviceTier: { type: "flex" }, usage: { ...usage, cacheDetails: [{ ttl: "1h", inputTokens: 1 }] } }),
    { answer: { serviceTier: { type: "flex" } }, usage: { cacheDetails: [{ ttl: "1h", inputTokens: 1 }] } },
  ],
  ["a pause", "anthropic", claude({ stop_reason: "pause_turn" }), { stop_reason: "pause_turn" }],
  [
    "a malformed call",
    "gemini",
    gemini({ finishReason: "MALFORMED_FUNCTION_CALL", finishMessage: "f(" }, []),
    { finishReason: "MALFORMED_FUNCTION_CALL", candidate: { finishMessage: "f(" } },
  ],
  ["a reason by its number", "gemini", gemini({ finishReason: 4 }), { finishReason: "RECITATION" }],
  [
    "Google's sources",
    "gemini",
    gemini({ groundingMetadata: { webSearchQueries: ["rain"] } }),
    { candidate: { groundingMetadata: { webSearchQueries: ["rain"] } } },
  ],
  [
    "a blocked prompt",
    "gemini",
    { promptFeedback: { blockReason: "SAFETY" } },
    { promptFeedback: { blockReason: "SAFETY" } },
  ],
  [
    "a guardrail and its trace",
    "bedrock",
    nova({ stopReason: "guardrail_intervened", trace: { guardrail: { action: "NONE" } } }),
    { stopReason: "guardrail_intervened", trace: { guardrail: { action: "NONE" } } },
  ],
  [
    "fields of a model",
    "bedrock",
    nova({ additionalModelResponseFields: { stop_sequence: "END" } }),
    { additionalModelResponseFields: { stop_sequence: "END" } },
  ],
  ["Cohere's stop sequence", "cohere", command({ finish_reason: "STOP_SEQUENCE" }), { finish_reason: "STOP_SEQUENCE" }],
  [
    "sources and log probabilities of each text",
    "responses",
    response({ text: "rain" }, { text: " today", annotations: [source], logprobs: [likely] }),
    { texts: [{}, { annotations: [source], logprobs: [likely] }] },
  ],
  [
    "Anthropic's citations of each text",
    "anthropic",
    claude({
      content: [
        { type: "text", text: "It " },
        { type: "text", text: "rains", citations: [page, page] },
      ],
    }),
    { texts: [{ length: 3 }, { length: 5, citations: [page, page] }] },
  ],
  [
    "Amazon's citations of each text",
    "bedrock",
    nova({ output: { message: { role: "assistant", content: [{ text: "It " }, cited] } } }),
    { texts: [{ length: 3 }, { length: 5, citations: [{ title: "Rain" }] }] },
  ],
  [
    "Cohere's citations and billed units",
    "cohere",
    command({
      message: { role: "assistant", content: [{ type: "text", text: "rain" }], citations: [span] },
      ...billed,
    }),
    { citations: [span], usage: { billed_units: { input_tokens: 1, search_units: 2 } } },
  ],
  [
    "citations of a plan",
    "cohere",
    command({ message: { role: "assistant", tool_plan: "rain", tool_calls: [called], citations: [span] } }),
    { citations: [span] },
  ],
  [
    "Azure's filters, the tier and the fingerprint",
    "openai",
    { ...chat({ content_filter_results: { hate: safe } }), prompt_filter_results: [{ hate: safe }], ...tier },
    { content_filter_results: { hate: safe }, prompt_filter_results: [{ hate: safe }], ...tier },
  ],
  [
    "OpenAI's counts of audio",
    "openai",
    {
      ...chat({}),
      usage: { ...chatUsage, prompt_tokens_details: { audio_tokens: 1, cached_tokens: 1, image_tokens: 0 } },
    },
    { usage: { prompt_tokens_details: { audio_tokens: 1 } } },
  ],
  ["the tier of Responses", "responses", { ...response({ text: "rain" }), ...flex }, { service_tier: "flex" }],
  [
    "Anthropic's tier and searches",
    "anthropic",
    claude({ usage: { input_tokens: 1, output_tokens: 1, ...flex, server_tool_use: { web_search_requests: 1 } } }),
    { usage: { service_tier: "flex", server_tool_use: { web_search_requests: 1 } } },
  ],
  [
    "Google's counts of each medium",
    "gemini",
    {
      ...gemini({}),
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, promptTokensDetails: [{ modality: "AUDIO" }] },
    },
    { usage: { promptTokensDetails: [{ modality: "AUDIO" }] } },
  ],
];

describe("an answer keeps for its wire", () => {
  it.each(KEPT)("%s", (_, wire, body, fields) => {
    const answer = read(wire, body);
    expect((answer as unknown as Record<string, unknown>)[wire]).toEqual(fields);
    // A client repeats the message, without such fields.
    expect(JSON.stringify(answer.message)).not.toMatch(/url_citation|logprob|webSearchQueries|END/);
    const again = read(wire, written(wire, answer));
    expect(again).toEqual({
      ...answer,
      ...(again.model === undefined ? {} : { model: again.model }),
      ...counted(again),
    });
    const heard = streamed(wire, answer);
    expect(heard).toEqual({ ...again, ...counted(heard) });
  });

  it("citations on one text, if the content was changed since", () => {
    const content = [
      { type: "text", text: "a", citations: [page] },
      { type: "text", text: "b", citations: [page] },
    ];
    const answer = read("anthropic", claude({ content }));
    const changed = { ...answer, message: { ...answer.message, content: "masked" } };
    expect(written("anthropic", changed)).toMatchObject({
      content: [{ type: "text", text: "masked", citations: [page, page] }],
    });
    expect(streamed("anthropic", changed)).toMatchObject({ anthropic: { texts: [{ length: 6 }] } });
  });

  it("nothing of a plain answer", () => {
    for (const [wire, body] of [
      ["openai", chat({ logprobs: null }, { annotations: [] })],
      ["anthropic", claude({ stop_reason: "end_turn", stop_sequence: null })],
      ["gemini", gemini({})],
      ["bedrock", nova({})],
      ["cohere", command({ finish_reason: "COMPLETE" })],
      ["responses", response({ text: "rain", annotations: [], logprobs: [] })],
    ] as const) {
      expect(Object.keys(read(wire, body)), wire).not.toContain(wire);
    }
  });

  it("no word for an end that was changed since", () => {
    const answer = read("anthropic", claude({ stop_reason: "pause_turn" }));
    expect(written("anthropic", { ...answer, stopReason: "stop" })).toMatchObject({ stop_reason: "end_turn" });
  });

  it("no word of OpenAI's older calls, which are written in their present form", () => {
    const older = chat({ finish_reason: "function_call" }, { function_call: { name: "weather", arguments: "{}" } });
    expect(written("openai", read("openai", older))).toMatchObject({ choices: [{ finish_reason: "tool_calls" }] });
  });

  it("texts that can be recorded, and notes what JSON cannot hold", () => {
    const noted: string[] = [];
    const bytes = Buffer.from(
      '{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP","finishMessage":"\\ud83d"}],"promptFeedback":{"n":1e999}}',
    );
    const answer = VENDORS.gemini.read({ bytes, isStream: false, isCut: false }, undefined, (what) => noted.push(what));
    expect(answer).toMatchObject({ gemini: { candidate: { finishMessage: "\ufffd" } } });
    expect(noted).toEqual(["promptFeedback"]);
  });
});

/** Clients of some wires need counts and a model, which are zeros or those of the request where none was recorded. */
function counted(answer: LlmTurnResponse): object {
  return answer.usage === undefined ? {} : { usage: answer.usage };
}

it("marks the item that an answer of Responses broke off in", () => {
  const cut = {
    ...response({ text: "rain" }),
    status: "incomplete",
    incomplete_details: { reason: "max_output_tokens" },
  };
  expect(written("responses", read("responses", cut))).toMatchObject({
    status: "incomplete",
    output: [{ type: "message", status: "incomplete" }],
  });
});

it("notes log probabilities of a stream of Cohere", () => {
  const noted: string[] = [];
  const events = [
    { type: "content-delta", index: 0, delta: { message: { content: { text: "rain" } } }, logprobs: { text: "rain" } },
    { type: "message-end", delta: { finish_reason: "COMPLETE" } },
  ];
  const bytes = Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
  VENDORS.cohere.read({ bytes, isStream: true, isCut: false }, undefined, (what) => noted.push(what));
  expect(noted).toEqual(["logprobs"]);
});

it.each([
  ["cohere", command({ finish_reason: "COMPLETE", logprobs: [{ text: "rain" }] })],
  ["ollama", { message: { role: "assistant", content: "rain" }, done: true, done_reason: "stop", logprobs: [likely] }],
] as const)("notes log probabilities of %s, which are not kept", (wire, body) => {
  const noted: string[] = [];
  const bytes = Buffer.from(JSON.stringify(body));
  VENDORS[wire].read({ bytes, isStream: false, isCut: false }, undefined, (what) => noted.push(what));
  expect(noted).toEqual(["logprobs"]);
});
