// Cases about what lies between a provider and its caller: the request is the caller's, the response is the caller's, and a signal is
// heeded.

import { isError } from "../../contract/thrown.js";
import { answerBy, ask, iteratorOf, waysOf, watch, type Way } from "./ask.js";
import { assertSame, fail, rejection, Violation, within, type ProviderCheck, type ProviderSubject } from "../case.js";

export const mannersCases = {
  "leaves the request as it was": (subject) => assertUntouched(subject, "turn"),

  "leaves the request of a stream as it was": (subject) => assertUntouched(subject, "stream"),

  async "takes a request that is frozen"(subject) {
    for (const request of Object.values(subject.frozen)) await ask(subject, request);
  },

  async "streams the answer to a request that is frozen"(subject) {
    for (const request of Object.values(subject.frozen)) await watch(subject, request);
  },

  "gives a response that is the caller's own": (subject) => assertOwn(subject, "turn"),

  "streams a response that is the caller's own": (subject) => assertOwn(subject, "stream"),

  "leaves a response alone once it was given": (subject) => assertKept(subject, "turn"),

  "leaves a streamed response alone once it was given": (subject) => assertKept(subject, "stream"),

  async "answers on after a caller has frozen its response"(subject) {
    freeze(await ask(subject, subject.requests.plain));
    assertAnswered("the next answer", await ask(subject, subject.requests.plain));
  },

  async "does not answer a call whose signal has fired"(subject) {
    const call = ask(subject, { ...subject.requests.plain, signal: AbortSignal.abort() });
    assertError("turn", await rejection("a call whose signal has fired", call));
  },

  async "does not stream a call whose signal has fired"(subject) {
    if (subject.provider.stream === undefined) return;
    const call = watch(subject, { ...subject.requests.plain, signal: AbortSignal.abort() });
    assertError("stream", await rejection("a stream whose signal has fired", call));
  },

  async "answers the call after one that was aborted"(subject) {
    await ask(subject, { ...subject.requests.plain, signal: AbortSignal.abort() }).catch(() => undefined);
    assertAnswered("the next answer", await ask(subject, subject.requests.plain));
  },

  async "ends a call whose signal fires while it runs"(subject) {
    await assertStopped("turn", (signal) => ask(subject, { ...subject.requests.plain, signal }));
    assertAnswered("the next answer", await ask(subject, subject.requests.plain));
  },

  async "ends a stream whose signal fires while it runs"(subject) {
    if (subject.provider.stream === undefined) return;
    await assertStopped("stream", (signal) => watch(subject, { ...subject.requests.plain, signal }));
    await watch(subject, subject.requests.plain);
  },

  async "answers the call after a stream that was left early"(subject) {
    const { provider, requests, patienceMs } = subject;
    if (provider.stream === undefined) return;
    const left = iteratorOf(provider.stream(requests.plain));
    await within(patienceMs, "the first piece of the stream", left.next());
    await within(patienceMs, "leaving the stream", Promise.resolve(left.return?.()));
    await watch(subject, requests.plain);
    assertAnswered("the turn after that", await ask(subject, requests.plain));
  },
} satisfies Record<string, ProviderCheck>;

async function assertUntouched(subject: ProviderSubject, way: Way): Promise<void> {
  for (const [name, request] of Object.entries(subject.requests)) {
    const before = structuredClone(request);
    await answerBy(way, subject, request);
    assertSame(`the request ${name} after its ${way}`, request, before);
  }
}

const CHANGED = "changed by the caller";

async function assertOwn(subject: ProviderSubject, way: Way): Promise<void> {
  if (way === "stream" && subject.provider.stream === undefined) return;
  const first = await answerBy(way, subject, subject.requests.tools);
  scribble(first);
  const second = await answerBy(way, subject, subject.requests.tools);
  if (textOf(second).includes(CHANGED)) fail("the next answer", second, "nothing of what the caller changed");
}

async function assertKept(subject: ProviderSubject, way: Way): Promise<void> {
  if (!waysOf(subject).includes(way)) return;
  const response = await answerBy(way, subject, subject.requests.tools);
  const before = textOf(response);
  for (const request of [subject.requests.plain, subject.requests.tools]) await answerBy(way, subject, request);
  await afterwards();
  const after = textOf(response);
  if (after !== before) fail(`the response of a ${way} after later calls`, after, before);
}

/** What it is, is the matter of other cases. */
function assertAnswered(what: string, response: unknown): void {
  if (typeof response !== "object" || response === null) fail(what, response, "a response");
}

/** Writes into every object and list, and over the texts of the message. What is frozen nobody can spoil, so it may be anybody's. */
function scribble(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const inner of Object.values(value)) scribble(inner);
  if (Object.isFrozen(value)) return;
  Reflect.set(value, Array.isArray(value) ? value.length : CHANGED, CHANGED);
  if (!Array.isArray(value) && "content" in value) Reflect.set(value, "content", CHANGED);
}

function assertError(way: Way, error: unknown): void {
  if (!isError(error)) fail(`what the ${way} rejects with`, error, "an Error");
}

/** An answer that comes so long after the signal was not on its way when it fired. */
const GRACE_MS = 1_000;

/** Fires the signal when the call has begun; an answer that was on its way may come still. */
async function assertStopped(way: Way, call: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const controller = new AbortController();
  let isLate = false;
  const isAnswered = call(controller.signal).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Violation) throw error;
      return false;
    },
  );
  // The call itself begins with the next microtask.
  await Promise.resolve();
  await Promise.resolve();
  controller.abort();
  const timer = setTimeout(() => (isLate = true), GRACE_MS);
  const hasAnswer = await isAnswered.finally(() => clearTimeout(timer));
  if (hasAnswer && isLate) fail(`the ${way}`, `an answer more than ${GRACE_MS} ms after its signal fired`, "its end");
}

function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  Object.freeze(value);
  for (const inner of Object.values(value)) freeze(inner);
}

/** When what a provider does on its own after an answer has been done. */
function afterwards(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}

/** JSON has no word for what is no response at all. */
function textOf(response: unknown): string {
  return response === undefined ? "nothing" : JSON.stringify(response);
}
