// Cases about `turn`: what a response is, that nothing is shared with the caller, and that one call does not spoil the next.

import {
  canonicalize,
  findResponseFlaw,
  NotJsonError,
  type LlmTurnRequest,
  type LlmTurnResponse,
} from "../../core/index.js";
import { assertSame, fail, rejection, within, type ProviderCheck, type ProviderSubject } from "./verdict.js";

export const turnCases: Record<string, ProviderCheck> = {
  async "answers with a turn response"(subject) {
    for (const [name, request] of Object.entries(subject.requests)) {
      assertResponse(`the answer to ${name}`, await ask(subject, request));
    }
  },

  async "answers with plain JSON, no field of which is undefined"(subject) {
    for (const request of Object.values(subject.requests)) assertPlain(await ask(subject, request));
  },

  async "gives the final answer where it asks for no tool, and only there"(subject) {
    for (const request of Object.values(subject.requests)) assertFinal(await ask(subject, request));
  },

  async "gives each of its calls an id of its own and a name"(subject) {
    for (const request of [subject.requests.tools, subject.requests.conversation]) {
      assertCalls(await ask(subject, request));
    }
  },

  async "keeps arguments that are no object as text, beside an empty object"(subject) {
    const { message } = await ask(subject, subject.requests.tools);
    for (const { arguments: args, malformedArguments } of message.toolCalls ?? []) {
      if (malformedArguments === undefined) continue;
      assertSame("the type of malformedArguments", typeof malformedArguments, "string");
      assertSame("the arguments beside it", args, {});
    }
  },

  async "counts tokens in whole numbers and cost in numbers, none below 0"(subject) {
    for (const request of Object.values(subject.requests)) {
      const { usage, costUsd = 0 } = await ask(subject, request);
      for (const [name, figure] of Object.entries(usage ?? {})) {
        if (!Number.isSafeInteger(figure) || Number(figure) < 0) fail(`usage.${name}`, figure, "a whole number from 0");
      }
      if (!Number.isFinite(costUsd) || costUsd < 0) fail("costUsd", costUsd, "a number from 0");
    }
  },

  async "leaves the request as it was"(subject) {
    for (const [name, request] of Object.entries(subject.requests)) {
      const before = structuredClone(request);
      await ask(subject, request);
      assertSame(`the request ${name} after it was answered`, request, before);
    }
  },

  async "takes a request that is frozen"(subject) {
    for (const request of Object.values(subject.frozen)) await ask(subject, request);
  },

  async "gives a response that is the caller's own"(subject) {
    const first = await ask(subject, subject.requests.tools);
    first.message.content = CHANGED;
    first.message.toolCalls = [{ id: CHANGED, name: CHANGED, arguments: { [CHANGED]: true } }];
    first.stopReason = "error";
    const second = await ask(subject, subject.requests.tools);
    if (JSON.stringify(second).includes(CHANGED)) fail("the next answer", second, "nothing of what the caller changed");
    if (second === first) fail("the next answer", "the same object", "another one");
  },

  async "answers on after a caller has frozen its response"(subject) {
    freeze(await ask(subject, subject.requests.plain));
    assertResponse("the next answer", await ask(subject, subject.requests.plain));
  },

  async "does not answer a call whose signal has fired"(subject) {
    const call = ask(subject, { ...subject.requests.plain, signal: AbortSignal.abort() });
    await rejection("a call whose signal has fired", call);
  },

  async "answers the call after one that was aborted"(subject) {
    await ask(subject, { ...subject.requests.plain, signal: AbortSignal.abort() }).catch(() => undefined);
    assertResponse("the next answer", await ask(subject, subject.requests.plain));
  },

  async "answers calls that are made at once, each with a response of its own"(subject) {
    const { plain, tools, conversation } = subject.requests;
    const answers = await Promise.all([plain, plain, tools, conversation].map((request) => ask(subject, request)));
    for (const [index, response] of answers.entries()) assertResponse(`answer ${index}`, response);
    assertSame("how many responses there are", new Set(answers).size, answers.length);
  },

  async "has a name that can be recorded, the same before and after a turn"(subject) {
    const before: unknown = subject.provider.name;
    if (before !== undefined && (typeof before !== "string" || before === "" || !before.isWellFormed())) {
      fail("the name", before, "a text, or none");
    }
    await ask(subject, subject.requests.plain);
    assertSame("the name after a turn", subject.provider.name, before);
  },
};

const CHANGED = "changed by the caller";

/** `turn`, as something that rejects also where it throws at once. */
async function ask({ provider, patienceMs }: ProviderSubject, request: LlmTurnRequest): Promise<LlmTurnResponse> {
  return within(
    patienceMs,
    "the answer",
    Promise.resolve().then(() => provider.turn(request)),
  );
}

/** Fails for what is no turn response. */
export function assertResponse(what: string, response: unknown): void {
  const flaw = findResponseFlaw(response);
  if (flaw !== undefined) fail(`${flaw.pointer === "" ? "it" : flaw.pointer} of ${what}`, response, flaw.expected);
}

/** Fails for what JSON cannot say, a field that is there and undefined among it. */
export function assertPlain(response: LlmTurnResponse): void {
  try {
    canonicalize(response);
  } catch (error) {
    if (!(error instanceof NotJsonError)) throw error;
    fail("the response", error.message, "plain JSON");
  }
}

/** `finalAnswer` stands where no tool is asked for. */
export function assertFinal({ message, finalAnswer }: LlmTurnResponse): void {
  const calls = message.toolCalls?.length ?? 0;
  assertSame(`the type of finalAnswer beside ${calls} calls`, typeof finalAnswer, calls === 0 ? "string" : "undefined");
}

/** Ids and names are there, and no id twice. */
export function assertCalls({ message }: LlmTurnResponse): void {
  const calls = message.toolCalls ?? [];
  for (const { id, name } of calls) if (id === "" || name === "") fail("a call", { id, name }, "an id and a name");
  assertSame("how many ids there are", new Set(calls.map(({ id }) => id)).size, calls.length);
}

function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  Object.freeze(value);
  for (const inner of Object.values(value)) freeze(inner);
}
