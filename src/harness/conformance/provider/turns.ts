// Cases about what `turn` answers: what a response is.

import { isThenable, type LlmTurnResponse } from "../../../core/index.js";
import {
  assertCalls,
  assertFigures,
  assertFinal,
  assertMalformed,
  assertPlain,
  assertResponse,
  assertStop,
  assertThoughts,
} from "./answers.js";
import { ask } from "./ask.js";
import { assertSame, fail, within, type ProviderCheck, type ProviderSubject } from "../case.js";

export const turnCases = {
  async "answers with a turn response"(subject) {
    for (const [name, request] of Object.entries(subject.requests)) {
      assertResponse(`the answer to ${name}`, await ask(subject, request));
    }
  },

  async "answers by a promise, also where it refuses"({ provider, requests, patienceMs }) {
    for (const signal of [undefined, AbortSignal.abort()]) {
      const request = signal === undefined ? requests.plain : { ...requests.plain, signal };
      let given: unknown;
      try {
        given = provider.turn(request);
      } catch (error) {
        fail("turn", error instanceof Error ? error.message : error, "a promise that rejects");
      }
      if (!isThenable(given)) fail("what turn gives", given, "a promise");
      // How it ends is the matter of other cases.
      await within(patienceMs, "the answer", settled(given));
    }
  },

  async "answers with plain JSON, no field of which is undefined"(subject) {
    await forEach(subject, assertPlain);
  },

  async "gives the final answer where it asks for no tool, and only there"(subject) {
    await forEach(subject, assertFinal);
  },

  async "says by its stop reason whether it asks for a tool"(subject) {
    await forEach(subject, assertStop);
  },

  async "gives each of its calls an id of its own and a name"(subject) {
    await forEach(subject, assertCalls);
  },

  async "keeps arguments that are no object as text, beside an empty object"(subject) {
    await forEach(subject, assertMalformed);
  },

  async "gives its thoughts as texts or as redacted data"(subject) {
    await forEach(subject, assertThoughts);
  },

  async "counts tokens in whole numbers and cost in numbers, none below 0"(subject) {
    await forEach(subject, assertFigures);
  },

  async "has a name that can be recorded, the same before and after a turn"(subject) {
    const before: unknown = subject.provider.name;
    if (before !== undefined && (typeof before !== "string" || before === "" || !before.isWellFormed())) {
      fail("the name", before, "a text, or none");
    }
    await ask(subject, subject.requests.plain);
    assertSame("the name after a turn", subject.provider.name, before);
  },
} satisfies Record<string, ProviderCheck>;

async function forEach(subject: ProviderSubject, assert: (response: LlmTurnResponse) => void): Promise<void> {
  for (const request of Object.values(subject.requests)) assert(await ask(subject, request));
}

async function settled(promise: PromiseLike<unknown>): Promise<void> {
  try {
    await promise;
  } catch {
    return;
  }
}
