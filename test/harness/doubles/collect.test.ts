import { describe, expect, it } from "vitest";
import type { LlmProviderAdapter, LlmStreamEvent } from "../../../src/core/model/provider.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import { collect } from "../../../src/harness/doubles/collect.js";
import { agent, runtime } from "../../support/agents.js";
import { ask, say, tool } from "../../support/script.js";

const steps = [ask([{ name: "look" }], { content: "Let me look." }), say("Rain.")];
const customTools = [tool("look", () => "rain")];

/** Says hello in two pieces, then fails. */
const breaking: LlmProviderAdapter = {
  name: "breaking",
  turn: () => Promise.reject(new Error("never asked")),
  async *stream() {
    yield { type: "text-delta", text: "Hel" };
    yield { type: "text-delta", text: "lo" };
    throw new Error("broken");
  },
};

describe("A33 collect of a run", () => {
  it("gives every event, what was said, and the result", async () => {
    const { run } = runtime([agent(scriptedProvider(steps), { customTools })]);
    const collected = await collect(run({ goal: "go" }));
    if (collected.kind !== "ended") throw collected.error;
    expect(collected.texts).toEqual(["Let me look.", "Rain."]);
    expect(collected.result.finalAnswer).toBe("Rain.");
    expect(collected.events).toBe(collected.result.events);
  });

  it("gives the events of a run that failed, and what it failed with", async () => {
    const collected = await collect((onEvent) =>
      runtime([agent(breaking, { streaming: true })], { onEvent }).run({ goal: "go" }),
    );
    expect(collected).toMatchObject({ kind: "failed", texts: ["Hello"], error: new Error("broken") });
    expect(collected.events.map(({ type }) => type)).toEqual([
      ...["run-start", "turn-start", "llm-delta", "llm-delta", "llm-error", "run-end"],
    ]);
  });

  it("gives the deltas of a run that ended, among its events, and no text for a message without words", async () => {
    const script = scriptedProvider([ask([{ name: "look" }]), say("Rain.")]);
    const streaming: LlmProviderAdapter = {
      turn: script.turn,
      async *stream(request) {
        const response = await script.turn(request);
        if (response.message.content !== "") yield { type: "text-delta", text: response.message.content };
        yield { type: "response", response };
      },
    };
    const collected = await collect((onEvent) =>
      runtime([agent(streaming, { streaming: true, customTools })], { onEvent }).run({ goal: "go" }),
    );
    if (collected.kind !== "ended") throw collected.error;
    expect(collected.texts).toEqual(["Rain."]);
    expect(collected.events.filter(({ type }) => type === "llm-delta")).toHaveLength(1);
    expect(collected.events.filter(({ type }) => type !== "llm-delta")).toEqual(collected.result.events);
  });

  it("gives one text for each turn of a run that failed later", async () => {
    let turn = 0;
    const twice: LlmProviderAdapter = {
      turn: breaking.turn,
      async *stream() {
        yield { type: "text-delta", text: `turn ${++turn}` };
        if (turn === 2) throw new Error("broken");
        yield { type: "response", response: ask([{ name: "look" }], { content: "turn 1" }) };
      },
    };
    const collected = await collect((onEvent) =>
      runtime([agent(twice, { streaming: true, customTools })], { onEvent }).run({ goal: "go" }),
    );
    expect(collected).toMatchObject({ kind: "failed", texts: ["turn 1", "turn 2"] });
  });

  it("is told the very events that the result has, where nothing was streamed", async () => {
    const collected = await collect((onEvent) =>
      runtime([agent(scriptedProvider(steps), { customTools })], { onEvent }).run({ goal: "go" }),
    );
    if (collected.kind !== "ended") throw collected.error;
    expect(collected.events).toEqual(collected.result.events);
  });

  it("never rejects, not even where starting throws", async () => {
    const collected = await collect(() => {
      throw new Error("not started");
    });
    expect(collected).toEqual({ kind: "failed", events: [], texts: [], error: new Error("not started") });
  });
});

describe("collect of a stream", () => {
  const stream = async function* (...events: LlmStreamEvent[]) {
    yield* events;
  };

  it("gives its deltas, their text and its response", async () => {
    const response = say("Hello");
    const hel: LlmStreamEvent = { type: "text-delta", text: "Hel" };
    const lo: LlmStreamEvent = { type: "text-delta", text: "lo" };
    const thought: LlmStreamEvent = { type: "reasoning-delta", text: "greet" };
    expect(await collect(stream(thought, hel, lo, { type: "response", response }))).toEqual({
      kind: "answered",
      deltas: [thought, hel, lo],
      text: "Hello",
      response,
    });
    expect(await collect(stream(hel))).toEqual({ kind: "unfinished", deltas: [hel], text: "Hel" });
  });

  it("keeps what came before it failed", async () => {
    const collected = await collect(breaking.stream?.({ messages: [] }) ?? stream());
    expect(collected).toMatchObject({ kind: "failed", text: "Hello", error: new Error("broken") });
  });
});
