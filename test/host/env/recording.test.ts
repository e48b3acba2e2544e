// Recordings of conversations: one cassette each, which replay to the same events and messages, whatever the script, policy and caps.

import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { cassetteProvider } from "../../../src/cassette/replay/replay.js";
import { recordingProvider } from "../../../src/cassette/record/recording-provider.js";
import { runCli } from "../../../src/cli/main.js";
import { delegateHook } from "../../../src/core/env/hooks/delegate.js";
import { compositeHook, type Hook } from "../../../src/core/env/hook.js";
import { toolHook } from "../../../src/core/env/hooks/tools.js";
import type { EnvEvent } from "../../../src/core/env/run/event.js";
import { createEnvRuntime, type EnvRuntime } from "../../../src/core/env/runtime.js";
import { createInMemoryStorage } from "../../../src/core/env/storage/memory-storage.js";
import type { LlmProviderAdapter, LlmTurnRequest } from "../../../src/core/model/provider.js";
import { providerScript } from "../../../src/harness/arbitraries/index.js";
import { createUseCassetteFolder } from "../../../src/harness/cassette/cassette-folder.js";
import { nodeFiles } from "../../../src/host/files.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import { ask, say, tool } from "../../support/script.js";
import { AGENT, playEnv } from "../../support/env.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const folder = temporaryFolder();
afterAll(() => folder.remove());
const useCassetteFolder = createUseCassetteFolder({ files: nodeFiles(), environment: {} });
/** Pieces of an answer depend on whether a provider streams, so they are not compared. */
const isDelta = (type: EnvEvent["type"]) => type === "text-delta" || type === "thinking-delta";
const offline: LlmProviderAdapter = { turn: () => Promise.reject(new Error("a replay asked the vendor")) };

describe("a recorded conversation", () => {
  it("replays to the same events and entries, for any script, caps and policy", async () => {
    const tools = [tool("look", () => "r".repeat(200)), tool("send_mail", () => "sent")];
    const play = async (
      provider: LlmProviderAdapter,
      limits: { maxTurns: number; maxTokens: number; keepTokens: number },
    ) => {
      const events: unknown[] = [];
      const hook = toolHook(tools);
      const { maxTurns, ...policy } = limits;
      const { runtime, entries } = playEnv({
        provider,
        env: {
          hook: () => hook,
          onAgentEvent: (_a, _id, { runId: _runId, ...event }) => void (isDelta(event.type) || events.push(event)),
        },
        agent: { compaction: policy, budget: { maxTurns } },
      });
      for (const content of ["one ".repeat(50), "two ".repeat(50)])
        await runtime
          .send({ agent: AGENT, content })
          .catch((error: unknown) => events.push(String((error as { code?: string }).code)));
      return { events, entries: entries() };
    };
    const limits = fc.record({
      maxTurns: fc.integer({ min: 1, max: 8 }),
      maxTokens: fc.integer({ min: 40, max: 200 }),
      keepTokens: fc.integer({ min: 1, max: 39 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(providerScript(), { minLength: 1, maxLength: 3 }), limits, async (scripts, given) => {
        const recorder = recordingProvider(scriptedProvider(scripts.flat()));
        const live = await play(recorder, given);
        // A provider that throws is recorded as far as it answered, so only runs that the script was enough for are replayed.
        fc.pre(!live.events.includes("script-exhausted") && recorder.turns > 0);
        const replayed = await play(cassetteProvider(recorder.toCassette(), {}), given);
        expect(replayed).toEqual(live);
      }),
      { numRuns: 60 },
    );
  });

  it("of two agents that delegate makes two cassettes, which verify and replay without a vendor or a tool", async () => {
    const place = folder.path("delegation");
    let looked = 0;
    const model = {
      turn: async ({ messages }: LlmTurnRequest) => {
        const last = messages.at(-1);
        if (last?.role === "tool") return say(`told: ${last.content}`);
        const name = messages[0]?.content;
        return ask([
          name === "lead" ? { name: "delegate", arguments: { to: "scout", task: "Find it." } } : { name: "look" },
        ]);
      },
    };
    const play = async (mode: "record" | "replay", live: LlmProviderAdapter) => {
      const cassettes = await useCassetteFolder(place, { mode, replay: "both" });
      const holder: { runtime?: EnvRuntime } = {};
      const hook: Hook = compositeHook(
        delegateHook({ members: { scout: "Finds." }, send: (request) => (holder.runtime as EnvRuntime).send(request) }),
        cassettes.hook(toolHook([tool("look", () => ((looked += 1), "a stone"))])),
      );
      const events: EnvEvent["type"][] = [];
      const agents = [
        { name: "lead", instructions: "lead", tools: ["delegate"] },
        { name: "scout", instructions: "scout", tools: ["look"] },
      ];
      holder.runtime = createEnvRuntime(
        {
          storage: createInMemoryStorage(),
          provider: live,
          env: { hook: () => hook, onAgentEvent: (_a, _i, { type }) => void (isDelta(type) || events.push(type)) },
        },
        { agents, providerFor: ({ id }) => cassettes.provider(id, () => live) },
      );
      const { finalAnswer } = await holder.runtime.send({ agent: "lead", content: "Go." });
      await cassettes.done();
      return { finalAnswer, events };
    };
    const live = await play("record", model);
    expect(live.finalAnswer).toBe("told: told: a stone");
    expect(await play("replay", offline)).toEqual(live);
    expect(looked).toBe(1);
    let out = "";
    const io = { stderr: () => undefined, env: {}, cwd: place, isTTY: false, stderrIsTTY: false, files: nodeFiles() };
    for (const args of [
      ["verify", "."],
      ["show", "lead.cassette.json"],
      ["diff", ".", "."],
    ]) {
      const code = await runCli(args, { ...io, stdout: (text) => void (out += text) });
      expect([args[0], code, out]).toEqual([args[0], 0, out]);
    }
    expect(out).toContain("2 ");
  });
});
