// The suite against providers that are broken on purpose: each must fail in exactly the cases that speak of its fault, and every
// case must have one that it finds.

import { describe, expect, it } from "vitest";
import { seal } from "../../../src/core/canon/copy.js";
import { AgentError } from "../../../src/core/errors.js";
import type { LlmToolCall } from "../../../src/core/model/message.js";
import type {
  LlmProviderAdapter,
  LlmStreamEvent,
  LlmTurnRequest,
  LlmTurnResponse,
} from "../../../src/core/model/provider.js";
import { PROVIDER_REQUESTS } from "../../../src/harness/conformance/provider/requests.js";
import {
  providerConformance,
  type MakeProvider,
  type ProviderConformanceOptions,
} from "../../../src/harness/conformance/provider/suite.js";
import { answerTo } from "../../support/answers.js";

const PATIENCE_MS = 60;
/** For what is right: a machine that is busy is not to be blamed on it. */
const UNHURRIED = { patienceMs: 4_000 };

async function failuresOf(make: MakeProvider, options: ProviderConformanceOptions = {}): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, run } of providerConformance(make, { patienceMs: PATIENCE_MS, ...options })) {
    await run().catch((error: unknown) => {
      expect(error).toBeInstanceOf(Error);
      const { message, ...sides } = error as Error;
      expect(Object.keys(sides)).toEqual(expect.arrayContaining(["expected", "actual"]));
      // What went wrong, and then what to do: two sentences at least.
      expect(message).toMatch(/^(.+: expected .*, got |it threw ).*\. [A-Z].*\.$/s);
      failed.push(name);
    });
  }
  return failed;
}

/** A provider that is right, answers at once and streams; each method may be replaced by a wrong one. */
function right(
  broken: (right: Required<Pick<LlmProviderAdapter, "turn" | "stream">>) => Partial<LlmProviderAdapter> = () => ({}),
) {
  const own = {
    async turn({ signal, ...request }: LlmTurnRequest) {
      signal?.throwIfAborted();
      return answerTo(request);
    },
    async *stream(request: LlmTurnRequest): AsyncGenerator<LlmStreamEvent, void, undefined> {
      const response = await own.turn(request);
      yield { type: "text-delta", text: response.message.content.slice(0, 5) };
      yield { type: "text-delta", text: response.message.content.slice(5) };
      for (const [index, { id, name, arguments: args }] of (response.message.toolCalls ?? []).entries()) {
        yield { type: "tool-call-delta", index, id, name, argumentsText: "" };
        yield { type: "tool-call-delta", index, argumentsText: JSON.stringify(args) };
      }
      yield { type: "response", response };
    },
  };
  return { name: "right", ...own, ...broken(own) };
}

/** Every answer, by turn and by stream, changed before the caller has it. */
const answering = (change: (response: LlmTurnResponse) => unknown): MakeProvider => {
  const changed = (response: LlmTurnResponse) => change(response) as LlmTurnResponse;
  return () =>
    right((own) => ({
      turn: async (request) => changed(await own.turn(request)),
      async *stream(request) {
        for await (const event of own.stream(request)) {
          yield event.type === "response" ? { type: "response", response: changed(event.response) } : event;
        }
      },
    }));
};

/** Every stream changed, event by event. */
const streaming = (change: (events: LlmStreamEvent[]) => LlmStreamEvent[]): MakeProvider => {
  return () =>
    right((own) => ({
      async *stream(request) {
        const events: LlmStreamEvent[] = [];
        for await (const event of own.stream(request)) events.push(event);
        yield* change(events);
      },
    }));
};

const SHAPE = ["answers with a turn response", "streams a response that is valid for turn"];
const PLAIN = "answers with plain JSON without undefined fields";
const STREAMED = "streams a response that is valid for turn";
const FINAL = "gives a final answer only without tool calls";
const IDS = "gives each call a unique id and a name";
const ABORTED = "does not answer a call whose signal has fired";
const AFTER_ABORT = "answers the next call after an aborted one";
const AT_ONCE = "gives each concurrent call its own response";
const ONCE = "ends a stream with its only response";
const CALLS = "streams each call with its id and name once, and the arguments of its response";
const LEFT = "answers the next call after a stream was left early";
const STREAMS_AT_ONCE = "keeps concurrent streams complete and separate";
const END = "ends without an error, even if it was never called";
const OWN = "gives the caller a new response";
const STOP = "gives a stop reason that fits its tool calls";
const PROMISE = "returns a promise, even for a refusal";
const THOUGHTS = "gives reasoning as text or as redacted data";
const FIGURES = "gives token counts as whole numbers and cost as a number, at least 0";
const LATER = "does not change a response afterwards";
const MIDWAY = "ends a call whose signal fires while it runs";
const APART = "gives a concurrent call the same answer as a single call";
const STREAMS_APART = "gives a concurrent stream the same answer as a single stream";
const SAME = "streams the same response that turn gives";
const KINDS = "streams only known kinds of pieces";
const UNSTREAMED = "does not stream a call whose signal has fired";
const AFTER_END = "yields nothing after the end of a stream";

/** Answers with these as its thoughts. */
function thinking(reasoning: unknown): MakeProvider {
  return answering((response) => ({
    ...response,
    message: { ...response.message, reasoning: structuredClone(reasoning) as never },
  }));
}

describe("a provider that is right", () => {
  it("fails in no case where all that it gives is frozen", async () => {
    const frozen = answering((response) => seal(response));
    expect(await failuresOf(frozen, UNHURRIED)).toEqual([]);
  });

  it("fails in no case, with streams and without", async () => {
    expect(await failuresOf(right, UNHURRIED)).toEqual([]);
    const { name, turn } = right();
    expect(await failuresOf(() => ({ name, turn }), UNHURRIED)).toEqual([]);
  });

  it("fails in no case in another style: a class, iterators by hand, thoughts, no figures, other ids each time", async () => {
    expect(await failuresOf(async () => new ByHand(), UNHURRIED)).toEqual([]);
  });

  it("fails in no case where it says something else each time, as a model does", async () => {
    let asked = 0;
    const varied = () =>
      right((own) => ({
        async turn(request) {
          const response = await own.turn(request);
          if (response.finalAnswer === undefined) return response;
          const content = `Answer ${(asked += 1)}.`;
          return { ...response, message: { ...response.message, content }, finalAnswer: content };
        },
      }));
    expect(await failuresOf(varied, UNHURRIED)).toEqual([]);
  });
});

/** Right, and written as nothing here is. Waits for its signal by a listener, and gives what is left of a stream in one piece. */
class ByHand implements LlmProviderAdapter {
  #made = 0;

  turn({ messages, tools, signal }: LlmTurnRequest): Promise<LlmTurnResponse> {
    const asks = tools !== undefined && messages.at(-1)?.role === "user";
    const toolCalls: LlmToolCall[] = asks
      ? [
          { id: `h${(this.#made += 1)}`, name: "weather", arguments: {}, malformedArguments: "Oslo, please" },
          { id: `h${(this.#made += 1)}`, name: "weather", arguments: {} },
        ]
      : [];
    const content = asks ? "" : "9.9";
    const message = {
      role: "assistant",
      content,
      ...(asks ? { toolCalls } : {}),
      reasoning: [
        { type: "text", text: "9.90 > 9.11", signature: "abc" },
        { type: "redacted", data: "" },
      ],
    } satisfies LlmTurnResponse["message"];
    return new Promise((resolve, reject) => {
      const stop = () => reject(new DOMException("stopped", "AbortError"));
      if (signal?.aborted === true) stop();
      signal?.addEventListener("abort", stop, { once: true });
      setImmediate(() => {
        signal?.removeEventListener("abort", stop);
        resolve({ message, stopReason: asks ? "length" : "stop", ...(asks ? {} : { finalAnswer: content }) });
      });
    });
  }

  stream(request: LlmTurnRequest): AsyncIterable<LlmStreamEvent> {
    let pieces: LlmStreamEvent[] | undefined;
    const next = async (): Promise<IteratorResult<LlmStreamEvent, undefined>> => {
      if (pieces === undefined) {
        const response = await this.turn(request);
        pieces = [{ type: "reasoning-delta", text: "9.90" }];
        for (const [index, { name, malformedArguments = "" }] of (response.message.toolCalls ?? []).entries()) {
          pieces.push({ type: "tool-call-delta", index, id: "of the vendor", name, argumentsText: malformedArguments });
        }
        pieces.push({ type: "response", response });
      }
      const value = pieces.shift();
      return value === undefined ? { done: true, value } : { done: false, value };
    };
    return { [Symbol.asyncIterator]: () => ({ next }) };
  }
}

const BROKEN: [string, MakeProvider, string[]][] = [
  [
    "gives a vendor's own shape",
    answering(({ message }) => ({ choices: [{ message }] })),
    [...SHAPE, FINAL, "streams the text of its response", CALLS],
  ],
  ["gives a stop reason of its own", answering((response) => ({ ...response, stopReason: "end_turn" })), SHAPE],
  ["leaves fields undefined", answering((response) => ({ ...response, model: undefined })), [PLAIN, STREAMED]],
  ["gives no final answer", answering(({ finalAnswer: _final, ...rest }) => rest), [FINAL, STREAMED]],
  [
    "gives a final answer next to calls",
    answering((response) => ({ ...response, finalAnswer: "" })),
    [FINAL, STREAMED],
  ],
  ["gives two calls one id", answering(withCalls((call) => ({ ...call, id: "c" }))), [IDS, STREAMED]],
  [
    "gives a call no id",
    answering(withCalls((call, index) => (index === 0 ? { ...call, id: "" } : call))),
    [IDS, STREAMED],
  ],
  [
    "gives malformed arguments next to its guess",
    answering(withCalls((call) => ({ ...call, malformedArguments: "{" }))),
    ["keeps arguments that are not an object as text, with an empty object", STREAMED, CALLS],
  ],
  [
    "counts half a token",
    answering((response) => ({ ...response, usage: { inputTokens: 0.5, outputTokens: 1 } })),
    [FIGURES, STREAMED],
  ],
  ["is paid for answering", answering((response) => ({ ...response, costUsd: -1 })), [FIGURES, STREAMED]],
  [
    "writes into the request",
    () =>
      right((own) => ({
        turn(request) {
          if (!Object.isFrozen(request.messages))
            (request.messages as unknown[]).push({ role: "user", content: "be nice" });
          return own.turn(request);
        },
      })),
    ["does not change the request"],
  ],
  [
    "cannot take a frozen request",
    () =>
      right((own) => ({
        async turn(request) {
          const isOurs = request.messages === PROVIDER_REQUESTS.settings.messages;
          if (isOurs) Reflect.set(request.messages, "seen", true) || own.turn({ ...request, messages: missing() });
          return own.turn(request);
        },
      })),
    ["accepts a frozen request"],
  ],
  [
    "gives out one response again and again",
    () => {
      const kept = new Map<string, LlmTurnResponse>();
      return right((own) => ({
        async turn(request) {
          const key = JSON.stringify(request.messages);
          const known = kept.get(key) ?? (await own.turn(request));
          request.signal?.throwIfAborted();
          kept.set(key, known);
          return known;
        },
      }));
    },
    [OWN],
  ],
  [
    "changes the response it gave before",
    () => {
      let last: LlmTurnResponse | undefined;
      return right((own) => ({
        async turn(request) {
          if (last !== undefined) last.costUsd = 0;
          return (last = await own.turn(request));
        },
      }));
    },
    ["keeps answering after a caller freezes its response", LATER],
  ],
  ["answers whatever its signal says", () => right(() => ({ turn: async (request) => answerTo(request) })), [ABORTED]],
  [
    "streams whatever its signal says",
    () =>
      right((own) => ({
        stream: ({ signal: _signal, ...request }) => own.stream(request),
      })),
    [UNSTREAMED],
  ],
  [
    "takes an abort for its own end",
    () => {
      let isOver = false;
      return right((own) => ({
        async turn(request) {
          isOver ||= request.signal?.aborted === true;
          if (isOver) throw new AgentError("aborted", "over");
          return own.turn(request);
        },
      }));
    },
    [AFTER_ABORT],
  ],
  [
    "takes one call at a time",
    () => {
      let isBusy = false;
      return right((own) => ({
        async turn(request) {
          if (isBusy) throw new AgentError("provider-response", "busy");
          isBusy = true;
          await Promise.resolve();
          return own.turn(request).finally(() => (isBusy = false));
        },
      }));
    },
    [AT_ONCE, APART],
  ],
  [
    "writes into a streamed response it gave before, where it can",
    () => {
      const given: LlmTurnResponse[] = [];
      return right((own) => ({
        async *stream(request) {
          for (const response of given) Reflect.set(response, "costUsd", 0.5);
          for await (const event of own.stream(request)) {
            if (event.type === "response") given.push(event.response);
            yield event;
          }
        },
      }));
    },
    ["does not change a streamed response afterwards"],
  ],
  [
    "answers into one response for all that wait",
    () => {
      let shared: Promise<LlmTurnResponse> | undefined;
      return right((own) => ({
        turn(request) {
          if (request.signal?.aborted === true) return own.turn(request);
          shared ??= own.turn(request).finally(() => (shared = undefined));
          return shared;
        },
      }));
    },
    [AT_ONCE, APART],
  ],
  [
    "names itself after its turns",
    () => {
      const provider = right((own) => ({
        async turn(request) {
          provider.name += "+";
          return own.turn(request);
        },
      }));
      return provider;
    },
    ["has a recordable name that a turn does not change"],
  ],
  ["has an empty name", () => ({ ...right(), name: "" }), ["has a recordable name that a turn does not change"]],
  ["never answers", () => right(() => ({ turn: () => new Promise<never>(() => undefined) })), everyTurn()],
  [
    "throws when a stream is asked for",
    () =>
      right((own) => ({
        stream(request) {
          request.signal?.throwIfAborted();
          return own.stream(request);
        },
      })),
    ["returns a stream at once, and throws nothing until it is read"],
  ],
  [
    "promises a stream",
    () => right((own) => ({ stream: (async (r: LlmTurnRequest) => own.stream(r)) as never })),
    [...everyStream(), "returns a stream at once, and throws nothing until it is read", UNSTREAMED],
  ],
  ["streams no response", streaming((events) => events.slice(0, -1)), [ONCE, CALLS, STREAMS_AT_ONCE]],
  ["streams its response twice", streaming((events) => [...events, ...events.slice(-1)]), [ONCE]],
  [
    "streams on after its response",
    streaming((events) => [...events.slice(-1), ...events.slice(0, -1)]),
    [ONCE, STREAMS_AT_ONCE],
  ],
  [
    "streams other words",
    streaming((events) => events.filter((_, index) => index !== 1)),
    ["streams the text of its response"],
  ],
  [
    "streams a call it does not make",
    streaming((events) => [{ type: "tool-call-delta", index: 9, argumentsText: "" }, ...events]),
    [CALLS],
  ],
  [
    "says the name of a call with every piece",
    streaming((events) =>
      events.map((event) => (event.type === "tool-call-delta" ? { ...event, name: "weather" } : event)),
    ),
    [CALLS],
  ],
  [
    "streams half of the arguments",
    streaming((events) =>
      events.map((event) =>
        event.type === "tool-call-delta" ? { ...event, argumentsText: event.argumentsText.slice(0, 5) } : event,
      ),
    ),
    [CALLS],
  ],
  [
    "does not let go of a stream",
    () => {
      let open = 0;
      return right((own) => ({
        turn: async (request) => (open > 0 ? missing() : own.turn(request)),
        async *stream(request) {
          open += 1;
          yield* own.stream(request);
          open -= 1;
        },
      }));
    },
    [LEFT],
  ],
  [
    "streams one call at a time",
    () => {
      let open = 0;
      return right((own) => ({
        async *stream(request) {
          if (open > 0) throw new AgentError("provider-response", "busy");
          open += 1;
          try {
            yield* own.stream(request);
          } finally {
            open -= 1;
          }
        },
      }));
    },
    [STREAMS_AT_ONCE, STREAMS_APART],
  ],
  [
    "fails to end when it was never asked",
    () => {
      let isAsked = false;
      return right((own) => ({
        turn: (request) => ((isAsked = true), own.turn(request)),
        destroy: () => (isAsked ? undefined : missing()),
      }));
    },
    [END],
  ],
  [
    "says stop where it asks for tools",
    answering((response) => (response.stopReason === "toolUse" ? { ...response, stopReason: "stop" } : response)),
    [STOP, STREAMED],
  ],
  [
    "says toolUse where it asks for none",
    answering((response) => (response.finalAnswer === undefined ? response : { ...response, stopReason: "toolUse" })),
    [STOP, STREAMED],
  ],
  ["says its thoughts as texts alone", thinking(["9.90 is more"]), [THOUGHTS, STREAMED]],
  ["says its thoughts in a vendor's shape", thinking([{ type: "thinking", thinking: "…" }]), [THOUGHTS, STREAMED]],
  ["gives redacted thoughts no data", thinking([{ type: "redacted" }]), [THOUGHTS, STREAMED]],
  ["gives an invalid thought", thinking([null]), [THOUGHTS, STREAMED]],
  ["gives its thoughts as one text", thinking("9.90 is more"), [THOUGHTS, STREAMED]],
  [
    "counts below 0",
    answering((response) => ({ ...response, usage: { inputTokens: -1, outputTokens: 1 } })),
    [FIGURES, STREAMED],
  ],
  [
    "counts NaN",
    answering((response) => ({ ...response, usage: { inputTokens: NaN, outputTokens: 1 } })),
    [FIGURES, PLAIN, STREAMED],
  ],
  [
    "counts half a cached token",
    answering((response) => ({ ...response, usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0.5 } })),
    [FIGURES, STREAMED],
  ],
  [
    "gives arguments that are not JSON",
    answering(withCalls((call) => ({ ...call, arguments: { ...call.arguments, at: new Date(0) as never } }))),
    [PLAIN, STREAMED, CALLS],
  ],
  [
    "gives an argument that is undefined",
    answering(withCalls((call) => ({ ...call, arguments: { ...call.arguments, days: undefined as never } }))),
    [PLAIN, STREAMED, CALLS],
  ],
  [
    "answers without a promise",
    () =>
      right(() => ({
        turn: (({ signal, ...request }: LlmTurnRequest) => (signal?.throwIfAborted(), answerTo(request))) as never,
      })),
    [PROMISE],
  ],
  [
    "throws at once where its signal has fired",
    () =>
      right((own) => ({
        turn(request) {
          request.signal?.throwIfAborted();
          return own.turn(request);
        },
      })),
    [PROMISE],
  ],
  [
    "writes into the request of a stream",
    () =>
      right((own) => ({
        stream(request) {
          const [tool] = request.tools ?? [];
          if (tool !== undefined && !Object.isFrozen(tool)) tool.schema["strict"] = true;
          return own.stream(request);
        },
      })),
    ["does not change the request of a stream"],
  ],
  [
    "cannot stream the answer to a frozen request",
    () =>
      right((own) => ({
        async *stream(request) {
          const settings = request.settings ?? {};
          Object.assign(settings, { stop: [...(settings.stop ?? [])] });
          yield* own.stream(request);
        },
      })),
    ["streams the answer to a frozen request"],
  ],
  [
    "gives out one list of calls again and again",
    () => {
      const kept = new Map<string, LlmToolCall[]>();
      return right((own) => ({
        async turn(request) {
          const response = await own.turn(request);
          const { toolCalls } = response.message;
          if (toolCalls === undefined) return response;
          const key = JSON.stringify(request.messages);
          const shared = kept.get(key) ?? toolCalls;
          kept.set(key, shared);
          return { ...response, message: { ...response.message, toolCalls: shared } };
        },
      }));
    },
    [OWN],
  ],
  [
    "streams one response again and again",
    () => {
      const kept = new Map<string, LlmTurnResponse>();
      return right((own) => ({
        async *stream(request) {
          for await (const event of own.stream(request)) {
            const key = JSON.stringify(request.messages);
            if (event.type === "response") kept.set(key, kept.get(key) ?? event.response);
            yield event.type === "response" ? { ...event, response: kept.get(key) ?? event.response } : event;
          }
        },
      }));
    },
    ["streams a new response to the caller"],
  ],
  [
    "fills in the figures of a response it gave before, where it can",
    () => {
      const given: LlmTurnResponse[] = [];
      return right((own) => ({
        async turn(request) {
          for (const response of given) Reflect.set(response, "costUsd", 0.5);
          const response = await own.turn(request);
          given.push(response);
          return response;
        },
      }));
    },
    [LATER],
  ],
  [
    "fills in the figures of its response a moment later",
    () =>
      right((own) => ({
        async turn(request) {
          const response = await own.turn(request);
          setTimeout(() => Reflect.set(response, "costUsd", 0.5), 0);
          return response;
        },
      })),
    [LATER],
  ],
  [
    "rejects an aborted call with a text",
    () =>
      right((own) => ({
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
        turn: (request) => (request.signal?.aborted === true ? Promise.reject("aborted") : own.turn(request)),
      })),
    [ABORTED],
  ],
  [
    "rejects an aborted stream with nothing",
    () =>
      right((own) => ({
        async *stream(request) {
          // eslint-disable-next-line @typescript-eslint/only-throw-error
          if (request.signal?.aborted === true) throw undefined;
          yield* own.stream(request);
        },
      })),
    [UNSTREAMED],
  ],
  [
    "waits for ever where its signal has fired",
    () =>
      right((own) => ({
        turn: (request) => (request.signal?.aborted === true ? new Promise(() => undefined) : own.turn(request)),
      })),
    [ABORTED, PROMISE],
  ],
  [
    "never ends a call that is aborted on its way",
    () =>
      right((own) => ({
        async turn(request) {
          request.signal?.throwIfAborted();
          await new Promise((resolve) => setTimeout(resolve, 5));
          if (request.signal?.aborted === true) await new Promise(() => undefined);
          return own.turn(request);
        },
      })),
    [MIDWAY],
  ],
  [
    "never ends a stream that is aborted on its way",
    () =>
      right((own) => ({
        async *stream(request) {
          request.signal?.throwIfAborted();
          await new Promise((resolve) => setTimeout(resolve, 5));
          if (request.signal?.aborted === true) await new Promise(() => undefined);
          yield* own.stream(request);
        },
      })),
    ["ends a stream whose signal fires while it runs"],
  ],
  [
    "is over once a call was aborted on its way",
    () => {
      let isOver = false;
      return right((own) => ({
        async turn(request) {
          if (isOver) throw new AgentError("aborted", "over");
          request.signal?.throwIfAborted();
          request.signal?.addEventListener("abort", () => (isOver = true));
          return own.turn(request);
        },
      }));
    },
    [MIDWAY],
  ],
  [
    "gathers the words of all calls in one place",
    () => {
      let said = "";
      let open = 0;
      return right((own) => ({
        async turn(request) {
          const { signal: _signal, ...rest } = request;
          const response = await own.turn(request);
          if ((open += 1) === 1) said = "";
          for (const word of response.message.content.split(/(?= )/)) {
            said += word;
            await Promise.resolve();
          }
          open -= 1;
          const { finalAnswer } = answerTo(rest);
          const message = { ...response.message, content: said };
          return { ...response, message, ...(finalAnswer === undefined ? {} : { finalAnswer: said }) };
        },
      }));
    },
    [APART],
  ],
  [
    "gives the calls of one call to another",
    () => {
      let last: LlmToolCall[] | undefined;
      return right((own) => ({
        async turn(request) {
          const response = await own.turn(request);
          last = response.message.toolCalls;
          await Promise.resolve();
          const { toolCalls: _calls, ...message } = response.message;
          if (last === undefined) return { ...response, message };
          const { finalAnswer: _final, ...rest } = response;
          return { ...rest, message: { ...message, toolCalls: structuredClone(last) }, stopReason: "toolUse" };
        },
      }));
    },
    [APART],
  ],
  [
    "mixes the words of streams that are read at once",
    () => {
      const waiting: LlmStreamEvent[] = [];
      return right((own) => ({
        async *stream(request) {
          const response = await own.turn(request);
          const words = response.message.content.split(/(?= )/);
          waiting.push(...words.map((text): LlmStreamEvent => ({ type: "text-delta", text })));
          for (const _ of words) {
            await Promise.resolve();
            yield waiting.shift() ?? { type: "text-delta", text: "" };
          }
          yield { type: "response", response };
        },
      }));
    },
    [STREAMS_APART],
  ],
  [
    "mixes the responses of streams that are read at once",
    () => {
      let last: LlmTurnResponse | undefined;
      return right((own) => ({
        async *stream(request) {
          last = await own.turn(request);
          await Promise.resolve();
          yield { type: "response", response: structuredClone(last) };
        },
      }));
    },
    [STREAMS_APART],
  ],
  [
    "streams another answer than it gives",
    () =>
      right((own) => ({
        async *stream(request) {
          const { usage: _usage, costUsd: _cost, ...response } = await own.turn(request);
          yield { type: "response", response };
        },
      })),
    [SAME],
  ],
  [
    "streams pieces of a vendor's kind",
    streaming((events) => [{ type: "text", text: "" } as never, ...events]),
    [KINDS],
  ],
  ["streams a piece that is nothing", streaming((events) => [undefined as never, ...events]), [KINDS]],
  [
    "streams a call without a place",
    streaming((events) => [{ type: "tool-call-delta", argumentsText: "" } as never, ...events]),
    [KINDS, CALLS],
  ],
  [
    "begins again after its end",
    () =>
      right((own) => ({
        stream(request) {
          let events = own.stream(request)[Symbol.asyncIterator]();
          return {
            [Symbol.asyncIterator]: () => ({
              async next() {
                const next = await events.next();
                if (next.done === true) events = own.stream(request)[Symbol.asyncIterator]();
                return next;
              },
              return: async () => events.return?.() ?? { done: true, value: undefined },
            }),
          };
        },
      })),
    [AFTER_END],
  ],
  [
    "streams without an end",
    () =>
      right(() => ({
        async *stream(request) {
          request.signal?.throwIfAborted();
          for (;;) {
            await new Promise((resolve) => setTimeout(resolve, 1));
            request.signal?.throwIfAborted();
            yield { type: "text-delta", text: "" };
          }
        },
      })),
    everyStream(),
  ],
];

function withCalls(change: (call: LlmToolCall, index: number) => LlmToolCall) {
  return (response: LlmTurnResponse): LlmTurnResponse => {
    const { toolCalls } = response.message;
    return toolCalls === undefined
      ? response
      : { ...response, message: { ...response.message, toolCalls: toolCalls.map(change) } };
  };
}

function missing(): never {
  throw new AgentError("provider-response", "not there");
}

/** The cases that need an answer of `turn`. */
function everyTurn(): string[] {
  const names = providerConformance(right).map(({ name }) => name);
  return names.filter((name) => !/stream/.test(name)).concat(LEFT, SAME);
}

/** The cases that read a stream to its end. */
function everyStream(): string[] {
  const names = providerConformance(right).map(({ name }) => name);
  const others = ["returns a stream at once, and throws nothing until it is read", UNSTREAMED];
  return names.filter((name) => /stream/.test(name) && !others.includes(name));
}

describe("a provider that is broken", () => {
  it.each(BROKEN)("that %s fails in the cases that say so, and in no other", async (_fault, make, expected) => {
    expect((await failuresOf(make)).sort()).toEqual([...expected].sort());
  });

  it("is there for every case", () => {
    const names = providerConformance(right).map(({ name }) => name);
    expect([...new Set(BROKEN.flatMap(([, , cases]) => cases))].sort()).toEqual(names.sort());
  });

  it("fails with both sides in the error", async () => {
    const [first] = providerConformance(answering(() => ({ text: "hello" })));
    await expect(first?.run()).rejects.toMatchObject({
      message: expect.stringContaining("the answer to plain: /message: expected") as string,
      expected: "an object",
      actual: { text: "hello" },
    });
  });
});

describe("a provider that fails, or is silent, in a wrong way", () => {
  const down = () => new AgentError("provider-response", "down", { kind: "unavailable", retryable: true });
  const failing = (fail: (call: number) => unknown): MakeProvider => {
    return () => {
      let calls = 0;
      const turn = async (): Promise<LlmTurnResponse> => {
        const error = fail(calls++);
        if (error === undefined) return answerTo(PROVIDER_REQUESTS.plain);
        throw error as Error;
      };
      return right(() => ({
        turn,
        async *stream() {
          yield { type: "response", response: await turn() };
        },
      }));
    };
  };
  const KIND = "tells callers how to handle a failure, by kind and retryable";
  const AGAIN = "fails the same way on the second call, without hanging or answering";
  const BY_STREAM = "fails the same way in stream and turn";
  const AS_ERROR = "rejects with an Error on failure";

  it.each<[string, MakeProvider, string[]]>([
    ["fails as it should", failing(down), []],
    ["throws a text", failing(() => "down"), [AS_ERROR, KIND]],
    ["throws any error", failing(() => new Error("down")), [KIND]],
    ["says nothing of the kind", failing(() => new AgentError("provider-response", "down")), [KIND]],
    ["fails once", failing((call) => (call === 0 ? down() : undefined)), [AGAIN, BY_STREAM]],
    ["answers", right, [AS_ERROR, KIND, AGAIN, BY_STREAM]],
    [
      "fails otherwise when it streams",
      () => {
        const { turn } = right(() => ({ turn: () => Promise.reject(down()) }));
        return right(() => ({
          turn,
          async *stream() {
            yield* [];
            throw new RangeError("other");
          },
        }));
      },
      [BY_STREAM],
    ],
  ])("%s", async (_name, make, expected) => {
    expect((await failuresOf(right, { failing: make })).sort()).toEqual([...expected].sort());
  });

  const BY_SIGNAL = "ends a waiting call when its signal fires";
  const BY_TIME = "ends a waiting call after its timeoutMs, with a timeout error";
  /** Waits until its signal or its time ends it, where it heeds them. */
  const waiting =
    (heeds: { signal: boolean; time: boolean }, error = new AgentError("timeout", "late", { kind: "timeout" })) =>
    (): LlmProviderAdapter => ({
      turn: ({ signal, timeoutMs }) =>
        new Promise((_resolve, reject) => {
          if (heeds.signal) signal?.addEventListener("abort", () => reject(new AgentError("aborted", "over")));
          if (heeds.time && timeoutMs !== undefined) setTimeout(reject, timeoutMs, error);
        }),
    });

  it.each<[string, MakeProvider, string[]]>([
    ["waits as it should", waiting({ signal: true, time: true }), []],
    ["heeds no signal", waiting({ signal: false, time: true }), [BY_SIGNAL]],
    ["heeds no time", waiting({ signal: true, time: false }), [BY_TIME]],
    [
      "calls its time by another name",
      waiting({ signal: true, time: true }, new AgentError("provider-response", "late")),
      [BY_TIME],
    ],
  ])("%s", async (_name, make, expected) => {
    expect(await failuresOf(right, { silent: make })).toEqual(expected);
  });

  it("is not looked for with an option that nobody reads", () => {
    expect(() => providerConformance(right, { failling: right } as never)).toThrow("unknown option: failling");
  });
});
