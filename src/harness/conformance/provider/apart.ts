// Cases about concurrent calls, and about turn and stream together. Answers are compared only if single calls give steady answers.

import type { LlmStreamEvent, LlmTurnRequest, LlmTurnResponse } from "../../../core/index.js";
import { assertSame, isSame, locate, toClauses, violationOf, type Clause } from "../../contract/clause.js";
import { callsOf } from "../../contract/response.js";
import { assertCallPieces, assertWords, responseOf } from "../../contract/stream.js";
import { answerBy, ask, waysOf, watch, type ProviderSubject, type Way } from "./ask.js";

const OWN_STATE = "Keep the state of a call (texts, calls, figures) in variables of that call, not on the provider.";

export const apartClauses: readonly Clause<ProviderSubject>[] = toClauses({
  "keeps concurrent streams complete and separate": {
    advice: "Let streams run concurrently: next() of one stream must not wait for another.",
    async check(subject) {
      const streams = await Promise.all(mixOf(subject).map((request) => watch(subject, request)));
      for (const [index, events] of streams.entries()) {
        if (events === undefined) return;
        assertSame(`the last piece of stream ${index}`, events.at(-1)?.type, "response");
      }
    },
  },
  "gives each concurrent call its own response": {
    advice: OWN_STATE,
    async check(subject) {
      const answers = await Promise.all(mixOf(subject).map((request) => ask(subject, request)));
      assertSame("the number of responses", new Set(answers).size, answers.length);
    },
  },
  "gives a concurrent call the same answer as a single call": {
    advice: OWN_STATE,
    check: (subject) => assertApart(subject, "turn"),
  },
  "gives a concurrent stream the same answer as a single stream": {
    advice: OWN_STATE,
    check: (subject) => assertApart(subject, "stream"),
  },
  "streams the same response that turn gives": {
    advice: "Use the same code for the responses of turn and stream.",
    async check(subject) {
      if (subject.provider.stream === undefined) return;
      const asked: { name: string; answers: unknown[] }[] = [];
      for (const [name, request] of Object.entries(subject.requests)) {
        const answers: unknown[] = [];
        for (const way of ["turn", "stream", "turn", "stream"] as const) {
          answers.push(essenceOf(await answerBy(way, subject, request)));
        }
        asked.push({ name, answers });
      }
      const isSteady = asked.every(({ answers: [a, b, c, d] }) => isSame(a, c) && isSame(b, d) && b !== undefined);
      if (!isSteady) return;
      for (const { name, answers } of asked) assertSame(`the streamed answer to ${name}`, answers[1], answers[0]);
    },
  },
});

function mixOf({ requests: { plain, tools, conversation } }: ProviderSubject): LlmTurnRequest[] {
  return [plain, plain, tools, conversation];
}

async function assertApart(subject: ProviderSubject, way: Way): Promise<void> {
  if (!waysOf(subject).includes(way)) return;
  const names = Object.keys(subject.requests);
  const requests = Object.values(subject.requests);
  const askAll = async (): Promise<Outcome[]> => {
    const outcomes: Outcome[] = [];
    for (const request of requests) outcomes.push(await outcomeOf(way, subject, request));
    return outcomes;
  };
  const before = [...(await askAll()), ...(await askAll())];
  const together = await Promise.all(requests.map((request) => outcomeOf(way, subject, request)));
  const alone = [...before, ...(await askAll())];

  // Other cases cover a stream that is wrong when it is read alone.
  if (alone.every(({ events }) => violationOf(() => assertParts(events)) === undefined)) {
    for (const [index, name] of names.entries()) {
      locate(`the stream for ${name}, asked at once`, () => assertParts(together[index]?.events));
    }
  }
  const first = alone.slice(0, names.length).map(({ essence }) => essence);
  if (!alone.every(({ essence }, index) => isSame(essence, first[index % first.length]))) return;
  for (const [index, name] of names.entries()) {
    assertSame(`the answer to ${name}, asked at once with others`, together[index]?.essence, first[index]);
  }
}

interface Outcome {
  readonly essence: unknown;
  readonly events?: readonly LlmStreamEvent[];
}

async function outcomeOf(way: Way, subject: ProviderSubject, request: LlmTurnRequest): Promise<Outcome> {
  if (way === "turn") return { essence: essenceOf(await ask(subject, request)) };
  const events = (await watch(subject, request)) ?? [];
  return { essence: essenceOf(responseOf(events)), events };
}

function assertParts(events: readonly LlmStreamEvent[] = []): void {
  assertWords(events);
  assertCallPieces(events);
}

/** A response without the ids of its calls, because ids are never compared. */
function essenceOf(response: LlmTurnResponse | undefined): unknown {
  const calls = callsOf(response);
  if (response === undefined || calls.length === 0) return response;
  const toolCalls = calls.map(({ id: _id, ...call }) => call);
  return { ...response, message: { ...response.message, toolCalls } };
}
