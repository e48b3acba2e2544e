import { describe, expect, it } from "vitest";
import { sse } from "../../support/exchanges.js";
import { chunk, DONE, part, readRecorded, readStream, readWhole, whole } from "../../support/quirks.js";
import { hasShared } from "../../support/shared.js";
import { agentErrorOf } from "../../support/wire.js";

// What vendors do apart from their documentation, streamed and whole. Where a recording shows it, its id is given.

describe("how a chat completion ends", () => {
  const call = { id: "a", function: { name: "weather", arguments: "{}" } };

  it("forced tool choice with finish_reason stop: the calls count", () => {
    expect(readWhole("openai", whole({ content: null, tool_calls: [call] }))).toMatchObject({ stopReason: "toolUse" });
    const text = sse(part({ index: 0, id: "a" }, "weather", "{}"), chunk({}, "stop"), DONE);
    expect(readStream("openai", text)).toMatchObject({ stopReason: "toolUse" });
  });

  it("truncated argument JSON at length: kept as text, and the length is said", () => {
    const cut = { id: "a", function: { name: "report", arguments: '{"text":"The cache' } };
    const expected = {
      stopReason: "length",
      message: { toolCalls: [{ arguments: {}, malformedArguments: '{"text":"The cache' }] },
    };
    expect(readWhole("openai", whole({ tool_calls: [cut] }, "length"))).toMatchObject(expected);
    const text = sse(part({ index: 0, id: "a" }, "report", '{"text":'), part({ index: 0 }, undefined, '"The cache'));
    expect(readStream("openai", text + sse(chunk({}, "length"), DONE))).toMatchObject(expected);
  });

  it("a usage chunk with empty choices is counted, and a null one is not", () => {
    const usage = { prompt_tokens: 3, completion_tokens: 5 };
    const text = sse({ ...chunk({ content: "hi" }), usage: null }, chunk({}, "stop"), { choices: [], usage }, DONE);
    expect(readStream("openai", text).usage).toEqual({ inputTokens: 3, outputTokens: 5 });
  });

  it("the last count of each kind stands, but for a null", () => {
    const text = sse(
      { ...chunk({ content: "hi" }), usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 } },
      { ...chunk({}, "stop"), usage: { prompt_tokens: 0, completion_tokens: null, total_tokens: null } },
    );
    expect(readStream("openai", text).usage).toEqual({ inputTokens: 0, outputTokens: 1 });
  });

  it("usage in a chunk with a choice, in the choice, or under x_groq is counted", () => {
    const usage = { prompt_tokens: 3, completion_tokens: 5 };
    const [last] = chunk({}, "stop").choices;
    for (const end of [
      { choices: [last], usage },
      { choices: [{ ...last, usage }] },
      { choices: [last], x_groq: { usage } },
    ]) {
      expect(readStream("openai", sse(chunk({ content: "hi" }), end)).usage).toEqual({
        inputTokens: 3,
        outputTokens: 5,
      });
    }
  });

  it.each([
    ["without [DONE]", sse(chunk({ content: "hi" }), chunk({}, "stop"))],
    ["without a finish reason", sse(chunk({ content: "hi" }), DONE)],
    ['with the finish reason ""', sse(chunk({ content: "hi" }, ""), chunk({}, ""), DONE)],
    ["with the finish reason eos", sse(chunk({ content: "hi" }), chunk({}, "eos"), DONE)],
    ["with usage alone at its end", sse(chunk({ content: "hi" }), { choices: [], usage: { prompt_tokens: 1 } })],
    ["with a finish reason in two chunks", sse(chunk({ content: "hi" }, "stop"), chunk({}, "stop"), DONE)],
    ["with a space after [DONE]", sse(chunk({ content: "hi" }), "[DONE] ")],
  ])("a stream %s is an answer", (_name, text) => {
    expect(readStream("openai", text)).toMatchObject({ finalAnswer: "hi", stopReason: "stop" });
  });

  it.each([
    ["no end of any kind", sse(chunk({ content: "hi" }))],
    ['"" for an end', sse(chunk({ content: "hi" }, ""))],
    ["nothing in it", ""],
    ["comments alone", ": OPENROUTER PROCESSING\n\n"],
    ["a torn last event", `${sse(chunk({ content: "hi" }))}data: {"choices":[{"del`],
  ])("a stream with %s was cut, and may be tried again", async (_name, text) => {
    const error = await agentErrorOf(() => readStream("openai", text));
    expect(error).toMatchObject({ code: "provider-response", retryable: true, kind: "unavailable" });
    expect(error.message).toBe("the stream of the vendor ended before its answer was whole");
  });

  it.skipIf(!hasShared)("so it was recorded", () => {
    expect(readRecorded("2ed5094468246ebf").stopReason).toBe("toolUse"); // finish_reason stop with a call
    expect(readRecorded("ca9a94f0519a12ba")).toMatchObject({ message: { toolCalls: [{ arguments: {} }] } });
    expect(readRecorded("c332f313dc1e82ae").stopReason).toBe("length"); // Cerebras sends no [DONE]
    expect(readRecorded("546b4da5f0d5be70").stopReason).toBe("stop"); // Snowflake sends no finish reason
    expect(readRecorded("554c073d84fb08f3").stopReason).toBe("stop"); // nor a whole one, but ""
    expect(readRecorded("7192632bda7b4563").stopReason).toBe("stop"); // eos, Together
    expect(readRecorded("b81ce9d23260645c").usage?.outputTokens).toBe(8); // llama.cpp
  });
});

describe("content of a chat completion", () => {
  it.each([
    ["null", { content: null, reasoning: "hm" }],
    ["missing", { reasoning: "hm" }],
    ["an empty list", { content: [], reasoning: "hm" }],
  ])("that is %s is not text", (_name, message) => {
    const expected = { finalAnswer: "", message: { reasoning: [{ text: "hm" }] } };
    expect(readWhole("openai", whole(message))).toMatchObject(expected);
    expect(readStream("openai", sse(chunk(message), chunk({}, "stop")))).toMatchObject(expected);
  });

  it("that is a list holds thinking and text, also where text follows as such", () => {
    const thinking = (text: string) => ({ type: "thinking", thinking: [{ type: "text", text }] });
    const text = sse(
      chunk({ content: "" }),
      chunk({ content: [thinking("Let me ")] }),
      chunk({ content: [thinking("think.")] }),
      chunk({ content: [{ type: "text", text: "It " }] }),
      chunk({ content: "rains." }, "stop"),
    );
    const expected = {
      finalAnswer: "It rains.",
      message: { reasoning: [{ type: "text", text: "Let me think." }] },
    };
    expect(readStream("openai", text)).toMatchObject(expected);
    const content = [thinking("Let me think."), { type: "text", text: "It rains." }];
    expect(readWhole("openai", whole({ content }))).toMatchObject(expected);
  });

  it("the message so far next to each delta is not read twice, and alone it is the answer", () => {
    const both = (content: string, soFar: string) => ({
      choices: [{ delta: { content }, message: { content: soFar } }],
    });
    expect(readStream("openai", sse(both("It ", "It "), both("rains.", "It rains."), chunk({}, "stop")))).toMatchObject(
      {
        finalAnswer: "It rains.",
      },
    );
    const after = { choices: [{ message: { content: "It rains." }, finish_reason: "stop" }] };
    expect(readStream("openai", sse(chunk({ content: "It rains." }), after))).toMatchObject({
      finalAnswer: "It rains.",
    });
    const alone = { choices: [{ message: { content: "It rains." }, finish_reason: "stop" }] };
    expect(readStream("openai", sse(alone))).toMatchObject({ finalAnswer: "It rains." });
  });

  it("a refusal in deltas is the answer", () => {
    expect(
      readStream("openai", sse(chunk({ refusal: "I can" }), chunk({ refusal: "not." }, "stop"), DONE)),
    ).toMatchObject({
      finalAnswer: "I cannot.",
      stopReason: "contentFilter",
    });
  });

  it("half a surrogate pair in one delta and half in the next are one character", () => {
    const text = sse(
      '{"choices":[{"delta":{"content":"\\ud83d"}}]}',
      '{"choices":[{"delta":{"content":"\\ude00"}}]}',
      DONE,
    );
    expect(readStream("openai", text).finalAnswer).toBe("😀");
  });

  it.skipIf(!hasShared)("so it was recorded", () => {
    expect(readRecorded("9aa550d6ca008e4d").message.reasoning).toHaveLength(1); // Mistral's list
    expect(readRecorded("18fc0353de0bef13").finalAnswer).toBe("pong"); // Perplexity's message so far
    expect(readRecorded("876fd59114ce162b").stopReason).toBe("contentFilter");
    expect(readRecorded("a0a16bc91fdded48").message.content).toBe(""); // null
    expect(readRecorded("4371e0c3377a4554").message.content).toBe(""); // missing
  });
});
