// A function as the model: what it is given, answers of several steps, and answers that are refused.

import { describe, expect, it } from "vitest";
import { Agent } from "../../../src/core/session/agent.js";
import type { RuntimeLlm } from "../../../src/core/session/model/runtime-llm.js";
import { quietPorts } from "../../support/script.js";
import { readRun, testStore, typesOf } from "../../support/sessions.js";

const call = { type: "tool-call", toolCallId: "1", toolName: "look", input: { at: "sea" } } as const;
const result = { type: "tool-result", toolCallId: "1", toolName: "look", output: { seen: true } } as const;

describe("a function as the model", () => {
  it("PSS-05 PSS-06 is given the history, frozen, and answers with messages", async () => {
    const seen: unknown[] = [];
    const model: RuntimeLlm = async ({ history, signal }) => {
      expect(Object.isFrozen(history)).toBe(true);
      expect(signal).toBeInstanceOf(AbortSignal);
      seen.push(history.map(({ content }) => content));
      return [{ role: "assistant", content: `${history.length}` }];
    };
    const agent = new Agent({ model, ports: quietPorts() });
    expect((await (await agent.send("a")).result()).text).toBe("1");
    expect((await (await agent.send("b")).result()).text).toBe("3");
    expect(seen).toEqual([["a"], ["a", "1", "b"]]);
  });

  it("PSS-06 PSS-07 answers calls, results and a text at once: one step, with no policy asked", async () => {
    const store = testStore();
    let calls = 0;
    const agent = new Agent({
      model: () => {
        calls += 1;
        return [
          { role: "assistant", content: [{ type: "reasoning", text: "Hm." }, call] },
          { role: "tool", content: [result] },
          { role: "assistant", content: "The sea." },
        ];
      },
      ports: quietPorts(),
      host: { sessionStore: store },
      plugins: [
        {
          setup: (host) =>
            host.on("tool.call", () => {
              throw new Error("asked");
            }),
        },
      ],
    });
    const events = await readRun(await agent.send("Where?"));
    expect(typesOf(events)).toEqual([
      "user-text",
      "turn-start",
      "step-start",
      "assistant-reasoning",
      "tool-call",
      "tool-result",
      "assistant-text",
      "step-end",
      "turn-end",
    ]);
    expect(calls).toBe(1);
    expect(store.history("default")).toEqual([
      { role: "user", content: "Where?" },
      {
        role: "assistant",
        content: "",
        toolCalls: [{ id: "1", name: "look", arguments: { at: "sea" } }],
        reasoning: [{ type: "text", text: "Hm." }],
      },
      { role: "tool", toolCallId: "1", name: "look", content: '{"seen":true}' },
      { role: "assistant", content: "The sea." },
    ]);
  });

  it("PSS-05 is asked again after calls without a text, and keeps several texts in order", async () => {
    let calls = 0;
    const agent = new Agent({
      model: () =>
        calls++ === 0
          ? [
              { role: "assistant", content: "", toolCalls: [{ id: "1", name: "look", arguments: {} }] },
              { role: "tool", toolCallId: "1", name: "look", content: "gone", isError: true },
            ]
          : [
              { role: "assistant", content: "One." },
              { role: "assistant", content: "Two." },
            ],
      ports: quietPorts(),
    });
    const events = await readRun(await agent.send("Go."));
    expect(calls).toBe(2);
    expect(events.filter(({ type }) => type === "step-end")).toHaveLength(2);
    expect(events).toContainEqual(expect.objectContaining({ type: "tool-result", output: "gone", isError: true }));
    expect(events.flatMap((event) => (event.type === "assistant-text" ? [event.text] : []))).toEqual(["One.", "Two."]);
  });

  it.each<[string, unknown, string]>([
    ["nothing", undefined, "returned undefined"],
    ["an empty list", [], "returned an empty list"],
    ["a text", ["hi"], 'returned "hi" as message 0'],
    ["a user message", [{ role: "user", content: "x" }], "with the role"],
    ["a flawed message", [{ role: "assistant", content: 5 }], "/content is not a string"],
    ["an open call", [{ role: "assistant", content: [call] }], 'the call "1" of "look" without its result'],
    ["a result of no call", [{ role: "tool", content: [result] }], 'a result for the call "1", which is not open'],
    ["an unknown part", [{ role: "assistant", content: [{ type: "image" }] }], 'a part of the type "image"'],
  ])("PSS-05 fails the turn when it returns %s", async (_what, given, message) => {
    const agent = new Agent({ model: () => given as never, ports: quietPorts() });
    const { error } = await (await agent.send("Go.")).result();
    expect(error?.code).toBe("model-output");
    expect(error?.message).toContain(message);
  });

  it("PSS-05 fails the turn when it throws, and the next one goes on", async () => {
    let isBroken = true;
    const agent = new Agent({
      model: () => {
        if (isBroken) throw new Error("no key");
        return [{ role: "assistant", content: "Hi." }];
      },
      ports: quietPorts(),
    });
    expect((await (await agent.send("a")).result()).error?.message).toBe("no key");
    isBroken = false;
    expect((await (await agent.send("b")).result()).text).toBe("Hi.");
  });
});
