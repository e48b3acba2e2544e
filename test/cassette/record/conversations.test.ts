import { describe, expect, it } from "vitest";
import { createConversations, type Conversations } from "../../../src/cassette/record/conversations.js";
import type { LlmMessage } from "../../../src/core/model/message.js";
import { fixedPorts } from "../../support/recording.js";
import { say } from "../../support/script.js";

/** A prompt in which user and assistant take turns. */
const talk = (...texts: string[]): { messages: LlmMessage[] } => ({
  messages: texts.map((content, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content })),
});
const answersOf = (conversations: Conversations) =>
  conversations.toCassettes().map(({ entries }) => entries.map(({ response }) => response.finalAnswer));

describe("createConversations", () => {
  it("keeps a prompt that goes on with the conversation it goes on from", () => {
    const all = createConversations(fixedPorts());
    all.open(talk("q"), "p").answer(say("a"));
    all.open(talk("other"), "p").answer(say("b"));
    all.open(talk("q", "a", "more"), "p").answer(say("c"));
    expect(answersOf(all)).toEqual([["a", "c"], ["b"]]);
  });

  it("tells two runs of the same prompt apart by the answers they took up", () => {
    const all = createConversations(fixedPorts());
    all.open(talk("q"), "p").answer(say("a"));
    all.open(talk("q"), "p").answer(say("b"));
    all.open(talk("q", "a", "x"), "p").answer(say("a2"));
    all.open(talk("q", "b", "x"), "p").answer(say("b2"));
    all.open(talk("q", "a", "x", "a2", "y"), "p").answer(say("a3"));
    expect(answersOf(all)).toEqual([
      ["a", "a2", "a3"],
      ["b", "b2"],
    ]);
  });

  it("knows a prompt that is not answered yet, so that a quick client is not torn in two", () => {
    const all = createConversations(fixedPorts());
    const first = all.open(talk("q"), "p");
    const second = all.open(talk("q", "a", "more"), "p");
    second.answer(say("b"));
    first.answer(say("a"));
    expect(answersOf(all)).toEqual([["a", "b"]]);
  });

  it("keeps no failed turn, and goes on where it was tried again", () => {
    const all = createConversations(fixedPorts());
    all.open(talk("q"), "p").answer(say("a"));
    all.open(talk("q", "a", "more"), "p").fail();
    all.open(talk("q", "a", "more"), "p").answer(say("b"));
    all.open(talk("never answered"), "p").fail();
    expect(answersOf(all)).toEqual([["a", "b"]]);
  });

  it("refuses an answer that a cassette cannot hold, and forgets the turn", () => {
    const all = createConversations(fixedPorts());
    const broken = { ...say("a"), costUsd: Number.NaN };
    const turn = all.open(talk("q"), "p");
    expect(() => turn.answer(broken)).toThrow(expect.objectContaining({ code: "not-recordable" }));
    turn.fail();
    all.open(talk("q"), "p").answer(say("b"));
    expect(answersOf(all)).toEqual([["b"]]);
  });

  it("keeps the turns of one name together, whatever they ask, and apart from those without", () => {
    const all = createConversations(fixedPorts());
    all.open(talk("q"), "p", "one").answer(say("a"));
    all.open(talk("q"), "p").answer(say("b"));
    all.open(talk("q", "a", "more"), "p").answer(say("c"));
    all.open(talk("else"), "p", "one").answer(say("d"));
    all.open(talk("q", "a", "more"), "p", "two").answer(say("e"));
    expect(answersOf(all)).toEqual([["a", "d"], ["b", "c"], ["e"]]);
  });

  it("gives the answered turns before the first open one, in the order they were asked", () => {
    const all = createConversations(fixedPorts());
    const [first, second, third] = ["1", "2", "3"].map((text) => all.open(talk(text), "p", "one"));
    const now = () => all.toCassette(0)?.entries.map(({ response }) => response.finalAnswer);
    third?.answer(say("c"));
    expect(now()).toBeUndefined();
    first?.answer(say("a"));
    expect(now()).toEqual(["a"]);
    expect(() => all.toCassettes()).toThrow(expect.objectContaining({ code: "turn-in-progress" }));
    second?.fail();
    expect(now()).toEqual(["a", "c"]);
  });

  it("names the provider of the first turn", () => {
    const all = createConversations(fixedPorts());
    all.open(talk("q"), "openai:m").answer(say("a"));
    expect(all.toCassettes()[0]?.recordedProvider).toBe("openai:m");
  });
});
