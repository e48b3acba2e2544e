// What an agent learns of its subagents, checked when it is created.

import { describe, expect, it } from "vitest";
import { Agent } from "../../../../src/core/session/agent.js";
import { scriptedProvider } from "../../../../src/core/providers/scripted.js";
import { createInMemoryExecutionHost } from "../../../../src/core/session/memory-host/host.js";
import { MemorySessionStore } from "../../../../src/core/session/memory-host/sessions.js";
import { ask, say, tool } from "../../../support/script.js";
import { scriptedAgent } from "../../../support/sessions.js";
import { delegate } from "../../../support/subagents.js";

const model = scriptedProvider([say("ok")]);
const named = (name: string, description = "Helps.") => new Agent({ model, name, description });

describe("subagents", () => {
  it.each([
    ["without a name", [new Agent({ model, description: "x" })], /subagent 0 without a name/],
    ["without a description", [new Agent({ model, name: "a" })], /subagent a without a description/],
    ["with a name that no tool can have", [named("Bob")], /"Bob"/],
    ["with a name of 53 characters", [named("a".repeat(53))], /name/],
    ["with names that are one tool", [named("a-b"), named("a_b")], /a-b and a_b.*delegate_to_a_b/],
    [
      "that only look like agents",
      [{ name: "a", description: "b", session: () => undefined as never }],
      /not an Agent/,
    ],
  ])("PSS-31 PSS-114 PSS-115 are refused %s", (_, subagents, text) => {
    expect(() => new Agent({ model, subagents })).toThrow(TypeError);
    expect(() => new Agent({ model, subagents })).toThrow(text);
  });

  it.each(["delegate_to_a", "background_output", "background_cancel"])(
    "PSS-115 refuse a tool %s of the agent",
    (name) => {
      const tools = [tool(name, () => 1)];
      expect(() => new Agent({ model, subagents: [named("a")], tools })).toThrow(new RegExp(`a tool ${name}`));
      expect(() => new Agent({ model, tools })).not.toThrow();
    },
  );

  it("PSS-116 refuse a parent whose model is a function", () => {
    expect(() => new Agent({ model: () => [], subagents: [named("a")] })).toThrow(
      /function as `model` and also `subagents`/,
    );
  });

  it("PSS-32 PSS-33 PSS-114 give the model a tool each, with four parameters", async () => {
    const { agent, asked } = scriptedAgent([say("ok")], { subagents: [named("a-b", "Counts.")] });
    await (await agent.send("go")).result();
    const [first] = asked[0]?.tools ?? [];
    expect(first).toMatchObject({ name: "delegate_to_a_b", description: expect.stringContaining("Counts.") as string });
    expect(first?.schema).toMatchObject({
      required: ["prompt"],
      properties: { prompt: {}, description: {}, sessionKey: {}, run_in_background: {} },
    });
  });

  it("PSS-76 PSS-77 PSS-78 offer background work where this process or an execution host owns it", async () => {
    const sessionStore = new MemorySessionStore();
    const inProcess = { backgroundSubagents: "in-process" } as const;
    for (const [host, isOffered] of [
      [undefined, true],
      [{ sessionStore }, false],
      [{ sessionStore, capabilities: inProcess }, true],
      [{ sessionStore, capabilities: { backgroundSubagents: "durable" } }, false],
      [createInMemoryExecutionHost({ backgroundSubagents: "durable" }), true],
      [createInMemoryExecutionHost(), true],
    ] as const) {
      const calls = ask([delegate("a", { prompt: "p", run_in_background: true })]);
      const subagents = [named("a")];
      const { agent, asked } = scriptedAgent([calls, say("ok")], { name: "desk", subagents, ...(host && { host }) });
      await (await agent.send("go")).result();
      const names = asked[0]?.tools?.map(({ name }) => name);
      expect(names?.includes("background_output")).toBe(isOffered);
      expect(JSON.stringify(asked[0]?.tools).includes("run_in_background")).toBe(isOffered);
      expect(asked[1]?.messages.at(-1)?.content === "tool unavailable").toBe(!isOffered);
    }
  });
});
