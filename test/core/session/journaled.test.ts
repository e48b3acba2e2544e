// Agents whose turns and tool calls are steps of an engine: cut off at every step, and executed again from the start.

import { describe, expect, it } from "vitest";
import { AgentError, ToolArgError, ToolPolicyError } from "../../../src/core/errors.js";
import type { JsonValue } from "../../../src/core/canon/value.js";
import type { LlmProviderAdapter } from "../../../src/core/model/provider.js";
import { Agent } from "../../../src/core/session/agent.js";
import { journaled, type DurableStep } from "../../../src/core/session/journaled.js";
import type { CustomTool, CustomToolContext } from "../../../src/core/tools/tool.js";
import { ask, say } from "../../support/script.js";

/** An engine in memory. Its process ends after `most` steps or, with `inside`, within the step that follows. */
class Engine {
  readonly stored = new Map<string, string>();
  readonly names: string[] = [];
  most = Infinity;
  inside = false;
  #end: () => void = () => undefined;

  readonly step: DurableStep = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    this.names.push(name);
    if (!this.stored.has(name)) {
      if (this.stored.size >= this.most && !this.inside) return this.#cutOff();
      const result = JSON.stringify((await work()) as JsonValue);
      if (this.stored.size >= this.most) return this.#cutOff();
      this.stored.set(name, result);
    }
    return JSON.parse(this.stored.get(name) as string) as T;
  };

  #cutOff(): Promise<never> {
    this.#end();
    return new Promise(() => undefined);
  }

  async run<T>(execution: () => Promise<T>): Promise<T | "cut off"> {
    this.names.length = 0;
    const end = new Promise<"cut off">((resolve) => (this.#end = () => resolve("cut off")));
    return Promise.race([execution(), end]);
  }
}

function desk(retryPolicy: CustomTool["retryPolicy"] = "idempotent") {
  const asked: number[] = [];
  const calls: Pick<CustomToolContext, "idempotencyKey" | "attempt">[] = [];
  const answers = [ask([{ name: "find" }]), ask([{ name: "pay", arguments: { cents: 1 } }]), say("paid")];
  const provider: LlmProviderAdapter = {
    name: "script",
    async turn({ messages }) {
      const turn = messages.filter(({ role }) => role === "assistant").length;
      asked.push(turn);
      return answers[turn] as Awaited<ReturnType<LlmProviderAdapter["turn"]>>;
    },
  };
  const schema = { type: "object" };
  const tools: CustomTool[] = [
    { name: "find", description: "Finds.", schema, effect: "read", invoke: () => ({ cents: 1 }) },
    {
      ...{ name: "pay", description: "Pays.", schema, ...(retryPolicy === undefined ? {} : { retryPolicy }) },
      invoke(_args, { idempotencyKey, attempt }) {
        calls.push({ idempotencyKey, attempt });
        return "ok";
      },
    },
  ];
  const execute = (step: DurableStep) => async () => {
    const steps = journaled(step, "x1");
    const agent = new Agent({ model: steps.provider(provider), tools: steps.tools(tools) });
    const { status, text, error } = await (await agent.session("s").send("go")).result();
    return { status, text, ...(error === undefined ? {} : { code: error.code, message: error.message }) };
  };
  return { asked, calls, execute };
}

const STEPS = ["turn:1", "tool:find:1", "turn:2", "tool:pay:1:begin", "tool:pay:1", "turn:3"];

describe("journaled", () => {
  it("makes each turn and each call one step, and marks the beginning of calls that are not pure", async () => {
    const engine = new Engine();
    const { execute } = desk();
    expect(await engine.run(execute(engine.step))).toEqual({ status: "completed", text: "paid" });
    expect(engine.names).toEqual(STEPS);
  });

  it.each([...STEPS.keys()])("goes on behind step %i, and asks nothing again that is stored", async (most) => {
    const engine = new Engine();
    const { asked, calls, execute } = desk();
    engine.most = most;
    expect(await engine.run(execute(engine.step))).toBe("cut off");
    engine.most = Infinity;
    expect(await engine.run(execute(engine.step))).toEqual({ status: "completed", text: "paid" });
    expect(engine.names).toEqual(STEPS);
    expect(asked).toEqual([0, 1, 2]);
    expect(calls.length).toBe(1);
  });

  it("repeats a call that was cut off with the same key, as a later attempt", async () => {
    const engine = new Engine();
    const { calls, execute } = desk();
    Object.assign(engine, { most: 4, inside: true });
    expect(await engine.run(execute(engine.step))).toBe("cut off");
    engine.most = Infinity;
    expect(await engine.run(execute(engine.step))).toMatchObject({ status: "completed" });
    const idempotencyKey = "x1:tool:pay:1";
    expect(calls).toEqual([
      { idempotencyKey, attempt: 1 },
      { idempotencyKey, attempt: 2 },
    ]);
  });

  it("ends the run, each time, if a call was cut off that must not be repeated", async () => {
    const engine = new Engine();
    const { calls, execute } = desk("manual-recovery");
    Object.assign(engine, { most: 4, inside: true });
    expect(await engine.run(execute(engine.step))).toBe("cut off");
    engine.most = Infinity;
    for (let execution = 0; execution < 2; execution++) {
      const outcome = await engine.run(execute(engine.step));
      expect(outcome).toMatchObject({ status: "error", code: "tool-denied" });
      expect((outcome as { message: string }).message).toMatch(/tool:pay:1 of execution x1 was cut off/);
    }
    expect(calls.length).toBe(1);
  });

  it("refuses a stored answer for another prompt", async () => {
    const engine = new Engine();
    const { execute } = desk();
    await engine.run(execute(engine.step));
    engine.stored.set("tool:find:1", JSON.stringify({ text: '{"cents":2}' }));
    expect(await engine.run(execute(engine.step))).toMatchObject({
      status: "error",
      code: "store-failed",
      message: "a prompt of 3 messages differs from the one whose answer is stored",
    });
  });

  it("stores an error of the provider, but leaves a retryable one to the engine", async () => {
    const engine = new Engine();
    const errors = [
      new AgentError("provider-response", "busy", { retryable: true, kind: "overloaded" }),
      new AgentError("provider-response", "no credit", { kind: "permission", hint: "Pay." }),
    ];
    const failing: LlmProviderAdapter = { turn: () => Promise.reject(errors.shift() as Error) };
    const turn = () => journaled(engine.step, "x").provider(failing).turn({ messages: [] });
    await expect(turn()).rejects.toMatchObject({ message: "busy", retryable: true });
    expect(engine.stored.size).toBe(0);
    for (let execution = 0; execution < 2; execution++) {
      const stored = { code: "provider-response", message: "no credit", kind: "permission", hint: "Pay." };
      await expect(turn()).rejects.toMatchObject(stored);
    }
  });

  it.each([
    [new ToolArgError("no such place", { field: "/place" }), { code: "tool-arguments", field: "/place" }],
    [new ToolPolicyError("not allowed"), { code: "tool-denied" }],
    [new Error("it rains"), {}],
  ])("stores how a tool failed: %o", async (error, fields) => {
    const engine = new Engine();
    let calls = 0;
    const tool: CustomTool = {
      ...{ name: "t", description: "T.", schema: { type: "object" } },
      invoke() {
        calls++;
        throw error;
      },
    };
    const context = { signal: new AbortController().signal, retryPolicy: "pure" } as CustomToolContext;
    for (let execution = 0; execution < 2; execution++) {
      const [stepped] = journaled(engine.step, "x").tools([tool]);
      await expect(stepped?.invoke({}, context)).rejects.toMatchObject({ message: error.message, ...fields });
    }
    expect(calls).toBe(1);
  });

  it.each(["null", "{}", "7", '{"prompt":1}', '{"prompt":"p","error":{"code":1}}', '{"text":1}'])(
    "ends the run if a step returns %s instead of what was stored",
    async (stored) => {
      for (const [name, code] of [
        ["turn:2", "store-failed"],
        ["tool:pay:1", "tool-denied"],
      ] as const) {
        const engine = new Engine();
        const { calls, execute } = desk();
        engine.stored.set(name, stored);
        const message = expect.stringContaining(`step ${name} of execution x1 returned`) as string;
        expect(await engine.run(execute(engine.step))).toEqual({ status: "error", text: "", code, message });
        expect(calls).toEqual([]);
      }
    },
  );

  it("stores nothing of a call or a turn that an abort ended", async () => {
    const engine = new Engine();
    const abort = new AbortController();
    const cut = () => (abort.abort(), Promise.reject(new Error("cut off")));
    const steps = journaled(engine.step, "x");
    const [tool] = steps.tools([{ name: "t", description: "T.", schema: { type: "object" }, invoke: cut }]);
    const context = { signal: abort.signal, retryPolicy: "pure" } as CustomToolContext;
    await expect(tool?.invoke({}, context)).rejects.toThrow("cut off");
    const denied = () => Promise.reject(new AgentError("provider-response", "cut off"));
    const request = { messages: [], signal: abort.signal };
    await expect(steps.provider({ turn: denied }).turn(request)).rejects.toThrow("cut off");
    expect(engine.stored.size).toBe(0);
  });

  it("refuses what is no step, and an execution without an id", () => {
    expect(() => journaled(undefined as never, "x")).toThrow(/Pass journaled\(step, id\)/);
    expect(() => journaled(new Engine().step, "")).toThrow(/Pass journaled\(step, id\)/);
  });
});
