// Recordings of every adapter and of every vendor's wire, asked of every vendor's model: what was recorded through one of them can be
// sent through any other.

import { Agent, Runner, tool as agentsTool } from "@openai/agents";
import { AIMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { createAgent, tool as langChainTool } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { CassetteV2 } from "../../../src/cassette/file/format.js";
import { recordingProvider } from "../../../src/cassette/record/recording-provider.js";
import type { LlmProviderAdapter } from "../../../src/core/model/provider.js";
import { createRuntime } from "../../../src/core/runtime/runtime.js";
import type { WireName } from "../../../src/core/vendors/table.js";
import { vendorProvider, VENDORS } from "../../../src/core/vendors/vendors.js";
import { cassetteChatModel, fromLangChain } from "../../../src/entry/langchain.js";
import { mcpTools } from "../../../src/entry/mcp.js";
import { fromAiSdk } from "../../../src/harness/adapters/ai-sdk/from-ai-sdk.js";
import { toAiSdk } from "../../../src/harness/adapters/ai-sdk/to-ai-sdk.js";
import { fromAgentsModel, toAgentsModel } from "../../../src/harness/adapters/openai-agents/model.js";
import { stepCheck } from "../../../src/harness/step-check/check.js";
import { createStepGate } from "../../../src/harness/step-check/gate.js";
import { RICH as AI_SDK_ANSWERS, richTools, scriptedModel, SDKS } from "../../support/ai-sdk.js";
import { agentsModel, RICH as AGENTS_ANSWERS } from "../../support/openai-agents.js";
import { ask, say } from "../../support/script.js";
import { startVendor } from "../../support/vendor.js";
import { CLIENT_AGENTS } from "../../support/vendor-clients.js";

const WIRE_NAMES = Object.keys(VENDORS) as WireName[];
const city = z.object({ city: z.string() });
const answers = () => [ask([{ id: "a", name: "weather", arguments: { city: "Oslo" } }]), say("It rains in Oslo.")];

async function record(live: LlmProviderAdapter, run: (recorder: LlmProviderAdapter) => Promise<unknown>) {
  const recorder = recordingProvider(live);
  await run(recorder);
  return recorder.toCassette();
}

async function throughMcp(): Promise<CassetteV2> {
  const server = new McpServer({ name: "weather", version: "1.0.0" });
  const rain = () => ({ content: [{ type: "text" as const, text: "rain" }] });
  server.registerTool("weather", { description: "The weather.", inputSchema: city }, rain);
  const client = new Client({ name: "test", version: "1.0.0" });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  const customTools = await mcpTools(client);
  const script = answers();
  const live: LlmProviderAdapter = { name: "live", turn: async () => script.shift() ?? say("?") };
  const cassette = await record(live, (provider) =>
    createRuntime({ agents: [{ id: "guide", systemPrompt: "Be brief.", provider, customTools }] }).run({
      goal: "Rain?",
    }),
  );
  await Promise.all([client.close(), server.close()]);
  return cassette;
}

function throughLangChain(): Promise<CassetteV2> {
  const call = { id: "call_0", name: "weather", args: { city: "Oslo" } };
  const model = fakeModel()
    .respond(new AIMessage({ content: "Looking.", tool_calls: [call] }))
    .respond(new AIMessage("It rains in Oslo."));
  const weather = langChainTool(() => "rain", { name: "weather", description: "The weather.", schema: city });
  return record(fromLangChain(model), (provider) =>
    createAgent({ model: cassetteChatModel(provider), tools: [weather], systemPrompt: "Be brief." }).invoke({
      messages: [{ role: "user", content: "Rain?" }],
    }),
  );
}

function throughAgents(): Promise<CassetteV2> {
  const { model } = agentsModel(AGENTS_ANSWERS);
  const weather = agentsTool({ name: "weather", description: "The weather.", parameters: city, execute: () => "rain" });
  const clock = agentsTool({
    ...{ name: "clock", description: "The time.", parameters: z.object({ zone: z.string() }), execute: () => "noon" },
  });
  return record(fromAgentsModel(model), (provider) => {
    const agent = new Agent({ name: "guide", model: toAgentsModel(provider), tools: [weather, clock] });
    return new Runner({ tracingDisabled: true }).run(agent, "Rain?");
  });
}

const AI_SDK = SDKS.map(([name, sdk, version]) => {
  const through = () =>
    record(fromAiSdk(scriptedModel(AI_SDK_ANSWERS, version) as never), (provider) =>
      sdk.generateText({
        ...{
          model: toAiSdk(provider, { specificationVersion: version }) as never,
          prompt: "Rain?",
          tools: richTools(sdk),
          maxRetries: 0,
        },
        stopWhen: sdk.stepCountIs(3),
      }),
    );
  return [name, through] as const;
});

/** What the doors of HTTP record of a vendor's own client. */
async function throughWire(wire: WireName): Promise<CassetteV2> {
  const script = answers();
  const vendor = await startVendor((_, index) => script[index] ?? say("?"));
  await CLIENT_AGENTS[wire]({ url: vendor.url });
  await vendor.close();
  let index = 0;
  return record({ name: wire, turn: async () => script[index++] ?? say("?") }, async (recorder) => {
    for (const { request } of vendor.asked) if (request !== undefined) await recorder.turn(request);
  });
}

const RECORDINGS: readonly (readonly [string, () => Promise<CassetteV2>])[] = [
  ...AI_SDK,
  ["OpenAI Agents", throughAgents],
  ["LangChain", throughLangChain],
  ["MCP tools", throughMcp],
  ...WIRE_NAMES.map((wire) => [`the wire of ${wire}`, () => throughWire(wire)] as const),
];

describe.each(RECORDINGS)("a recording of %s", (_, make) => {
  it("can be asked of every vendor's model, each question with the results so far", async () => {
    const cassette = await make();
    expect(cassette.entries.length).toBeGreaterThan(1);
    for (const wire of WIRE_NAMES) {
      const vendor = await startVendor(() => say("Who knows?"));
      const path = {
        gemini: "/v1beta",
        openai: "/v1",
        responses: "/v1",
        cohere: "/v2",
        anthropic: "",
        bedrock: "",
        ollama: "",
      };
      const key = wire === "ollama" ? {} : { apiKey: "k" };
      const options = { ...key, model: "another", baseURL: vendor.url + path[wire] };
      const provider = vendorProvider(VENDORS[wire] as never, options as never);
      const { turns } = await stepCheck(cassette, provider, { gate: createStepGate({ concurrency: 1 }) });
      await vendor.close();
      expect(
        turns.map((turn) => (turn.state === "compared" ? turn.verdict : turn)),
        wire,
      ).toEqual([...cassette.entries.slice(1).map(() => "answered"), "same"]);
      const last = vendor.asked.at(-1)?.request;
      expect(last?.messages.filter(({ role }) => role === "tool").length, wire).toBeGreaterThan(0);
      expect(
        last?.tools?.map(({ name }) => name),
        wire,
      ).toContain("weather");
    }
  });
});
