// Cases about calls that meet: made at once, or one call by both ways. Where answers are held against each other, only of a provider
// that answers alike whenever it is asked alone: a model may say something else each time, and then these cases hold of themselves.

import type { LlmStreamEvent, LlmTurnRequest, LlmTurnResponse } from "../../../core/index.js";
import { answerBy, ask, callsOf, responseOf, waysOf, watch, type Way } from "./ask.js";
import { assertPieces, assertWords } from "./streams.js";
import { assertSame, isSame, type ProviderCheck, type ProviderSubject } from "../case.js";

export const apartCases = {
  async "answers calls that are made at once, each with a response of its own"(subject) {
    const { plain, tools, conversation } = subject.requests;
    const answers = await Promise.all([plain, plain, tools, conversation].map((request) => ask(subject, request)));
    assertSame("how many responses there are", new Set(answers).size, answers.length);
  },

  "answers a call made at once with others as it does alone": (subject) => assertApart(subject, "turn"),

  "streams a call made at once with others as it does alone": (subject) => assertApart(subject, "stream"),

  async "streams the response that turn gives"(subject) {
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
} satisfies Record<string, ProviderCheck>;

async function assertApart(subject: ProviderSubject, way: Way): Promise<void> {
  if (!waysOf(subject).includes(way)) return;
  const entries = Object.entries(subject.requests);
  const requests = Object.values(subject.requests);
  const alone = async () => {
    const answers: Told[] = [];
    for (const request of requests) answers.push(await tell(way, subject, request));
    return answers;
  };
  const before = [...(await alone()), ...(await alone())];
  const together = await Promise.all(requests.map((request) => tell(way, subject, request)));
  const told = [...before, ...(await alone())];

  // What is wrong with a stream that is read alone is the matter of other cases.
  if (told.every(({ events }) => holds(() => assertParts(events)))) {
    for (const [index, [name]] of entries.entries()) assertParts(together[index]?.events, ` to ${name}, asked at once`);
  }
  const first = told.slice(0, entries.length).map(({ essence }) => essence);
  if (!told.every(({ essence }, index) => isSame(essence, first[index % first.length]))) return;
  for (const [index, [name]] of entries.entries()) {
    assertSame(`the answer to ${name}, asked at once with others`, together[index]?.essence, first[index]);
  }
}

/** What one call gave, and the pieces of it where it was streamed. */
interface Told {
  readonly essence: unknown;
  readonly events?: readonly LlmStreamEvent[];
}

async function tell(way: Way, subject: ProviderSubject, request: LlmTurnRequest): Promise<Told> {
  if (way === "turn") return { essence: essenceOf(await ask(subject, request)) };
  const events = (await watch(subject, request)) ?? [];
  return { essence: essenceOf(responseOf(events)), events };
}

function assertParts(events: readonly LlmStreamEvent[] = [], where = ""): void {
  assertWords(events, where);
  assertPieces(events, where);
}

function holds(assert: () => void): boolean {
  try {
    assert();
    return true;
  } catch {
    return false;
  }
}

/** All of a response but the ids of its calls, which are never compared. Of what is no response, itself. */
function essenceOf(response: LlmTurnResponse | undefined): unknown {
  const calls = callsOf(response);
  if (response === undefined || calls.length === 0) return response;
  const toolCalls = calls.map(({ id: _id, ...call }) => call);
  return { ...response, message: { ...response.message, toolCalls } };
}
