// The consumer drives: what a run does between two events, who may read it, and what its result says.

import { describe, expect, it } from "vitest";
import { Agent } from "../../../src/core/session/agent.js";
import { ask, say, tool } from "../../support/script.js";
import { readRun, scriptedAgent, typesOf } from "../../support/sessions.js";

/** Enough rounds of the event loop for everything that waits for nobody. */
async function settle(): Promise<void> {
  for (let round = 0; round < 20; round++) await new Promise((resolve) => setImmediate(resolve));
}

describe("a run", () => {
  it("PSS-02 PSS-03 PSS-09 PSS-12 PSS-17 PSS-19 has the events of its turn, the accepted input first", async () => {
    const { agent, asked } = scriptedAgent([say("Hi."), say("Well.")], { instructions: "Be brief." });
    expect(Agent).not.toHaveProperty("create");
    const run = await agent.send("Hello.");
    expect(run.runId).toMatch(/^[0-9a-f]{32}$/);
    const events = await readRun(run);
    expect(typesOf(events)).toEqual([
      "user-text",
      "turn-start",
      "step-start",
      "assistant-text",
      "step-end",
      "turn-end",
    ]);
    expect(events[0]).toEqual({ type: "user-text", text: "Hello." });
    expect(events[3]).toEqual({ type: "assistant-text", text: "Hi." });
    const next = await agent.session("default").send("And?");
    expect(next.runId).not.toBe(run.runId);
    await next.result();
    expect(asked[1]?.messages.map(({ content }) => content)).toEqual(["Be brief.", "Hello.", "Hi.", "And?"]);
  });

  it("PSS-14 makes no progress while nobody reads it, and result() drives it", async () => {
    const { agent, asked } = scriptedAgent([say("Hi.")]);
    const run = await agent.send("Hello.");
    await settle();
    expect(asked).toEqual([]);
    expect(await run.result()).toEqual({
      status: "completed",
      text: "Hi.",
      steps: 1,
      toolCalls: 0,
      usage: { inputTokens: 0, outputTokens: 0 },
      unapplied: [],
    });
    expect(asked).toHaveLength(1);
  });

  it("PSS-13 PSS-15 PSS-106 PSS-111 stands at each boundary until the next event is asked for", async () => {
    const { agent, asked } = scriptedAgent([ask([{ name: "look" }]), say("Done.")], {
      tools: [tool("look", () => "seen")],
    });
    const events = (await agent.send("Go.")).events()[Symbol.asyncIterator]();
    const next = async () => ((await events.next()).value as { type: string } | undefined)?.type;
    expect([await next(), await next()]).toEqual(["user-text", "turn-start"]);
    await settle();
    expect(await next()).toBe("step-start");
    await settle();
    expect(asked).toHaveLength(0);
    expect([await next(), await next(), await next()]).toEqual(["tool-call", "tool-result", "step-end"]);
    await settle();
    expect(asked).toHaveLength(1);
    expect([await next(), await next(), await next(), await next()]).toEqual([
      "step-start",
      "assistant-text",
      "step-end",
      "turn-end",
    ]);
    expect(await next()).toBeUndefined();
    expect(asked).toHaveLength(2);
  });

  it("PSS-16 PSS-139 has one consumer", async () => {
    const { agent } = scriptedAgent([say("Hi."), say("Hi.")]);
    const run = await agent.send("Hello.");
    const events = run.events()[Symbol.asyncIterator]();
    expect(() => run.events()).toThrow("AgentRun.events() can only be consumed once");
    await events.next();
    await events.next();
    const waiting = events.next();
    await expect(events.next()).rejects.toMatchObject({ code: "session-closed" });
    expect((await waiting).value).toEqual({ type: "step-start" });
    await events.return?.();
    const other = await agent.send("Again.");
    await other.result();
    expect(() => other.events()).toThrow("AgentRun.events() can only be consumed once");
  });

  it("PSS-140 goes on by itself once its consumer has left, and discards what is left", async () => {
    const { agent, asked } = scriptedAgent([say("Hi.")]);
    const run = await agent.send("Hello.");
    const events = run.events()[Symbol.asyncIterator]();
    expect((await events.next()).value).toMatchObject({ type: "user-text" });
    // The next event waits to be read.
    await new Promise(setImmediate);
    await events.return?.();
    expect(await events.next()).toEqual({ done: true, value: undefined });
    expect(await run.result()).toMatchObject({ status: "completed", text: "Hi." });
    expect(asked).toHaveLength(1);
  });

  it("joins pieces that nobody has read yet, and ends them with the whole text", async () => {
    const pieces = ["Go", "od ", "day."];
    const model = {
      turn: () => Promise.reject(new Error("streams")),
      async *stream() {
        yield { type: "reasoning-delta", text: "Hm" } as const;
        for (const text of pieces) yield { type: "text-delta", text } as const;
        yield { type: "response", response: say("Good day.") } as const;
      },
    };
    const { agent } = scriptedAgent([], { model, streaming: true });
    const events = await readRun(await agent.send("Hello."));
    const texts = events.filter((event) => event.type === "assistant-text-delta").map(({ text }) => text);
    expect(texts.join("")).toBe("Good day.");
    expect(events).toContainEqual({ type: "assistant-reasoning-delta", text: "Hm" });
    expect(events).toContainEqual({ type: "assistant-text", text: "Good day." });
  });
});

describe("the calls of a run", () => {
  it("PSS-130 have ids that are new in the run, while the conversation keeps the vendor's", async () => {
    const ids: string[] = [];
    const keys: string[] = [];
    const look = tool("look", (_args, { toolCallId, idempotencyKey }) => {
      ids.push(toolCallId);
      keys.push(idempotencyKey);
      return "seen";
    });
    const call = (id: string) => ask([{ name: "look", id }]);
    const { agent, asked } = scriptedAgent([call("call_1"), call("call_1"), call("toolu_7"), say("Done.")], {
      tools: [look],
    });
    const run = await agent.send("Go.");
    const events = await readRun(run);
    const shown = events.flatMap((event) => (event.type === "tool-call" ? [event.toolCallId] : []));
    expect(shown).toEqual(ids);
    expect(ids[0]).toBe("call_1");
    expect(ids.every((id) => /^call[-_]/.test(id))).toBe(true);
    expect(new Set(ids).size).toBe(3);
    expect(ids[2]).toMatch(/^call_[0-9a-f]{24}$/);
    expect(keys).toEqual(ids.map((id) => `${run.runId}:${id}`));
    expect(events.flatMap((event) => (event.type === "tool-result" ? [event.toolCallId] : []))).toEqual(ids);
    const last = asked.at(-1)?.messages ?? [];
    expect(last.flatMap((message) => (message.role === "tool" ? [message.toolCallId] : []))).toEqual([
      "call_1",
      "call_1",
      "toolu_7",
    ]);
  });

  it("show what the model reads, also for a call that was refused or failed", async () => {
    const fail = tool("fail", () => {
      throw new Error("no disk");
    });
    const { agent } = scriptedAgent([ask([{ name: "fail" }, { name: "other" }]), say("Done.")], { tools: [fail] });
    const events = await readRun(await agent.send("Go."));
    const results = events.filter((event) => event.type === "tool-result");
    expect(results.map(({ toolName, output, isError }) => [toolName, output, isError])).toEqual([
      ["fail", "no disk", true],
      ["other", "tool unavailable", true],
    ]);
  });
});
