// What Gemini's servers and clients do differently, each by a body written by hand.

import { describe, expect, it } from "vitest";
import { VENDORS } from "../../../../src/core/vendors/vendors.js";

const wire = VENDORS.gemini;
const PATH = "/v1beta/models/m:generateContent";
const bytesOf = (text: string) => new TextEncoder().encode(text);
const whole = (body: unknown) => wire.read({ bytes: bytesOf(JSON.stringify(body)), isStream: false, isCut: false });
const stream = (text: string) => wire.read({ bytes: bytesOf(text), isStream: true, isCut: false });
const answer = (parts: object[], more: object = { finishReason: "STOP" }) => ({
  candidates: [{ content: { role: "model", parts }, ...more }],
});
const functionCall = { name: "weather", args: { city: "Oslo" } };
const stamp = { id: "1", createdAt: 0, model: "m" };

describe("a request", () => {
  it.each([
    ["/v1beta/models/m:streamGenerateContent?alt=sse", { isStream: true }],
    ["/v1beta/models/m:streamGenerateContent?key=k&alt=sse", { isStream: true }],
    ["/v1beta/models/m:streamGenerateContent?key=k", { isStream: true, isList: true }],
    ["/v1beta/models/m:streamGenerateContent?$alt=json;enum-encoding=int", { isStream: true, isList: true }],
    ["/v1/projects/P/locations/L/publishers/google/models/m:generateContent", { isStream: false }],
  ])("says in its path how it wants the answer: %s", (path, form) => {
    const { request, ...rest } = wire.parse({ contents: "q" }, path);
    expect([request.settings.model, rest]).toEqual(["m", { wantsUsage: true, ...form }]);
    expect(wire.isTurn({ method: "POST", path: path.replace(/\?.*/, "") })).toBe(true);
  });

  it("is refused if it asks for several answers", () => {
    const asking = (candidateCount: number) => () =>
      wire.parse({ contents: "q", generationConfig: { candidateCount } }, PATH);
    expect(asking(2)).toThrow("candidateCount asks for 2 answers, and a turn has one");
    expect(asking(1)).not.toThrow();
  });

  it("finds the call of a result by its name where neither has an id", () => {
    const contents = [
      { role: "model", parts: [{ functionCall }, { functionCall: { ...functionCall, args: {} } }] },
      {
        role: "user",
        parts: ["rain", "sun"].map((output) => ({ functionResponse: { name: "weather", response: { output } } })),
      },
    ];
    const { messages } = wire.parse({ contents }, PATH).request;
    expect(messages.slice(1)).toMatchObject([
      { toolCallId: "call_0", content: "rain" },
      { toolCallId: "call_1", content: "sun" },
    ]);
    expect(wire.encode({ messages }, "m", 1)["contents"]).toEqual(contents);
  });

  it("may have its fields in snake_case, and contents without parts", () => {
    const contents = [
      { role: "user" },
      { role: "user", parts: [{ inline_data: { mime_type: "image/png", data: "AA" } }] },
    ];
    const body = {
      contents,
      system_instruction: { parts: [{ text: "s" }] },
      generation_config: { max_output_tokens: 3 },
    };
    const { messages, settings } = wire.parse(body, PATH).request;
    expect(messages).toEqual([
      { role: "system", content: "s" },
      { role: "user", content: [] },
      { role: "user", content: [{ type: "image", mediaType: "image/png", data: "AA" }] },
    ]);
    expect(settings).toEqual({ model: "m", maxTokens: 3, gemini: {} });
  });

  it("that continues cached content is refused", () => {
    expect(() => wire.parse({ contents: "q", cachedContent: "cachedContents/1" }, PATH)).toThrow("(cachedContent)");
  });
});

describe("an answer", () => {
  it("keeps the signature of every kind of part, and gives it back", () => {
    const parts = [
      { text: "hm", thought: true, thoughtSignature: "s1" },
      { executableCode: { language: "PYTHON", code: "1" }, thoughtSignature: "s2" },
      { text: "a", thoughtSignature: "s3" },
      { functionCall, thoughtSignature: "s4" },
      { text: "", thoughtSignature: "s5" },
    ];
    const response = whole(answer(parts));
    expect(response.message).toMatchObject({ content: "a", reasoning: [{ text: "hm" }] });
    expect(wire.write(response, stamp)["candidates"]).toMatchObject([{ content: { parts } }]);
    const sent = wire.encode({ messages: [{ role: "user", content: "q" }, response.message] }, "m", 1);
    expect((sent["contents"] as object[])[1]).toEqual({ role: "model", parts });
  });

  it.each([
    [1, "stop"],
    [2, "length"],
    [3, "contentFilter"],
    ["MALFORMED_FUNCTION_CALL", "error"],
  ])("ends for a reason by its number or name: %s", (finishReason, stopReason) => {
    expect(whole(answer([{ text: "a" }], { finishReason })).stopReason).toBe(stopReason);
  });

  it("may lack parts, content, and any candidate where the prompt was blocked", () => {
    expect(whole({ candidates: [{ content: { role: "model" }, finishReason: "MAX_TOKENS" }] }).stopReason).toBe(
      "length",
    );
    expect(whole({ candidates: [{ index: 0 }] }).finalAnswer).toBe("");
    expect(whole({ promptFeedback: { blockReason: "SAFETY" } }).stopReason).toBe("contentFilter");
    expect(() => whole({})).toThrow("has no candidates");
  });

  it("counts thoughts as output", () => {
    const usageMetadata = {
      promptTokenCount: 3,
      candidatesTokenCount: 2,
      thoughtsTokenCount: 5,
      cachedContentTokenCount: 1,
    };
    const usage = { inputTokens: 3, outputTokens: 7, cacheReadTokens: 1, reasoningTokens: 5 };
    expect(whole({ ...answer([{ text: "a" }]), usageMetadata }).usage).toEqual(usage);
  });
});

describe("a stream", () => {
  const chunks = [
    answer([{ text: "a" }], {}),
    answer([{ text: "b" }]),
    { ...answer([], {}), usageMetadata: { promptTokenCount: 1 } },
  ];

  it("is read with CRLF, and as one JSON list", () => {
    const events = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`).join("");
    for (const response of [stream(events), stream(JSON.stringify(chunks, null, 2)), whole(chunks)]) {
      expect([response.finalAnswer, response.usage?.inputTokens]).toEqual(["ab", 1]);
    }
  });

  it("is written as one JSON list where the request wants that", () => {
    const response = whole(answer([{ text: "a text that comes in more than one piece" }, { functionCall }]));
    const list = JSON.parse(wire.stream(response, { ...stamp, isList: true }).join("")) as unknown[];
    expect(list.length).toBeGreaterThan(2);
    expect(whole(list)).toEqual(stream(wire.stream(response, stamp).join("")));
  });

  it("without a finish reason is not whole, unless the prompt was blocked", () => {
    const rated = { ...chunks[0], promptFeedback: { safetyRatings: [{ category: "x" }] } };
    for (const chunk of [chunks[0], rated]) {
      expect(() => stream(`data: ${JSON.stringify(chunk)}\r\n\r\n`)).toThrow("before its answer was whole");
    }
    const blocked = { promptFeedback: { blockReason: "SAFETY" } };
    expect(stream(`data: ${JSON.stringify(blocked)}\r\n\r\n`).stopReason).toBe("contentFilter");
  });

  it("is its first candidate, and notes the others", () => {
    const candidate = (index: number, text: string, more: object = {}) => ({
      ...{ index, content: { role: "model", parts: [{ text }] } },
      ...more,
    });
    const end = { finishReason: "STOP" };
    const several = [
      { candidates: [candidate(0, "a"), candidate(1, "x")] },
      { candidates: [candidate(1, "y", end)] },
      { candidates: [candidate(0, "b", end)] },
    ];
    const events = several.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");
    for (const text of [events, JSON.stringify(several)]) {
      const noted: string[] = [];
      const given = { bytes: bytesOf(text), isStream: true, isCut: false };
      const response = wire.read(given, undefined, (what) => noted.push(what));
      expect([response.finalAnswer, new Set(noted)]).toEqual(["ab", new Set(["more than one candidate"])]);
    }
  });
});
