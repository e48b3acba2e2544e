// Laws of mutants: the same seed gives the same ones, each of them loads, and each is another cassette than the original.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildCassette } from "../../src/cassette/file/build.js";
import type { CassetteV2 } from "../../src/cassette/file/format.js";
import { checkCassette } from "../../src/cassette/trust/load-cassette.js";
import { createPromptTracker } from "../../src/cassette/prompt/prompt-delta.js";
import { canonicalize } from "../../src/core/canon/json.js";
import type { LlmMessage } from "../../src/core/model/message.js";
import type { LlmTurnResponse } from "../../src/core/model/provider.js";
import { mutateCassette } from "../../src/harness/mutate/apply.js";
import { listMutants } from "../../src/harness/mutate/list.js";
import { inTurns } from "../../src/harness/mutate/sample-order.js";
import { jsonObject, text } from "../support/arbitraries.js";

const call = fc.record({ id: text, name: fc.constantFrom("weather", "search"), arguments: jsonObject });
const answer = fc
  .tuple(text, fc.array(call, { maxLength: 2 }))
  .map(([content, toolCalls]): LlmTurnResponse =>
    toolCalls.length === 0
      ? { message: { role: "assistant", content }, finalAnswer: content, stopReason: "stop" }
      : { message: { role: "assistant", content, toolCalls }, stopReason: "toolUse" },
  );

/** A run whose prompts grow by what was answered and what the tools gave, with or without its prompts kept. */
const cassette = fc
  .tuple(text, fc.array(fc.tuple(answer, text), { minLength: 1, maxLength: 4 }), fc.boolean())
  .map(([goal, steps, keepsPrompts]): CassetteV2 => {
    const tracker = createPromptTracker();
    const messages: LlmMessage[] = [{ role: "user", content: goal }];
    const turns = steps.map(([response, result]) => {
      const { keep, promptHash } = tracker.next(messages);
      const prompt = { keep, messages: tracker.since(keep) };
      messages.push(response.message);
      for (const { id, name } of response.message.toolCalls ?? []) {
        messages.push({ role: "tool", toolCallId: id, name, content: result });
      }
      return keepsPrompts ? { promptHash, prompt, response } : { promptHash, response };
    });
    const head = { recordedAt: "2026-11-20T12:00:00.000Z", recordedProvider: "scripted", cassetteId: "0".repeat(32) };
    return buildCassette(head, turns);
  });

const options = { file: "a.cassette.json", seed: "1" };

describe("mutants", () => {
  it("are valid cassettes, each another one than the original", () => {
    fc.assert(
      fc.property(cassette, text, (original, seed) => {
        const before = canonicalize(original);
        for (const mutant of listMutants(original, { ...options, seed })) {
          const made = mutateCassette(original, { ...options, seed }, mutant.id);
          expect(made?.mutant).toEqual(mutant);
          const loaded = checkCassette(made?.cassette, { requireIntegrity: true }) as CassetteV2;
          expect(loaded.envelopeHash).not.toBe(original.envelopeHash);
          expect(loaded.entries.map(({ response, promptHash }) => [response, promptHash])).not.toEqual(
            original.entries.map(({ response, promptHash }) => [response, promptHash]),
          );
        }
        expect(canonicalize(original)).toBe(before);
      }),
      { numRuns: 60 },
    );
  });

  it("are the same for the same seed, in the same order, each once", () => {
    fc.assert(
      fc.property(cassette, text, (original, seed) => {
        const first = listMutants(original, { ...options, seed });
        expect(listMutants(structuredClone(original), { ...options, seed })).toEqual(first);
        const order = inTurns(first, seed);
        expect(inTurns(first, seed)).toEqual(order);
        expect(new Set(first.map(({ id }) => id)).size).toBe(first.length);
        expect(order.map(({ id }) => id).sort()).toEqual(first.map(({ id }) => id).sort());
      }),
      { numRuns: 100 },
    );
  });
});
