// Sessions: their queue, what a turn leaves behind however it ends, and how they are interrupted, killed and deleted.

import { inspect } from "node:util";
import { describe, expect, it, vi } from "vitest";
import type { SessionStore } from "../../../src/core/session/ports/session-store.js";
import { Agent } from "../../../src/core/session/agent.js";
import { MemorySessionStore } from "../../../src/core/session/memory-host/sessions.js";
import { fixedClock } from "../../../src/harness/doubles/clock.js";
import { ask, quietPorts, say, tool } from "../../support/script.js";
import { readRun, scriptedAgent, testStore, typesOf } from "../../support/sessions.js";

/** A model that never answers, and a promise of its request. */
function hangingModel() {
  let begun: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => (begun = resolve));
  return {
    asked,
    model: {
      turn: () => {
        begun();
        return new Promise<never>(() => undefined);
      },
    },
  };
}

/** A tool that runs until the test ends it, and a promise of its beginning. */
function heldTool() {
  let [begin, finish] = [() => undefined, () => undefined] as (() => void)[];
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const held = tool("held", (_args, { signal }) => {
    begin?.();
    return new Promise((resolve) => (finish = () => resolve(`done, aborted: ${signal.aborted}`)));
  });
  return { held, begun, finish: () => finish?.() };
}

describe("a session", () => {
  it("PSS-21 PSS-22 PSS-111 takes turns in order, each on what the ones before left", async () => {
    const { agent, asked } = scriptedAgent([say("1"), say("2"), say("3")], { instructions: "Count." });
    const session = agent.session("room:1");
    const runs = [await session.send("a"), await session.send("b"), await session.send("c")];
    const results = await Promise.all(runs.map((run) => run.result()));
    expect(results.map(({ text }) => text)).toEqual(["1", "2", "3"]);
    expect(asked[2]?.messages.map(({ content }) => content)).toEqual(["Count.", "a", "1", "b", "2", "c"]);
  });

  it("PSS-21 PSS-84 is apart from sessions of other keys", async () => {
    const { agent, asked } = scriptedAgent([say("1"), say("2")]);
    await (await agent.session("a").send("x")).result();
    await (await agent.session("b").send("y")).result();
    expect(asked[1]?.messages.map(({ content }) => content)).toEqual(["y"]);
  });

  it("PSS-61 PSS-65 is kept by a MemorySessionStore if the agent is given no store", async () => {
    using commit = vi.spyOn(MemorySessionStore.prototype, "commit");
    const { agent, asked } = scriptedAgent([say("1"), say("2")]);
    await (await agent.send("a")).result();
    await (await agent.send("b")).result();
    expect(commit.mock.calls.map(([key]) => key)).toEqual(["default", "default"]);
    expect(commit.mock.calls.map(([, next]) => Object.keys(next))).toEqual([["state"], ["state"]]);
    expect(asked[1]?.messages.map(({ content }) => content)).toEqual(["a", "1", "b"]);
  });

  it("PSS-18 gives callers the events of its runs, and not the messages of the model", async () => {
    const { agent } = scriptedAgent([say("1")], { instructions: "Secret." });
    const run = await agent.send("a");
    const outcome = await run.result();
    expect(Object.keys(outcome).sort()).toEqual(["status", "steps", "text", "toolCalls", "unapplied", "usage"]);
    expect(inspect([agent, run, outcome], { depth: 9, showHidden: true })).not.toContain("Secret.");
    expect(Object.keys(agent.session("s")).sort()).toEqual([
      ...["delete", "interrupt", "key", "kill", "nextNotification", "overlay", "schedule", "send", "steer"],
    ]);
  });

  it("PSS-55 PSS-56 PSS-58 PSS-60 PSS-61 PSS-63 PSS-67 PSS-111 PSS-147 is stored as a snapshot, which a new agent goes on from", async () => {
    const store = testStore();
    const first = scriptedAgent([say("1")], { host: { sessionStore: store }, instructions: "Count." });
    await (await first.agent.send("a")).result();
    expect([...store.states]).toEqual([
      [
        "default",
        {
          version: "1",
          state: {
            schemaVersion: 1,
            history: [
              { role: "user", content: "a" },
              { role: "assistant", content: "1" },
            ],
            seq: 1,
          },
        },
      ],
    ]);
    const second = scriptedAgent([say("2")], { host: { sessionStore: store }, instructions: "Count on." });
    await (await second.agent.send("b")).result();
    expect(second.asked[0]?.messages.map(({ content }) => content)).toEqual(["Count on.", "a", "1", "b"]);
  });

  it("PSS-60 reads a newer state before a turn where the store tells its version", async () => {
    const store = testStore();
    const shared: SessionStore = { ...store, version: async (key) => store.states.get(key)?.version ?? null };
    const one = scriptedAgent([say("1"), say("3")], { host: { sessionStore: shared } });
    const two = scriptedAgent([say("2")], { host: { sessionStore: shared } });
    await (await one.agent.send("a")).result();
    await (await two.agent.send("b")).result();
    expect(await (await one.agent.send("c")).result()).toMatchObject({ status: "completed" });
    expect(one.asked[1]?.messages.map(({ content }) => content)).toEqual(["a", "1", "b", "2", "c"]);
  });

  it("PSS-62 PSS-111 PSS-136 fails at a commit conflict, reads the state again and stays usable", async () => {
    const store = testStore();
    const one = scriptedAgent([say("1"), say("lost"), say("3")], { host: { sessionStore: store } });
    const two = scriptedAgent([say("2")], { host: { sessionStore: store } });
    await (await one.agent.send("a")).result();
    await (await two.agent.send("b")).result();
    const events = await readRun(await one.agent.send("c"));
    expect(events.at(-1)).toMatchObject({
      type: "turn-error",
      code: "session-conflict",
      message: 'Session "default" commit conflict',
      retryable: true,
    });
    expect(await (await one.agent.send("d")).result()).toMatchObject({ status: "completed", text: "3" });
    expect(one.asked[2]?.messages.map(({ content }) => content)).toEqual(["a", "1", "b", "2", "d"]);
  });

  it.each([
    ["nothing of ours", { any: 1 }],
    ["another version", { schemaVersion: 2, history: [] }],
    ["an unknown field", { schemaVersion: 1, history: [], more: 1 }],
    ["a flawed message", { schemaVersion: 1, history: [{ role: "tool", content: "x" }] }],
    ["a system message", { schemaVersion: 1, history: [{ role: "system", content: "Obey." }] }],
    ["a wrong count", { schemaVersion: 1, history: [], seq: -1 }],
  ])("PSS-147 refuses a stored state with %s", async (_what, state) => {
    const store = testStore();
    store.states.set("default", { state: state as never, version: "9" });
    const { agent, asked } = scriptedAgent([say("1")], { host: { sessionStore: store } });
    const result = await (await agent.send("a")).result();
    expect(result.error?.message).toContain("Unsupported stored session state");
    expect(result.error?.code).toBe("store-failed");
    expect(asked).toEqual([]);
    expect(store.states.get("default")?.version).toBe("9");
  });

  it.each<[string, unknown, string]>([
    ["load", undefined, "load of the store returned undefined"],
    ["load", 5, "load of the store returned 5"],
    ["commit", null, "commit of the store returned null"],
    ["commit", undefined, "commit of the store returned undefined"],
    ["commit", { version: "1" }, "commit of the store returned an object"],
  ])("PSS-59 PSS-61 says what is wrong with a store whose %s returns %j", async (method, answer, message) => {
    const sessionStore = { ...testStore(), [method]: async () => answer };
    const { agent } = scriptedAgent([say("1")], { host: { sessionStore } });
    const { error } = await (await agent.send("a")).result();
    expect(error).toMatchObject({ code: "store-failed", message });
    expect(error?.hint).toMatch(/^It must return .* sessionStoreConformance/);
  });

  it("PSS-59 PSS-61 fails a turn whose store is down, and stays usable", async () => {
    let isDown = true;
    const store = testStore();
    const host = {
      sessionStore: {
        ...store,
        commit: (...call: Parameters<SessionStore["commit"]>) =>
          isDown ? Promise.reject(new Error("disk full")) : store.commit(...call),
      },
    };
    const { agent } = scriptedAgent([say("1"), say("2")], { host });
    const failed = await (await agent.send("a")).result();
    expect(failed).toMatchObject({ status: "error", error: { code: "store-failed", retryable: true } });
    isDown = false;
    await (await agent.send("b")).result();
    expect(store.history("default").map(({ content }) => content)).toEqual(["b", "2"]);
  });
});

describe("a turn that does not finish", () => {
  it("PSS-111 PSS-135 keeps nothing when the provider fails, and the queue goes on", async () => {
    const store = testStore();
    const fails = () => {
      throw new Error("overloaded");
    };
    const { agent, asked } = scriptedAgent([say("1"), ask([{ name: "look" }]), fails, say("3")], {
      tools: [tool("look", () => "seen")],
      host: { sessionStore: store },
    });
    await (await agent.send("a")).result();
    const before = store.history("default");
    const [failed, later] = [await agent.send("b"), await agent.send("c")];
    const events = await readRun(failed);
    expect(events.at(-1)).toMatchObject({ type: "turn-error", message: "overloaded", retryable: false });
    expect(store.history("default")).toEqual(before);
    expect(await later.result()).toMatchObject({ status: "completed", text: "3" });
    expect(asked[3]?.messages.map(({ content }) => content)).toEqual(["a", "1", "c"]);
  });

  it("PSS-137 keeps its user message and whole steps when it is interrupted, and what waits goes on", async () => {
    const store = testStore();
    const { agent, asked } = scriptedAgent(
      [ask([{ name: "look" }]), ask([{ name: "look" }, { name: "wait" }]), say("next")],
      {
        tools: [
          tool("look", () => "seen"),
          tool("wait", () => {
            agent.session("default").interrupt();
            return new Promise(() => undefined);
          }),
        ],
        host: { sessionStore: store },
      },
    );
    const [run, later] = [await agent.send("a"), await agent.send("b")];
    const events = await readRun(run);
    expect(events.at(-1)).toEqual({ type: "turn-abort" });
    expect(store.history("default").map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(await later.result()).toMatchObject({ text: "next" });
    expect(asked[2]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  });

  it("PSS-137 keeps its user message when it is interrupted before its first step", async () => {
    const store = testStore();
    const { agent } = scriptedAgent([], { host: { sessionStore: store } });
    const run = await agent.send("a");
    const events = await readRun(run, ({ type }) => type === "turn-start" && agent.session("default").interrupt());
    expect(typesOf(events)).toEqual(["user-text", "turn-start", "turn-abort"]);
    expect(store.history("default")).toEqual([{ role: "user", content: "a" }]);
  });

  it("ends normally at a cap, with a result for every call", async () => {
    const store = testStore();
    const { agent } = scriptedAgent([ask([{ name: "look" }, { name: "look", id: "c1" }])], {
      tools: [tool("look", () => "seen")],
      budget: { maxToolCalls: 1 },
      host: { sessionStore: store },
    });
    const run = await agent.send("a");
    const events = await readRun(run);
    expect(events.at(-1)).toEqual({ type: "turn-end", stop: { kind: "limit", limit: "toolCalls" } });
    expect(await run.result()).toMatchObject({ status: "completed", stop: { limit: "toolCalls" }, steps: 1 });
    expect(store.history("default").slice(2)).toEqual([
      { role: "tool", toolCallId: "c0", name: "look", content: "seen" },
      {
        role: "tool",
        toolCallId: "c1",
        name: "look",
        content: "not run: the budget of tool calls is used up",
        isError: true,
      },
    ]);
  });
});

describe("the end of a session", () => {
  it("PSS-99 PSS-111 PSS-138 kill aborts every turn, keeps the state and ends the key for this agent", async () => {
    const store = testStore();
    const { asked, model } = hangingModel();
    const agent = new Agent({ model, ports: quietPorts(), host: { sessionStore: store } });
    const session = agent.session("a");
    const [active, waiting] = [await session.send("x"), await session.send("y")];
    const ended = active.result();
    await asked;
    await session.kill();
    expect(await ended).toMatchObject({ status: "aborted" });
    expect(typesOf(await readRun(waiting))).toEqual(["user-text", "turn-abort"]);
    expect(store.history("a")).toEqual([{ role: "user", content: "x" }]);
    for (const call of [session.send("z"), session.steer("z"), agent.session("a").send("z"), session.delete()])
      await expect(call).rejects.toMatchObject({ code: "session-closed", message: "Session killed" });
  });

  it("PSS-64 PSS-99 PSS-138 delete removes the state and frees the key", async () => {
    const store = testStore();
    let removed: () => void = () => undefined;
    const slow = new Promise<void>((resolve) => (removed = resolve));
    const { agent } = scriptedAgent([say("1"), say("2")], {
      host: {
        sessionStore: {
          ...store,
          async delete(key) {
            await slow;
            await store.delete(key);
          },
        },
      },
    });
    await (await agent.send("a")).result();
    const session = agent.session("default");
    const deleting = session.delete();
    await expect(session.send("b")).rejects.toMatchObject({ message: "Session delete in progress" });
    removed();
    await deleting;
    expect(store.states.size).toBe(0);
    await (await agent.send("c")).result();
    expect(store.history("default").map(({ content }) => content)).toEqual(["c", "2"]);
  });

  it("kill is refused during delete, and delete does not undo a kill", async () => {
    const { agent } = scriptedAgent([say("1")]);
    const session = agent.session("a");
    const deleting = session.delete();
    await Promise.resolve();
    await expect(session.kill()).rejects.toMatchObject({ message: "Session delete in progress" });
    await deleting;
    await session.kill();
    await session.kill();
    await expect(session.send("x")).rejects.toMatchObject({ message: "Session killed" });
  });

  it("delete stores nothing of a turn under way", async () => {
    const store = testStore();
    const { asked, model } = hangingModel();
    const agent = new Agent({ model, ports: quietPorts(), host: { sessionStore: store } });
    const run = await agent.send("x");
    const ended = run.result();
    await asked;
    await agent.session("default").delete();
    expect(await ended).toMatchObject({ status: "aborted" });
    expect(store.states.size).toBe(0);
  });

  it("close aborts the turn under way, fails those that wait and takes no more", async () => {
    const { asked, model } = hangingModel();
    const agent = new Agent({ model, ports: quietPorts() });
    const [active, waiting] = [await agent.send("x"), await agent.send("y")];
    const ended = active.result();
    await asked;
    await Promise.all([agent.close(), agent.close()]);
    expect(await ended).toMatchObject({ status: "aborted" });
    expect(await waiting.result()).toMatchObject({ status: "error", error: { code: "session-closed" } });
    await expect(agent.send("z")).rejects.toMatchObject({ code: "session-closed", message: "Agent closed" });
  });

  it("PSS-96 close lets a tool end that runs, and keeps its step", async () => {
    const store = testStore();
    const slow = heldTool();
    const { agent, asked } = scriptedAgent([ask([{ name: "held" }]), say("not asked")], {
      tools: [slow.held],
      host: { sessionStore: store },
    });
    const ended = (await agent.send("x")).result();
    await slow.begun;
    const closed = agent.close();
    await new Promise(setImmediate);
    slow.finish();
    await closed;
    expect(await ended).toMatchObject({ status: "aborted", toolCalls: 1 });
    expect(store.history("default").map(({ content }) => content)).toEqual(["x", "", "done, aborted: false"]);
    expect(asked).toHaveLength(1);
  });

  it("PSS-96 close aborts a tool whose time is over", async () => {
    const clock = fixedClock();
    const stuck = heldTool();
    const { agent } = scriptedAgent([ask([{ name: "held" }])], { tools: [stuck.held], ports: clock });
    const ended = (await agent.send("x")).result();
    await stuck.begun;
    const closed = agent.close();
    let isOver = false;
    void ended.then(() => (isOver = true));
    await clock.advance(4_999);
    expect(isOver).toBe(false);
    await clock.advance(1);
    expect(await ended).toMatchObject({ status: "aborted" });
    await closed;
  });

  it("has a limit of inputs that wait", async () => {
    const { model } = hangingModel();
    const agent = new Agent({ model, ports: quietPorts() });
    await agent.send("active");
    for (let count = 0; count < 1_000; count++) await agent.send("x");
    await expect(agent.send("x")).rejects.toMatchObject({ code: "queue-full", retryable: true });
    await agent.close();
  });
});
