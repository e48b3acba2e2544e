// Input for a turn under way: where it lands, what the model reads, and what becomes of input that came too late.

import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../../../src/core/session/event.js";
import { ask, say, tool } from "../../support/script.js";
import { readRun, scriptedAgent, testStore, typesOf } from "../../support/sessions.js";

const at = (type: SessionEvent["type"], act: () => unknown) => (event: SessionEvent) =>
  event.type === type ? act() : undefined;

describe("steer", () => {
  it("PSS-23 PSS-25 PSS-27 PSS-29 PSS-28 PSS-106 at the step-end of a finished step causes one step more", async () => {
    const { agent, asked } = scriptedAgent([say("A long answer."), say("Short.")]);
    let steered = false;
    const run = await agent.send("Tell me.");
    const events = await readRun(
      run,
      at("step-end", async () => {
        if (steered) return;
        steered = true;
        expect(await agent.steer("shorter")).toBe(run);
      }),
    );
    expect(typesOf(events).slice(4)).toEqual([
      "step-end",
      "runtime-input",
      "step-start",
      "assistant-text",
      "step-end",
      "turn-end",
    ]);
    expect(events[5]).toEqual({
      type: "runtime-input",
      input: { type: "user-text", text: "shorter" },
      placement: "step-end",
    });
    expect(asked).toHaveLength(2);
    expect(asked[1]?.messages.at(-1)).toEqual({ role: "user", content: "shorter" });
  });

  it.each(["turn-start", "step-start"] as const)(
    "PSS-15 PSS-27 PSS-106 PSS-111 at %s is read by the step that follows",
    async (place) => {
      const { agent, asked } = scriptedAgent([say("Done.")]);
      const events = await readRun(
        await agent.send("Go."),
        at(place, () => agent.steer("in French")),
      );
      expect(events.filter(({ type }) => type === "runtime-input")).toEqual([
        { type: "runtime-input", input: { type: "user-text", text: "in French" }, placement: place },
      ]);
      expect(asked[0]?.messages.map(({ content }) => content)).toEqual(["Go.", "in French"]);
    },
  );

  it("PSS-24 PSS-26 while a tool works is accepted at once, and read after the step", async () => {
    const look = tool("look", async () => {
      await agent.steer("quick");
      return "seen";
    });
    const { agent, asked } = scriptedAgent([ask([{ name: "look" }]), say("Done.")], { tools: [look] });
    const events = await readRun(await agent.send("Go."));
    expect(typesOf(events)).toEqual([
      "user-text",
      "turn-start",
      "step-start",
      "tool-call",
      "tool-result",
      "step-end",
      "runtime-input",
      "step-start",
      "assistant-text",
      "step-end",
      "turn-end",
    ]);
    expect(asked[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  });

  it("PSS-23 PSS-24 PSS-29 starts a turn where none is under way", async () => {
    const { agent } = scriptedAgent([say("Hi.")]);
    const run = await agent.steer("Hello.");
    expect(typesOf(await readRun(run))[0]).toBe("user-text");
  });

  it("keeps the order of inputs, and enters them one by one", async () => {
    const { agent, asked } = scriptedAgent([say("Done.")]);
    const words = ["a", "b", "c"];
    const events = await readRun(
      await agent.send("Go."),
      at("turn-start", async () => {
        for (const word of words) await agent.steer(word);
      }),
    );
    expect(events.filter(({ type }) => type === "runtime-input")).toHaveLength(3);
    expect(asked[0]?.messages.map(({ content }) => content)).toEqual(["Go.", ...words]);
  });

  it("that no step takes is given back as unapplied", async () => {
    const fail = tool("look", async () => {
      await agent.steer("too late");
      return "seen";
    });
    const store = testStore();
    const { agent } = scriptedAgent([ask([{ name: "look" }])], {
      tools: [fail],
      host: { sessionStore: store },
      onToolError: "fail",
      policies: [{ result: () => ({ status: "error", error: "broken", output: "broken" }) }],
    });
    const run = await agent.send("Go.");
    const events = await readRun(run);
    const unapplied = [{ type: "user-text", text: "too late" }];
    expect(events.at(-1)).toMatchObject({ type: "turn-error", code: "tool-failed", unapplied });
    expect(await run.result()).toMatchObject({ status: "error", unapplied, error: { code: "tool-failed" } });
    expect(store.history("default")).toEqual([]);
  });

  it("is unapplied where a cap forbids the step that would read it", async () => {
    const store = testStore();
    const { agent } = scriptedAgent([say("1")], { budget: { maxTurns: 1 }, host: { sessionStore: store } });
    const events = await readRun(
      await agent.send("a"),
      at("step-end", () => agent.steer("more")),
    );
    const unapplied = [{ type: "user-text", text: "more" }];
    expect(events.at(-1)).toEqual({ type: "turn-end", stop: { kind: "limit", limit: "turns" }, unapplied });
    expect(store.history("default").map(({ content }) => content)).toEqual(["a", "1"]);
  });
});
