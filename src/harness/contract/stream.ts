// The clauses about the pieces of a stream: the response comes once and last, and the deltas are parts of it.

import {
  parseBoundedJson,
  type LlmStreamDelta,
  type LlmStreamEvent,
  type LlmToolCall,
  type LlmTurnResponse,
} from "../../core/index.js";
import { MAX_CHECKED_PIECES } from "../limits.js";
import { assertSame, fail, toClauses, type Clause } from "./clause.js";
import { assertResponse, callsOf, isCount } from "./response.js";

export const streamClauses: readonly Clause<readonly LlmStreamEvent[], void>[] = toClauses({
  "streams only known kinds of pieces": {
    advice:
      "Yield text-delta and reasoning-delta with text, tool-call-delta with index and argumentsText, and response.",
    check(events) {
      for (const event of events) {
        const expected = expectedPiece(event);
        if (expected !== undefined) fail("a piece of the stream", event, expected);
      }
    },
  },
  "ends a stream with its only response": {
    advice: "Yield { type: 'response', response } once, as the last piece.",
    check(events) {
      const types = events.map((event) => event?.type);
      assertSame("the number of responses", types.filter((type) => type === "response").length, 1);
      assertSame("the last piece", types.at(-1), "response");
    },
  },
  "streams a response that is valid for turn": {
    advice: "Use the same code for the responses of turn and stream.",
    check(events) {
      for (const event of events) if (event?.type === "response") assertResponse(event.response);
    },
  },
  "streams the text of its response": {
    advice: "Yield every piece of the text once and in order, and nothing else.",
    check: assertWords,
  },
  "streams each call with its id and name once, and the arguments of its response": {
    advice:
      "Yield id and name only with the first piece of a call, its index in toolCalls, and the arguments in pieces.",
    check: assertCallPieces,
  },
});

/** Reads a stream to its end into `events`, or until `isLeft` returns true. Rejects if the stream does. */
export async function readPieces(
  iterator: AsyncIterator<LlmStreamEvent>,
  events: LlmStreamEvent[],
  isLeft = () => false,
): Promise<void> {
  while (!isLeft()) {
    const next = (await iterator.next()) as IteratorResult<LlmStreamEvent, undefined> | null | undefined;
    if (next === null || typeof next !== "object") fail("what next() gives", next, "{ done, value }");
    if (next.done === true) return;
    events.push(next.value);
    // A stream that never waits would block all timers.
    if (events.length > MAX_CHECKED_PIECES)
      fail("the number of pieces in a stream", `more than ${MAX_CHECKED_PIECES}`, "an end");
  }
}

export function iteratorOf(events: unknown): AsyncIterator<LlmStreamEvent> {
  const open: unknown = (events as Partial<AsyncIterable<LlmStreamEvent>> | null | undefined)?.[Symbol.asyncIterator];
  if (typeof open !== "function") fail("what stream gives", events, "an async iterable");
  return open.call(events) as AsyncIterator<LlmStreamEvent>;
}

/** Leaves a stream without waiting for its end. */
export function leaveStream(iterator: AsyncIterator<LlmStreamEvent>): void {
  void (async () => iterator.return?.())().catch(() => undefined);
}

export function responseOf(events: readonly LlmStreamEvent[] = []): LlmTurnResponse | undefined {
  return events.find((event) => event?.type === "response")?.response;
}

/** The expected form of a piece, or undefined if the piece is valid. */
function expectedPiece(event: LlmStreamEvent): string | undefined {
  const { type, text, index, argumentsText } = (event ?? {}) as Partial<Record<string, unknown>>;
  switch (type) {
    case "text-delta":
    case "reasoning-delta":
      return typeof text === "string" ? undefined : "a text";
    case "tool-call-delta":
      if (!isCount(index)) return "the index of a call";
      return typeof argumentsText === "string" ? undefined : "argumentsText";
    case "response":
      return undefined;
    case undefined:
      return "a piece with a type";
  }
  return "text-delta, reasoning-delta, tool-call-delta or response";
}

function deltasOf<T extends LlmStreamDelta["type"]>(
  events: readonly LlmStreamEvent[],
  type: T,
): Extract<LlmStreamDelta, { type: T }>[] {
  const end = events.findIndex((event) => event?.type === "response");
  const deltas = end === -1 ? events : events.slice(0, end);
  return deltas.filter((event): event is Extract<LlmStreamDelta, { type: T }> => event?.type === type);
}

/** Compares the joined texts with the response. A stream without texts passes. */
export function assertWords(events: readonly LlmStreamEvent[]): void {
  const texts = deltasOf(events, "text-delta").map(({ text }) => text);
  const response = responseOf(events) as Partial<LlmTurnResponse> | undefined;
  if (response !== undefined && texts.length > 0) assertSame("the words", texts.join(""), response.message?.content);
}

export function assertCallPieces(events: readonly LlmStreamEvent[]): void {
  const pieces = deltasOf(events, "tool-call-delta");
  const calls = callsOf(responseOf(events));
  for (const index of new Set(pieces.map((piece) => piece.index))) {
    const own = pieces.filter((piece) => piece.index === index);
    const call = calls[index];
    if (call === undefined) fail(`call ${index} of the response`, undefined, "the call that was streamed");
    for (const key of ["id", "name"] as const) {
      const times = own.filter((piece) => piece[key] !== undefined).length;
      if (times > 1) fail(`how often the ${key} of call ${index} comes`, times, 1);
    }
    assertArguments(own.map(({ argumentsText }) => argumentsText).join(""), call);
  }
}

function assertArguments(text: string, { name, arguments: args, malformedArguments }: LlmToolCall): void {
  const what = `the streamed arguments of ${name}`;
  if (malformedArguments === undefined) assertSame(what, readArguments(text), args);
  else assertSame(what, text, malformedArguments);
}

/** An empty text, and null, stand for no arguments. Text that is not JSON stays as it is. */
function readArguments(text: string): unknown {
  try {
    return text.trim() === "" ? {} : (parseBoundedJson(text) ?? {});
  } catch {
    return text;
  }
}
