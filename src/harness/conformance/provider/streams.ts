// Cases about `stream`, which hold of themselves for a provider that has none: the same call as `turn`, watched.

import {
  parseBoundedJson,
  type LlmStreamDelta,
  type LlmStreamEvent,
  type LlmToolCall,
  type LlmTurnResponse,
} from "../../../core/index.js";
import { assertAnswer } from "./answers.js";
import { callsOf, iteratorOf, readAll, responseOf, watch } from "./ask.js";
import { assertSame, fail, within, type ProviderCheck, type ProviderSubject } from "../case.js";

export const streamCases = {
  async "gives a stream at once, and throws nothing before it is read"(subject) {
    const { provider, requests } = subject;
    if (provider.stream === undefined) return;
    for (const signal of [undefined, AbortSignal.abort()]) {
      const request = signal === undefined ? requests.plain : { ...requests.plain, signal };
      let stream: unknown;
      try {
        stream = provider.stream(request);
      } catch (error) {
        fail("stream", error instanceof Error ? error.message : error, "a stream that rejects when it is read");
      }
      const isStream = typeof stream === "object" && stream !== null && Symbol.asyncIterator in stream;
      assertSame("whether it can be iterated", isStream, true);
    }
  },

  async "streams pieces of the kinds that there are"(subject) {
    for (const event of await everyPiece(subject)) {
      const fault = findPieceFault(event);
      if (fault !== undefined) fail("a piece of the stream", event, fault);
    }
  },

  async "ends a stream with its response, which comes once"(subject) {
    for (const request of Object.values(subject.requests)) {
      const types = (await watch(subject, request))?.map((event) => event?.type);
      if (types === undefined) return;
      assertSame("how many responses there are", types.filter((type) => type === "response").length, 1);
      assertSame("what comes last", types.at(-1), "response");
    }
  },

  async "says nothing more once a stream has ended"(subject) {
    const { provider, requests, patienceMs } = subject;
    if (provider.stream === undefined) return;
    const iterator = iteratorOf(provider.stream(requests.plain));
    await readAll({ [Symbol.asyncIterator]: () => iterator }, subject);
    for (const time of ["first", "second"]) {
      const next = await within(patienceMs, "next() after the end", Promise.resolve(iterator.next()));
      assertSame(`whether the ${time} next() after the end is the end again`, next.done, true);
    }
  },

  async "streams a response that turn could give"(subject) {
    for (const event of await everyPiece(subject)) {
      if (event?.type === "response") assertAnswer("the streamed response", event.response);
    }
  },

  async "streams the words of its response"(subject) {
    for (const request of Object.values(subject.requests)) assertWords(await watch(subject, request));
  },

  async "streams each call with its id and name once, and the arguments of its response"(subject) {
    for (const request of Object.values(subject.requests)) assertPieces(await watch(subject, request));
  },

  async "streams calls that are made at once, each from its beginning to its end"(subject) {
    const { plain, tools, conversation } = subject.requests;
    const requests = [plain, plain, tools, conversation];
    const streams = await Promise.all(requests.map((request) => watch(subject, request)));
    for (const [index, events] of streams.entries()) {
      if (events === undefined) return;
      assertSame(`the last piece of stream ${index}`, events.at(-1)?.type, "response");
    }
  },
} satisfies Record<string, ProviderCheck>;

async function everyPiece(subject: ProviderSubject): Promise<LlmStreamEvent[]> {
  const all: LlmStreamEvent[] = [];
  for (const request of Object.values(subject.requests)) all.push(...((await watch(subject, request)) ?? []));
  return all;
}

/** What a piece should be that is none; undefined for a piece. */
function findPieceFault(event: LlmStreamEvent): string | undefined {
  switch ((event as LlmStreamEvent | undefined)?.type) {
    case "text-delta":
    case "reasoning-delta":
      return typeof (event as { text?: unknown }).text === "string" ? undefined : "a text";
    case "tool-call-delta": {
      const { index, argumentsText } = event as { index?: unknown; argumentsText?: unknown };
      if (!Number.isSafeInteger(index) || Number(index) < 0) return "the index of a call";
      return typeof argumentsText === "string" ? undefined : "argumentsText";
    }
    case "response":
      return undefined;
    case undefined:
      return "a piece with a type";
  }
  return "text-delta, reasoning-delta, tool-call-delta or response";
}

/** What came before the response. */
function deltasOf(events: readonly LlmStreamEvent[]): LlmStreamDelta[] {
  const deltas: LlmStreamDelta[] = [];
  for (const event of events) {
    if (event?.type === "response") return deltas;
    deltas.push(event);
  }
  return deltas;
}

/** The texts together are what the response says. A provider that streams no texts has none to compare. */
export function assertWords(events: readonly LlmStreamEvent[] = [], where = ""): void {
  const said = deltasOf(events).flatMap((delta) => (delta?.type === "text-delta" ? [delta.text] : []));
  const response = responseOf(events) as Partial<LlmTurnResponse> | undefined;
  if (response !== undefined && said.length > 0)
    assertSame(`the words${where}`, said.join(""), response.message?.content);
}

/** The pieces of each call together are the call in the response. */
export function assertPieces(events: readonly LlmStreamEvent[] = [], where = ""): void {
  const pieces = deltasOf(events).flatMap((delta) => (delta?.type === "tool-call-delta" ? [delta] : []));
  const calls = callsOf(responseOf(events));
  for (const index of new Set(pieces.map((piece) => piece.index))) {
    const own = pieces.filter((piece) => piece.index === index);
    const call = calls[index];
    if (call === undefined) fail(`call ${index} of the response${where}`, undefined, "the call that was streamed");
    for (const key of ["id", "name"] as const) {
      const told = own.filter((piece) => piece[key] !== undefined).length;
      if (told > 1) fail(`how often the ${key} of call ${index}${where} comes`, told, 1);
    }
    assertArguments(own.map(({ argumentsText }) => argumentsText).join(""), call);
  }
}

/** No text at all stands for no arguments. */
function assertArguments(text: string, { name, arguments: args, malformedArguments }: LlmToolCall): void {
  if (malformedArguments !== undefined) {
    assertSame(`the streamed arguments of ${name}`, text, malformedArguments);
    return;
  }
  let streamed: unknown;
  try {
    streamed = text.trim() === "" ? {} : (parseBoundedJson(text) ?? {});
  } catch {
    streamed = text;
  }
  assertSame(`the streamed arguments of ${name}`, streamed, args);
}
