// Cases about the interface between a provider and its caller: promises, streams, ownership of values, and signals.

import { isThenable, type LlmTurnRequest } from "../../../core/index.js";
import { assertSame, fail, toClauses, Violation, type Clause } from "../../contract/clause.js";
import { iteratorOf } from "../../contract/stream.js";
import { abortMidway, rejection, settle, within } from "../../contract/waiting.js";
import { ABORT_GRACE_MS } from "../../limits.js";
import { answerBy, ask, readAll, waysOf, watch, type ProviderSubject, type Way } from "./ask.js";
import { assertError } from "./failures.js";
import { PROVIDER_REQUESTS } from "./requests.js";

type Check = Clause<ProviderSubject>["check"];

const LEAVE_ALONE = "Copy values before you change them: the request and everything in it belong to the caller.";
const OWN_RESPONSE = "Build a new response for every call, with new objects and lists in it.";
const KEPT = "Do not change a response after you return it: it belongs to the caller.";
const STOP_EARLY = "Check request.signal before you send anything, and reject with an Error if it has fired.";
const STOP_MIDWAY = "Listen to request.signal until the call is over, and pass it to fetch.";

export const mannersClauses: readonly Clause<ProviderSubject>[] = toClauses({
  "returns a promise, even for a refusal": {
    advice: "Make turn an async function.",
    async check({ provider, requests, patienceMs }) {
      for (const request of withAndWithoutSignal(requests.plain)) {
        const given = atOnce("turn", "a promise that rejects", () => provider.turn(request));
        if (!isThenable(given)) fail("what turn gives", given, "a promise");
        // Other cases cover how it ends.
        const { kind } = await settle(() => given, patienceMs);
        if (kind === "late") fail("the answer", `nothing within ${patienceMs} ms`, "something");
      }
    },
  },
  "returns a stream at once, and throws nothing until it is read": {
    advice: "Make stream an async generator (async *stream), which starts at the first next().",
    check({ provider, requests }) {
      for (const request of withAndWithoutSignal(requests.plain)) {
        const given = atOnce("stream", "a stream that rejects when it is read", () => provider.stream?.(request));
        if (provider.stream !== undefined) iteratorOf(given);
      }
    },
  },
  "yields nothing after the end of a stream": {
    advice: "Return { done: true } from every next() after the end.",
    async check({ provider, requests, patienceMs }) {
      if (provider.stream === undefined) return;
      const iterator = iteratorOf(provider.stream(requests.plain));
      await readAll(iterator, patienceMs);
      for (const time of ["first", "second"]) {
        const next = await within(patienceMs, "next() after the end", () => iterator.next());
        assertSame(`whether the ${time} next() after the end is the end again`, next.done, true);
      }
    },
  },
  "has a recordable name that a turn does not change": {
    advice: "Set name once to the vendor and model, such as openai:gpt-4o, or omit it.",
    async check(subject) {
      const before: unknown = subject.provider.name;
      if (before !== undefined && (typeof before !== "string" || before === "" || !before.isWellFormed())) {
        fail("the name", before, "a text, or no name");
      }
      await ask(subject, subject.requests.plain);
      assertSame("the name after a turn", subject.provider.name, before);
    },
  },

  "does not change the request": { advice: LEAVE_ALONE, check: untouched("turn") },
  "does not change the request of a stream": { advice: LEAVE_ALONE, check: untouched("stream") },
  "accepts a frozen request": { advice: LEAVE_ALONE, check: unfazed("turn") },
  "streams the answer to a frozen request": { advice: LEAVE_ALONE, check: unfazed("stream") },
  "gives the caller a new response": { advice: OWN_RESPONSE, check: owned("turn") },
  "streams a new response to the caller": { advice: OWN_RESPONSE, check: owned("stream") },
  "does not change a response afterwards": { advice: KEPT, check: kept("turn") },
  "does not change a streamed response afterwards": { advice: KEPT, check: kept("stream") },
  "keeps answering after a caller freezes its response": {
    advice: "Do not change a response after you return it: the caller may freeze it.",
    async check(subject) {
      freeze(await ask(subject, subject.requests.plain));
      await assertAnswers(subject);
    },
  },

  "does not answer a call whose signal has fired": { advice: STOP_EARLY, check: refused("turn") },
  "does not stream a call whose signal has fired": { advice: STOP_EARLY, check: refused("stream") },
  "answers the next call after an aborted one": {
    advice: "An abort must end only that call, not the provider.",
    async check(subject) {
      await ask(subject, { ...subject.requests.plain, signal: AbortSignal.abort() }).catch(() => undefined);
      await assertAnswers(subject);
    },
  },
  "ends a call whose signal fires while it runs": { advice: STOP_MIDWAY, check: stopped("turn") },
  "ends a stream whose signal fires while it runs": { advice: STOP_MIDWAY, check: stopped("stream") },
  "answers the next call after a stream was left early": {
    advice: "Release the resources of a stream (a connection, a lock) in a finally block of its generator.",
    async check(subject) {
      const { provider, requests, patienceMs } = subject;
      if (provider.stream === undefined) return;
      const left = iteratorOf(provider.stream(requests.plain));
      await within(patienceMs, "the first piece of the stream", () => left.next());
      await within(patienceMs, "leaving the stream", () => left.return?.());
      await watch(subject, requests.plain);
      await assertAnswers(subject);
    },
  },
});

function withAndWithoutSignal(request: LlmTurnRequest): LlmTurnRequest[] {
  return [request, { ...request, signal: AbortSignal.abort() }];
}

function atOnce(what: string, expected: string, call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return fail(what, error instanceof Error ? error.message : error, expected);
  }
}

function by(way: Way, check: Check): Check {
  return async (subject) => (waysOf(subject).includes(way) ? check(subject) : undefined);
}

function untouched(way: Way): Check {
  return by(way, async (subject) => {
    for (const [name, request] of Object.entries(subject.requests)) {
      const before = structuredClone(request);
      await answerBy(way, subject, request);
      assertSame(`the request ${name} after its ${way}`, request, before);
    }
  });
}

function unfazed(way: Way): Check {
  return by(way, async (subject) => {
    for (const request of Object.values(PROVIDER_REQUESTS)) await answerBy(way, subject, request);
  });
}

const CHANGED = "changed by the caller";

function owned(way: Way): Check {
  return by(way, async (subject) => {
    const { tools } = subject.requests;
    scribble(await answerBy(way, subject, tools));
    const second = await answerBy(way, subject, tools);
    if (textOf(second).includes(CHANGED)) fail("the next answer", second, "nothing of what the caller changed");
  });
}

function kept(way: Way): Check {
  return by(way, async (subject) => {
    const { plain, tools } = subject.requests;
    const response = await answerBy(way, subject, tools);
    const before = textOf(response);
    for (const request of [plain, tools]) await answerBy(way, subject, request);
    // A provider may do more work after an answer.
    await new Promise((resolve) => setTimeout(resolve, 1));
    const after = textOf(response);
    if (after !== before) fail(`the response of a ${way} after later calls`, after, before);
  });
}

function refused(way: Way): Check {
  return by(way, async (subject) => {
    const request = { ...subject.requests.plain, signal: AbortSignal.abort() };
    const call = way === "turn" ? ask(subject, request) : watch(subject, request);
    assertError(`what the ${way} rejects with`, await rejection(`a ${way} whose signal has fired`, call));
  });
}

/** An answer that was already on its way when the signal fired may still arrive. */
function stopped(way: Way): Check {
  return by(way, async (subject) => {
    const { plain } = subject.requests;
    const { end, isLate } = await abortMidway(async (signal, begun) => {
      const call = answerBy(way, subject, { ...plain, signal });
      begun();
      return settle(() => call, 2 * subject.patienceMs);
    });
    if (end.kind === "thrown" && end.error instanceof Violation) throw end.error;
    if (end.kind === "value" && isLate) {
      fail(`the ${way}`, `an answer more than ${ABORT_GRACE_MS} ms after its signal fired`, "its end");
    }
    if (way === "turn") await assertAnswers(subject);
    else await watch(subject, plain);
  });
}

/** Fails unless the provider answers another turn. Other cases cover the answer itself. */
async function assertAnswers(subject: ProviderSubject): Promise<void> {
  const response: unknown = await ask(subject, subject.requests.plain);
  if (typeof response !== "object" || response === null) fail("the next answer", response, "a response");
}

/** Changes every object and list, and the texts of the message. A frozen part cannot be changed, so it may be shared. */
function scribble(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const inner of Object.values(value)) scribble(inner);
  if (Object.isFrozen(value)) return;
  Reflect.set(value, Array.isArray(value) ? value.length : CHANGED, CHANGED);
  if (!Array.isArray(value) && "content" in value) Reflect.set(value, "content", CHANGED);
}

function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  Object.freeze(value);
  for (const inner of Object.values(value)) freeze(inner);
}

/** JSON cannot express undefined, which stands for no response at all. */
function textOf(response: unknown): string {
  return response === undefined ? "nothing" : JSON.stringify(response);
}
