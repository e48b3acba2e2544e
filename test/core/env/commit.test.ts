// The commit protocol: a step is stored before the next request, memory is never ahead of storage, and what is stored is whole.

import { describe, expect, it } from "vitest";
import { ask, say, tool } from "../../support/script.js";
import { AGENT, failingStorage, ID, isWhole, kindsOf, messagesOf, playEnv } from "../../support/env.js";
import { createInMemoryStorage } from "../../../src/core/env/storage/memory-storage.js";
import type { ConversationStore } from "../../../src/core/env/storage/storage.js";

const look = tool("look", () => "seen");
const twoSteps = () => [ask([{ name: "look" }]), say("done")];

describe("a run", () => {
  it("CRB-01 CRB-16 CRB-17 CRB-41 stores created, user, assistant with its call, result and answer", async () => {
    const { runtime, entries, asked, storage } = playEnv({ steps: twoSteps(), tools: [look] });
    const response = await runtime.send({ agent: AGENT, content: "Go." });
    expect(response).toMatchObject({ conversationId: ID, finalAnswer: "done", turns: 2, toolCalls: 1, archives: [] });
    expect(kindsOf(entries())).toEqual(["created", "user", "assistant", "tool", "assistant"]);
    expect(entries()[0]).toEqual({ kind: "created", version: 1, agent: AGENT, sender: "" });
    // The result is applied before the following step.
    expect(asked[1]?.messages.at(-1)).toMatchObject({ role: "tool", content: "seen" });
    expect((await playEnv({ storage }).runtime.conversation(AGENT)).context).toEqual(messagesOf(entries()));
  });

  it("CRB-18 sends the instructions, the history and the schemas", async () => {
    const { runtime, asked } = playEnv({ steps: [say("1"), say("2")], tools: [look] });
    await runtime.send({ agent: AGENT, content: "one" });
    await runtime.send({ agent: AGENT, content: "two" });
    expect(asked[1]?.messages).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "one" },
      { role: "assistant", content: "1" },
      { role: "user", content: "two" },
    ]);
    expect(asked[1]?.tools?.map(({ name }) => name)).toEqual(["look"]);
  });

  it("sends nothing that is not stored, but for the head", async () => {
    const storage = createInMemoryStorage();
    const stored = () => messagesOf(storage.conversations.read(ID, 0, 1_000) as never);
    const seen: unknown[] = [];
    const { runtime } = playEnv({
      storage,
      tools: [look],
      provider: {
        turn: async ({ messages }) => {
          seen.push(messages.slice(1));
          expect(messages.slice(1)).toEqual(stored());
          return seen.length < 4 ? ask([{ name: "look" }]) : say("end");
        },
      },
    });
    await runtime.send({ agent: AGENT, content: "Go." });
    expect(seen).toHaveLength(4);
  });

  it.each([
    ["failed before it was done", { after: false }],
    ["was done and then failed", { after: true }],
    ["failed late", { after: false, late: true }],
    ["was done and failed late", { after: true, late: true }],
  ])("is never ahead of storage, whichever storage call %s", async (_name, how) => {
    let failed = 0;
    for (let nth = 0; ; nth++) {
      const inner = createInMemoryStorage();
      const { storage, calls } = failingStorage(nth, { ...how, inner });
      const compaction = { maxTokens: 30, keepTokens: 5 };
      const steps = [...twoSteps(), say("summary"), ...twoSteps()].map((step) => () => step);
      const { runtime } = playEnv({ steps, tools: [look], storage, agent: { compaction } });
      for (const content of ["x".repeat(60), "y".repeat(60)]) {
        await runtime.send({ agent: AGENT, content }).catch((error: unknown) => {
          failed++;
          expect(error).toMatchObject({ code: "conversation-failed" });
        });
        const view = await runtime.conversation(AGENT).catch(() => undefined);
        const fresh = await playEnv({ storage: inner }).runtime.conversation(AGENT);
        // The view's own read may be the call that fails.
        if (view !== undefined) expect(view).toEqual(fresh);
        expect(isWhole(fresh.context)).toBe(true);
      }
      if (calls() <= nth) break;
    }
    expect(failed).toBeGreaterThan(5);
  });

  it("stores whole steps at every prefix of its appends", async () => {
    const storage = createInMemoryStorage();
    const { runtime, entries } = playEnv({
      storage,
      tools: [look],
      steps: [ask([{ name: "look" }, { name: "look" }]), ask([{ name: "none" }]), say("end")],
    });
    const lengths: number[] = [];
    const { conversations } = storage;
    const append = conversations.append.bind(conversations);
    (conversations as { append: ConversationStore["append"] }).append = (id, at, given) => {
      lengths.push(at + given.length);
      return append(id, at, given);
    };
    await runtime.send({ agent: AGENT, content: "Go." });
    expect(lengths).toEqual([2, 5, 7, 8]);
    for (const length of lengths) {
      const seed = { conversations: { [ID]: entries().slice(0, length) } };
      const { context } = await playEnv({ storage: createInMemoryStorage(seed) }).runtime.conversation(AGENT);
      expect(isWhole(context)).toBe(true);
    }
  });

  it("goes on where it stopped, without content, and refuses where nothing is open", async () => {
    const first = playEnv({ steps: [ask([{ name: "look" }])], tools: [look] });
    await expect(first.runtime.send({ agent: AGENT, content: "Go." })).rejects.toMatchObject({
      code: "script-exhausted",
    });
    expect((await first.runtime.conversation(AGENT)).isOpen).toBe(true);
    const second = playEnv({ steps: [say("done")], tools: [look], storage: first.storage });
    expect(await second.runtime.send({ agent: AGENT })).toMatchObject({ finalAnswer: "done", toolCalls: 0 });
    expect(second.asked[0]?.messages).toHaveLength(4);
    await expect(second.runtime.send({ agent: AGENT })).rejects.toMatchObject({ code: "invalid-options" });
  });

  it("closes the calls that the cap of tool calls left out", async () => {
    const steps = [ask([{ name: "look" }, { name: "look" }, { name: "look" }]), say("on")];
    const { runtime, entries } = playEnv({ steps, tools: [look], agent: { budget: { maxToolCalls: 1 } } });
    expect(await runtime.send({ agent: AGENT, content: "Go." })).toMatchObject({ budgetExhausted: "toolCalls" });
    expect(isWhole(messagesOf(entries()))).toBe(true);
    expect(messagesOf(entries()).slice(3)).toEqual([
      expect.objectContaining({ content: expect.stringContaining("not run") as unknown, isError: true }),
      expect.objectContaining({ content: expect.stringContaining("not run") as unknown, isError: true }),
    ]);
    expect(await runtime.send({ agent: AGENT })).toMatchObject({ finalAnswer: "on" });
  });

  it("gives each sender a conversation of its own, and stores the sender", async () => {
    const { runtime, entries, storage } = playEnv({ steps: [say("1"), say("2")] });
    await runtime.send({ agent: AGENT, content: "Hi.", sender: "ann" });
    await runtime.send({ agent: AGENT, content: "Hi." });
    expect(entries("a:ann")[1]).toMatchObject({ sender: "ann" });
    expect(entries(ID)[1]).not.toHaveProperty("sender");
    expect(storage.conversations.list("", 10)).toEqual([
      { id: "a:", agent: "a", sender: "" },
      { id: "a:ann", agent: "a", sender: "ann" },
    ]);
  });

  it("ends with a retryable error when another writer came between, and the next run takes over what is stored", async () => {
    const storage = createInMemoryStorage();
    const intrude = tool("look", () => {
      void storage.conversations.append(ID, 2, [{ kind: "message", message: { role: "user", content: "Me too." } }]);
      return "seen";
    });
    const { runtime, asked } = playEnv({ steps: [...twoSteps().slice(0, 1), say("both")], tools: [intrude], storage });
    await expect(runtime.send({ agent: AGENT, content: "Go." })).rejects.toMatchObject({
      code: "conversation-failed",
      retryable: true,
    });
    await runtime.send({ agent: AGENT, content: "Again." });
    expect(asked[1]?.messages.slice(1).map(({ content }) => content)).toEqual(["Go.", "Me too.", "Again."]);
  });

  it("tries its first append again after a conflict, three times at most", async () => {
    const storage = createInMemoryStorage();
    let conflicts = 0;
    const { conversations } = storage;
    const append = conversations.append.bind(conversations);
    let limit = 2;
    (conversations as { append: ConversationStore["append"] }).append = (id, at, given) => {
      if (conflicts++ < limit) return "conflict";
      return append(id, at, given);
    };
    const { runtime } = playEnv({ steps: [say("1")], storage });
    expect(await runtime.send({ agent: AGENT, content: "Go." })).toMatchObject({ finalAnswer: "1" });
    [conflicts, limit] = [0, 3];
    await expect(runtime.send({ agent: AGENT, content: "Go." })).rejects.toMatchObject({ retryable: true });
    expect(conflicts).toBe(3);
  });
});

describe("a conversation that is damaged", () => {
  const created = { kind: "created", version: 1, agent: AGENT, sender: "" } as const;
  const user = { kind: "message", message: { role: "user", content: "x" } } as const;
  const called = {
    kind: "message",
    message: { role: "assistant", content: "", toolCalls: [{ id: "1", name: "t", arguments: {} }] },
  } as const;
  const result = { kind: "message", message: { role: "tool", toolCallId: "1", name: "t", content: "r" } } as const;

  it.each<[string, unknown[], number]>([
    ["no first entry", [user], 0],
    ["the entry of another conversation", [{ ...created, agent: "b" }], 0],
    ["another version", [{ ...created, version: 2 }], 0],
    ["a second beginning", [created, user, created], 2],
    ["a result without its call", [created, user, result], 2],
    ["a call without its result", [created, user, called, user], 3],
    ["a call without its result at the end", [created, user, called], 3],
    ["a system message", [created, { kind: "message", message: { role: "system", content: "" } }], 1],
    ["a message of another shape", [created, { kind: "message", message: { role: "user" } }], 1],
    ["an unknown field", [created, { ...user, extra: 1 }], 1],
    ["an unknown kind", [created, { kind: "note" }], 1],
    [
      "a marker of entries behind it",
      [created, user, { kind: "archive", name: "archive-1", from: 1, to: 9, summary: "" }],
      2,
    ],
    ["no object", [created, 7], 1],
  ])("by %s is refused with the entry's number, and nothing is changed", async (_name, entries, number) => {
    const storage = createInMemoryStorage();
    const { conversations } = storage;
    Object.assign(conversations, {
      length: () => entries.length,
      read: (_id: string, from: number, limit: number) => entries.slice(from, from + limit),
      append: () => expect.unreachable(),
    });
    const { runtime } = playEnv({ storage, steps: [say("x")] });
    await expect(runtime.send({ agent: AGENT, content: "Go." })).rejects.toMatchObject({
      code: "conversation-failed",
      message: expect.stringContaining(`entry ${number} of conversation "a:"`) as unknown,
    });
  });

  it("by a gap is refused", async () => {
    const storage = createInMemoryStorage({ conversations: { [ID]: [created, user] } });
    (storage.conversations as { length: ConversationStore["length"] }).length = () => 3;
    await expect(playEnv({ storage }).runtime.conversation(AGENT)).rejects.toMatchObject({
      code: "conversation-failed",
    });
  });
});
