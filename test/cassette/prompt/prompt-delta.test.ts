import { describe, expect, it } from "vitest";
import { CassetteError } from "../../../src/cassette/errors.js";
import { createPromptChain, createPromptTracker, hashPrompt } from "../../../src/cassette/prompt/prompt-delta.js";
import { isSealed, seal } from "../../../src/core/canon/copy.js";
import { hashJson } from "../../../src/core/canon/digest.js";
import { NotJsonError } from "../../../src/core/canon/value.js";
import type { LlmMessage } from "../../../src/core/model/message.js";
import { user } from "../../support/recording.js";
import { refusal } from "../../support/refusal.js";

describe("hashPrompt", () => {
  it("PLK-110 is the SHA-256 of the canonical list of messages", () => {
    const messages: LlmMessage[] = [{ content: "Be brief. é😀", role: "system" }, user("a")];
    expect(hashPrompt(messages)).toBe(hashJson(messages));
    expect(hashPrompt([])).toBe("4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945");
  });

  it("PLK-110 does not depend on the order of keys, and does on the order of messages", () => {
    expect(hashPrompt([{ content: "a", role: "user" }])).toBe(hashPrompt([{ role: "user", content: "a" }]));
    expect(hashPrompt([user("a"), user("b")])).not.toBe(hashPrompt([user("b"), user("a")]));
  });

  it("tells near-equal prompts apart", () => {
    const prompts = [["a", "b"], ["ab"], ["a,b"], ["a", "b", ""], ['a"},{"content":"b'], []];
    const hashes = prompts.map((texts) => hashPrompt(texts.map(user)));
    expect(new Set(hashes).size).toBe(prompts.length);
  });
});

describe("createPromptTracker", () => {
  it("says how much of the prompt before is kept", () => {
    const tracker = createPromptTracker();
    const steps = [["a", "b"], ["a", "b", "c"], ["a", "x"], ["a", "x"], [], ["a"]].map((texts) =>
      tracker.next(texts.map(user)),
    );
    expect(steps.map((step) => step.keep)).toEqual([0, 2, 1, 2, 0, 0]);
  });

  it("recognises an equal message by its content where it is another object", () => {
    const tracker = createPromptTracker();
    tracker.next([user("a")]);
    expect(tracker.next([{ content: "a", role: "user" }, user("b")]).keep).toBe(1);
  });

  it("notices a message that was changed in place between turns", () => {
    const tracker = createPromptTracker();
    const messages = [
      { role: "user" as const, content: "a" },
      { role: "user" as const, content: "b" },
    ];
    tracker.next(messages);
    (messages[0] as { content: string }).content = "x";
    expect(tracker.next(messages)).toEqual({ keep: 0, promptHash: hashPrompt([user("x"), user("b")]) });
  });

  it("notices it deep inside a message as well", () => {
    const tracker = createPromptTracker();
    const args = { list: [1] };
    const messages: LlmMessage[] = [
      { role: "assistant", content: "", toolCalls: [{ id: "c", name: "t", arguments: args }] },
    ];
    const before = tracker.next(messages).promptHash;
    args.list.push(2);
    const { keep, promptHash } = tracker.next(messages);
    expect(keep).toBe(0);
    expect(promptHash).toBe(hashJson(messages));
    expect(promptHash).not.toBe(before);
  });

  it("keeps sealed messages as they are, and copies of others", () => {
    const tracker = createPromptTracker();
    const [ours, theirs] = [seal(user("a")), user("b")];
    tracker.next([ours, theirs]);
    const kept = tracker.since(0);
    expect(kept[0]).toBe(ours);
    expect(kept[1]).not.toBe(theirs);
    expect(kept.every(isSealed)).toBe(true);
    expect(tracker.since(1)).toEqual([theirs]);
  });

  it("hands the filter a copy, and hashes what it returns", () => {
    const messages = [user("a"), user("b")];
    const tracker = createPromptTracker((copy) => {
      (copy[0] as { content: string }).content = "filtered";
      return copy.slice(0, 1);
    });
    expect(tracker.next(messages).promptHash).toBe(hashPrompt([user("filtered")]));
    expect(messages).toEqual([user("a"), user("b")]);
    expect(tracker.next(messages).keep).toBe(1);
  });

  it.each<[string, unknown, string]>([
    ["nothing", undefined, "it is undefined"],
    ["a promise", Promise.resolve([]), "it is a promise"],
    ["texts", ["a"], "item 0 is a string"],
    ["a hole", new Array(1), "item 0 is undefined"],
  ])("PLK-130 refuses a filter that returns %s, by its name", (_, returned, words) => {
    const error = refusal(() => createPromptTracker(() => returned as LlmMessage[]).next([user("a")]));
    expect(error).toBeInstanceOf(CassetteError);
    expect(error).toMatchObject({
      code: "invalid-options",
      summary: `hashFilter did not return a list of messages: ${words}`,
    });
  });

  it("does not ask a caller's own kind of list for its slice", () => {
    class Hiding extends Array<LlmMessage> {
      override slice(): LlmMessage[] {
        return [];
      }
    }
    const list = Hiding.from([user("a")]) as Hiding;
    expect(createPromptTracker().next(list).promptHash).toBe(hashPrompt([user("a")]));
    expect(hashPrompt(list)).toBe(hashJson([user("a")]));
  });

  it("asks about each message that is new, before it is taken", () => {
    const seen: [string, number][] = [];
    const tracker = createPromptTracker(undefined, ({ content }, index) => {
      if (content === "bad") throw new Error("no");
      seen.push([content as string, index]);
    });
    tracker.next([user("a")]);
    for (let time = 0; time < 2; time++) expect(() => tracker.next([user("a"), user("bad")])).toThrow("no");
    tracker.next([user("a"), user("b")]);
    expect(seen).toEqual([
      ["a", 0],
      ["b", 1],
    ]);
    expect(tracker.next([user("a"), user("b")]).promptHash).toBe(hashPrompt([user("a"), user("b")]));
  });

  it("refuses what is not JSON, and goes on rightly afterwards", () => {
    const tracker = createPromptTracker();
    tracker.next([user("a"), user("b"), user("c")]);
    const bad = { role: "user", content: 1n } as unknown as LlmMessage;
    expect(refusal(() => tracker.next([user("a"), user("x"), bad]))).toBeInstanceOf(NotJsonError);
    const next = [user("a"), user("b"), user("c"), user("d")];
    expect(tracker.next(next).promptHash).toBe(hashPrompt(next));
    expect(tracker.since(0)).toEqual(next);
  });
});

describe("createPromptChain", () => {
  it("gives the hash of each state as it grows, shrinks and grows again", () => {
    const chain = createPromptChain();
    const [a, b, c, d] = ["a", "b", "c", "d"].map(user) as [LlmMessage, LlmMessage, LlmMessage, LlmMessage];
    expect(chain.advance(0, [a, b])).toBe(hashPrompt([a, b]));
    expect(chain.advance(2, [c])).toBe(hashPrompt([a, b, c]));
    expect(chain.advance(1, [])).toBe(hashPrompt([a]));
    expect(chain.advance(1, [d, c])).toBe(hashPrompt([a, d, c]));
    expect(chain.advance(2, [b])).toBe(hashPrompt([a, d, b]));
    expect(chain.advance(0, [])).toBe(hashPrompt([]));
    expect(chain.advance(0, [d])).toBe(hashPrompt([d]));
  });
});
