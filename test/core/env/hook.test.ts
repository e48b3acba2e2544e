import { describe, expect, it } from "vitest";
import { compositeHook, dispatchTool, type Hook, type StepNotice, type ToolCall } from "../../../src/core/env/hook.js";
import { ToolArgError, ToolPolicyError } from "../../../src/core/errors.js";
import { ask, say } from "../../support/script.js";
import { AGENT, kindsOf, playEnv } from "../../support/env.js";

const schema = (name: string, extra = {}) => ({
  name,
  description: `Does ${name}.`,
  schema: { type: "object" },
  ...extra,
});
const serving = (name: string, answer: unknown, told: string[] = []): Hook => ({
  schema: () => [schema(name)],
  dispatch: (called) => (called === name ? Promise.resolve(answer) : undefined),
  onStep: ({ kind }) => void told.push(`${String(answer)} ${kind}`),
});
const call = (name: string, signal = new AbortController().signal): ToolCall => ({
  name,
  args: {},
  agent: AGENT,
  sender: "",
  conversationId: "a:",
  signal,
  memory: {} as ToolCall["memory"],
});

describe("a composite", () => {
  it("CRB-24 CRB-35 CRB-36 serves by the first that claims a name, and tells all in order", async () => {
    const told: string[] = [];
    const hook = compositeHook(serving("find", "A", told), serving("find", "B", told), serving("look", "C", told));
    expect(await dispatchTool(hook, "find", call("find"))).toEqual({ ok: true, output: "A" });
    expect(await dispatchTool(hook, "look", call("look"))).toEqual({ ok: true, output: "C" });
    const { runtime, warnings, asked, entries } = playEnv({
      hook,
      steps: [ask([{ name: "find" }]), say("end"), say("again")],
    });
    await runtime.send({ agent: AGENT, content: "Go." });
    await runtime.send({ agent: AGENT, content: "Again." });
    expect(told.slice(0, 6)).toEqual(["A start", "B start", "C start", "A complete", "B complete", "C complete"]);
    // The schema of the second is not offered, and one warning says so.
    expect(asked[0]?.tools?.map(({ name }) => name)).toEqual(["find", "look"]);
    expect(warnings).toEqual(["playhead: two hooks offer the tool find, and the first one serves it"]);
    expect(entries()[3]).toMatchObject({ message: { content: "A" } });
  });

  it("tells every hook, also behind one that throws, and the throw is a warning", async () => {
    const told: string[] = [];
    const broken: Hook = {
      onStep: () => {
        throw new Error("no disk");
      },
    };
    const late = { onStep: () => Promise.reject(new Error("late")) } as unknown as Hook;
    const { runtime, warnings } = playEnv({
      hook: compositeHook(broken, serving("x", "A", told)),
      steps: [say("end")],
    });
    await runtime.send({ agent: AGENT, content: "Go." });
    expect(told).toEqual(["A start", "A complete"]);
    expect(warnings).toEqual(["playhead: onStep threw: no disk", "playhead: onStep threw: no disk"]);
    const other = playEnv({ hook: compositeHook(late), steps: [say("end")] });
    await other.runtime.send({ agent: AGENT, content: "Go." });
    expect(other.warnings).toContain("playhead: onStep threw: late");
  });

  it("has no tools without hooks", async () => {
    expect(compositeHook().schema?.()).toEqual([]);
    expect(await dispatchTool(compositeHook({}), "x", call("x"))).toMatchObject({ ok: false });
  });
});

describe("dispatch", () => {
  it("CRB-33 CRB-39 yields an error for a name that nobody claims, and rejects only for an abort", async () => {
    const hook = serving("find", "A");
    expect(await dispatchTool(hook, "nobody", call("nobody"))).toEqual({
      ok: false,
      error: "tool not registered: nobody",
    });
    const failing: Hook = { dispatch: () => Promise.reject(new Error("broken")) };
    expect(await dispatchTool(failing, "x", call("x"))).toEqual({ ok: false, error: "broken" });
    const throwing: Hook = {
      dispatch: () => {
        throw new Error("at once");
      },
    };
    expect(await dispatchTool(throwing, "x", call("x"))).toEqual({ ok: false, error: "at once" });
    await expect(dispatchTool(hook, "find", call("find", AbortSignal.abort()))).rejects.toMatchObject({
      code: "aborted",
    });
  });

  it("CRB-20 CRB-31 CRB-37 CRB-38 goes through env.hook().dispatch with name, arguments, agent, sender and conversation", async () => {
    const calls: unknown[][] = [];
    let asked = 0;
    const hook: Hook = {
      schema: () => [schema("find", { schema: { type: "object", properties: { q: { type: "string" } } } })],
      dispatch: async (name, { args, agent, sender, conversationId, signal, memory, ...rest }) => {
        calls.push([name, { ...args }, agent, sender, conversationId, rest.name]);
        expect(signal.aborted).toBe(false);
        await memory.set("agent", "note", 1);
        return "ok";
      },
    };
    const { runtime } = playEnv({
      env: { hook: () => (asked++, hook) },
      steps: [
        ask([{ name: "find", arguments: JSON.parse('{"q":"x","__proto__":{"admin":true}}') as never }]),
        say("end"),
      ],
    });
    await runtime.send({ agent: AGENT, sender: "ann", content: "Go." });
    expect(calls).toEqual([["find", { q: "x" }, AGENT, "ann", "a:ann", "find"]]);
    // Once a run.
    expect(asked).toBe(1);
  });

  it("CRB-40 CRB-41 is awaited: results come in call order before the following step", async () => {
    const order: string[] = [];
    const hook: Hook = {
      schema: () => [schema("slow"), schema("fast")],
      dispatch: async (name) => {
        if (name === "slow") await new Promise((resolve) => setTimeout(resolve, 5));
        order.push(name);
        return name;
      },
    };
    const { runtime, asked } = playEnv({ hook, steps: [ask([{ name: "slow" }, { name: "fast" }]), say("end")] });
    await runtime.send({ agent: AGENT, content: "Go." });
    expect(order).toEqual(["fast", "slow"]);
    expect(asked[1]?.messages.slice(-2).map(({ content }) => content)).toEqual(["slow", "fast"]);
  });

  it("CRB-39 lets the model read `tool unavailable` for an unknown name, and the run goes on", async () => {
    const logged: unknown[] = [];
    const { runtime, entries } = playEnv({
      hook: { schema: () => [schema("empty")], dispatch: () => undefined },
      steps: [ask([{ name: "nobody" }, { name: "empty" }]), say("end")],
      options: { onEvent: (event) => void logged.push(event) },
    });
    expect(await runtime.send({ agent: AGENT, content: "Go." })).toMatchObject({ finalAnswer: "end" });
    expect(entries().slice(3, 5)).toMatchObject([
      { message: { content: "tool unavailable", isError: true } },
      { message: { content: "tool unavailable", isError: true } },
    ]);
    expect(logged).toContainEqual(expect.objectContaining({ type: "tool-rejected", tool: "nobody" }));
    expect(logged).toContainEqual(expect.objectContaining({ message: "tool not registered: empty", masked: true }));
  });

  it("never reaches a hook with a name that the agent was not offered", async () => {
    const called: string[] = [];
    const hook: Hook = {
      schema: () => [schema("find"), schema("pay", { effect: "write" })],
      dispatch: async (name) => void called.push(name),
    };
    const { runtime } = playEnv({ hook, steps: [ask([{ name: "pay" }, { name: "find" }]), say("end")] });
    await runtime.send({ agent: AGENT, content: "Go." });
    expect(called).toEqual(["find"]);
  });

  it.each<[string, Hook["dispatch"], string]>([
    ["a masked error", () => Promise.reject(new ToolArgError("secret")), "tool unavailable"],
    ["another error", () => Promise.reject(new Error("no such file")), "no such file"],
    [
      "a throw",
      () => {
        throw new Error("at once");
      },
      "at once",
    ],
    ["a value and no promise", () => "text" as never, "the tool find returned no promise"],
  ])("CRB-33 lets the model read of %s", async (_name, dispatch, text) => {
    const { runtime, entries, warnings } = playEnv({
      hook: { schema: () => [schema("find")], ...(dispatch === undefined ? {} : { dispatch }) },
      steps: [ask([{ name: "find" }]), say("end")],
    });
    await runtime.send({ agent: AGENT, content: "Go." });
    expect(entries()[3]).toMatchObject({ message: { content: text, isError: true } });
    expect(warnings).toEqual(
      text.includes("no promise") ? ["playhead: the tool find returned no promise, so the call failed"] : [],
    );
  });

  it("ends the run when a policy of the hook denies, and the step is not stored", async () => {
    const notices: StepNotice[] = [];
    const { runtime, entries } = playEnv({
      hook: {
        schema: () => [schema("find")],
        dispatch: () => Promise.reject(new ToolPolicyError("not yours")),
        onStep: (notice) => void notices.push(notice),
      },
      steps: [ask([{ name: "find" }])],
    });
    await expect(runtime.send({ agent: AGENT, content: "Go." })).rejects.toMatchObject({ code: "tool-denied" });
    expect(kindsOf(entries())).toEqual(["created", "user"]);
    expect(notices).toMatchObject([{ kind: "start" }, { kind: "error", code: "tool-denied", message: "not yours" }]);
  });
});

describe("what a hook offers", () => {
  it("CRB-32 is what the model is offered: word for word, without effect and time limit", async () => {
    const offered = schema("find", { effect: "read", timeoutMs: 5 });
    const { runtime, asked } = playEnv({ hook: { schema: () => [offered] }, steps: [say("end")] });
    await runtime.send({ agent: AGENT, content: "Go." });
    expect(asked[0]?.tools).toEqual([schema("find")]);
  });

  it.each<[string, readonly string[] | undefined, string[] | undefined]>([
    ["all that only read, by default", undefined, ["find", "look"]],
    ["none", [], undefined],
    ["exactly those named, in the order of the hook", ["pay", "find"], ["find", "pay"]],
  ])("is granted as %s", async (_name, tools, names) => {
    const hook: Hook = {
      schema: () => [schema("find"), schema("look", { effect: "read" }), schema("pay", { effect: "write" })],
    };
    const agent = tools === undefined ? {} : { tools };
    const { runtime, asked } = playEnv({ hook, agent, steps: [say("end")] });
    await runtime.send({ agent: AGENT, content: "Go." });
    expect(asked[0]?.tools?.map(({ name }) => name)).toEqual(names);
  });

  it.each<[string, Hook, object]>([
    ["an invalid schema", { schema: () => [{ ...schema("find"), schema: { type: "nothing" } }] }, {}],
    ["a name that no vendor takes", { schema: () => [schema("find it")] }, {}],
    ["no description", { schema: () => [{ name: "find", schema: {} } as never] }, {}],
    ["an unknown field", { schema: () => [schema("find", { invoke: 1 })] }, {}],
    ["an unknown effect", { schema: () => [schema("find", { effect: "both" })] }, {}],
    ["a wrong time limit", { schema: () => [schema("find", { timeoutMs: 0 })] }, {}],
    ["no list", { schema: () => "find" as never }, {}],
    [
      "a throw",
      {
        schema: () => {
          throw new Error("not ready");
        },
      },
      {},
    ],
    ["a grant that nobody offers", {}, { tools: ["find"] }],
    ["a misspelled method", { dispatsh: () => undefined } as never, {}],
    ["an invalid method", { dispatch: 1 } as never, {}],
    ["nothing", undefined as never, {}],
  ])("with %s is refused before anything is stored or spent", async (_name, hook, agent) => {
    const { runtime, asked, entries } = playEnv({ env: { hook: () => hook }, agent, steps: [say("end")] });
    await expect(runtime.send({ agent: AGENT, content: "Go." })).rejects.toMatchObject({ code: "invalid-options" });
    expect(asked).toEqual([]);
    expect(entries()).toEqual([]);
  });

  it("CRB-34 takes part in each step: its start, its stored end, and its failure", async () => {
    const notices: StepNotice[] = [];
    const stored: number[] = [];
    const played = playEnv({
      hook: {
        schema: () => [schema("find")],
        dispatch: async () => "ok",
        onStep: (notice) => {
          notices.push(notice);
          stored.push(played.entries().length);
        },
      },
      steps: [
        ask([{ name: "find" }]),
        () => {
          throw new Error("down");
        },
      ],
    });
    await expect(played.runtime.send({ agent: AGENT, content: "Go." })).rejects.toThrow("down");
    const place = { agent: AGENT, conversationId: "a:" };
    expect(notices).toEqual([
      { ...place, step: 0, kind: "start" },
      { ...place, step: 0, kind: "complete", toolCalls: 1 },
      { ...place, step: 1, kind: "start" },
      { ...place, step: 1, kind: "error", code: undefined, message: "down" },
    ]);
    // Complete is told once the step is stored.
    expect(stored).toEqual([2, 4, 4, 4]);
  });
});
