import { describe, expect, it } from "vitest";
import { seal } from "../../../src/core/canon/copy.js";
import { hashJson } from "../../../src/core/canon/digest.js";
import { createPromptHashes } from "../../../src/core/events/event-prompt-hash.js";
import type { LlmMessage } from "../../../src/core/model/message.js";

const conversation: LlmMessage[] = ["one", "two", "three"].map((content) => seal({ role: "user", content }));

describe("createPromptHashes", () => {
  it("gives the hash of the canonical list, for prompts that grow and for one asked again", () => {
    const hashes = createPromptHashes();
    for (const length of [0, 1, 3, 3, 2]) {
      expect(hashes.of(conversation, length)).toBe(hashJson(conversation.slice(0, length)));
    }
  });

  it("keeps conversations apart", () => {
    const hashes = createPromptHashes();
    const other = conversation.toReversed();
    expect(hashes.of(conversation, 2)).toBe(hashJson(conversation.slice(0, 2)));
    expect(hashes.of(other, 3)).toBe(hashJson(other));
  });

  it("gives the hash of a copy that goes on, that was cut, and that begins with other messages", () => {
    const hashes = createPromptHashes();
    const [one, two, three] = conversation as [LlmMessage, LlmMessage, LlmMessage];
    for (const list of [[one], [one, two], [one, two, three], [one, three], [two, three, one], [], [one, two]])
      expect(hashes.of(list, list.length)).toBe(hashJson(list));
  });

  it("gives null from the first message on that may have changed since", () => {
    const hashes = createPromptHashes();
    const open: LlmMessage[] = [...conversation.slice(0, 1), { role: "user", content: "open" }, ...conversation];
    expect(hashes.of(open, 1)).toBe(hashJson(open.slice(0, 1)));
    expect(hashes.of(open, 2)).toBeNull();
    expect(hashes.of(open, 3)).toBeNull();
  });
});
