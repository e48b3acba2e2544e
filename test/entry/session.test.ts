// The door `playhead/session`: models of the AI SDK, sessions in a folder, and an agent as the member of a fleet.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { LlmProviderAdapter } from "../../src/core/model/provider.js";
import { scriptedProvider } from "../../src/core/providers/scripted.js";
import { createRuntime } from "../../src/core/runtime/runtime.js";
import * as execution from "../../src/entry/execution.js";
import * as root from "../../src/entry/playhead.js";
import * as plugins from "../../src/entry/plugins.js";
import * as fileStore from "../../src/entry/session-store-file.js";
import * as memoryStore from "../../src/entry/session-store-memory.js";
import * as session from "../../src/entry/session.js";
import { memory, sessions } from "../../src/entry/plugins.js";
import { Agent, toRuntime } from "../../src/entry/session.js";
import { toAiSdk } from "../../src/harness/adapters/ai-sdk/to-ai-sdk.js";
import type { AnyAiSdkModel } from "../../src/harness/adapters/ai-sdk/sdk-types.js";
import { cassetteProvider } from "../../src/cassette/replay/replay.js";
import { recordingProvider } from "../../src/cassette/record/recording-provider.js";
import { SDKS, scriptedModel } from "../support/ai-sdk.js";
import { repositoryRoot } from "../support/built.js";
import { ask, quietPorts, say, tool } from "../support/script.js";
import { readRun, scriptedAgent } from "../support/sessions.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const look = tool("look", () => "seen");
const steps = () => [ask([{ name: "look", id: "call_1", arguments: { at: "sea" } }]), say("Done.")];

describe("the import paths", () => {
  it("PSS-10 are apart from the package's own, which loads nothing of them", () => {
    const { exports } = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8")) as {
      exports: Record<string, unknown>;
    };
    for (const [path, door, name] of [
      ["./session", session, "Agent"],
      ["./execution", execution, "resumeAndDrain"],
      ["./session-store/memory", memoryStore, "MemorySessionStore"],
      ["./session-store/file", fileStore, "FileSessionStore"],
      ["./plugins", plugins, "compaction"],
    ] as const) {
      expect(exports).toHaveProperty([path]);
      expect(door).toHaveProperty(name);
      expect(root).not.toHaveProperty(name);
    }
  });
});

describe("a model of the AI SDK", () => {
  it.each(["v2", "v3", "v4"] as const)(
    "PSS-04 of specification %s gives the transcript of the provider",
    async (version) => {
      const native = scriptedAgent(steps(), { tools: [look] });
      const expected = await readRun(await native.agent.send("Go."));
      const model = toAiSdk(scriptedProvider(steps()), { specificationVersion: version }) as unknown as AnyAiSdkModel;
      for (const streaming of [false, true]) {
        const own = toAiSdk(scriptedProvider(steps()), { specificationVersion: version }) as unknown as AnyAiSdkModel;
        const agent = new Agent({ model: own, tools: [look], ports: quietPorts(), streaming });
        const events = await readRun(await agent.send("Go."));
        expect(events.filter(({ type }) => !type.endsWith("-delta"))).toEqual(expected);
      }
      expect(model.specificationVersion).toBe(version);
    },
  );

  it.each(SDKS)("PSS-04 of %s answers, also with tools of the SDK", async (_name, sdk, version) => {
    const model = scriptedModel(
      [
        { content: [{ type: "tool-call", toolCallId: "t1", toolName: "look", input: '{"at":"sea"}' }] },
        { content: [{ type: "text", text: "Done." }] },
      ],
      version,
    );
    const tools = {
      look: sdk.tool({
        description: "Looks.",
        inputSchema: sdk.jsonSchema({ type: "object", properties: { at: { type: "string" } } }),
        execute: async ({ at }: { at: string }) => ({ saw: at }),
      } as never),
    };
    const helper = new Agent({
      name: "helper",
      description: "Helps.",
      model: scriptedProvider([]),
      ports: quietPorts(),
    });
    const agent = new Agent({
      ...{ model: model as unknown as AnyAiSdkModel, instructions: "Be brief.", tools: tools as never },
      ...{ subagents: [helper], ports: quietPorts() },
    });
    const run = await agent.send("Go.");
    const events = await readRun(run);
    expect(JSON.stringify(model.calls[0])).toMatch(/Be brief\..*"look".*"delegate_to_helper"/s);
    expect(events.find(({ type }) => type === "tool-result")).toMatchObject({ output: '{"saw":"sea"}' });
    expect((await run.result()).text).toBe("Done.");
  });

  it("PSS-117 of another specification is a TypeError", () => {
    const model = { specificationVersion: "v1", provider: "x", modelId: "x", doGenerate() {}, doStream() {} };
    expect(() => new Agent({ model: model as never })).toThrow(TypeError);
    expect(() => new Agent(undefined as never)).toThrow(TypeError);
  });
});

describe("sessions in a folder", () => {
  it("PSS-66 PSS-100 PSS-101 PSS-112 are kept by a plugin, and no overlay is", async () => {
    const temporary = temporaryFolder();
    const folder = temporary.path("sessions");
    const first = scriptedAgent([say("1"), say("2")], { instructions: "Count.", plugins: [sessions.file(folder)] });
    await (await first.agent.session("default").overlay("overlay text")).result();
    await (await first.agent.send("a")).result();
    await (await first.agent.send("b")).result();
    const prompts = first.asked.map(({ messages }) => messages.map(({ content }) => content));
    expect(prompts).toEqual([
      ["Count.", "overlay text", "a"],
      ["Count.", "a", "1", "b"],
    ]);
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json"));
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) expect(readFileSync(join(folder, file), "utf8")).not.toContain("overlay text");
    const second = scriptedAgent([say("3")], { plugins: [sessions.file(folder)] });
    await (await second.agent.send("c")).result();
    expect(second.asked[0]?.messages).toHaveLength(5);
    temporary.remove();
  });
});

describe("a cassette", () => {
  const runtimeOf = (provider: LlmProviderAdapter) =>
    createRuntime({
      agents: [{ id: "agent", systemPrompt: "Be brief.", provider, customTools: [look] }],
      ports: quietPorts(),
    });

  it("of a runtime replays on an agent, and the other way round", async () => {
    const recorder = recordingProvider(scriptedProvider(steps()));
    await runtimeOf(recorder).run({ goal: "Go." });
    const replayed = cassetteProvider(recorder.toCassette());
    const agent = new Agent({ model: replayed, instructions: "Be brief.", tools: [look], ports: quietPorts() });
    expect((await (await agent.send("Go.")).result()).text).toBe("Done.");

    const other = recordingProvider(scriptedProvider(steps()));
    const recorded = new Agent({
      model: other,
      instructions: "Be brief.",
      tools: [look],
      ports: quietPorts(),
    });
    await (await recorded.send("Go.")).result();
    const back = await runtimeOf(cassetteProvider(other.toCassette())).run({ goal: "Go." });
    expect(back.finalAnswer).toBe("Done.");
  });
});

describe("toRuntime", () => {
  it("runs each goal in a session of its own, and rejects with the error of the turn", async () => {
    const { agent, asked } = scriptedAgent(
      [
        ...steps(),
        say("Again."),
        () => {
          throw new Error("overloaded");
        },
      ],
      { tools: [look], name: "desk", instructions: "Be brief." },
    );
    const runtime = toRuntime(agent);
    const result = await runtime.run({ goal: "Go." });
    expect(result).toMatchObject({
      agentId: "desk",
      finalAnswer: "Done.",
      turns: 2,
      toolCalls: 1,
      ended: { kind: "exit" },
    });
    expect(result.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "assistant"]);
    await runtime.run({ goal: "Go on." });
    expect(asked[2]?.messages).toHaveLength(2);
    await expect(runtime.run({ goal: "Fail." })).rejects.toThrow("overloaded");
    await expect(runtime.run({ goal: 5 as never })).rejects.toMatchObject({ code: "invalid-options" });
    await expect(runtime.run({ goal: "x", signal: AbortSignal.abort() })).rejects.toThrow();
    await runtime.destroy();
    await expect(agent.send("x")).rejects.toMatchObject({ code: "session-closed" });
  });
});

it("memory() refuses wrong options", () => {
  expect(() => memory({ namespace: "" })).toThrow(TypeError);
  expect(() => memory({ folder: "x" } as never)).toThrow(TypeError);
});
