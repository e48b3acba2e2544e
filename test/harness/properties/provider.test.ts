import { describe, expect, it } from "vitest";
import { recordingProvider } from "../../../src/cassette/record/recording-provider.js";
import { cassetteProvider } from "../../../src/cassette/replay/replay.js";
import { AgentError } from "../../../src/core/errors.js";
import type { LlmProviderAdapter, LlmStreamEvent, LlmTurnRequest } from "../../../src/core/model/provider.js";
import { echoProvider } from "../../../src/core/providers/echo.js";
import { fallbackProvider } from "../../../src/core/providers/fallback.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import { checkProvider, LawBrokenError } from "../../../src/harness/properties/index.js";
import { rejection } from "../../support/refusal.js";
import { ask, say } from "../../support/script.js";

const answering = (turn: LlmProviderAdapter["turn"], more: Partial<LlmProviderAdapter> = {}): LlmProviderAdapter => ({
  name: "mine",
  async turn(request) {
    if (request.signal?.aborted === true) throw new AgentError("aborted", "aborted");
    return turn(request);
  },
  ...more,
});
const giving = (response: unknown) => answering(async () => response as never);
const law = async (source: Parameters<typeof checkProvider>[0], options: Parameters<typeof checkProvider>[1] = {}) => {
  const error = await rejection(checkProvider(source, { seed: 3, ...options }));
  expect(error).toBeInstanceOf(LawBrokenError);
  return error as LawBrokenError;
};
/** Its one thought is this. */
function thinking(thought: unknown) {
  const { message, ...rest } = say("x");
  return { ...rest, message: { ...message, reasoning: [thought] } };
}
const prompts: LlmTurnRequest[] = [
  { messages: [{ role: "user", content: "one" }] },
  { messages: [{ role: "user", content: "two" }] },
];

describe("our own providers keep the contract", () => {
  it("echo", async () => {
    expect(await checkProvider(echoProvider(), { numRuns: 30 })).toMatchObject({ runs: 30, rejected: 0 });
    expect((await checkProvider(() => echoProvider(), { numRuns: 30 })).answered).toBeGreaterThanOrEqual(30);
  });

  it("a script", async () => {
    const script = [ask([{ name: "look" }, { name: "look" }]), say("done")];
    // Without a stream a second turn is asked, of another one made alike.
    expect((await checkProvider(() => scriptedProvider(script))).answered).toBe(40);
    expect(await checkProvider(scriptedProvider(script), { prompts })).toMatchObject({
      runs: 2,
      calls: 2,
      answered: 2,
    });
  });

  it("a cassette, asked what it was recorded with, and its stream", async () => {
    const recorder = recordingProvider(scriptedProvider([say("1"), say("2")]));
    for (const request of prompts) await recorder.turn(request);
    const cassette = recorder.toCassette();
    const report = await checkProvider(() => cassetteProvider(cassette), { prompts });
    expect(report).toEqual({ runs: 2, calls: 4, answered: 4, rejected: 0, streamed: 2 });
  });

  it("a fallback chain", async () => {
    const chain = () => fallbackProvider([{ provider: scriptedProvider([say("here")]) }]);
    expect((await checkProvider(chain)).streamed).toBe(20);
  });
});

describe("a response that breaks the contract is named", () => {
  it.each<[string, unknown, RegExp]>([
    ["nothing", undefined, /it: expected "an object"/],
    ["no stop reason", { message: { role: "assistant", content: "" } }, /\/stopReason: expected "one of/],
    [
      "one id twice",
      ask([
        { id: "x", name: "a" },
        { id: "x", name: "b" },
      ]),
      /toolCalls\/1\/id: expected "an id that no earlier call has"/,
    ],
    [
      "calls that end the run",
      { ...ask([{ name: "a" }]), stopReason: "stop" },
      /the stop reason with 1 calls: expected "toolUse", got "stop"/,
    ],
    [
      "tool use without a call",
      { ...say("x"), stopReason: "toolUse" },
      /the stop reason with 0 calls: expected "stop", got "toolUse"/,
    ],
    [
      "a final answer next to calls",
      { ...ask([{ name: "a" }]), finalAnswer: "x" },
      /finalAnswer with 1 calls: expected "undefined", got "string"/,
    ],
    [
      "half a token",
      say("x", { usage: { inputTokens: 1, outputTokens: 0.5 } }),
      /outputTokens: expected "a whole number of 0 or more", got 0.5/,
    ],
    ["a price of NaN", say("x", { costUsd: NaN }), /costUsd|NaN/],
    [
      "half a cached token",
      say("x", { usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0.5 } }),
      /cacheReadTokens/,
    ],
    ["a thought that is a text", thinking("hm"), /\/message\/reasoning\/0: expected "a text or redacted data"/],
    [
      "a thought of a vendor's kind",
      thinking({ type: "thinking", thinking: "hm" }),
      /\/message\/reasoning\/0: expected "a text or redacted data"/,
    ],
    [
      "a thought that is signed by a number",
      thinking({ type: "text", text: "hm", signature: 5 }),
      /\/message\/reasoning\/0/,
    ],
    ["a negative price", say("x", { costUsd: -1 }), /costUsd: expected "a finite number of 0 or more", got -1/],
    ["a date", { ...say("x"), at: new Map() }, /at \/at is not plain JSON/],
    [
      "malformed and other arguments",
      ask([{ name: "a", arguments: { x: 1 }, malformedArguments: "{" }]),
      /the arguments of a call with malformedArguments: expected {}, got {"x":1}/,
    ],
  ])("%s", async (_name, response, what) => {
    const error = await law(giving(response));
    expect(error.law).toBe("a response follows the contract");
    expect(error.message).toMatch(what);
    expect(error.message).toContain("again: checkProvider(provider, { seed: 3, path: ");
  });
});

describe("a provider that breaks the contract in another way is named", () => {
  it("one that writes into the request", async () => {
    const error = await law(
      answering(async ({ messages }) => {
        (messages as unknown[]).push({ role: "user", content: "sneaked in" });
        return say("x");
      }),
    );
    expect(error.law).toBe("a request belongs to the caller");
  });

  it("one that answers though its signal has fired, or goes on", async () => {
    expect((await law({ turn: async () => say("x") })).law).toBe("a signal that has fired ends the call");
    const deaf: LlmProviderAdapter = {
      turn: ({ signal }) => (signal === undefined ? Promise.resolve(say("x")) : new Promise(() => {})),
    };
    expect((await law(deaf, { timeoutMs: 20 })).message).toContain("the call went on");
    const late = () =>
      answering(({ signal }) => (signal === undefined ? Promise.resolve(say("x")) : new Promise(() => undefined)));
    expect((await law(late, { timeoutMs: 20, numRuns: 1, prompts })).message).toContain("fired during the call");
  });

  it("one that crashes, or rejects with a value that is not an error, unless it may", async () => {
    const crash = answering(() => Promise.reject(new TypeError("undefined is no function")));
    expect((await law(crash)).message).toContain("turn rejected with TypeError: undefined is no function");
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
    expect((await law(answering(() => Promise.reject("no")))).message).toContain("no error but no");
    expect((await checkProvider(crash, { mayReject: () => true, minAnswered: 0 })).rejected).toBe(20);
  });

  it("one that keeps what it handed out and writes into it", async () => {
    const response = say("x", { usage: { inputTokens: 0, outputTokens: 0 } });
    const counting = answering(async () => {
      response.usage!.inputTokens += 1;
      return response;
    });
    expect((await law(counting)).message).toContain("TypeError");
  });

  it.each<[string, LlmStreamEvent[], RegExp]>([
    ["no response", [{ type: "text-delta", text: "x" }], /the number of responses: expected 1, got 0/],
    [
      "a late piece",
      [
        { type: "response", response: say("x") },
        { type: "text-delta", text: "x" },
      ],
      /the last piece: expected "response", got "text-delta"/,
    ],
    [
      "other text",
      [
        { type: "text-delta", text: "y" },
        { type: "response", response: say("x") },
      ],
      /the words: expected "x", got "y"/,
    ],
    [
      "a call from nowhere",
      [
        { type: "tool-call-delta", index: 0, argumentsText: "{" },
        { type: "response", response: say("x") },
      ],
      /call 0 of the response: expected "the call that was streamed", got undefined/,
    ],
    ["another answer", [{ type: "response", response: say("y") }], /the turn gave .*"x".*, the stream .*"y"/],
  ])("one whose stream gives %s", async (_name, events, what) => {
    const made = () =>
      answering(async () => say("x"), {
        async *stream() {
          yield* events;
        },
      });
    expect((await law(made, { prompts })).message).toMatch(what);
  });
});

it("a check without an answer does not count", async () => {
  const shut = answering(() => Promise.reject(new AgentError("provider-response", "shut")));
  expect(await rejection(checkProvider(shut))).toMatchObject({ code: "law-empty" });
  expect(await rejection(checkProvider(shut, { prompt: [] } as never))).toMatchObject({ code: "invalid-options" });
});

it("a counterexample is shrunk where providers are made, and taken as it is where one is asked that may cost something", async () => {
  const picky = (request: LlmTurnRequest) =>
    Promise.resolve(request.messages.some(({ role }) => role === "tool") ? say("x", { costUsd: -1 }) : say("x"));
  const least = (await law(() => answering(picky), { numRuns: 200 })).counterexample as LlmTurnRequest;
  expect(least).toEqual({
    messages: [
      { role: "user", content: "" },
      { role: "assistant", content: "", toolCalls: [{ id: "call-0", name: "look", arguments: {} }] },
      { role: "tool", toolCallId: "call-0", name: "look", content: "" },
    ],
  });
  expect((await law(answering(picky), { numRuns: 200 })).message).toMatch(/^counterexample: /m);
});
