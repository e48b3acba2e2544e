// What an agent refuses when it is created, what a session refuses as input or key, and what both accept.

import { describe, expect, it } from "vitest";
import { Agent } from "../../../src/core/session/agent.js";
import { readInput } from "../../../src/core/session/input.js";
import type { AgentOptions } from "../../../src/core/session/options.js";
import { createInMemoryExecutionHost } from "../../../src/core/session/memory-host/host.js";
import { ask, quietPorts, say, tool } from "../../support/script.js";
import { scriptedAgent, testStore } from "../../support/sessions.js";

const model = { turn: () => Promise.reject(new Error("not called")) };
const refusal = (options: unknown): Error => {
  try {
    new Agent(options as AgentOptions);
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    return error as Error;
  }
  throw new Error("nothing was refused");
};

describe("the options of an agent", () => {
  it.each<[string, unknown, string]>([
    ["none", undefined, "Agent was given undefined. Pass { model, instructions }."],
    ["a list", [], "Agent was given a list"],
    ["no model", { instructions: "x" }, "Agent has no `model`"],
    ["a text as model", { model: "gpt-5" }, 'Agent has the text "gpt-5" as `model`'],
    ["another model", { model: {} }, "Agent has an object as `model`"],
    ["llm", { model, llm: model }, "Agent does not take `llm`. Pass it as `model`."],
    ["runtime", { runtime: {} }, "Agent does not take `runtime`"],
    ["sessions", { model, sessions: {} }, "Agent does not take `sessions`. Pass { host: { sessionStore } }."],
    ["a store", { model, store: {} }, "Agent does not take `store`. Pass { host: { sessionStore } }."],
    [
      "a sessionStore",
      { model, sessionStore: {} },
      "Agent does not take `sessionStore`. Pass { host: { sessionStore } }.",
    ],
    ["an unknown key", { model, systemPrompt: "x" }, "Agent has an unknown option `systemPrompt`"],
    ["a wrong name", { model, name: "" }, 'Agent has the name ""'],
    ["wrong instructions", { model, instructions: 5 }, "Agent has the instructions 5"],
    ["a wrong budget", { model, budget: { maxTurns: -1 } }, "budget.maxTurns is -1"],
    ["an unknown setting", { model, settings: { heat: 1 } }, "heat"],
    ["a wrong tool", { model, tools: [{ name: "x" }] }, "tool x has no description"],
    ["invalid tools", { model, tools: 5 }, "tools is 5. Pass a list of tools, or an object of tools by name."],
    [
      "a tool without execute",
      { model, tools: { x: { description: "x", inputSchema: {} } } },
      "tools.x has no execute",
    ],
    ["a tool without description", { model, tools: { x: { inputSchema: {}, execute() {} } } }, "tools.x has no desc"],
    [
      "a tool without a JSON Schema",
      { model, tools: { x: { description: "x", inputSchema: new Map(), execute() {} } } },
      "tools.x has no JSON Schema",
    ],
    ["a wrong store", { model, host: { sessionStore: {} } }, "the session store has no load, commit, delete"],
    ["a wrong host", { model, host: "memory" }, 'Agent has "memory" as `host`'],
    ["wrong subagents", { model, subagents: [{}] }, "Agent has subagents that are not a list of agents"],
    ["a wrong listener", { model, onEvent: 5 }, "Agent has the onEvent 5"],
    ["onReceipt without a key", { model, onReceipt: () => undefined }, "Agent has onReceipt and no signingKey"],
    ["a wrong memory", { model, memory: {} }, "the memory of Agent has no get, set, delete, keys, clear"],
    ["wrong ports", { model, ports: { now: 5 } }, "ports.now is 5"],
  ])("PSS-03 PSS-11 PSS-105 PSS-117 are refused with %s", (_what, options, message) => {
    expect(refusal(options).message).toContain(message);
  });

  it("PSS-72 PSS-79 refuse a session store together with an execution host", () => {
    const host = { ...createInMemoryExecutionHost(), sessionStore: testStore() };
    expect(refusal({ model, host }).message).toContain("has an execution host with a sessionStore");
  });

  it.each(
    Object.entries({
      ...{ instructions: "x", tools: [], toolChoice: "auto", subagents: [], policies: [], settings: {} },
      ...{ timeoutMs: 1, toolTimeoutMs: 1, streaming: true, onToolError: "end", maxCorrections: 1 },
    }),
  )("PSS-07 PSS-116 refuse %s with a function as the model", (key, value) => {
    const { message } = refusal({ model: () => [], [key]: value });
    expect(message).toContain(`has a function as \`model\` and also \`${key}\``);
  });

  it("PSS-117 keep the error that they come from as the cause", () => {
    expect(refusal({ model, budget: { maxTurns: -1 } }).cause).toMatchObject({ code: "invalid-options" });
  });

  it("PSS-68 PSS-105 PSS-120 make a namespace that is stable with a name, and else random", () => {
    const of = (options: Partial<AgentOptions>) => new Agent({ model, ...options }).namespace;
    expect(of({ name: "desk" })).toBe("agent:desk");
    expect(of({ name: "desk", namespace: "a:b c" })).toBe("agent:a%3Ab%20c");
    expect(of({})).toMatch(/^agent:[0-9a-f]{32}$/);
    expect(of({})).not.toBe(of({}));
  });

  it("PSS-11 PSS-12 offer tools by name, and toolChoice at every step", async () => {
    const weather = {
      description: "The weather.",
      inputSchema: { jsonSchema: { type: "object", properties: { city: { type: "string" } } } },
      execute: ({ city }: { city: string }, context: { abortSignal?: AbortSignal; messages?: unknown[] }) =>
        `${city} ${context.abortSignal instanceof AbortSignal} ${context.messages?.length}`,
    };
    const { agent, asked } = scriptedAgent([ask([{ name: "weather", arguments: { city: "Oslo" } }]), say("Rain.")], {
      tools: { weather: weather as never },
      toolChoice: "auto",
      settings: { temperature: 0 },
    });
    await (await agent.send("Weather?")).result();
    expect(asked.map(({ settings }) => settings)).toEqual(Array(2).fill({ temperature: 0, toolChoice: "auto" }));
    expect(asked[0]?.tools).toEqual([
      {
        name: "weather",
        description: "The weather.",
        schema: { type: "object", properties: { city: { type: "string" } } },
      },
    ]);
    expect(asked[1]?.messages.at(-1)).toMatchObject({ role: "tool", content: "Oslo true 0" });
  });

  it("takes schemas of libraries that implement Standard JSON Schema", () => {
    const schema = {
      "~standard": { jsonSchema: { input: ({ target }: { target: string }) => ({ type: "object", title: target }) } },
    };
    const agent = new Agent({ model, tools: { x: { description: "X.", inputSchema: schema, execute: () => 1 } } });
    expect(agent.receipts).toEqual([]);
  });
});

describe("the key of a session", () => {
  const agent = new Agent({ model, ports: quietPorts() });

  it.each([
    ["empty", ""],
    ["too long", "x".repeat(513)],
    ["half a pair", "\ud800"],
    ["a number", 5],
    ["a child's", "parent:a"],
  ])("PSS-21 PSS-105 is refused: %s", (_what, key) => {
    expect(() => agent.session(key as string)).toThrow(TypeError);
  });

  it("PSS-21 may have 512 characters", () => {
    expect(agent.session("x".repeat(512)).key).toHaveLength(512);
  });
});

describe("the input of a session", () => {
  const png = "iVBORw0KGgo=";

  it.each<[string, unknown, unknown, unknown]>([
    ["a string", "Hi.", { type: "user-text", text: "Hi." }, "Hi."],
    ["a list of strings", ["a", "b"], { type: "user-text", text: ["a", "b"] }, [text("a"), text("b")]],
    ["a user-text", { type: "user-text", text: "Hi." }, { type: "user-text", text: "Hi." }, "Hi."],
    ["a list of parts", [text("a")], { type: "user-message", content: [text("a")] }, [text("a")]],
    [
      "a user-message",
      { type: "user-message", content: [{ type: "image", image: "https://x.test/a.png" }] },
      { type: "user-message", content: [{ type: "image", image: "https://x.test/a.png" }] },
      [{ type: "image", url: "https://x.test/a.png" }],
    ],
    [
      "an image in a data URL",
      [{ type: "image", image: `data:image/png;base64,${png}` }],
      { type: "user-message", content: [{ type: "image", image: `data:image/png;base64,${png}` }] },
      [{ type: "image", mediaType: "image/png", data: png }],
    ],
    [
      "a file of text",
      [{ type: "file", data: "aMOp", mediaType: "text/plain" }],
      { type: "user-message", content: [{ type: "file", data: "aMOp", mediaType: "text/plain" }] },
      [text("hé")],
    ],
  ])("PSS-20 PSS-111 is %s", (_what, given, input, content) => {
    const read = readInput(given);
    expect(read.input).toEqual(input);
    expect(read.message).toEqual({ role: "user", content });
    expect(Object.isFrozen(read.input)).toBe(true);
  });

  it.each<[string, unknown, string]>([
    ["undefined", undefined, "is undefined"],
    ["an empty list", [], "is an empty list"],
    ["another type", { type: "user", text: "x" }, 'has the type "user"'],
    ["an unknown key", { type: "user-text", text: "x", more: 1 }, 'has an unknown key "more"'],
    ["an invalid part", [5], "has 5 as part 0"],
    ["an image without a type", [{ type: "image", image: png }], "part 0 whose image"],
    ["a film", [{ type: "file", data: "aMOp", mediaType: "video/mp4" }], "only image/* and text/*"],
    ["data that is not base64", [{ type: "file", data: "?", mediaType: "text/plain" }], "neither base64"],
    ["half a surrogate pair", "\ud800", "is not plain JSON"],
  ])("PSS-20 is refused: %s", async (_what, given, message) => {
    expect(() => readInput(given)).toThrow(TypeError);
    expect(() => readInput(given)).toThrow(message);
    const { agent } = scriptedAgent([]);
    await expect(agent.send(given as never)).rejects.toThrow(TypeError);
  });

  it("PSS-20 has a limit", () => {
    expect(() => readInput("x".repeat(8_388_608))).toThrow("the limit is 8388608");
  });
});

function text(value: string) {
  return { type: "text", text: value } as const;
}

it("PSS-11 a cap of cost that stops nothing is warned of once", async () => {
  const ports = quietPorts();
  const { agent } = scriptedAgent([say("1"), say("2")], { ports, budget: { maxCostUsd: 1 } });
  for (const text of ["a", "b"]) await (await agent.send(text)).result();
  expect(ports.warnings).toEqual([expect.stringContaining("its provider reported no cost")]);
});

it("PSS-102 policies of the agent are asked behind those of plugins", async () => {
  const asked: string[] = [];
  const { agent } = scriptedAgent([ask([{ name: "look" }]), say("Done.")], {
    tools: [tool("look", () => "seen")],
    policies: [{ call: () => void asked.push("policy") as undefined }],
    plugins: [{ setup: (host) => host.on("tool.call", () => void asked.push("plugin") as undefined) }],
  });
  await (await agent.send("Go.")).result();
  expect(asked).toEqual(["plugin", "policy"]);
});
