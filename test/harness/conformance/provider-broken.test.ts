// The suite against providers that are broken on purpose: each must fail in exactly the cases that speak of its fault, and every
// case must have one that it finds.

import { describe, expect, it } from "vitest";
import { AgentError } from "../../../src/core/errors.js";
import type { LlmToolCall } from "../../../src/core/model/message.js";
import type {
  LlmProviderAdapter,
  LlmStreamEvent,
  LlmTurnRequest,
  LlmTurnResponse,
} from "../../../src/core/model/provider.js";
import {
  PROVIDER_REQUESTS,
  providerConformance,
  type MakeProvider,
  type ProviderConformanceOptions,
} from "../../../src/harness/conformance/provider.js";
import { answerTo } from "../../support/answers.js";

const PATIENCE_MS = 60;

async function failuresOf(make: MakeProvider, options: ProviderConformanceOptions = {}): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, run } of providerConformance(make, { patienceMs: PATIENCE_MS, ...options })) {
    await run().catch((error: unknown) => {
      expect(error).toBeInstanceOf(Error);
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

const SHAPE = ["answers with a turn response", "streams a response that turn could give"];
const PLAIN = "answers with plain JSON, no field of which is undefined";
const STREAMED = "streams a response that turn could give";
const FINAL = "gives the final answer where it asks for no tool, and only there";
const IDS = "gives each of its calls an id of its own and a name";
const ABORTED = "does not answer a call whose signal has fired";
const AFTER_ABORT = "answers the call after one that was aborted";
const AT_ONCE = "answers calls that are made at once, each with a response of its own";
const ONCE = "ends a stream with its response, which comes once";
const CALLS = "streams each call with its id and name once, and the arguments of its response";
const LEFT = "answers the call after a stream that was left early";
const STREAMS_AT_ONCE = "streams calls that are made at once, each from its beginning to its end";
const END = "ends without an error, whether it was asked anything or not";
const OWN = "gives a response that is the caller's own";

describe("a provider that is right", () => {
  it("fails in no case, with streams and without", async () => {
    expect(await failuresOf(right)).toEqual([]);
    const { name, turn } = right();
    expect(await failuresOf(() => ({ name, turn }))).toEqual([]);
  });
});

const BROKEN: [string, MakeProvider, string[]][] = [
  [
    "gives a vendor's own shape",
    answering(({ message }) => ({ choices: [{ message }] })),
    [
      ...SHAPE,
      "gives a response that is the caller's own",
      "answers on after a caller has frozen its response",
      FINAL,
      IDS,
    ]
      .concat(["keeps arguments that are no object as text, beside an empty object", AFTER_ABORT, AT_ONCE, LEFT])
      .concat(["streams the words of its response", CALLS]),
  ],
  [
    "gives a stop reason of its own",
    answering((response) => ({ ...response, stopReason: "end_turn" })),
    [...SHAPE, "answers on after a caller has frozen its response", AFTER_ABORT, AT_ONCE, LEFT],
  ],
  ["leaves fields undefined", answering((response) => ({ ...response, model: undefined })), [PLAIN, STREAMED]],
  ["gives no final answer", answering(({ finalAnswer: _final, ...rest }) => rest), [FINAL, STREAMED]],
  ["gives a final answer beside calls", answering((response) => ({ ...response, finalAnswer: "" })), [FINAL, STREAMED]],
  ["gives two calls one id", answering(withCalls((call) => ({ ...call, id: "c" }))), [IDS, STREAMED]],
  [
    "gives a call no id",
    answering(withCalls((call, index) => (index === 0 ? { ...call, id: "" } : call))),
    [IDS, STREAMED],
  ],
  [
    "gives malformed arguments beside what it guessed",
    answering(withCalls((call) => ({ ...call, malformedArguments: "{" }))),
    ["keeps arguments that are no object as text, beside an empty object", CALLS],
  ],
  [
    "counts half a token",
    answering((response) => ({ ...response, usage: { inputTokens: 0.5, outputTokens: 1 } })),
    ["counts tokens in whole numbers and cost in numbers, none below 0"],
  ],
  [
    "is paid for answering",
    answering((response) => ({ ...response, costUsd: -1 })),
    ["counts tokens in whole numbers and cost in numbers, none below 0"],
  ],
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
    ["leaves the request as it was"],
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
    ["takes a request that is frozen"],
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
    ["answers on after a caller has frozen its response"],
  ],
  ["answers whatever its signal says", () => right(() => ({ turn: async (request) => answerTo(request) })), [ABORTED]],
  [
    "streams whatever its signal says",
    () =>
      right((own) => ({
        stream: ({ signal: _signal, ...request }) => own.stream(request),
      })),
    ["does not stream a call whose signal has fired"],
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
    [AT_ONCE],
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
    [AT_ONCE],
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
    ["has a name that can be recorded, the same before and after a turn"],
  ],
  [
    "has an empty name",
    () => ({ ...right(), name: "" }),
    ["has a name that can be recorded, the same before and after a turn"],
  ],
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
    ["gives a stream at once, and throws nothing before it is read"],
  ],
  [
    "promises a stream",
    () => right((own) => ({ stream: (async (r: LlmTurnRequest) => own.stream(r)) as never })),
    everyStream(),
  ],
  ["streams no response", streaming((events) => events.slice(0, -1)), [ONCE, CALLS, LEFT, STREAMS_AT_ONCE]],
  ["streams its response twice", streaming((events) => [...events, ...events.slice(-1)]), [ONCE]],
  [
    "streams on after its response",
    streaming((events) => [...events.slice(-1), ...events.slice(0, -1)]),
    [ONCE, STREAMS_AT_ONCE],
  ],
  [
    "streams other words",
    streaming((events) => events.filter((_, index) => index !== 1)),
    ["streams the words of its response"],
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
    [STREAMS_AT_ONCE],
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
  const others = [ABORTED, STREAMED, ONCE, CALLS, STREAMS_AT_ONCE, "streams the words of its response"];
  return names.filter(
    (name) => !others.includes(name) && !name.startsWith("gives a stream") && !name.startsWith("does not stream"),
  );
}

/** The cases that read a stream. */
function everyStream(): string[] {
  return [
    "gives a stream at once, and throws nothing before it is read",
    ONCE,
    STREAMED,
    "streams the words of its response",
    CALLS,
    LEFT,
    STREAMS_AT_ONCE,
  ];
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
      message: expect.stringContaining("/message of the answer to plain: expected") as string,
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
  const KIND = "says by kind and retryable what a caller may do about a failure";
  const AGAIN = "fails again the same way, and does not hang or answer at the second call";
  const BY_STREAM = "fails by stream as it does by turn";
  const AS_ERROR = "fails by a rejection with an Error";

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

  const BY_SIGNAL = "ends a call that waits when its signal fires";
  const BY_TIME = "ends a call that waits longer than its timeoutMs, and says so";
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
