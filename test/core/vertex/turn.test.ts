// The turn core, driven by its two front doors with stubs: a vertex, and a session that keeps its messages.

import { describe, expect, it } from "vitest";
import { createToolSet } from "../../../src/core/tools/registry.js";
import type { LlmProviderAdapter } from "../../../src/core/model/provider.js";
import type { CustomTool } from "../../../src/core/tools/tool.js";
import { scriptedProvider, type ScriptStep } from "../../../src/core/providers/scripted.js";
import { ask, say, tool, watchedScript } from "../../support/script.js";
import { depsOf, execute, vertexOf } from "../../support/vertex.js";
import { openSession } from "../../support/vertex-session.js";

const LOOK = tool("look", () => "seen");
const usage = { inputTokens: 3, outputTokens: 2 };

/** The types and texts of the events of one run, and how it ended. */
type Door = (provider: LlmProviderAdapter, tools: readonly CustomTool[]) => Promise<{ events: unknown[]; end: string }>;

const doors: [string, Door][] = [
  [
    "a vertex",
    async (first, tools) => {
      const names = tools.map(({ name }) => name);
      const { events, outcome } = await execute(
        depsOf({ first }, {}, tools),
        vertexOf({}, { tools: names }, "session"),
      );
      return { events: [...events], end: outcome.kind === "completed" ? String(outcome.output) : outcome.error.code };
    },
  ],
  [
    "a session",
    async (provider, tools) => {
      const set = createToolSet("s", { customTools: tools }, undefined);
      const session = openSession({ provider, tools: set, limits: { maxTurns: 17 } });
      try {
        const { stop } = await session.send("Write about rain.");
        return { events: session.events, end: stop.kind === "finished" ? stop.finalAnswer : "turn_limit" };
      } catch (error) {
        return { events: session.events, end: (error as { code: string }).code.replace("-", "_") };
      }
    },
  ],
];

describe.each(doors)("REL-02 REL-04 REL-06 REL-85 the turn core behind %s", (_name, run) => {
  it("REL-03 REL-05 REL-41 folds a conversation with a tool into bodies without an envelope", async () => {
    const script = scriptedProvider([
      ask([{ name: "look", arguments: { at: 1 } }], { content: "Hm.", usage, model: "m-1" }),
      say("Done.", { usage, model: "m-1" }),
    ]);
    const { events, end } = await run(script, [LOOK]);
    expect(end).toBe("Done.");
    const cost = { type: "cost:updated", nodeId: "session", model: "m-1", inputTokens: 3, outputTokens: 2 };
    const free = { costMicrocents: 0, cumulativeCostMicrocents: 0, attemptNumber: 1 };
    expect(events).toEqual([
      { ...cost, ...free },
      { type: "agent:token", nodeId: "session", token: "Hm.", model: "m-1" },
      {
        ...{ type: "agent:tool_call", nodeId: "session", model: "m-1", toolId: "look", toolInput: { at: 1 } },
        attemptNumber: 1,
      },
      {
        ...{ type: "agent:tool_result", nodeId: "session", toolId: "look", success: true, outputSummary: "seen" },
        attemptNumber: 1,
      },
      { ...cost, ...free },
      { type: "agent:token", nodeId: "session", token: "Done.", model: "m-1" },
    ]);
  });

  it.each<[string, ScriptStep, readonly CustomTool[], string]>([
    ["a tool that fails", ask([{ name: "look" }]), [tool("look", () => Promise.reject(new Error("x")))], "tool_failed"],
    ["a refused tool, four times", ask([{ name: "absent" }]), [], "tool_failed"],
    ["a tool for ever", ask([{ name: "look" }]), [LOOK], "turn_limit"],
  ])("ends on %s", async (_case, step, tools, end) => {
    const script = scriptedProvider(Array.from({ length: 17 }, () => step));
    expect((await run(script, tools)).end).toBe(end);
  });

  it("REL-42 REL-74 sends the assistant's turn with its reasoning, as long as the model calls tools", async () => {
    const first = ask([{ name: "look" }], { content: "Hm." });
    first.message.reasoning = [{ type: "text", text: "I think.", signature: "s" }];
    const script = watchedScript([first, say("Done.")]);
    await run(script, [LOOK]);
    expect(script.asked.map(({ messages }) => messages.filter(({ role }) => role !== "system").length)).toEqual([1, 3]);
    expect(script.asked[1]?.messages.at(-2)).toEqual(first.message);
  });
});

describe("a session", () => {
  it("keeps its messages from one message to the next", async () => {
    const script = watchedScript([say("One."), say("Two.")]);
    const tools = createToolSet("s", {}, undefined);
    const session = openSession({ provider: script, tools, limits: {} });
    await session.send("a");
    await session.send("b");
    expect(script.asked[1]?.messages.map(({ content }) => content)).toEqual(["a", "One.", "b"]);
  });
});
