import { Agent, Runner, tool } from "@openai/agents";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { TapeMissError } from "../../../../src/cassette/tape/miss.js";
import { fromAgentsModel, toAgentsModel } from "../../../../src/harness/adapters/openai-agents/model.js";
import { replayTools } from "../../../../src/harness/adapters/openai-agents/replay-tools.js";
import { createUseCassette, type CassetteHandle } from "../../../../src/harness/cassette/use-cassette.js";
import { memoryFiles } from "../../../support/memory-files.js";
import { agentsModel, type Answer } from "../../../support/openai-agents.js";
import { rejection } from "../../../support/refusal.js";

const FILE = "tools.cassette.json";
const runner = new Runner({ tracingDisabled: true });
const call = (callId: string, name: string, given: string) =>
  ({ type: "function_call", callId, name, arguments: given, status: "completed" }) as const;
const DONE: Answer = [
  { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "Done." }] },
];
const CALLS: Answer = [
  call("c1", "find", '{"topic":"rain"}'),
  call("c2", "draw", '{"of":"rain"}'),
  call("c3", "fail", "{}"),
  call("c4", "find", "no JSON"),
];

function toolsOf() {
  const state = { calls: 0 };
  const tools = [
    tool({
      name: "find",
      description: "Finds notes.",
      parameters: z.object({ topic: z.string() }),
      execute: ({ topic }) => (state.calls++, { topic, notes: ["n1"] }),
    }),
    tool({
      name: "draw",
      description: "Draws.",
      parameters: z.object({ of: z.string() }),
      execute: () => {
        state.calls++;
        return [
          { type: "text", text: "a picture" },
          { type: "image", image: { url: "https://example.com/a.png" }, detail: "low" },
          { type: "file", file: { data: "aGk=", mediaType: "text/plain", filename: "a.txt" } },
          { type: "file", file: { url: "https://example.com/a.pdf" } },
          { type: "file", file: { url: "https://example.com/b.pdf", filename: "b.pdf" } },
        ];
      },
    }),
    tool({
      name: "fail",
      description: "Fails.",
      parameters: z.object({}),
      execute: () => {
        state.calls++;
        throw new Error("no permission");
      },
    }),
  ];
  return { state, tools };
}

async function run({ provider, ...handle }: CassetteHandle, tools: ReturnType<typeof toolsOf>["tools"]) {
  const model = toAgentsModel(provider);
  const agent = new Agent({ name: "guide", instructions: "Be brief.", model, tools: replayTools(handle, tools) });
  const { finalOutput, history } = await runner.run(agent, "Weather?");
  return { finalOutput, results: history.filter(({ type }) => type === "function_call_result") };
}

describe("replayTools for OpenAI Agents", () => {
  async function recorded() {
    const useCassette = createUseCassette({ files: memoryFiles(), environment: {} });
    const { tools, state } = toolsOf();
    const handle = await useCassette(FILE, fromAgentsModel(agentsModel([CALLS, DONE]).model, "acme"), {
      mode: "record",
    });
    const first = await run(handle, tools);
    await handle.done();
    return { useCassette, tools, state, first, calls: state.calls };
  }

  it("gives texts, JSON, images, files and errors as recorded, and calls no tool", async () => {
    const { useCassette, tools, state, first, calls } = await recorded();
    expect([calls, first.results]).toMatchObject([3, { length: 4 }]);
    const handle = await useCassette(FILE, () => Promise.reject(new Error("asked")), {
      mode: "replay",
      replay: "both",
    });
    expect(await run(handle, tools)).toEqual(first);
    await handle.done();
    expect(state.calls).toBe(calls);
  });

  it("ends the run at another argument, although the SDK tells the model of errors", async () => {
    const { useCassette, tools } = await recorded();
    const changed = [call("c1", "find", '{"topic":"hail"}'), ...CALLS.slice(1)];
    const { model, asked } = agentsModel([changed, DONE]);
    const handle = await useCassette(FILE, fromAgentsModel(model, "acme"), {
      mode: "replay",
      replay: "tools",
    });
    const error = await rejection(run(handle, tools));
    expect(String(error)).toContain('find({"topic":"hail"}) is not on the tape');
    expect(await rejection(handle.done())).toBeInstanceOf(TapeMissError);
    expect(asked).toHaveLength(1);
  });

  it("gives a call the result of its own id, where an equal one was rejected before its tool ran", async () => {
    const files = memoryFiles();
    const useCassette = createUseCassette({ files, environment: {} });
    let asked = 0;
    const guard = () => ({ behavior: asked++ === 0 ? { type: "rejectContent", message: "NO" } : { type: "allow" } });
    const lookup = tool({
      name: "lookup",
      description: "Looks up.",
      parameters: z.object({}),
      execute: () => "REAL",
      inputGuardrails: [{ name: "guard", run: async () => guard() as never }],
    });
    const calls = [call("a", "lookup", "{}"), call("b", "lookup", "{}")];
    const live = () => fromAgentsModel(agentsModel([calls, DONE]).model, "acme");
    const recording = await useCassette(FILE, live(), { mode: "record" });
    const first = await run(recording, [lookup] as never);
    await recording.done();
    asked = 0;
    const replay = await useCassette(FILE, live(), { mode: "replay", replay: "both" });
    expect(await run(replay, [lookup] as never)).toEqual(first);
    await replay.done();
  });

  it("refuses a tool that acts on this machine in another way, and leaves hosted and live ones", async () => {
    const { useCassette, tools } = await recorded();
    const both = await useCassette(FILE, fromAgentsModel(agentsModel([]).model, "acme"), {
      mode: "replay",
      replay: "both",
    });
    const hosted = { type: "hosted_tool", name: "web_search" };
    expect(replayTools(both, [hosted])[0]).toBe(hosted);
    expect(() => replayTools(both, [{ type: "shell", name: "shell" }])).toThrow('a tool of type "shell"');
    expect(() => replayTools(both, {} as never)).toThrow("replayTools cannot replay");
    const model = await useCassette(FILE, fromAgentsModel(agentsModel([]).model, "acme"), { mode: "replay" });
    expect(replayTools(model, tools)).toEqual(tools);
  });
});
