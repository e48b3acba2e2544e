import { describe, expect, it } from "vitest";
import type { AssistantMessage, LlmMessage } from "../../../../src/core/model/message.js";
import type { LlmTurnResponse } from "../../../../src/core/model/provider.js";
import { createReasoningLatch } from "../../../../src/core/providers/fallback/reasoning-latch.js";
import { chainOf, fail, player } from "../../../support/chain.js";
import { say } from "../../../support/script.js";

const user: LlmMessage = { role: "user", content: "go" };
const thought = (text: string): AssistantMessage => ({
  role: "assistant",
  content: text,
  reasoning: [{ type: "text", text: `because ${text}`, signature: "s" }],
});
const think = (text: string): LlmTurnResponse => ({ ...say(text), message: thought(text) });
/** Whose thoughts the messages still hold. */
const thoughts = (messages: readonly LlmMessage[]) =>
  messages.flatMap((message) =>
    message.role === "assistant" && message.reasoning !== undefined ? message.content : [],
  );

describe("a chain and reasoning", () => {
  it("REL-45 strips one provider's reasoning from what another is sent, and gives each its own back", async () => {
    const a = player("a", [think("a1"), fail("overloaded"), think("a4")]);
    const b = player("b", [think("b2"), think("b3")]);
    const { chain, clock } = chainOf([{ provider: a }, { provider: b }], { cooldownMs: 100 });
    const history: LlmMessage[] = [user];
    for (let turn = 0; turn < 4; turn++) {
      // The third turn finds a cooling down, the fourth does not.
      if (turn === 3) clock.now += 100;
      history.push((await chain.turn({ messages: history })).message, user);
    }
    expect(a.asked.map(({ messages }) => thoughts(messages))).toEqual([[], ["a1"], []]);
    expect(b.asked.map(({ messages }) => thoughts(messages))).toEqual([[], ["b2"]]);
    expect(thoughts(history)).toEqual(["a1", "b2", "b3", "a4"]);
  });

  it("REL-45 takes another model of the same provider for another", async () => {
    const a = player("a", [think("x1"), fail("not-found"), think("y2")]);
    const { chain } = chainOf([
      { provider: a, model: "x" },
      { provider: a, model: "y" },
    ]);
    const first = await chain.turn({ messages: [user] });
    await chain.turn({ messages: [user, first.message, user] });
    expect(a.asked.map(({ messages }) => thoughts(messages))).toEqual([[], ["x1"], []]);
  });

  it("REL-26 keeps the latch from turn to turn: a failed attempt does not set it, an answer does", async () => {
    const a = player("a", [think("a1"), fail("bad-request"), think("a3"), fail("bad-request"), fail("bad-request")]);
    const b = player("b", [fail("bad-request"), think("b4"), think("b5")]);
    const { chain } = chainOf([{ provider: a }, { provider: b }]);
    const first = await chain.turn({ messages: [user] });
    const messages = [user, first.message, user];
    await expect(chain.turn({ messages })).rejects.toThrow();
    await chain.turn({ messages });
    const other = await chain.turn({ messages });
    await chain.turn({ messages: [...messages, other.message, user] });
    expect(a.asked.map((request) => thoughts(request.messages))).toEqual([[], ["a1"], ["a1"], ["a1"], []]);
    expect(b.asked.map((request) => thoughts(request.messages))).toEqual([[], [], ["b4"]]);
  });

  it("REL-73 is of one conversation: what another chain was answered strips nothing", async () => {
    const a = player("a", [fail("bad-request"), think("a2")]);
    const entries = [{ provider: a }, { provider: player("b", [think("b1")]) }];
    await chainOf(entries).chain.turn({ messages: [user] });
    await chainOf(entries).chain.turn({ messages: [user, thought("a1"), user] });
    expect(a.asked.map(({ messages }) => thoughts(messages))).toEqual([[], ["a1"]]);
  });
});

describe("createReasoningLatch", () => {
  it("hands on the very list where nothing has to go", () => {
    const latch = createReasoningLatch(0);
    const own = [user, thought("a")];
    expect(latch.view(0, own)).toBe(own);
    const plain: LlmMessage[] = [user, { role: "assistant", content: "a" }];
    expect(latch.view(1, plain)).toBe(plain);
  });

  it("changes no message of the caller", () => {
    const message = thought("a");
    const stripped = createReasoningLatch(0).view(1, [user, message]);
    expect(stripped).toEqual([user, { role: "assistant", content: "a" }]);
    expect(message.reasoning).toHaveLength(1);
  });

  it("begins afresh with a conversation that has no answer yet", () => {
    const latch = createReasoningLatch(0);
    latch.answered(1, [user, thought("a"), user]);
    expect(thoughts(latch.view(1, [user, thought("a"), user, thought("b")]))).toEqual(["b"]);
    latch.answered(1, [user]);
    expect(thoughts(latch.view(1, [user, thought("c")]))).toEqual(["c"]);
  });
});
