import { describe, expect, it } from "vitest";
import { isSealed } from "../../../src/core/canon/copy.js";
import { ToolArgError } from "../../../src/core/errors.js";
import type { LlmMessage } from "../../../src/core/model/message.js";
import type { LlmProviderAdapter, LlmStreamEvent, LlmTurnResponse } from "../../../src/core/model/provider.js";
import { gate, playLoop, toolResults } from "../../support/loop.js";
import { ask, say, tool, watchedScript } from "../../support/script.js";

const answering = (turn: LlmProviderAdapter["turn"]): LlmProviderAdapter => ({ name: "custom", turn });
const answer = (response: unknown) => answering(async () => response as LlmTurnResponse);

describe("the tool calls of one turn", () => {
  it("keeps call order when tools finish out of order", async () => {
    const gates = [gate(), gate(), gate()];
    const finished: number[] = [];
    const slow = tool("slow", async ({ n }) => {
      if (n !== 2) await gates[(n as number) + 1]?.opened;
      finished.push(n as number);
      gates[n as number]?.open();
      return n;
    });
    const steps = [ask([0, 1, 2].map((n) => ({ name: "slow", arguments: { n } }))), say("done")];
    const { history, events } = await playLoop({ steps, tools: [slow] });
    expect(finished).toEqual([2, 1, 0]);
    expect(toolResults(history)).toEqual(["c0: 0", "c1: 1", "c2: 2"]);
    const results = events.filter(({ type }) => type === "tool-result");
    expect(results.map((event) => "callId" in event && event.callId)).toEqual(["c0", "c1", "c2"]);
  });

  it("runs a batch that only reads at once", async () => {
    let running = 0;
    let most = 0;
    const all = gate();
    const read = tool("read", async () => {
      most = Math.max(most, ++running);
      if (running === 3) all.open();
      await all.opened;
    });
    await playLoop({ steps: [ask([{ name: "read" }, { name: "read" }, { name: "read" }]), say("x")], tools: [read] });
    expect(most).toBe(3);
  });

  it("runs a batch that holds a writing tool one after another, in call order", async () => {
    const log: string[] = [];
    const make = (name: string, effect: "read" | "write") =>
      tool(
        name,
        async () => {
          log.push(`${name} starts`);
          await Promise.resolve();
          log.push(`${name} ends`);
        },
        { effect },
      );
    const tools = [make("read", "read"), make("write", "write")];
    await playLoop({ steps: [ask([{ name: "read" }, { name: "write" }, { name: "read" }]), say("x")], tools });
    expect(log).toEqual(["read starts", "read ends", "write starts", "write ends", "read starts", "read ends"]);
  });

  it("runs the others when one call fails, is refused or is rejected", async () => {
    const tools = [
      tool("good", () => "fine"),
      tool("bad", () => {
        throw new Error("broke");
      }),
      tool("strict", () => 1, { schema: { required: ["a"] } }),
    ];
    const calls = ["bad", "missing", "strict", "good"].map((name) => ({ name }));
    const { history } = await playLoop({ steps: [ask(calls), say("x")], tools });
    expect(toolResults(history)).toEqual(["c0: broke", "c1: tool unavailable", "c2: tool unavailable", "c3: fine"]);
  });

  it("PLK-61 keeps the whole story of a masked call in the event log", async () => {
    const masked = tool("pay", () => {
      throw new ToolArgError("card 4111 is not allowed", { field: "/card" });
    });
    const { history, events } = await playLoop({ steps: [ask([{ name: "pay" }]), say("x")], tools: [masked] });
    expect(JSON.stringify(history)).not.toContain("4111");
    expect(events).toContainEqual({
      turn: 0,
      type: "tool-failed",
      callId: "c0",
      tool: "pay",
      message: "card 4111 is not allowed",
      masked: true,
      field: "/card",
    });
  });

  it("PLK-67 keeps tool and field of refused arguments in the event log", async () => {
    const strict = tool("strict", () => 1, { schema: { properties: { n: { type: "number" } } } });
    const steps = [ask([{ name: "strict", arguments: { n: "1" } }]), say("x")];
    const { history, events } = await playLoop({ steps, tools: [strict] });
    expect(toolResults(history)).toEqual(["c0: tool unavailable"]);
    expect(events).toContainEqual(expect.objectContaining({ type: "tool-failed", tool: "strict", field: "/n" }));
  });

  it("PLK-61 keeps the name of a tool that the agent does not have", async () => {
    const { events } = await playLoop({ steps: [ask([{ name: "secret_tool" }]), say("x")] });
    expect(events).toContainEqual({ turn: 0, type: "tool-rejected", callId: "c0", tool: "secret_tool" });
  });

  it("PLK-46 tells the model nothing of the tool it asked for but the name it used itself", async () => {
    const provider = watchedScript([ask([{ name: "secret_tool" }]), say("x")]);
    await playLoop({ provider });
    expect(provider.asked[1]?.messages.at(-1)).toEqual({
      role: "tool",
      toolCallId: "c0",
      name: "secret_tool",
      content: "tool unavailable",
      isError: true,
    });
  });

  it("PLK-101 starts no further call of a batch once the signal has fired", async () => {
    const controller = new AbortController();
    const started: string[] = [];
    const write = (name: string) =>
      tool(
        name,
        () => {
          started.push(name);
          if (name === "first") controller.abort();
        },
        { effect: "write" },
      );
    const steps = [ask([{ name: "first" }, { name: "second" }]), say("x")];
    const tools = [write("first"), write("second")];
    const { error } = await playLoop({ steps, tools, signal: controller.signal });
    expect(error).toMatchObject({ code: "aborted" });
    expect(started).toEqual(["first"]);
  });

  it("keeps a message that is not plain JSON as it came, and goes on", async () => {
    // The arguments are a Buffer's owner, the id and the name hold half a surrogate pair: none of it can be hashed.
    const bytes = Buffer.from("x");
    const call = { id: "\ud800", name: "\ud800", arguments: { bytes } };
    let turn = 0;
    const provider = answering(async () =>
      turn++ === 0
        ? ({ message: { role: "assistant", content: "", toolCalls: [call] }, stopReason: "toolUse" } as never)
        : say("done"),
    );
    const { stop, history } = await playLoop({ provider });
    expect(stop).toEqual({ kind: "finished", finalAnswer: "done" });
    expect(history.at(-2)).toMatchObject({ role: "tool", toolCallId: "\ud800", content: "tool unavailable" });
  });
});

describe("the provider's turn", () => {
  it("is asked with the conversation so far, the definitions and the signal", async () => {
    const controller = new AbortController();
    const provider = watchedScript([ask([{ name: "t" }]), say("done")]);
    await playLoop({ provider, tools: [tool("t", () => "r")], signal: controller.signal });
    const [first, second] = provider.asked;
    expect(first?.messages.map(({ role }) => role)).toEqual(["user"]);
    expect(second?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(first?.signal).toBe(controller.signal);
    expect(first?.tools?.map(({ name }) => name)).toEqual(["t"]);
    expect(second?.tools).toBe(first?.tools);
  });

  it("carries no tools field for an agent without tools", async () => {
    const provider = watchedScript([say("x")]);
    await playLoop({ provider });
    expect(provider.asked[0]?.tools).toBeUndefined();
  });

  it("appends sealed messages, so that neither provider nor tool can change the past", async () => {
    const kept: LlmTurnResponse = ask([{ name: "t", arguments: { list: [1] } }]);
    let turn = 0;
    const provider = answering(async () => (turn++ === 0 ? kept : say("x")));
    const { history } = await playLoop({ provider, tools: [tool("t", () => 1)] });
    kept.message.content = "changed afterwards";
    expect(history[1]?.content).toBe("");
    expect(history.slice(1).every(isSealed)).toBe(true);
  });

  it("gives the final answer, or else the text of the message", async () => {
    const response = { ...say("text"), finalAnswer: "answer" };
    expect((await playLoop({ steps: [response] })).stop).toEqual({ kind: "finished", finalAnswer: "answer" });
    const { finalAnswer, ...bare } = say("text");
    expect(finalAnswer).toBe("text");
    expect((await playLoop({ steps: [bare] })).stop).toEqual({ kind: "finished", finalAnswer: "text" });
  });

  it("takes an empty list of tool calls as none", async () => {
    const response = say("done");
    response.message.toolCalls = [];
    expect((await playLoop({ steps: [response] })).stop).toEqual({ kind: "finished", finalAnswer: "done" });
  });

  it("passes on what the provider threw, unchanged, and says so in the log", async () => {
    const thrown = Object.assign(new TypeError("socket closed"), { code: "ECONNRESET" });
    const provider = answering(() => Promise.reject(thrown));
    const { error, events } = await playLoop({ provider });
    expect(error).toBe(thrown);
    expect(events.at(-1)).toEqual({
      turn: 0,
      type: "llm-error",
      name: "TypeError",
      message: "socket closed",
      code: "ECONNRESET",
    });
  });

  it.each([undefined, "text", Object.create(null)] as unknown[])(
    "survives a provider that throws no error",
    async (thrown) => {
      const { error, events } = await playLoop({ provider: answering(() => Promise.reject(thrown)) });
      expect(error).toBe(thrown);
      expect(events.at(-1)).toMatchObject({ type: "llm-error", name: "unknown" });
    },
  );

  it("rejects as aborted, and logs no provider error, when the signal fired during the call", async () => {
    const controller = new AbortController();
    const provider = answering(async () => {
      controller.abort("enough");
      throw new Error("torn down");
    });
    const { error, events } = await playLoop({ provider, signal: controller.signal });
    expect(error).toMatchObject({ code: "aborted", cause: "enough" });
    expect(events.map(({ type }) => type)).toEqual(["turn-start"]);
  });

  it("is not asked once the signal has fired", async () => {
    const provider = watchedScript([say("x")]);
    expect((await playLoop({ provider, signal: AbortSignal.abort() })).error).toMatchObject({ code: "aborted" });
    expect(provider.asked).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ["nothing", undefined, "its response is not an object"],
    ["a text", "hello", "its response is not an object"],
    ["no message", { stopReason: "stop" }, "/message of its response is not an object"],
    ["a user's message", { message: { role: "user", content: "x" }, stopReason: "stop" }, "/message/role"],
    ["no stop reason", { message: { role: "assistant", content: "x" } }, "/stopReason"],
  ])("is refused, with the place, when it resolves to %s", async (_name, response, place) => {
    const { error, history } = await playLoop({ provider: answer(response) });
    expect(error).toMatchObject({ code: "provider-response", message: expect.stringContaining(place) as string });
    expect((error as Error).message).toContain("provider custom");
    expect(history).toHaveLength(1);
  });

  it("says in the log what it used, and nothing that it did not report", async () => {
    const usage = { inputTokens: 3, outputTokens: 4 };
    const full = await playLoop({ steps: [say("x", { usage, costUsd: 0.5, model: "m-1" })] });
    expect(full.events.at(-1)).toEqual({
      turn: 0,
      type: "llm-turn",
      stopReason: "stop",
      toolCalls: 0,
      usage,
      costUsd: 0.5,
      model: "m-1",
    });
    const bare = await playLoop({ steps: [say("x")] });
    expect(bare.events.at(-1)).toEqual({ turn: 0, type: "llm-turn", stopReason: "stop", toolCalls: 0 });
  });

  it("leaves the conversation free of keys that are undefined", async () => {
    const { history } = await playLoop({ steps: [ask([{ name: "x" }]), say("y")] });
    const hasUndefined = (message: LlmMessage) => Object.values(message).includes(undefined as never);
    expect(history.some(hasUndefined)).toBe(false);
  });
});

describe("a turn that streams", () => {
  const streaming = (events: readonly LlmStreamEvent[]): LlmProviderAdapter => ({
    name: "custom",
    turn: () => Promise.reject(new Error("turn was called")),
    async *stream() {
      yield* events;
    },
  });
  const deltas: LlmStreamEvent[] = [
    { type: "reasoning-delta", text: "hm" },
    { type: "text-delta", text: "It rains." },
    { type: "tool-call-delta", index: 0, id: "c0", name: "look", argumentsText: "" },
    { type: "tool-call-delta", index: 0, argumentsText: "{}" },
  ];

  it("says what comes as events and goes on with the response", async () => {
    const provider = streaming([...deltas, { type: "response", response: say("done") }]);
    const { stop, history, events } = await playLoop({ provider, streaming: true });
    expect(stop).toEqual({ kind: "finished", finalAnswer: "done" });
    expect(history.at(-1)).toEqual({ role: "assistant", content: "done" });
    expect(events).toEqual([
      { turn: 0, type: "turn-start" },
      { turn: 0, type: "llm-delta", kind: "reasoning", text: "hm" },
      { turn: 0, type: "llm-delta", kind: "text", text: "It rains." },
      { turn: 0, type: "llm-delta", kind: "tool-call", text: "{}" },
      { turn: 0, type: "llm-turn", stopReason: "stop", toolCalls: 0 },
    ]);
  });

  it("takes the provider's turn where it has no stream, and where streaming was not asked for", async () => {
    const both = { ...streaming([]), turn: async () => say("from turn") };
    expect((await playLoop({ provider: both })).stop).toMatchObject({ finalAnswer: "from turn" });
    const { stop, events } = await playLoop({ steps: [say("from turn")], streaming: true });
    expect(stop).toMatchObject({ finalAnswer: "from turn" });
    expect(events.map(({ type }) => type)).toEqual(["turn-start", "llm-turn"]);
  });

  it("refuses a stream without a response, and one with an invalid response", async () => {
    const without = await playLoop({ provider: streaming(deltas), streaming: true });
    expect(without.error).toMatchObject({ code: "provider-response" });
    expect((without.error as Error).message).toBe("the stream of provider custom ended without a response");
    const bad = streaming([{ type: "response", response: {} as LlmTurnResponse }]);
    expect((await playLoop({ provider: bad, streaming: true })).error).toMatchObject({ code: "provider-response" });
  });

  it("logs an error after the deltas before it", async () => {
    const provider: LlmProviderAdapter = {
      ...streaming([]),
      async *stream() {
        yield { type: "text-delta", text: "It " };
        throw new Error("broken");
      },
    };
    const { error, events } = await playLoop({ provider, streaming: true });
    expect(error).toMatchObject({ message: "broken" });
    expect(events.map(({ type }) => type)).toEqual(["turn-start", "llm-delta", "llm-error"]);
  });
});

describe("an answer that a provider makes up as it is read", () => {
  const says = (message: object, rest: object = {}) => ({ message, stopReason: "stop", ...rest }) as never;
  const flips = (values: unknown[]) => () => (values.length > 1 ? values.shift() : values[0]);
  const withGetter = (base: object, name: string, get: () => unknown): object =>
    Object.defineProperty({ ...base }, name, { get, enumerable: true });
  const plain = { role: "assistant", content: "hi" };

  it.each<[string, () => unknown]>([
    ["a message that turns null", () => withGetter(says(plain), "message", flips([plain, null]))],
    ["a content that turns 5", () => says(withGetter(plain, "content", flips(["hi", 5])))],
    ["a final answer that turns 5", () => withGetter(says(plain), "finalAnswer", flips(["hi", 5]))],
  ])("is read once: %s", async (_name, make) => {
    const run = await playLoop({ provider: { turn: async () => make() as never } });
    expect(run.error).toBeUndefined();
    expect(run.stop).toEqual({ kind: "finished", finalAnswer: "hi" });
  });

  const thrower = () => {
    throw new TypeError("boom");
  };
  it.each<[string, unknown]>([
    ["a getter that throws", withGetter(says(plain), "message", thrower)],
    ["null", null],
    ["a costUsd of Infinity", says(plain, { costUsd: Infinity })],
    ["a costUsd of NaN", says(plain, { costUsd: NaN })],
    ["a costUsd below 0", says(plain, { costUsd: -1 })],
    ["inputTokens of Infinity", says(plain, { usage: { inputTokens: Infinity, outputTokens: 1 } })],
    ["outputTokens below 0", says(plain, { usage: { inputTokens: 1, outputTokens: -1 } })],
    ["cacheReadTokens of NaN", says(plain, { usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: NaN } })],
  ])("is an error of the provider and an llm-error event: %s", async (_name, answer) => {
    const run = await playLoop({ provider: { turn: async () => answer as never } });
    expect(run.error).toMatchObject({ code: "provider-response" });
    expect(run.events.at(-1)).toMatchObject({ type: "llm-error", code: "provider-response" });
  });

  it.each([null, undefined, 5, {}, { type: "other" }, { type: "text-delta", text: 5 }, { type: "tool-call-delta" }])(
    "refuses a stream that yields %j",
    async (event) => {
      async function* stream() {
        yield event as never;
      }
      const provider = { turn: async () => says(plain), stream };
      const run = await playLoop({ provider, streaming: true });
      expect(run.error).toMatchObject({ code: "provider-response" });
      expect(run.events.at(-1)).toMatchObject({ type: "llm-error" });
    },
  );
});
