// Blocking delegation: a call runs a turn of the subagent, and the parent reads its text.

import { describe, expect, it } from "vitest";
import { SESSION_GRACE_MS } from "../../../../src/core/limits.js";
import type { AgentOptions } from "../../../../src/core/session/options.js";
import { fixedClock } from "../../../../src/harness/doubles/clock.js";
import { ask, say, tool } from "../../../support/script.js";
import { readRun, scriptedAgent, testStore } from "../../../support/sessions.js";
import { delegate, heldAgent, jobEvents } from "../../../support/subagents.js";

const child = (steps: Parameters<typeof scriptedAgent>[0], options: Partial<AgentOptions> = {}) =>
  scriptedAgent(steps, { name: "researcher", description: "The researcher.", ...options });

describe("blocking delegation", () => {
  it("PSS-30 PSS-32 PSS-35 PSS-42 PSS-113 runs the subagent and gives its last text", async () => {
    const { agent: researcher, asked: childAsked } = child(
      [ask([{ name: "look" }], { content: "I look." }), say("42")],
      {
        tools: [tool("look", () => "seen")],
      },
    );
    const { agent, asked } = scriptedAgent([ask([delegate("researcher", { prompt: "How much?" })]), say("It is 42.")], {
      subagents: [researcher],
    });
    const events = await readRun(await agent.send("go"));
    expect(asked[0]?.tools?.map(({ name }) => name)).toEqual([
      "delegate_to_researcher",
      "background_output",
      "background_cancel",
    ]);
    expect(childAsked[0]?.messages).toEqual([{ role: "user", content: "How much?" }]);
    expect(asked[1]?.messages.map(({ role, content }) => [role, content])).toEqual([
      ["user", "go"],
      ["assistant", ""],
      ["tool", "42"],
    ]);
    const updates = events.filter(({ type }) => type === "subagent-job-update");
    expect(updates.length).toBeGreaterThan(0);
    expect(JSON.stringify(updates)).not.toMatch(/I look|seen/);
    expect(events.filter(({ type }) => type !== "subagent-job-update").map(({ type }) => type)).toEqual([
      "user-text",
      "turn-start",
      "step-start",
      "tool-call",
      "subagent-job-start",
      "subagent-job-end",
      "tool-result",
      "step-end",
      "step-start",
      "assistant-text",
      "step-end",
      "turn-end",
    ]);
  });

  it("PSS-34 PSS-68 PSS-119 keeps the child's session under the parent's key, in the parent's store", async () => {
    const store = testStore();
    const { agent: researcher } = child([say("1"), say("2"), say("3")]);
    const calls = [
      delegate("researcher", { prompt: "a" }),
      delegate("researcher", { prompt: "b", sessionKey: "notes" }),
      delegate("researcher", { prompt: "c" }),
    ];
    const { agent } = scriptedAgent([ask(calls), say("done")], {
      subagents: [researcher],
      namespace: "desk",
      host: { sessionStore: store },
    });
    await (await agent.session("room").send("go")).result();
    expect([...store.states.keys()].sort()).toEqual([
      "parent:agent:desk:room:subagent:researcher",
      "parent:agent:desk:room:subagent:researcher:notes",
      "room",
    ]);
    expect(store.history("parent:agent:desk:room:subagent:researcher").map(({ content }) => content)).toEqual([
      "a",
      "1",
      "c",
      "3",
    ]);
    await agent.session("room").delete();
    expect([...store.states.keys()]).toEqual([]);
  });

  it("PSS-35 gives the status and the error of a subagent that fails", async () => {
    const { agent: researcher } = child([
      () => {
        throw new Error("no network");
      },
    ]);
    const { agent, asked } = scriptedAgent([ask([delegate("researcher", { prompt: "p" })]), say("ok")], {
      subagents: [researcher],
    });
    await (await agent.send("go")).result();
    expect(asked[1]?.messages.at(-1)?.content).toBe('{"status":"error","error":"no network"}');
  });

  it("PSS-121 cuts the text of a subagent at 20,000 characters, and tells of 200 of its events", async () => {
    const { agent: researcher } = child([
      ...Array.from({ length: 40 }, () => ask([{ name: "none" }, { name: "none" }])),
      say("x".repeat(30_000)),
    ]);
    const { agent, asked } = scriptedAgent([ask([delegate("researcher", { prompt: "p" })]), say("ok")], {
      subagents: [researcher],
    });
    const events = await readRun(await agent.send("go"));
    expect(asked[1]?.messages.at(-1)?.content).toBe(`${"x".repeat(20_000)}…[truncated]`);
    expect(events.filter(({ type }) => type === "subagent-job-update")).toHaveLength(200);
  });

  it("PSS-113 PSS-118 does not run a call whose sessionKey is not a suffix", async () => {
    const { agent: researcher, asked: childAsked } = child([say("1")]);
    const calls = ["a:b", "", "x".repeat(81)].map((sessionKey) => delegate("researcher", { prompt: "p", sessionKey }));
    const { agent, asked } = scriptedAgent([ask(calls), say("ok")], { subagents: [researcher] });
    await (await agent.send("go")).result();
    expect(asked[1]?.messages.slice(-3).map(({ content }) => content)).toEqual(Array(3).fill("tool unavailable"));
    expect(childAsked).toEqual([]);
  });

  it("PSS-48 PSS-113 PSS-141 begins and reports the calls of a batch in call order, whichever ends first", async () => {
    const [slow, fast] = [heldAgent("slow"), heldAgent("fast")];
    const { agent } = scriptedAgent(
      [ask([delegate("slow", { prompt: "p" }), delegate("fast", { prompt: "p" })]), say("ok")],
      { subagents: [slow.agent, fast.agent] },
    );
    const run = await agent.send("go");
    const reading = readRun(run);
    await fast.asked;
    fast.answer(say("fast"));
    await new Promise((resolve) => setImmediate(resolve));
    slow.answer(say("slow"));
    const events = await reading;
    expect(jobEvents(events)).toEqual([
      "tool-call delegate_to_slow",
      "tool-call delegate_to_fast",
      "subagent-job-start slow",
      "subagent-job-start fast",
      "subagent-job-end slow",
      "subagent-job-end fast",
      "tool-result delegate_to_slow",
      "tool-result delegate_to_fast",
    ]);
  });

  it("does not wait for calls that a cap or a policy keeps from running", async () => {
    const { agent: researcher } = child([say("1"), say("2"), say("3")]);
    const calls = Array.from({ length: 3 }, (_, index) => delegate("researcher", { prompt: `p${index}` }));
    const capped = scriptedAgent([ask(calls)], { subagents: [researcher], budget: { maxToolCalls: 2 } });
    expect(await (await capped.agent.send("go")).result()).toMatchObject({ stop: { limit: "toolCalls" } });
    const policies = [
      {
        call: ({ callIndex }: { callIndex: number }) =>
          callIndex === 0 ? ({ action: "deny", reason: "no" } as never) : undefined,
      },
    ];
    const { agent: other } = child([say("1"), say("2")]);
    const guarded = scriptedAgent([ask(calls)], { subagents: [other], policies });
    expect(await (await guarded.agent.send("go")).result()).toMatchObject({ status: "error" });
  });

  it("PSS-137 aborts the subagent when the parent is interrupted", async () => {
    const held = heldAgent("held");
    const { agent } = scriptedAgent([ask([delegate("held", { prompt: "p" })])], { subagents: [held.agent] });
    const run = await agent.send("go");
    const result = run.result();
    await held.asked;
    agent.session("default").interrupt();
    expect(await result).toMatchObject({ status: "aborted" });
    await held.aborted;
  });

  it("close does not wait for the setup of a subagent, which then begins no turn", async () => {
    const clock = fixedClock();
    let finish: () => void = () => undefined;
    const setup = () => new Promise<void>((resolve) => (finish = resolve));
    const slow = scriptedAgent([say("too late")], {
      ...{ name: "slow", description: "Is slow to start." },
      plugins: [{ name: "stuck", setup }],
      ports: clock,
    });
    const { agent } = scriptedAgent([ask([delegate("slow", { prompt: "p" })])], {
      subagents: [slow.agent],
      ports: clock,
    });
    const run = await agent.send("go");
    const events = run.events()[Symbol.asyncIterator]();
    for (let next = await events.next(); next.value?.type !== "tool-call";) next = await events.next();
    await events.return?.();
    const closed = agent.close();
    for (let waits = 0; waits < 2; waits++) await clock.advance(SESSION_GRACE_MS);
    await closed;
    finish();
    await clock.advance(SESSION_GRACE_MS);
    expect(await run.result()).toMatchObject({ status: "aborted" });
    expect(slow.asked).toEqual([]);
  });
});
