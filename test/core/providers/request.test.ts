import { describe, expect, it } from "vitest";
import type { LlmTurnRequest } from "../../../src/core/model/provider.js";
import { anthropicProvider, ollamaProvider, openaiProvider } from "../../../src/core/vendors/providers.js";
import { fallbackProvider } from "../../../src/core/providers/fallback.js";
import { agentErrorOf, apiKey, hello, weatherTool } from "../../support/wire.js";

const unreached = () => Promise.reject(new Error("the request went out"));
const vendors = [
  ["openai", () => openaiProvider({ apiKey, model: "m", fetch: unreached })],
  ["anthropic", () => anthropicProvider({ apiKey, model: "m", fetch: unreached })],
  ["ollama", () => ollamaProvider({ model: "m", fetch: unreached })],
] as const;

/** Requests that no wire can say whole, with what the error names. */
const flawed: [what: string, request: unknown, words: string][] = [
  ["nothing", undefined, "the request is undefined"],
  ["no messages", {}, "/messages is undefined"],
  ["a text for messages", { messages: "hello" }, '/messages is "hello"'],
  [
    "the role developer",
    withSecond({ role: "developer", content: "x" }),
    '/messages/1/role is "developer", not one of',
  ],
  ["no role", withSecond({ content: "x" }), "/messages/1/role is undefined"],
  ["null for a message", withSecond(null), "/messages/1 is null, not an object"],
  ["audio", withSecond({ role: "user", content: [{ type: "audio" }] }), '/messages/1/content/0/type is "audio"'],
  [
    "OpenAI's image part",
    withSecond({
      role: "user",
      content: [
        { type: "text", text: "" },
        { type: "image_url", image_url: { url: "u" } },
      ],
    }),
    '/messages/1/content/1/type is "image_url"',
  ],
  [
    "an image without data",
    withSecond({ role: "user", content: [{ type: "image" }] }),
    "/messages/1/content/0/mediaType",
  ],
  ["content of null", withSecond({ role: "assistant", content: null }), "/messages/1/content is null, not a string"],
  ["a hole", { messages: [, { role: "user", content: "" }] }, "/messages/0 is undefined"], // eslint-disable-line no-sparse-arrays
  ["a misspelled setting", { ...hello, settings: { temprature: 1 } }, "unknown option: temprature"],
  ["settings of null", { ...hello, settings: null }, "/settings is null"],
  ["tools by name", { ...hello, tools: { weather: weatherTool } }, "/tools is an object, not a list"],
  ["a tool without a name", { ...hello, tools: [weatherTool, null] }, "/tools/1 is not a tool with a name"],
];

function withSecond(message: unknown): unknown {
  return { messages: [{ role: "system", content: "s" }, message] };
}

describe.each(vendors)("%s", (vendor, build) => {
  it.each(flawed)("refuses %s before anything is sent, watched or not", async (_what, request, words) => {
    const turn = await agentErrorOf(() => build().turn(request as LlmTurnRequest));
    const stream = await agentErrorOf(() =>
      build()
        .stream?.(request as LlmTurnRequest)
        [Symbol.asyncIterator]()
        .next(),
    );
    for (const error of [turn, stream]) {
      expect(error).toMatchObject({ code: "invalid-options", retryable: false, hint: expect.any(String) });
      expect(error.message).toContain(words);
      expect(error.message).toContain(`${vendor}:m`);
    }
  });
});

describe("the refusal of a message", () => {
  const errorFor = (message: unknown) =>
    agentErrorOf(() =>
      openaiProvider({ apiKey, model: "m", fetch: unreached }).turn(withSecond(message) as LlmTurnRequest),
    );

  it("says which role of ours a vendor's role is", async () => {
    expect((await errorFor({ role: "developer", content: "" })).hint).toContain('"system"');
    expect((await errorFor({ role: "function", content: "" })).hint).toContain("toolCallId");
    expect((await errorFor({ role: "toString", content: "" })).hint).toContain("LlmMessage");
  });

  it("lists the parts there are", async () => {
    expect((await errorFor({ role: "user", content: [{ type: "audio" }] })).hint).toContain('{ type: "image", url }');
  });

  it("shows no text of the conversation", async () => {
    const call = { id: "1", name: "t", arguments: "my secret" };
    const error = await errorFor({ role: "assistant", content: "", toolCalls: [call] });
    expect(error.message).toContain("/messages/1/toolCalls/0/arguments is a text, not an object");
  });

  it("ends a chain, whose other vendors could not send it either", async () => {
    const chain = fallbackProvider(vendors.map(([, build]) => ({ provider: build() })));
    const request = withSecond({ role: "developer", content: "" }) as LlmTurnRequest;
    expect(await agentErrorOf(() => chain.turn(request))).toMatchObject({ code: "invalid-options" });
  });
});
