// Overlays: where the model reads them, and that nothing of them is kept.

import { describe, expect, it } from "vitest";
import { ask, say, tool } from "../../support/script.js";
import { readRun, scriptedAgent, testStore, typesOf } from "../../support/sessions.js";

describe("an overlay", () => {
  it("PSS-100 waits for the next turn, stands above the user's message, and is gone afterwards", async () => {
    const store = testStore();
    const { agent, asked } = scriptedAgent([say("1"), say("2")], {
      instructions: "Count.",
      host: { sessionStore: store },
    });
    const idle = await agent.session("default").overlay("secret words");
    const preview = { type: "user-text", partCount: 1, preview: "text" };
    expect(await readRun(idle)).toEqual([{ type: "overlay-accepted", placement: "turn-start", input: preview }]);
    const events = await readRun(await agent.send("a"));
    expect(events.slice(-2)).toEqual([
      { type: "overlay-expired", placement: "turn-start", input: preview },
      { type: "turn-end" },
    ]);
    await (await agent.send("b")).result();
    expect(asked.map(({ messages }) => messages.map(({ content }) => content))).toEqual([
      ["Count.", "secret words", "a"],
      ["Count.", "a", "1", "b"],
    ]);
    expect(JSON.stringify([...store.states])).not.toContain("secret");
    expect(JSON.stringify(events)).not.toContain("secret");
  });

  it("PSS-100 comes behind what is there once the model was asked, and never moves", async () => {
    const look = tool("look", async (args) => {
      await agent.session("default").overlay(args["say"] as string);
      return "seen";
    });
    const { agent, asked } = scriptedAgent(
      [
        ask([{ name: "look", arguments: { say: "one" } }]),
        ask([{ name: "look", arguments: { say: "two" } }]),
        say("Done."),
      ],
      { tools: [look] },
    );
    const events = await readRun(await agent.send("a"), ({ type }) => {
      if (type === "turn-start") return agent.session("default").overlay("zero");
      return undefined;
    });
    const prompts = asked.map(({ messages }) =>
      messages.map((message) => (message.role === "user" ? message.content : message.role)),
    );
    expect(prompts).toEqual([
      ["zero", "a"],
      ["zero", "a", "assistant", "tool", "one"],
      ["zero", "a", "assistant", "tool", "one", "assistant", "tool", "two"],
    ]);
    expect(typesOf(events).filter((type) => type.startsWith("overlay"))).toEqual([
      ...Array<string>(3).fill("overlay-accepted"),
      ...Array<string>(3).fill("overlay-expired"),
    ]);
  });

  it("is refused for a wrong input", async () => {
    const { agent } = scriptedAgent([]);
    await expect(agent.session("default").overlay(5 as never)).rejects.toThrow(TypeError);
  });
});
