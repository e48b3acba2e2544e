// Laws of the incremental prompt hash: whatever is done to a conversation between turns, it is the hash of the whole.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createPromptTracker, hashPrompt } from "../../src/cassette/prompt/prompt-delta.js";
import { seal } from "../../src/core/canon/copy.js";
import { hashJson } from "../../src/core/canon/digest.js";
import type { LlmMessage } from "../../src/core/model/message.js";
import { message } from "../../src/harness/arbitraries/messages.js";
import { text } from "../support/arbitraries.js";

const maybeSealed = fc.tuple(message(), fc.boolean()).map(([own, isSealed]) => (isSealed ? seal(own) : own));

type Edit =
  | { kind: "append"; added: LlmMessage[] }
  | { kind: "truncate"; at: number }
  | { kind: "replace"; at: number; by: LlmMessage }
  | { kind: "insert"; at: number; by: LlmMessage }
  | { kind: "mutate"; at: number; content: string }
  | { kind: "copy" }
  | { kind: "none" };

const edit: fc.Arbitrary<Edit> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("append" as const), added: fc.array(maybeSealed, { maxLength: 3 }) }),
  },
  fc.record({ kind: fc.constant("truncate" as const), at: fc.nat(8) }),
  fc.record({ kind: fc.constant("replace" as const), at: fc.nat(8), by: maybeSealed }),
  fc.record({ kind: fc.constant("insert" as const), at: fc.nat(8), by: maybeSealed }),
  fc.record({ kind: fc.constant("mutate" as const), at: fc.nat(8), content: text }),
  fc.constant({ kind: "copy" as const }),
  fc.constant({ kind: "none" as const }),
);

function apply(messages: LlmMessage[], change: Edit): void {
  switch (change.kind) {
    case "append":
      messages.push(...change.added);
      return;
    case "truncate":
      messages.length = Math.min(messages.length, change.at);
      return;
    case "replace":
      if (change.at < messages.length) messages[change.at] = change.by;
      return;
    case "insert":
      messages.splice(change.at, 0, change.by);
      return;
    case "mutate": {
      const target = messages[change.at];
      if (target !== undefined && !Object.isFrozen(target)) target.content = change.content;
      return;
    }
    case "copy":
      messages.splice(0, Infinity, ...messages.map((own) => ({ ...own })));
      return;
    case "none":
      return;
  }
}

function leadingEqual(before: readonly string[], now: readonly string[]): number {
  const parting = now.findIndex((hash, index) => hash !== before[index]);
  return parting === -1 ? now.length : parting;
}

describe("laws of the prompt tracker", () => {
  it("PLK-110 the incremental hash is the hash of the whole, after any edits", () => {
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 12 }), (edits) => {
        const tracker = createPromptTracker();
        const messages: LlmMessage[] = [];
        let before: string[] = [];
        for (const change of edits) {
          apply(messages, change);
          const { keep, promptHash } = tracker.next(messages);
          const now = messages.map((own) => hashJson(own));
          expect(promptHash).toBe(hashJson(messages));
          expect(promptHash).toBe(hashPrompt(messages));
          expect(keep).toBe(leadingEqual(before, now));
          expect(tracker.since(0)).toEqual(messages);
          before = now;
        }
      }),
      { numRuns: 500 },
    );
  });

  it("PLK-130 with a filter it is the hash of what the filter returns", () => {
    const filter = (messages: LlmMessage[]) =>
      messages.filter((own) => own.role !== "tool").map((own) => ({ ...own, content: "" }) as LlmMessage);
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 8 }), (edits) => {
        const tracker = createPromptTracker(filter);
        const messages: LlmMessage[] = [];
        for (const change of edits) {
          apply(messages, change);
          expect(tracker.next(messages).promptHash).toBe(hashJson(filter(messages)));
        }
      }),
    );
  });

  it("two prompts have one hash exactly when they are equal", () => {
    fc.assert(
      fc.property(fc.array(message(), { maxLength: 3 }), fc.array(message(), { maxLength: 3 }), (a, b) => {
        const isEqual = JSON.stringify(a.map((own) => hashJson(own))) === JSON.stringify(b.map((own) => hashJson(own)));
        expect(hashPrompt(a) === hashPrompt(b)).toBe(isEqual);
      }),
    );
  });
});
