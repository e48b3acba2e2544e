// Cases about `stream`, which hold of themselves for a provider that has none: the same call as `turn`, watched.

import type { LlmStreamDelta, LlmStreamEvent, LlmToolCall, LlmTurnRequest } from "../../core/index.js";
import { parseBoundedJson } from "../../core/index.js";
import { assertCalls, assertFinal, assertPlain, assertResponse } from "./provider-turns.js";
import { assertSame, fail, readAll, rejection, within, type ProviderCheck, type ProviderSubject } from "./verdict.js";

export const streamCases: Record<string, ProviderCheck> = {
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

  async "ends a stream with its response, which comes once"(subject) {
    for (const request of Object.values(subject.requests)) {
      const types = (await stream(subject, request))?.map(({ type }) => type);
      if (types === undefined) return;
      assertSame("how many responses there are", types.filter((type) => type === "response").length, 1);
      assertSame("what comes last", types.at(-1), "response");
    }
  },

  async "streams a response that turn could give"(subject) {
    for (const request of Object.values(subject.requests)) {
      for (const event of (await stream(subject, request)) ?? []) {
        if (event.type !== "response") continue;
        assertResponse("the streamed response", event.response);
        assertPlain(event.response);
        assertFinal(event.response);
        assertCalls(event.response);
      }
    }
  },

  async "streams the words of its response"(subject) {
    for (const request of Object.values(subject.requests)) {
      const { deltas, response } = split(await stream(subject, request));
      const said = deltas.flatMap((delta) => (delta.type === "text-delta" ? [delta.text] : []));
      if (response !== undefined && said.length > 0) assertSame("the words", said.join(""), response.message.content);
    }
  },

  async "streams each call with its id and name once, and the arguments of its response"(subject) {
    const { deltas, response } = split(await stream(subject, subject.requests.tools));
    const pieces = deltas.flatMap((delta) => (delta.type === "tool-call-delta" ? [delta] : []));
    for (const index of new Set(pieces.map((piece) => piece.index))) {
      const own = pieces.filter((piece) => piece.index === index);
      const call = response?.message.toolCalls?.[index];
      if (call === undefined) fail(`call ${index} of the response`, undefined, "the call that was streamed");
      for (const key of ["id", "name"] as const) {
        const told = own.filter((piece) => piece[key] !== undefined).length;
        if (told > 1) fail(`how often the ${key} of call ${index} comes`, told, 1);
      }
      assertArguments(own.map(({ argumentsText }) => argumentsText).join(""), call);
    }
  },

  async "does not stream a call whose signal has fired"(subject) {
    if (subject.provider.stream === undefined) return;
    const call = stream(subject, { ...subject.requests.plain, signal: AbortSignal.abort() });
    await rejection("a stream whose signal has fired", call);
  },

  async "answers the call after a stream that was left early"(subject) {
    const { provider, requests, patienceMs } = subject;
    if (provider.stream === undefined) return;
    const left = provider.stream(requests.plain)[Symbol.asyncIterator]();
    await within(patienceMs, "the first piece of the stream", left.next());
    await within(patienceMs, "leaving the stream", Promise.resolve(left.return?.()));
    const { response } = split(await stream(subject, requests.plain));
    assertResponse("the next answer", response);
    assertResponse("the turn after that", await within(patienceMs, "the answer", provider.turn(requests.plain)));
  },

  async "streams calls that are made at once, each from its beginning to its end"(subject) {
    const { plain, tools } = subject.requests;
    const streams = await Promise.all([plain, plain, tools].map((request) => stream(subject, request)));
    for (const [index, events] of streams.entries()) {
      if (events === undefined) return;
      assertSame(`the last piece of stream ${index}`, events.at(-1)?.type, "response");
    }
  },
};

/** All of a stream, or undefined where the provider has none. */
async function stream(subject: ProviderSubject, request: LlmTurnRequest): Promise<LlmStreamEvent[] | undefined> {
  const events = subject.provider.stream?.(request);
  return events === undefined ? undefined : readAll(events, subject);
}

function split(events: readonly LlmStreamEvent[] = []) {
  const deltas: LlmStreamDelta[] = [];
  for (const event of events) {
    if (event.type === "response") return { deltas, response: event.response };
    deltas.push(event);
  }
  return { deltas, response: undefined };
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
