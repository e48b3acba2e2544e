// Plugins: their setup, their hooks in order, what tool hooks may decide, and what happens when one throws.

import { describe, expect, it } from "vitest";
import { Agent } from "../../../src/core/session/agent.js";
import { compaction } from "../../../src/core/session/plugins/compaction.js";
import { memory } from "../../../src/core/session/plugins/memory.js";
import { definePlugin, type AgentPlugin, type PluginHost } from "../../../src/core/session/plugins/plugin.js";
import { HOOK_TIMEOUT_MS } from "../../../src/core/limits.js";
import { fixedClock } from "../../../src/harness/doubles/clock.js";
import { ask, quietPorts, say, tool } from "../../support/script.js";
import { readRun, scriptedAgent, testStore, typesOf } from "../../support/sessions.js";

const withHooks = (setup: (host: PluginHost) => void | Promise<void>): AgentPlugin =>
  definePlugin({ name: "test", setup });
const look = tool("look", (args) => ({ seen: args["what"] ?? "nothing" }));

describe("plugins", () => {
  it("PSS-101 are asked at each place of a turn, in the order of the list", async () => {
    const told: string[] = [];
    const plugin = (name: string) =>
      withHooks((host) => {
        host.on("turn.before", ({ input }) => void told.push(`${name} turn.before ${input.type}`));
        host.on("step.before", ({ stepIndex }) => void told.push(`${name} step.before ${stepIndex}`));
        host.on("step.after", ({ stepIndex, result }) => void told.push(`${name} step.after ${stepIndex} ${result}`));
        host.on(
          "turn.after",
          ({ result, history }) => void told.push(`${name} turn.after ${result} ${history.length}`),
        );
      });
    const { agent } = scriptedAgent([ask([{ name: "look" }]), say("Done.")], {
      tools: [look],
      plugins: [plugin("a"), plugin("b")],
    });
    await (await agent.send("Go.")).result();
    expect(told.filter((line) => line.startsWith("a"))).toEqual([
      "a turn.before user-text",
      "a step.before 0",
      "a step.after 0 continue",
      "a step.before 1",
      "a step.after 1 completed",
      "a turn.after completed 4",
    ]);
    expect(told.map((line) => line[0]).join("")).toBe("abababababab");
  });

  it("PSS-01 PSS-101 are set up once, and the first send waits for it", async () => {
    let set: () => void = () => undefined;
    const slow = new Promise<void>((resolve) => (set = resolve));
    let setups = 0;
    const { agent, asked } = scriptedAgent([say("1"), say("2")], {
      plugins: [
        withHooks(async (host) => {
          setups += 1;
          await slow;
          host.registerTools([look]);
        }),
      ],
    });
    const sending = agent.send("a");
    set();
    await (await sending).result();
    await (await agent.send("b")).result();
    expect(setups).toBe(1);
    expect(asked.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([["look"], ["look"]]);
  });

  it.each<[string, (host: PluginHost) => void, string]>([
    [
      "throws",
      () => {
        throw new Error("no disk");
      },
      "the setup of plugin test failed: no disk",
    ],
    ["names an unknown hook", (host) => host.on("turn.soon" as "turn.before", () => undefined), "there is no hook"],
    ["registers a tool twice", (host) => host.registerTools([look]), "two tools have the name look"],
    [
      "registers a store in addition to the host",
      (host) => host.registerSessionStore(testStore()),
      "the agent has a host",
    ],
  ])("make every send fail when a setup %s", async (_what, setup, message) => {
    const { agent } = scriptedAgent([say("1")], {
      tools: [look],
      host: { sessionStore: testStore() },
      plugins: [withHooks(setup)],
    });
    for (const call of [agent.send("a"), agent.send("b")])
      await expect(call).rejects.toMatchObject({
        code: "plugin-failed",
        message: expect.stringContaining(message) as string,
      });
  });

  it("PSS-70 may decide where sessions are kept", async () => {
    const store = testStore();
    const { agent } = scriptedAgent([say("1")], { plugins: [withHooks((host) => host.registerSessionStore(store))] });
    await (await agent.send("a")).result();
    expect(store.history("default")).toHaveLength(2);
  });

  it("PSS-104 PSS-111 see each event before it is delivered, one after the other", async () => {
    const order: string[] = [];
    const listen = (name: string): AgentPlugin => ({
      events: {
        async on({ event, history }) {
          await Promise.resolve();
          expect(Object.isFrozen(history)).toBe(true);
          order.push(`${name} ${event.type}`);
        },
      },
    });
    const { agent } = scriptedAgent([say("Hi.")], { plugins: [listen("a"), listen("b")] });
    const events = await readRun(await agent.send("Hello."), ({ type }) => void order.push(`consumer ${type}`));
    expect(order).toEqual(typesOf(events).flatMap((type) => ["a", "b", "consumer"].map((name) => `${name} ${type}`)));
  });

  it("PSS-27 PSS-101 may steer and overlay within their turn, and not after it", async () => {
    const late: unknown[] = [];
    const { agent, asked } = scriptedAgent([say("1")], {
      plugins: [
        withHooks((host) => {
          host.on("turn.before", ({ overlay }) => overlay("above"));
          host.on("step.before", ({ steer }) => steer("below"));
          host.on("turn.after", ({ steer }) => steer("late").catch((error: unknown) => late.push(error)));
        }),
      ],
    });
    await (await agent.send("a")).result();
    expect(asked[0]?.messages.map(({ content }) => content)).toEqual(["above", "a", "below"]);
    expect(late).toEqual([
      expect.objectContaining({
        code: "session-closed",
        message: "session.steer() cannot be used after the last step-end",
      }),
    ]);
  });
});

describe("a hook that throws", () => {
  const broken = () => {
    throw new Error("broken");
  };

  it.each(["turn.before", "step.before", "step.after", "tool.call", "tool.result"] as const)(
    "at %s fails the turn, and nothing is kept",
    async (name) => {
      const store = testStore();
      const { agent } = scriptedAgent([ask([{ name: "look" }]), say("Done.")], {
        tools: [look],
        host: { sessionStore: store },
        plugins: [withHooks((host) => host.on(name as "turn.before", broken))],
      });
      const result = await (await agent.send("a")).result();
      expect(result).toMatchObject({
        status: "error",
        error: { code: "plugin-failed", message: `${name} of plugin test threw: broken` },
      });
      expect(store.states.size).toBe(0);
    },
  );

  it("in a listener of events fails the turn", async () => {
    const { agent } = scriptedAgent([say("1")], {
      plugins: [{ events: { on: ({ event }) => void (event.type === "assistant-text" && broken()) } }],
    });
    const result = await (await agent.send("a")).result();
    expect(result.error).toMatchObject({ code: "plugin-failed", message: "events.on of plugin 0 threw: broken" });
  });

  it("after the turn was stored is only a warning", async () => {
    const ports = quietPorts();
    const store = testStore();
    const { agent } = scriptedAgent([say("1")], {
      ports,
      host: { sessionStore: store },
      plugins: [
        withHooks((host) => host.on("turn.after", broken)),
        { events: { on: ({ event }) => void (event.type === "turn-end" && broken()) } },
      ],
    });
    expect(await (await agent.send("a")).result()).toMatchObject({ status: "completed" });
    expect(ports.warnings).toEqual([
      "playhead: turn.after of plugin test threw: broken",
      "playhead: events.on of plugin 1 threw: broken",
    ]);
    expect(store.history("default")).toHaveLength(2);
  });
});

describe("a plugin that never answers", () => {
  const never = () => new Promise<never>(() => undefined);
  const clocked = (plugins: AgentPlugin[]) => {
    const clock = fixedClock();
    const warnings: string[] = [];
    const ports = { ...clock, warn: (text: string) => void warnings.push(text) };
    const { agent } = scriptedAgent([ask([{ name: "look" }]), say("Done.")], { tools: [look], plugins, ports });
    return { agent, warnings, pass: () => clock.advance(HOOK_TIMEOUT_MS) };
  };

  it.each(["turn.before", "step.before", "step.after", "tool.call", "tool.result"] as const)(
    "PSS-101 at %s ends the turn when its time is over",
    async (name) => {
      const { agent, pass } = clocked([withHooks((host) => host.on(name as "turn.before", never))]);
      const ended = (await agent.send("a")).result();
      await new Promise(setImmediate);
      await pass();
      expect((await ended).error).toMatchObject({
        code: "plugin-failed",
        message: `${name} of plugin test took longer than 600000 ms`,
      });
    },
  );

  it("PSS-104 in a listener ends the turn, and behind it is only a warning", async () => {
    const listener = clocked([
      { name: "ear", events: { on: ({ event }) => (event.type === "step-start" ? never() : undefined) } },
    ]);
    const failed = (await listener.agent.send("a")).result();
    await new Promise(setImmediate);
    await listener.pass();
    expect((await failed).error).toMatchObject({ message: "events.on of plugin ear took longer than 600000 ms" });

    const late = clocked([withHooks((host) => host.on("turn.after", never))]);
    const ended = (await late.agent.send("a")).result();
    await new Promise(setImmediate);
    await late.pass();
    expect(await ended).toMatchObject({ status: "completed" });
    expect(late.warnings).toEqual(["playhead: turn.after of plugin test took longer than 600000 ms"]);
  });

  it("in its setup makes every send fail", async () => {
    const { agent, pass } = clocked([withHooks(never)]);
    const sent = agent.send("a");
    sent.catch(() => undefined);
    await pass();
    await expect(sent).rejects.toMatchObject({
      code: "plugin-failed",
      message: "the setup of plugin test failed: no answer within 600000 ms",
    });
  });
});

describe("tool hooks", () => {
  async function decide(setup: (host: PluginHost) => void) {
    const ran: unknown[] = [];
    const own = tool("look", (args) => {
      ran.push(args);
      return { seen: args["what"] ?? "nothing" };
    });
    const { agent } = scriptedAgent([ask([{ name: "look", arguments: { what: "sea" }, id: "x" }]), say("Done.")], {
      tools: [own],
      plugins: [withHooks(setup)],
    });
    const run = await agent.send("Go.");
    const events = await readRun(run);
    const shown = events.find((event) => event.type === "tool-result");
    return { ran, output: shown?.output, isError: shown?.isError === true, last: events.at(-1) };
  }

  it("PSS-102 allow, modify, reject, synthesize or fail a call", async () => {
    const by = (decision: object) => decide((host) => host.on("tool.call", () => decision as never));
    expect(await by({ action: "allow" })).toMatchObject({ ran: [{ what: "sea" }], output: '{"seen":"sea"}' });
    expect(await by({ action: "modify", input: { what: "sky" } })).toMatchObject({ ran: [{ what: "sky" }] });
    expect(await by({ action: "reject-and-continue", message: "no" })).toMatchObject({
      ran: [],
      output: "no",
      isError: true,
    });
    expect(await by({ action: "synthesize", output: "made" })).toMatchObject({
      ran: [],
      output: "made",
      isError: false,
    });
    expect((await by({ action: "error", message: "forbidden" })).last).toMatchObject({
      type: "turn-error",
      code: "tool-denied",
      message: "forbidden",
    });
  });

  it("PSS-103 see results and may replace them, and later hooks see the replacement", async () => {
    const seen: unknown[] = [];
    const { output, isError } = await decide((host) => {
      host.on("tool.result", ({ output, status, tool, toolCallId }) => {
        seen.push([output, status, tool, toolCallId.startsWith("call_")]);
        return { status: "error", error: "hidden", output: "not for you" };
      });
      host.on("tool.result", ({ output, status, error }) => void seen.push([output, status, error]));
    });
    expect(seen).toEqual([
      [{ seen: "sea" }, "done", "look", true],
      ["not for you", "error", "hidden"],
    ]);
    expect([output, isError]).toEqual(["not for you", true]);
  });
});

describe("compaction", () => {
  it("PSS-55 PSS-101 replaces older messages by a summary, in the commit of the turn", async () => {
    const store = testStore();
    const { agent, asked } = scriptedAgent([say("1"), say("2"), say("3"), say("They counted."), say("4")], {
      host: { sessionStore: store },
      plugins: [compaction({ thresholdMessages: 5, keepMessages: 2 })],
    });
    for (const text of ["a", "b"]) await (await agent.send(text)).result();
    const events = await readRun(await agent.send("c"));
    expect(events.filter(({ type }) => type === "assistant-text")).toEqual([{ type: "assistant-text", text: "3" }]);
    const [summary, ...rest] = store.history("default");
    expect(summary?.content).toContain("They counted.");
    expect(rest.map(({ content }) => content)).toEqual(["c", "3"]);
    await (await agent.send("d")).result();
    expect(asked.at(-1)?.messages.map(({ role }) => role)).toEqual(["user", "user", "assistant", "user"]);
  });

  it("asks the caller's function in place of the model, and only warns where it fails", async () => {
    const ports = quietPorts();
    const store = testStore();
    const { agent } = scriptedAgent([say("1"), say("2")], {
      ports,
      host: { sessionStore: store },
      plugins: [
        compaction({
          thresholdMessages: 2,
          keepMessages: 1,
          summarize: () => {
            throw new Error("busy");
          },
        }),
      ],
    });
    for (const text of ["a", "b"]) await (await agent.send(text)).result();
    expect(store.history("default")).toHaveLength(4);
    expect(ports.warnings).toEqual(["playhead: a session was not compacted: busy"]);
  });

  it("refuses wrong options", () => {
    expect(() => compaction({ keepMessages: 0 })).toThrow(TypeError);
    expect(() => compaction({ thresholdMessages: 4, keepMessages: 4 })).toThrow(TypeError);
    expect(() => compaction({ keep: 1 } as never)).toThrow(TypeError);
  });
});

describe("memory", () => {
  it("PSS-101 keeps texts over sessions, and recalls them in an overlay", async () => {
    const set = (key: string, value: string) => ask([{ name: "set_context", arguments: { key, value } }]);
    const { agent, asked } = scriptedAgent(
      [
        set("boat", "The boat of Ann is red."),
        say("Kept."),
        ask([
          { name: "search_context", arguments: { query: "boat" } },
          { name: "load_context", arguments: { key: "boat" } },
        ]),
        say("Red."),
      ],
      { plugins: [memory()] },
    );
    await (await agent.session("a").send("My boat is red.")).result();
    const run = await agent.session("b").send("Which colour has the boat?");
    const events = await readRun(run);
    expect(asked[2]?.messages[0]?.content).toContain("boat: The boat of Ann is red.");
    const outputs = events.flatMap((event) => (event.type === "tool-result" ? [event.output] : []));
    expect(outputs).toEqual(['[{"key":"boat","value":"The boat of Ann is red."}]', "The boat of Ann is red."]);
  });
});

it("PSS-101 plugins are checked when the agent is created", () => {
  const create = (plugins: unknown) => () =>
    new Agent({ model: { turn: () => Promise.reject(new Error()) }, plugins: plugins as never });
  for (const wrong of [{}, [5], [{ setup: 1 }], [{ name: 1 }], [{ events: { on: 1 } }], [{ hooks: {} }]])
    expect(create(wrong)).toThrow(TypeError);
});
