// The two servers, asked by the vendors' own clients.

import Anthropic from "@anthropic-ai/sdk";
import Anthropic11 from "anthropic11";
import { Mistral } from "@mistralai/mistralai";
import type { AssistantMessage, ChatCompletionRequest, DeltaMessage } from "@mistralai/mistralai/models/components";
import { CohereClientV2, type Cohere } from "cohere-ai";
import { request, type RequestOptions } from "node:http";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConverseCommand, ConverseStreamCommand, type Message } from "@aws-sdk/client-bedrock-runtime";
import type { DocumentType } from "@smithy/types";
import { GoogleGenAI, type Content, type Part } from "@google/genai";
import { Agent as SdkAgent, OpenAIProvider, Runner, tool } from "@openai/agents";
import { Ollama } from "ollama";
import OpenAI from "openai";
import OpenAI7 from "openai7";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import type { CassetteV2 } from "../../src/cassette/file/format.js";
import { parseCassette } from "../../src/cassette/trust/load-cassette.js";
import { rebuildPrompts } from "../../src/cassette/prompt/rebuild.js";
import { formatCassette } from "../../src/cassette/trust/cassette-store.js";
import { recordProxy, type ProxyOptions } from "../../src/cli/proxy/proxy.js";
import { serve, type ServeOptions } from "../../src/cli/serve/serve.js";
import type { CommandIo } from "../../src/cli/terminal/io.js";
import type { Stop } from "../../src/cli/serve/listen.js";
import type { LlmTurnResponse } from "../../src/core/model/provider.js";
import type { WireName } from "../../src/core/vendors/table.js";
import { VENDORS } from "../../src/core/vendors/vendors.js";
import { anthropicProvider, ollamaProvider, openaiProvider } from "../../src/core/vendors/providers.js";
import { nodeFiles } from "../../src/host/files.js";
import { assertBuilt, cassetteBin } from "../support/built.js";
import { messageOf, readCohere } from "../support/vendor-clients.js";
import { rejection } from "../support/refusal.js";
import { recordTurns, runWeather, weatherCassette, WEATHER_SCRIPT } from "../support/recording.js";
import { ask, quietPorts, say } from "../support/script.js";
import { startStatefulVendor } from "../support/stateful-vendor.js";
import { listen, weatherTool } from "../support/wire.js";
import { assertDocument } from "../support/published-schemas.js";
import { bedrockClient, bedrockMessage } from "../support/vendor-clients.js";
import { cli, documentOf, folder, place } from "./run.js";

/** A command that runs until it is stopped. */
interface Running {
  url: string;
  io: { out: string; err: string; code: number };
  stop(): Promise<{ out: string; err: string; code: number }>;
}

const TO_PASS = 'Name requests that a test does not need with --pass, such as --pass "GET /v1/models".';

const running: Running[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.stop().catch(() => undefined)));
});

/** Starts a command in this process, and resolves when it has said where it listens. */
async function start(command: (io: CommandIo, stop: Stop) => Promise<void>, env = {}): Promise<Running> {
  const printed = { out: "", err: "", code: 0 };
  let end: () => void = () => undefined;
  const stop: Stop = { stopped: new Promise((resolve) => (end = resolve)), now: () => end() };
  let isUp: () => void = () => undefined;
  const up = new Promise<void>((resolve) => (isUp = resolve));
  const look = () => void (/http:\/\/127\.0\.0\.1:\d+/.test(printed.out + printed.err) && isUp());
  const io: CommandIo = {
    stdout: (text) => void ((printed.out += text), look()),
    stderr: (text) => void ((printed.err += text), look()),
    env,
    cwd: folder,
    isTTY: false,
    stderrIsTTY: false,
    files: nodeFiles(),
    exit: (code) => (printed.code = code),
  };
  const done = command(io, stop);
  await Promise.race([up, done]);
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(printed.out + printed.err)?.[0] ?? "";
  const one: Running = {
    url,
    io: printed,
    async stop() {
      end();
      await done;
      return printed;
    },
  };
  running.push(one);
  return one;
}

const serving = (paths: string[], options: Partial<ServeOptions> = {}) =>
  start((io, stop) => serve(paths, { port: 0, ...options }, io, stop));

const proxying = (target: string, out: string, options: Partial<ProxyOptions> = {}) =>
  start((io, stop) => recordProxy({ target, out, port: 0, refresh: false, json: false, ...options }, io, stop));

/** A vendor that says what was written down, over its own wire, and counts what it is asked. */
async function vendor(name: WireName, script: readonly LlmTurnResponse[]) {
  const wire = VENDORS[name];
  const asked: { path: string; headers: Record<string, unknown>; body: string }[] = [];
  const server = await listen((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8");
      const turn = script[asked.length];
      asked.push({ path: request.url ?? "", headers: { ...request.headers }, body });
      if (turn === undefined) {
        response.writeHead(429, { "content-type": "application/json", "x-should-retry": "false" });
        response.end(JSON.stringify(wire.fail({ status: 429, code: "spent", message: "no more" })));
        return;
      }
      const { isStream, wantsUsage, request: read } = wire.parse(JSON.parse(body), request.url);
      const stamp = { id: String(asked.length), createdAt: 0, model: read.settings.model, wantsUsage };
      response.writeHead(200, { "content-type": isStream ? wire.streamType : "application/json" });
      if (!isStream) return void response.end(JSON.stringify(wire.write(turn, stamp)));
      for (const part of wire.stream(turn, stamp)) response.write(part);
      response.end();
    });
  });
  servers.push(server.close);
  return { ...server, asked };
}
const servers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((close) => close()));
});

const parameters = weatherTool.schema;
const SYSTEM = "You are brief.";
const GOAL = "Umbrella in Oslo and Bergen?";
const RESULTS: Record<string, string> = { Oslo: "rain", Bergen: "more rain" };

/** Two calls at once, and then an answer that takes several pieces to stream. */
const SCRIPT: readonly LlmTurnResponse[] = [
  ask(
    [
      { id: "call_a", name: "weather", arguments: { city: "Oslo" } },
      { id: "call_b", name: "weather", arguments: { city: "Bergen" } },
    ],
    { content: "Let me look.", usage: { inputTokens: 30, outputTokens: 9 }, model: "m-1" },
  ),
  say("Take an umbrella, for it rains in both towns. 𝄞", {
    usage: { inputTokens: 60, outputTokens: 12 },
    model: "m-1",
  }),
];
const ANSWER = SCRIPT[1]?.finalAnswer ?? "";

/** The same small agent, written against each vendor's own client. It gives the calls it made and the last answer. */
type Agent = (url: string, isStream: boolean, goal?: string) => Promise<{ calls: string[]; answer: string }>;

const openAiAgent: Agent = (url, isStream, goal) =>
  askOpenAi(new OpenAI({ apiKey: "sk-test", baseURL: `${url}/v1`, maxRetries: 2 }), isStream, goal);

/** The parts of a client that are used here are the same in version 7. */
const openAi7Agent: Agent = (url, isStream, goal) =>
  askOpenAi(
    new OpenAI7({ apiKey: "sk-test", baseURL: `${url}/v1`, maxRetries: 2 }) as unknown as OpenAI,
    isStream,
    goal,
  );

const askOpenAi = async (client: OpenAI, isStream: boolean, goal = GOAL): ReturnType<Agent> => {
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: "system", content: SYSTEM },
    { role: "user", content: goal },
  ];
  const tools = [{ type: "function" as const, function: { name: "weather", description: "w", parameters } }];
  const calls: string[] = [];
  for (;;) {
    const body = { model: "m-1", messages, tools };
    const { choices } = isStream
      ? await client.chat.completions.stream(body).finalChatCompletion()
      : await client.chat.completions.create(body);
    const message = choices[0]?.message;
    if (message === undefined) throw new Error("no message");
    const toolCalls = message.tool_calls ?? [];
    if (toolCalls.length === 0) return { calls, answer: message.content ?? "" };
    messages.push({ role: "assistant", content: message.content, tool_calls: toolCalls });
    for (const call of toolCalls) {
      if (call.type !== "function") throw new Error("no function");
      const { city } = JSON.parse(call.function.arguments) as { city: string };
      calls.push(city);
      messages.push({ role: "tool", tool_call_id: call.id, content: RESULTS[city] ?? "" });
    }
  }
};

const anthropicAgent: Agent = (url, isStream, goal) =>
  askAnthropic(new Anthropic({ apiKey: "sk-test", baseURL: url, maxRetries: 2 }), isStream, goal);

const anthropic11Agent: Agent = (url, isStream, goal) =>
  askAnthropic(
    new Anthropic11({ apiKey: "sk-test", baseURL: url, maxRetries: 2 }) as unknown as Anthropic,
    isStream,
    goal,
  );

const askAnthropic = async (client: Anthropic, isStream: boolean, goal = GOAL): ReturnType<Agent> => {
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: goal }];
  const tools = [{ name: "weather", description: "w", input_schema: parameters as Anthropic.Tool.InputSchema }];
  const calls: string[] = [];
  for (;;) {
    const body = { model: "m-1", max_tokens: 100, system: SYSTEM, messages, tools };
    const message = isStream ? await client.messages.stream(body).finalMessage() : await client.messages.create(body);
    const uses = message.content.filter((block) => block.type === "tool_use");
    if (uses.length === 0) {
      return { calls, answer: message.content.map((block) => (block.type === "text" ? block.text : "")).join("") };
    }
    messages.push({ role: "assistant", content: message.content });
    messages.push({
      role: "user",
      content: uses.map(({ id, input }) => {
        const { city } = input as { city: string };
        calls.push(city);
        return { type: "tool_result" as const, tool_use_id: id, content: RESULTS[city] ?? "" };
      }),
    });
  }
};

const ollamaAgent: Agent = async (url, isStream, goal = GOAL) => {
  const client = new Ollama({ host: url });
  const messages: Parameters<Ollama["chat"]>[0]["messages"] = [
    { role: "system", content: SYSTEM },
    { role: "user", content: goal },
  ];
  const tools = [
    { type: "function", function: { name: "weather", description: "w", parameters: parameters as object } },
  ];
  const calls: string[] = [];
  for (;;) {
    const said = { role: "assistant", content: "", tool_calls: [] as NonNullable<(typeof messages)[0]["tool_calls"]> };
    if (isStream) {
      for await (const part of await client.chat({ model: "m-1", messages, tools, stream: true })) {
        said.content += part.message.content;
        said.tool_calls.push(...(part.message.tool_calls ?? []));
      }
    } else {
      const { message } = await client.chat({ model: "m-1", messages, tools });
      said.content = message.content;
      said.tool_calls.push(...(message.tool_calls ?? []));
    }
    if (said.tool_calls.length === 0) return { calls, answer: said.content };
    messages.push(said);
    for (const { function: named } of said.tool_calls) {
      const { city } = named.arguments as { city: string };
      calls.push(city);
      messages.push({ role: "tool", content: RESULTS[city] ?? "", tool_name: named.name });
    }
  }
};

const responsesAgent: Agent = (url, isStream, goal) =>
  askResponses(new OpenAI({ apiKey: "sk-test", baseURL: `${url}/v1`, maxRetries: 2 }), isStream, goal);

const responses7Agent: Agent = (url, isStream, goal) =>
  askResponses(
    new OpenAI7({ apiKey: "sk-test", baseURL: `${url}/v1`, maxRetries: 2 }) as unknown as OpenAI,
    isStream,
    goal,
  );

const askResponses = async (client: OpenAI, isStream: boolean, goal = GOAL): ReturnType<Agent> => {
  const input: OpenAI.Responses.ResponseInput = [
    { role: "system", content: SYSTEM },
    { role: "user", content: goal },
  ];
  const tools = [{ type: "function" as const, name: "weather", description: "w", parameters, strict: false }];
  const calls: string[] = [];
  for (;;) {
    const body = { model: "m-1", input, tools, store: false };
    const { output, output_text: answer } = isStream
      ? await client.responses.stream(body).finalResponse()
      : await client.responses.create(body);
    const asked = output.flatMap((item) => (item.type === "function_call" ? item : []));
    if (asked.length === 0) return { calls, answer };
    input.push(...(output as OpenAI.Responses.ResponseInputItem[]));
    for (const { call_id, arguments: text } of asked) {
      const { city } = JSON.parse(text) as { city: string };
      calls.push(city);
      input.push({ type: "function_call_output", call_id, output: RESULTS[city] ?? "" });
    }
  }
};

/** The OpenAI Agents SDK over the wire that it uses by default. */
const openaiAgentsAgent: Agent = async (url, isStream, goal = GOAL) => {
  const calls: string[] = [];
  const weather = tool({
    name: "weather",
    description: "w",
    parameters: parameters as never,
    strict: false,
    execute(given) {
      const { city } = given as { city: string };
      calls.push(city);
      return RESULTS[city] ?? "";
    },
  });
  const modelProvider = new OpenAIProvider({ apiKey: "sk-test", baseURL: `${url}/v1` });
  const runner = new Runner({ modelProvider, tracingDisabled: true });
  const agent = new SdkAgent({ name: "a", instructions: SYSTEM, model: "m-1", tools: [weather] });
  if (!isStream) return { calls, answer: (await runner.run(agent, goal)).finalOutput ?? "" };
  const result = await runner.run(agent, goal, { stream: true });
  await result.completed;
  return { calls, answer: result.finalOutput ?? "" };
};

const geminiAgent: Agent = async (url, isStream, goal = GOAL) => {
  const client = new GoogleGenAI({ apiKey: "sk-test", httpOptions: { baseUrl: url } });
  const contents: Content[] = [{ role: "user", parts: [{ text: goal }] }];
  const tools = [{ functionDeclarations: [{ name: "weather", description: "w", parametersJsonSchema: parameters }] }];
  const calls: string[] = [];
  for (;;) {
    const body = { model: "m-1", contents, config: { systemInstruction: SYSTEM, tools } };
    const parts: Part[] = [];
    if (isStream) {
      for await (const chunk of await client.models.generateContentStream(body)) {
        parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
      }
    } else parts.push(...((await client.models.generateContent(body)).candidates?.[0]?.content?.parts ?? []));
    const asked = parts.flatMap(({ functionCall }) => functionCall ?? []);
    if (asked.length === 0) return { calls, answer: parts.map(({ text = "" }) => text).join("") };
    contents.push({ role: "model", parts });
    const results = asked.map(({ id, name = "", args }) => {
      const { city } = args as { city: string };
      calls.push(city);
      const response = { output: RESULTS[city] ?? "" };
      return { functionResponse: { name, response, ...(id === undefined ? {} : { id }) } };
    });
    contents.push({ role: "user", parts: results });
  }
};

const bedrockAgent: Agent = async (url, isStream, goal = GOAL) => {
  const client = bedrockClient(url);
  const messages: Message[] = [{ role: "user", content: [{ text: goal }] }];
  const json = parameters as Record<string, DocumentType>;
  const toolConfig = { tools: [{ toolSpec: { name: "weather", description: "w", inputSchema: { json } } }] };
  const calls: string[] = [];
  try {
    for (;;) {
      const body = { modelId: "m-1", system: [{ text: SYSTEM }], messages, toolConfig };
      const message = isStream
        ? await bedrockMessage(await client.send(new ConverseStreamCommand(body)))
        : ((await client.send(new ConverseCommand(body))).output?.message as Message);
      const { content = [] } = message;
      const uses = content.flatMap(({ toolUse }) => toolUse ?? []);
      if (uses.length === 0) return { calls, answer: content.map(({ text = "" }) => text).join("") };
      messages.push(message);
      const results = uses.map(({ toolUseId, input }) => {
        const { city } = input as { city: string };
        calls.push(city);
        return { toolResult: { toolUseId, content: [{ text: RESULTS[city] ?? "" }] } };
      });
      messages.push({ role: "user", content: results });
    }
  } finally {
    client.destroy();
  }
};

const cohereAgent: Agent = async (url, isStream, goal = GOAL) => {
  const client = new CohereClientV2({ token: "test", baseUrl: url });
  const messages: Cohere.ChatMessageV2[] = [
    { role: "system", content: SYSTEM },
    { role: "user", content: goal },
  ];
  const tools: Cohere.ToolV2[] = [{ type: "function", function: { name: "weather", description: "w", parameters } }];
  const calls: string[] = [];
  for (;;) {
    const body = { model: "m-1", messages, tools };
    const said = isStream ? await readCohere(await client.chatStream(body)) : (await client.chat(body)).message;
    const { toolCalls = [], content = [] } = said;
    if (toolCalls.length === 0) {
      return { calls, answer: content.map((part) => (part.type === "text" ? part.text : "")).join("") };
    }
    messages.push({ ...said, role: "assistant" });
    for (const call of toolCalls) {
      const { city } = JSON.parse(call.function?.arguments ?? "") as { city: string };
      calls.push(city);
      messages.push({ role: "tool", toolCallId: call.id ?? "", content: RESULTS[city] ?? "" });
    }
  }
};

const mistralAgent: Agent = async (url, isStream, goal = GOAL) => {
  const client = new Mistral({ apiKey: "sk-test", serverURL: url, retryConfig: { strategy: "none" } });
  const messages: ChatCompletionRequest["messages"] = [
    { role: "system", content: SYSTEM },
    { role: "user", content: goal },
  ];
  const tools = [{ type: "function" as const, function: { name: "weather", description: "w", parameters } }];
  const calls: string[] = [];
  for (;;) {
    const body = { model: "mistral-small-latest", messages, tools };
    const said: (DeltaMessage | AssistantMessage | undefined)[] = [];
    if (isStream) for await (const { data } of await client.chat.stream(body)) said.push(data.choices[0]?.delta);
    else said.push((await client.chat.complete(body)).choices[0]?.message);
    const toolCalls = said.flatMap((message) => message?.toolCalls ?? []);
    const content = said.map((message) => (typeof message?.content === "string" ? message.content : "")).join("");
    if (toolCalls.length === 0) return { calls, answer: content };
    messages.push({ role: "assistant", content, toolCalls });
    for (const call of toolCalls) {
      const { city } = JSON.parse(String(call.function.arguments)) as { city: string };
      calls.push(city);
      messages.push({ role: "tool", toolCallId: call.id ?? "", content: RESULTS[city] ?? "" });
    }
  }
};

const AGENTS = {
  responses7: { wire: "responses", agent: responses7Agent, base: "/v1", shown: "400 " },
  "openai-agents": { wire: "responses", agent: openaiAgentsAgent, base: "/v1", shown: "400 " },
  openai: { wire: "openai", agent: openAiAgent, base: "/v1", shown: "400 " },
  openai7: { wire: "openai", agent: openAi7Agent, base: "/v1", shown: "400 " },
  mistral: { wire: "openai", agent: mistralAgent, base: "/v1", shown: "" },
  responses: { wire: "responses", agent: responsesAgent, base: "/v1", shown: "400 " },
  anthropic: { wire: "anthropic", agent: anthropicAgent, base: "/v1", shown: "400 " },
  anthropic11: { wire: "anthropic", agent: anthropic11Agent, base: "/v1", shown: "400 " },
  gemini: { wire: "gemini", agent: geminiAgent, base: "/v1beta", shown: "" },
  bedrock: { wire: "bedrock", agent: bedrockAgent, base: "", shown: "" },
  cohere: { wire: "cohere", agent: cohereAgent, base: "", shown: "" },
  ollama: { wire: "ollama", agent: ollamaAgent, base: "", shown: "" },
} satisfies Record<string, { wire: WireName; agent: Agent; base: string; shown: string }>;
const expected = { calls: ["Oslo", "Bergen"], answer: ANSWER };
const load = (file: string): CassetteV2 => parseCassette(readFileSync(join(folder, file))) as CassetteV2;
const cases = (Object.keys(AGENTS) as (keyof typeof AGENTS)[]).flatMap((name) =>
  [false, true].map((isStream) => [name, isStream ? "streaming" : "not streaming", isStream] as const),
);

describe.each(cases)("the client of %s, %s", (name, how, isStream) => {
  const { wire, agent, base, shown } = AGENTS[name];
  const file = `${name}-${how.replaceAll(" ", "-")}.cassette.json`;

  it("is recorded through the proxy, and replayed by the server without a request to the vendor", async () => {
    const live = await vendor(wire, SCRIPT);
    const proxy = await proxying(`${live.baseURL}${base}`, file);
    expect(await agent(proxy.url, isStream)).toEqual(expected);
    const recorded = await proxy.stop();
    expect(recorded).toMatchObject({ code: 0, err: "" });
    expect(recorded.out).toContain(`recorded ${file}, 2 turns\n`);
    expect(live.asked).toHaveLength(2);

    const cassette = load(file);
    expect(cassette.recordedProvider).toBe(`${wire}:${name === "mistral" ? "mistral-small-latest" : "m-1"}`);
    expect(cassette.entries.map(({ response }) => response.message.content)).toEqual(["Let me look.", ANSWER]);
    expect(rebuildPrompts(cassette)?.[1]?.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "tool",
    ]);
    expect(readFileSync(join(folder, file), "utf8")).not.toContain("sk-test");

    const server = await serving([file]);
    expect(await agent(server.url, isStream)).toEqual(expected);
    const served = await server.stop();
    expect(served).toMatchObject({ code: 0, err: "" });
    expect(served.out).toContain(`2 of 2 turns used  ${file}\n2 answered, 0 misses, 0 refused, 0 unused\n`);
    expect(live.asked).toHaveLength(2);
  });

  it("replays the other way of asking, too: a stream is the same question", async () => {
    const server = await serving([file]);
    expect(await agent(server.url, !isStream)).toEqual(expected);
    expect((await server.stop()).code).toBe(0);
  });

  it("gets a 4xx with the report for a changed prompt, at once and once", async () => {
    const server = await serving([file]);
    await expect(agent(server.url, isStream, "Umbrella in Rome?")).rejects.toMatchObject(
      {
        ollama: { status_code: 400 },
        bedrock: { $metadata: { httpStatusCode: 400 } },
        cohere: { statusCode: 400 },
        mistral: { statusCode: 400 },
      }[String(name)] ?? { status: 400 },
    );
    await expect(agent(server.url, isStream, "Umbrella in Rome?")).rejects.toThrow(
      "the user message changed (message 1)",
    );
    const served = await server.stop();
    expect(served.code).toBe(1);
    expect(served.out).toContain("0 of 2 turns used");
    expect(served.out).toContain("0 answered, 2 misses, 0 refused, 2 unused\n");
    expect(served.err).toContain("miss: turn 0: the user message changed (message 1)\n");
  });

  it("shows a miss as the lines that they are", async () => {
    const server = await serving([file]);
    const message = messageOf(await rejection(agent(server.url, isStream, "Umbrella in Rome?")));
    await server.stop();
    const [first, ...lines] = message.split("\n");
    expect(first).toBe(`${shown}turn 0: the user message changed (message 1)`);
    expect(lines.map((line) => line.trim().split(" ")[0])).toEqual(["at", "recorded", "now", "nearest", "to"]);
  });

  it("gets a 4xx when the recording has run out", async () => {
    const server = await serving([file]);
    await agent(server.url, isStream);
    await expect(agent(server.url, isStream)).rejects.toThrow("answers this prompt and was already used");
    expect((await server.stop()).code).toBe(1);
  });
});

/** A vendor with threads. It answers with the goal that a conversation began with. */
async function threadVendor() {
  const live = await startStatefulVendor(({ messages, tools }) => {
    const goal = String(messages[0]?.content);
    const call = { id: `call_${goal}`, name: "weather", arguments: { city: goal } };
    return tools !== undefined && messages.length === 1 ? ask([call]) : say(`${goal} ${messages.length}`);
  });
  servers.push(live.close);
  return { baseURL: live.url, asked: live.asked as { thread?: { type: string } }[] };
}

describe("a client that continues threads on the vendor's server", () => {
  const clientOf = (url: string) => new Anthropic({ apiKey: "sk-test", baseURL: url, maxRetries: 2 });

  async function talk(url: string, city: string): Promise<string[]> {
    const thread = clientOf(url).beta.messages.thread({ model: "m-1", max_tokens: 100 });
    const said: string[] = [];
    for (const content of [city, "And what else?"]) {
      const { content: blocks } = await thread.send({ role: "user", content });
      said.push(...blocks.map((block) => (block.type === "text" ? block.text : "")));
    }
    return said;
  }

  it("gets the answers of its own conversation, whatever the order of two that ask the same", async () => {
    const live = await threadVendor();
    const proxy = await proxying(live.baseURL, "threads/");
    expect(await talk(proxy.url, "Bergen")).toEqual(["Bergen 1", "Bergen 3"]);
    expect(await talk(proxy.url, "Oslo")).toEqual(["Oslo 1", "Oslo 3"]);
    const recorded = await proxy.stop();
    expect(recorded.code).toBe(0);
    expect(live.asked.map(({ thread }) => thread?.type)).toEqual(["create", "continue", "create", "continue"]);
    expect(readdirSync(join(folder, "threads"))).toHaveLength(2);

    const server = await serving(["threads"]);
    expect(await talk(server.url, "Oslo")).toEqual(["Oslo 1", "Oslo 3"]);
    expect(await talk(server.url, "Bergen")).toEqual(["Bergen 1", "Bergen 3"]);
    const served = await server.stop();
    expect(served).toMatchObject({ code: 0 });
    expect(served.out).toContain("4 answered, 0 misses, 0 refused, 0 unused\n");
    for (const { err } of [recorded, served]) expect(err).not.toMatch(/refused|sent back/);
  });

  it("sends the whole conversation of a thread that began elsewhere, which is recorded and served", async () => {
    const live = await threadVendor();
    const proxy = await proxying(live.baseURL, "elsewhere.cassette.json");
    const finish = async (url: string): Promise<unknown> => {
      const client = clientOf(live.baseURL);
      const thread = client.beta.messages.thread({ model: "m-1", max_tokens: 100 });
      await thread.send({ role: "user", content: "Oslo" });
      client.baseURL = url;
      return (await thread.send({ role: "user", content: "And what else?" })).content;
    };
    expect(await finish(proxy.url)).toMatchObject([{ text: "Oslo 3" }]);
    const recorded = await proxy.stop();
    const server = await serving(["elsewhere.cassette.json"]);
    expect(await finish(server.url)).toMatchObject([{ text: "Oslo 3" }]);
    const served = await server.stop();
    const sentBack = "sent back: POST /v1/messages continues a conversation on the vendor's server (thread)";
    for (const { code, err } of [recorded, served]) {
      expect(code).toBe(0);
      expect(err).toContain(sentBack);
      expect(err).toContain("now send the whole conversation by themselves: nothing to do.\n");
      expect(err).not.toContain("refused");
    }
    expect(live.asked.map(({ thread }) => thread?.type)).not.toContain("continue");
  });

  it("runs its tool runner, which uses threads by default, and one without threads from the same recording", async () => {
    const live = await threadVendor();
    const run = async (url: string, options: { thread?: false } = {}): Promise<string> => {
      const weather = {
        ...{ name: "weather", description: "w", input_schema: parameters as Anthropic.Tool.InputSchema },
        ...{ type: "custom" as const, run: () => "rain", parse: (input: unknown) => input },
      };
      const messages = [{ role: "user" as const, content: "Oslo" }];
      const runner = clientOf(url).beta.messages.toolRunner({
        ...{ model: "m-1", max_tokens: 100, messages, tools: [weather], ...options },
      });
      const { content } = await runner.runUntilDone();
      return content.map((block) => (block.type === "text" ? block.text : "")).join("");
    };
    const proxy = await proxying(live.baseURL, "runner.cassette.json");
    expect(await run(proxy.url)).toBe("Oslo 3");
    expect((await proxy.stop()).code).toBe(0);
    expect(load("runner.cassette.json").entries).toHaveLength(2);

    for (const options of [{}, { thread: false } as const]) {
      const server = await serving(["runner.cassette.json"]);
      expect(await run(server.url, options)).toBe("Oslo 3");
      expect((await server.stop()).code).toBe(0);
    }
  });

  it("is refused by the field's name for speech of an answer, which a recording leaves out", async () => {
    const field = "messages[0].audio.id";
    const heard = { messages: [{ role: "assistant", audio: { id: "audio_1" } }] };
    const live = await vendor("openai", [say("One."), say("Two.")]);
    const proxy = await proxying(`${live.baseURL}/v1`, "audio.cassette.json");
    await post(`${proxy.url}/v1/chat/completions`, chat("one"));
    const refused = await post(`${proxy.url}/v1/chat/completions`, chat("two", heard));
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      error: { code: "held-state", message: expect.stringContaining(field) as string },
    });
    expect(live.asked).toHaveLength(1);
    const recorded = await proxy.stop();
    expect(recorded.code).toBe(1);
    expect(recorded.err).toContain(`on the vendor's server (${field})`);

    const server = await serving(["audio.cassette.json"]);
    expect((await post(`${server.url}/v1/chat/completions`, chat("one", heard))).status).toBe(400);
    expect((await post(`${server.url}/v1/chat/completions`, chat("one"))).status).toBe(200);
    expect(await server.stop()).toMatchObject({ code: 1 });
  });
});

describe("request fields that no setting stands for", () => {
  const question = (extra: object = {}) => chat("How many?", extra);
  const recordWith = async (file: string, extra: object): Promise<CassetteV2> => {
    const live = await vendor("openai", [say("Three.")]);
    const proxy = await proxying(`${live.baseURL}/v1`, file);
    await post(`${proxy.url}/v1/chat/completions`, question(extra));
    expect((await proxy.stop()).code).toBe(0);
    return load(file);
  };

  it("are compared: a changed one is a miss with its pointer and both values, in every one of them", async () => {
    const recorded = { reasoning_effort: "low", parallel_tool_calls: false };
    const cassette = await recordWith("effort.cassette.json", recorded);
    expect(cassette.extensions?.contexts?.[0]?.settings).toEqual({ openai: recorded });
    const server = await serving(["effort.cassette.json"]);
    const ask = async (extra: object) => {
      const response = await post(`${server.url}/v1/chat/completions`, question(extra));
      return { status: response.status, body: (await response.json()) as { miss?: object } };
    };
    expect(await ask({ ...recorded, reasoning_effort: "high" })).toMatchObject({
      status: 400,
      body: {
        miss: {
          code: "settings-changed",
          what: "the request field reasoning_effort changed",
          pointer: "/openai/reasoning_effort",
          recorded: '"low"',
          actual: '"high"',
        },
      },
    });
    expect(await ask({ reasoning_effort: "low" })).toMatchObject({
      status: 400,
      body: { miss: { what: "the request field parallel_tool_calls was removed" } },
    });
    expect(await ask({ ...recorded, top_k: 3 })).toMatchObject({
      status: 400,
      body: { miss: { what: "the request field top_k was added", pointer: "/openai/top_k" } },
    });
    // Neither says anything of the question.
    expect((await ask({ ...recorded, user: "u-2", model: "m-9" })).status).toBe(200);
    expect((await server.stop()).code).toBe(1);
  });

  it("are compared with a recording that was made without them: a new one is a miss", async () => {
    const cassette = await recordWith("no-fields.cassette.json", {});
    expect(cassette.extensions?.contexts?.[0]?.settings).toEqual({ openai: {} });
    const server = await serving(["no-fields.cassette.json"]);
    const response = await post(`${server.url}/v1/chat/completions`, question({ reasoning_effort: "high" }));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ miss: { what: "the request field reasoning_effort was added" } });
    expect((await post(`${server.url}/v1/chat/completions`, question())).status).toBe(200);
    const { code, err } = await server.stop();
    expect(code).toBe(1);
    expect(err).not.toContain("not compared");
  });

  it("are not compared with a recording that does not say whether it has them, which is reported once and counted", async () => {
    await oneTurn("plain.cassette.json", "How many?", "Three.");
    const server = await serving(["plain.cassette.json"]);
    const response = await post(`${server.url}/v1/chat/completions`, question({ reasoning_effort: "high" }));
    expect(response.status).toBe(200);
    const { code, out, err } = await server.stop();
    expect(code).toBe(0);
    expect(err.match(/not compared: reasoning_effort/g)).toHaveLength(1);
    expect(out).toContain("1 turn answered without comparing reasoning_effort\n");
  });

  it("are compared in messages too, without growth of the recording from turn to turn", async () => {
    const named = (content: string, name?: string) => ({ role: "user", content, ...(name && { name }) });
    const answered = { role: "assistant", content: "Three.", refusal: null, annotations: [] };
    const history = (...names: (string | undefined)[]) => [
      named("How many?", names[0]),
      answered,
      named("And now?", names[1]),
    ];
    const live = await vendor("openai", [say("Three."), say("Two.")]);
    const proxy = await proxying(`${live.baseURL}/v1`, "named.cassette.json");
    const body = (messages: object[]) => ({ model: "m", messages });
    await post(`${proxy.url}/v1/chat/completions`, body([named("How many?", "ann")]));
    await post(`${proxy.url}/v1/chat/completions`, body(history("ann", "bob")));
    expect((await proxy.stop()).code).toBe(0);
    const { entries, extensions } = load("named.cassette.json");
    expect(entries.map(({ prompt }) => prompt?.messages.length)).toEqual([1, 2]);
    expect(extensions?.contexts).toHaveLength(1);

    const server = await serving(["named.cassette.json"]);
    const ask = async (messages: object[]) => {
      const response = await post(`${server.url}/v1/chat/completions`, body(messages));
      return { status: response.status, body: (await response.json()) as object };
    };
    expect(await ask([named("How many?", "eve")])).toMatchObject({
      status: 400,
      body: { miss: { pointer: "/0/openai/name", recorded: '"ann"', actual: '"eve"' } },
    });
    expect((await ask([named("How many?")])).status).toBe(400);
    expect((await ask([named("How many?", "ann")])).status).toBe(200);
    expect((await ask(history("ann", "ann"))).status).toBe(400);
    expect((await ask(history("bob", "bob"))).status).toBe(400);
    expect((await ask(history("ann", "bob"))).status).toBe(200);
    expect((await server.stop()).code).toBe(1);
  });

  it("are not compared in messages either with a recording that does not say whether it has them", async () => {
    await oneTurn("nameless.cassette.json", "How many?", "Three.");
    const server = await serving(["nameless.cassette.json"]);
    const messages = [{ role: "user", content: "How many?", name: "ann" }];
    expect((await post(`${server.url}/v1/chat/completions`, { model: "m", messages })).status).toBe(200);
    const { code, out } = await server.stop();
    expect(code).toBe(0);
    expect(out).toContain("1 turn answered without comparing messages[].name\n");
  });

  it("are not compared over a wire that cannot carry them", async () => {
    await recordWith("effort-over.cassette.json", { reasoning_effort: "low" });
    const server = await serving(["effort-over.cassette.json"]);
    expect((await post(`${server.url}/api/chat`, { ...question(), stream: false })).status).toBe(200);
    expect((await server.stop()).code).toBe(0);
  });
});

const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
const chat = (content: string, extra: object = {}) => ({ model: "m", messages: [{ role: "user", content }], ...extra });

async function oneTurn(name: string, question: string, answer: string): Promise<string> {
  const request = { messages: [{ role: "user" as const, content: question }] };
  return place(name, await recordTurns([request], [say(answer)]));
}

describe("cassette serve", () => {
  it("replays what our own adapters recorded, over every wire", async () => {
    place("weather.cassette.json", await weatherCassette());
    for (const provider of [
      (url: string) => openaiProvider({ apiKey: "k", model: "m-1", baseURL: `${url}/v1`, ports: quietPorts() }),
      (url: string) => anthropicProvider({ apiKey: "k", model: "m-1", baseURL: `${url}/v1`, ports: quietPorts() }),
      (url: string) => ollamaProvider({ model: "m-1", baseURL: url, ports: quietPorts() }),
    ]) {
      const server = await serving(["weather.cassette.json"]);
      const { finalAnswer } = await runWeather(provider(server.url));
      expect(finalAnswer).toBe(WEATHER_SCRIPT[1]?.finalAnswer);
      expect((await server.stop()).code).toBe(0);
    }
  });

  it("answers clients that rename calls, and names the real change where there is one", async () => {
    const server = await serving(["openai-not-streaming.cassette.json"]);
    const tools = [{ type: "function", function: { name: "weather", description: "w", parameters } }];
    const call = (id: string, city: string) => ({
      id,
      type: "function",
      function: { name: "weather", arguments: JSON.stringify({ city }) },
    });
    const prompt = (bergen: string) => [
      { role: "system", content: SYSTEM },
      { role: "user", content: [{ type: "text", text: GOAL }] },
      { role: "assistant", content: "Let me look.", tool_calls: [call("mine-1", "Oslo"), call("mine-2", "Bergen")] },
      { role: "tool", tool_call_id: "mine-1", content: "rain" },
      { role: "tool", tool_call_id: "mine-2", content: bergen },
    ];
    const changed = await post(`${server.url}/v1/chat/completions`, { model: "other", messages: prompt("sun"), tools });
    expect(changed.status).toBe(400);
    expect(changed.headers.get("x-should-retry")).toBe("false");
    const { error, miss } = (await changed.json()) as Record<string, Record<string, unknown>>;
    expect(miss).toMatchObject({
      code: "prompt-changed",
      pointer: "/4/content",
      messageIndex: 4,
      nearest: { turnIndex: 1, used: false },
      recorded: '"more rain"',
      actual: '"sun"',
      cassette: "openai-not-streaming.cassette.json",
    });
    expect(error?.["miss"]).toEqual(miss);
    expect(error?.["message"]).toContain(
      "turn 0: the result of tool weather changed (message 4)\n  at       /4/content\n",
    );
    expect(error?.["message"]).toMatch(/\n {2}to do {4}Undo the change/);

    const same = await post(`${server.url}/chat/completions`, { model: "other", messages: prompt("more rain"), tools });
    expect(same.status).toBe(200);
    expect(await same.json()).toMatchObject({ model: "m-1", choices: [{ message: { content: ANSWER } }] });
  });

  it("refuses other tools and other settings", async () => {
    const request = { messages: [{ role: "user" as const, content: "q" }], tools: [weatherTool] };
    const asked = { ...request, settings: { temperature: 0 } };
    place("context.cassette.json", await recordTurns([asked], [say("a")]));
    const server = await serving(["context.cassette.json"]);
    const tool = { type: "function", function: { name: "weather", description: "The weather in a city.", parameters } };
    const code = async (extra: object): Promise<unknown> => {
      const response = await post(`${server.url}/v1/chat/completions`, chat("q", extra));
      return response.ok ? 200 : ((await response.json()) as { miss: { code: string } }).miss.code;
    };
    expect(await code({ temperature: 0 })).toBe("tools-changed");
    expect(await code({ tools: [tool], temperature: 1 })).toBe("settings-changed");
    expect(await code({ tools: [tool], temperature: 0 })).toBe(200);
  });

  it("says to the client what was missed and not where its files lie, which is said on stderr", async () => {
    mkdirSync(join(folder, "private", "place"), { recursive: true });
    await oneTurn("private/place/p.cassette.json", "known?", "yes");
    const server = await serving([join(folder, "private")]);
    for (const headers of [{}, { "x-playhead-cassette": "none" }]) {
      const response = await post(`${server.url}/v1/messages`, chat("unknown?", { max_tokens: 9 }), headers);
      expect(await response.text()).not.toContain("private");
    }
    const response = await post(`${server.url}/v1/messages`, chat("unknown?", { max_tokens: 9 }));
    expect(await response.json()).toMatchObject({ miss: { code: "prompt-changed", cassette: "p.cassette.json" } });
    expect((await server.stop()).err).toContain(join("private", "place", "p.cassette.json"));
  });

  it("finds a turn in any cassette, each once, and in the pinned one where one is pinned", async () => {
    mkdirSync(join(folder, "shelf", "deep"), { recursive: true });
    await oneTurn("shelf/a.cassette.json", "same?", "from a");
    await oneTurn("shelf/deep/b.cassette.json", "same?", "from b");
    await oneTurn("shelf/c.cassette.json", "other?", "from c");
    const server = await serving(["shelf", "shelf/a.cassette.json"]);
    expect(server.io.out).toContain("serving 3 turns of 3 cassettes at ");
    const said = async (question: string, pin?: string): Promise<unknown> => {
      const response = await post(`${server.url}/v1/messages`, chat(question, { max_tokens: 9 }), {
        ...(pin === undefined ? {} : { "x-playhead-cassette": pin }),
      });
      const body = (await response.json()) as { content?: { text: string }[] };
      return body.content?.[0]?.text ?? response.status;
    };
    expect(await said("same?", "deep/b")).toBe("from b");
    expect(await said("same?", "b.cassette.json")).toBe(400);
    expect(await said("other?", "a")).toBe(400);
    expect(await said("same?")).toBe("from a");
    expect(await said("same?")).toBe(400);
    expect(await said("other?", "../shelf/c.cassette.json")).toBe(404);
    expect(await said("other?", "../../../../etc/passwd")).toBe(404);
    expect(await said("other?", "%")).toBe(404);
    expect(await said("other?", encodeURI(join("shelf", "c.cassette.json")))).toBe("from c");
    expect((await server.stop()).code).toBe(1);
  });

  it.each(["titles/", "title-runs/run.cassette.json"])(
    "gives out equal turns that were recorded into %s in the order of their recording",
    async (out) => {
      const answers = Array.from({ length: 12 }, (_, index) => `title ${index}`);
      const live = await vendor(
        "ollama",
        answers.map((answer) => say(answer)),
      );
      const proxy = await proxying(live.baseURL, out);
      const ask = async (url: string): Promise<unknown> => {
        const response = await post(`${url}/api/chat`, chat("Draft a title", { stream: false }));
        return ((await response.json()) as { message?: { content: string } }).message?.content;
      };
      const askAll = async (url: string): Promise<unknown[]> => {
        const said: unknown[] = [];
        for (const _ of answers) said.push(await ask(url));
        return said;
      };
      expect(await askAll(proxy.url)).toEqual(answers);
      await proxy.stop();
      const names = readdirSync(join(folder, out.split("/")[0] ?? ""));
      expect(names).toHaveLength(12);
      // As a shell lists them, and as the folder does.
      const paths = names.toSorted().map((name) => join(out.split("/")[0] ?? "", name));
      for (const given of [paths, [out.split("/")[0] ?? ""]]) {
        const server = await serving(given);
        expect(await askAll(server.url)).toEqual(answers);
        expect((await server.stop()).code).toBe(0);
      }
    },
  );

  it("takes recordings of one moment in the order of their names, with numbers by their value", async () => {
    const names = ["x.cassette.json", "x-2.cassette.json", "x-10.cassette.json"];
    mkdirSync(join(folder, "moment"), { recursive: true });
    for (const name of names) await oneTurn(`moment/${name}`, "same?", name);
    const times = names.map((name) => load(`moment/${name}`).recordedAt);
    expect(new Set(times).size).toBe(1);
    const server = await serving(["moment"]);
    for (const name of names) {
      const response = await post(`${server.url}/api/chat`, chat("same?", { stream: false }));
      expect(await response.json()).toMatchObject({ message: { content: name } });
    }
    expect((await server.stop()).code).toBe(0);
  });

  it("answers concurrent clients each with a turn of their own", async () => {
    const requests = Array.from({ length: 40 }, (_, index) => ({
      messages: [{ role: "user" as const, content: `question ${index % 20}` }],
    }));
    place(
      "many.cassette.json",
      await recordTurns(
        requests,
        requests.map((_, index) => say(`answer ${index}`)),
      ),
    );
    const server = await serving(["many.cassette.json"]);
    const client = new OpenAI({ apiKey: "k", baseURL: `${server.url}/v1` });
    const answers = await Promise.all(
      requests.map(async ({ messages }) => {
        const { choices } = await client.chat.completions.create({ model: "m", messages });
        return choices[0]?.message.content;
      }),
    );
    expect(answers.toSorted()).toEqual(requests.map((_, index) => `answer ${index}`).toSorted());
    answers.forEach((answer, index) => expect(Number(answer?.split(" ")[1]) % 20).toBe(index % 20));
    expect((await server.stop()).code).toBe(0);
  });

  it("tells the usage of a stream to an OpenAI client that asks, and only then", async () => {
    place(
      "usage.cassette.json",
      await recordTurns(
        [{ messages: [{ role: "user", content: "a" }] }, { messages: [{ role: "user", content: "b" }] }],
        [
          say("x", { usage: { inputTokens: 3, outputTokens: 2 } }),
          say("y", { usage: { inputTokens: 3, outputTokens: 2 } }),
        ],
      ),
    );
    const server = await serving(["usage.cassette.json"]);
    const url = `${server.url}/v1/chat/completions`;
    const plain = await (await post(url, chat("a", { stream: true }))).text();
    const counted = await (
      await post(url, chat("b", { stream: true, stream_options: { include_usage: true } }))
    ).text();
    expect(plain).not.toContain("usage");
    expect(counted).toContain('"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}');
    expect(counted.endsWith("data: [DONE]\n\n")).toBe(true);
  });

  it("says what is wrong with a request, in the shape of its wire", async () => {
    const server = await serving([await oneTurn("one.cassette.json", "q", "a")]);
    const openai = await post(`${server.url}/v1/chat/completions`, "{");
    expect([openai.status, await openai.json()]).toEqual([
      400,
      {
        error: {
          message: "the request's body is not JSON in UTF-8",
          type: "invalid_request_error",
          param: null,
          code: "not-json",
        },
      },
    ]);
    const anthropic = await post(`${server.url}/v1/messages`, chat("q", { tools: [{ type: "web_search_20250305" }] }));
    expect([anthropic.status, await anthropic.json()]).toEqual([
      400,
      {
        type: "error",
        error: {
          type: "invalid_request_error",
          message: 'the request cannot be read: tools has one of type "web_search_20250305", which a turn cannot hold',
        },
        message: 'the request cannot be read: tools has one of type "web_search_20250305", which a turn cannot hold',
      },
    ]);
    const ollama = await post(`${server.url}/api/chat`, { model: "m" });
    expect([ollama.status, await ollama.json()]).toEqual([
      400,
      { error: "the request cannot be read: messages must be a list" },
    ]);
    const unknown = await fetch(`${server.url}/v1/models`);
    expect(unknown.status).toBe(404);
    expect(await unknown.text()).toContain(
      "GET /v1/models is not a conversation turn, and no cassette holds an exchange for it",
    );
    const huge = await post(`${server.url}/api/chat`, "x".repeat(33 * 1024 * 1024));
    expect([huge.status, await huge.json()]).toEqual([
      413,
      { error: "the request exceeds the limit of this server, 33554432 bytes" },
    ]);
    const surrogate = await post(
      `${server.url}/api/chat`,
      chat("q", { tools: [{ function: { parameters: { a: "\ud800" } } }] }),
    );
    expect(surrogate.status).toBe(400);
  });

  it("outlives a client that is killed in the middle of a stream", async () => {
    await oneTurn("long.cassette.json", "q", "word ".repeat(2_000_000));
    await oneTurn("after.cassette.json", "still there?", "yes");
    const server = await serving(["long.cassette.json", "after.cassette.json"]);
    const script = `fetch(process.argv[1], { method: "POST", body: process.argv[2] }).then(async (response) => {
      await response.body.getReader().read(); process.kill(process.pid, "SIGKILL"); });`;
    const client = spawn(process.execPath, [
      "-e",
      script,
      `${server.url}/v1/chat/completions`,
      JSON.stringify(chat("q", { stream: true })),
    ]);
    expect(await new Promise((resolve) => client.on("close", (_code, signal) => resolve(signal)))).toBe("SIGKILL");
    expect((await post(`${server.url}/v1/chat/completions`, chat("still there?"))).status).toBe(200);
    expect((await server.stop()).code).toBe(0);
  });

  it("stops by itself with --once: when all is used, or at the first miss", async () => {
    await oneTurn("once.cassette.json", "q", "a");
    const good = await serving(["once.cassette.json"], { once: true });
    expect((await post(`${good.url}/api/chat`, chat("q"))).status).toBe(200);
    await expect.poll(() => good.io.out).toContain("1 answered, 0 misses, 0 refused, 0 unused");
    expect(good.io.code).toBe(0);
    const bad = await serving(["once.cassette.json"], { once: true });
    expect((await post(`${bad.url}/api/chat`, chat("r"))).status).toBe(400);
    await expect.poll(() => bad.io.out).toContain("0 answered, 1 miss, 0 refused, 1 unused");
    expect(bad.io.code).toBe(1);
  });

  it("prints one document with --json, and equal misses once", async () => {
    const server = await serving(["once.cassette.json"], { json: true });
    for (const _ of [1, 2, 3]) await post(`${server.url}/api/chat`, chat("r"));
    const { out, code } = await server.stop();
    expect(documentOf({ out, code, err: "" })).toMatchObject({
      command: "serve",
      exitCode: 1,
      url: server.url,
      answered: 0,
      unused: 1,
      cassettes: [{ file: "once.cassette.json", turns: 1, used: 0 }],
      misses: [{ code: "prompt-changed", file: "once.cassette.json", count: 3 }],
      refused: [],
    });
  });

  it("prints the exit code of its command with --json", async () => {
    const ran = await cli(["serve", "--json", "once.cassette.json", "--", "node", "-e", "process.exit(7)"]);
    expect(ran.code).toBe(7);
    expect(documentOf(ran)).toMatchObject({ exitCode: 7, unused: 1 });
  });

  it("names and counts every request that it cannot answer, and fails", async () => {
    await oneTurn("refusing.cassette.json", "q", "a");
    for (const json of [false, true]) {
      const server = await serving(["refusing.cassette.json"], { json });
      for (const _ of [1, 2]) await post(`${server.url}/v1/embeddings?key=hidden`, { input: "x" });
      await fetch(`${server.url}/v1/models`);
      await post(`${server.url}/v1/messages/count_tokens`, { messages: [] });
      await post(`${server.url}/v1/chat/completions`, "{");
      await post(`${server.url}/api/chat`, chat("q"), { origin: "https://page.example" });
      expect(server.io.err.match(/refused: POST \/v1\/embeddings is not a conversation turn/g)).toHaveLength(1);
      expect(server.io.err).toContain("refused: POST /v1/messages/count_tokens is not a conversation turn");
      expect(server.io.err).toContain("refused: POST /v1/chat/completions: the request's body is not JSON in UTF-8\n");
      expect(server.io.err).toContain("refused: POST /api/chat: this server does not answer pages of other sites");
      expect(server.io.err).not.toContain("hidden");
      await (await post(`${server.url}/api/chat`, chat("q"))).text();
      const { code, out } = await server.stop();
      expect(code).toBe(1);
      if (json) {
        const document = documentOf({ out, code, err: "" });
        assertDocument(document);
        expect(document["refused"]).toContainEqual({
          method: "POST",
          path: "/v1/embeddings",
          status: 404,
          code: "unknown-path",
          count: 2,
        });
        expect(document["refused"]).toHaveLength(5);
      } else {
        expect(out).toContain("POST /v1/embeddings refused with 404 unknown-path: 2 times\n");
        expect(out).toContain("POST /v1/chat/completions refused with 400 not-json: 1 time\n");
        expect(out).toContain("1 answered, 0 misses, 6 refused, 0 unused\n");
        expect(out).toContain(`\n   ${TO_PASS}\n`);
        expect(out).not.toContain("--allow-unused");
      }
    }
  });

  it("stops at a refused request with --once, too", async () => {
    const server = await serving(["refusing.cassette.json"], { once: true });
    await (await fetch(`${server.url}/v1/models`)).text();
    await expect.poll(() => server.io.out).toContain("0 answered, 0 misses, 1 refused, 1 unused");
    expect(server.io.code).toBe(1);
  });

  it("lets unused turns be with --allow-unused, and nothing else", async () => {
    await oneTurn("unused.cassette.json", "other", "b");
    const paths = ["refusing.cassette.json", "unused.cassette.json"];
    const part = await serving(paths, { allowUnused: true });
    await (await post(`${part.url}/api/chat`, chat("q"))).text();
    const done = await part.stop();
    expect(done.code).toBe(0);
    expect(done.out).toContain("0 of 1 turn used  unused.cassette.json\n1 answered, 0 misses, 0 refused, 1 unused\n");
    expect(done.out).not.toContain("--allow-unused");
    const whole = await serving(paths);
    await (await post(`${whole.url}/api/chat`, chat("q"))).text();
    expect((await whole.stop()).out).toMatch(/1 unused\n +To run only a part of a suite, pass --allow-unused\.\n$/);
    const missing = await serving(paths, { allowUnused: true });
    await (await post(`${missing.url}/api/chat`, chat("unknown"))).text();
    expect((await missing.stop()).code).toBe(1);
  });

  it("gives its own advice about a miss on stderr and in the answer", async () => {
    const server = await serving(["refusing.cassette.json"]);
    await (await post(`${server.url}/api/chat`, chat("changed"))).text();
    await (await post(`${server.url}/api/chat`, chat("q"))).text();
    const again = await (await post(`${server.url}/api/chat`, chat("q"))).text();
    const other = await (await post(`${server.url}/api/chat`, chat("never recorded"))).text();
    expect(other).toContain("exhausted");
    expect(other).toContain("to do    Undo the change, or record again");
    const { err } = await server.stop();
    expect(err).toContain("miss:   to do    Undo the change, or record again (npx playhead record --proxy");
    expect(err).toContain("miss:   to do    Each recorded turn answers once. Restart cassette serve for a second run");
    for (const text of [err, again]) expect(text).not.toMatch(/reset\(\)|cassetteProvider|useCassette|CASSETTE_MODE/);
  });

  it("does not advise to record again where a date or an id alone changed", async () => {
    await oneTurn("dated.cassette.json", "Today is 2026-11-22. Rain?", "no");
    const server = await serving(["dated.cassette.json"]);
    const missed = await (await post(`${server.url}/api/chat`, chat("Today is 2026-11-23. Rain?"))).text();
    const { err } = await server.stop();
    for (const text of [err, missed]) {
      expect(text).toContain("the two differ only in a date");
      expect(text).toContain("A new recording would miss again on another day or run: give the client a fixed value");
      expect(text).not.toMatch(/Undo the change|hashFilter|setSystemTime/);
    }
    await oneTurn("counted.cassette.json", "20 sparrows?", "yes");
    const counted = await serving(["counted.cassette.json"]);
    const number = await (await post(`${counted.url}/api/chat`, chat("21 sparrows?"))).text();
    expect(number).toContain("the two differ only in a number");
    expect(number).toContain("Undo the change, or record again");
  });

  it("refuses at the start what it could not stand by", async () => {
    const good = await oneTurn("good.cassette.json", "q", "a");
    writeFileSync(join(folder, "tampered.cassette.json"), readFileSync(good, "utf8").replace('"a"', '"b"'));
    const tampered = await cli(["serve", "good.cassette.json", "tampered.cassette.json", "--port", "0"]);
    expect(tampered.code).toBe(3);
    expect(tampered.err).toContain("  file: tampered.cassette.json");
    const nowhere = await cli(["serve", "nowhere.cassette.json"]);
    expect([nowhere.code, nowhere.err]).toEqual([
      2,
      expect.stringContaining("record it first: npx playhead record --proxy"),
    ]);
    mkdirSync(join(folder, "empty"), { recursive: true });
    expect((await cli(["serve", "empty"])).err).toContain(
      "holds no *.cassette.json file, so there is nothing to serve",
    );
    const port = await cli(["serve", "--port", "70000", "good.cassette.json"]);
    expect(port).toMatchObject({ code: 2, out: "" });
    expect(port.err).toContain("Give a whole number from 0 to 65535.");
    const taken = await serving(["good.cassette.json"]);
    const second = await cli(["serve", "--port", new URL(taken.url).port, "good.cassette.json"]);
    expect(second.code).toBe(2);
    expect(second.err).toContain("another process listens there\n  hint: Choose another port");
  });
});

describe("cassette record --proxy", () => {
  it("sends on body and headers as they came, below the base, and keeps no header", async () => {
    const live = await vendor("anthropic", [say("hi")]);
    const proxy = await proxying(`${live.baseURL}/v1/`, "bytes.cassette.json");
    const body = '{ "model":"m",\n "max_tokens":9, "messages":[{"role":"user","content":"\\u0068i"}] }';
    const headers = { "x-api-key": "sk-secret", "anthropic-version": "2023-06-01", "anthropic-beta": "x,y" };
    const response = await post(`${proxy.url}/v1/messages?beta=true`, body, headers);
    expect(response.status).toBe(200);
    expect(live.asked[0]).toMatchObject({ path: "/v1/messages?beta=true", body, headers });
    await proxy.stop();
    const text = readFileSync(join(folder, "bytes.cassette.json"), "utf8");
    expect(text).not.toContain("sk-secret");
    expect(load("bytes.cassette.json").entries[0]?.prompt?.messages).toEqual([{ role: "user", content: "hi" }]);
  });

  it("writes one cassette for each conversation, however they interleave", async () => {
    const script = [say("a1"), say("b1"), say("a2"), say("b2"), say("c1")];
    const live = await vendor("openai", script);
    const proxy = await proxying(live.baseURL, "talk.cassette.json");
    const turn = async (...texts: string[]) =>
      post(`${proxy.url}/chat/completions`, {
        model: "m",
        messages: texts.map((content, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content })),
      }).then((response) => response.text());
    // The first two ask the same; which goes on is told by the answer it took up.
    await turn("q");
    await turn("q");
    await turn("q", "a1", "more");
    await turn("q", "b1", "less");
    await turn("else");
    const { out } = await proxy.stop();
    expect(out).toContain(
      "recorded talk.cassette.json, 2 turns\nrecorded talk-2.cassette.json, 2 turns\n" +
        "   begins with the same request as talk.cassette.json of this run: a replay needs both, and answers in the recorded order\n" +
        "recorded talk-3.cassette.json, 1 turn\n",
    );
    const answers = (file: string) => load(file).entries.map(({ response }) => response.finalAnswer);
    expect(answers("talk.cassette.json")).toEqual(["a1", "a2"]);
    expect(answers("talk-2.cassette.json")).toEqual(["b1", "b2"]);
    expect(answers("talk-3.cassette.json")).toEqual(["c1"]);
    expect((await cli(["verify", "--require-integrity", "talk.cassette.json", "talk-2.cassette.json"])).code).toBe(0);
  });

  it("names files in a folder after the user's words, and says what was recorded there before", async () => {
    const record = async (question: string, headers = {}, options = {}) => {
      const live = await vendor("ollama", [say("x")]);
      const proxy = await proxying(live.baseURL, "many/", options);
      await (await post(`${proxy.url}/api/chat`, chat(question, { stream: false }), headers)).text();
      const { out, code } = await proxy.stop();
      return { code, lines: out.split("\n").slice(2, -1), out };
    };
    const question = "How many sparrows are left on the roof of the old house by the river today?";
    const name = "how-many-sparrows-are-left-on-the-roof-of-the-old-house-by";
    const first = join("many", `${name}.cassette.json`);
    expect(await record(question)).toMatchObject({ code: 0, lines: [`recorded ${first}, 1 turn`] });
    expect((await record(question)).lines).toEqual([
      `recorded ${join("many", `${name}-2.cassette.json`)}, 1 turn`,
      `   begins with the same request as ${join("many", `${name}-2.cassette.json`).replace("-2.", ".")}, an earlier recording: delete one of the two, or record with --refresh to replace recordings`,
    ]);
    expect((await record("?!")).lines).toEqual([`recorded ${join("many", "conversation-1.cassette.json")}, 1 turn`]);
    const named = await record("?!", { "x-playhead-cassette": "birds.cassette.json" });
    expect(named.lines[0]).toBe(`recorded ${join("many", "birds.cassette.json")}, 1 turn`);
    expect(named.lines[1]).toContain(join("many", "conversation-1.cassette.json"));
    const json = await record(question, { "x-playhead-cassette": "%C3%A9tude" }, { json: true });
    const document = documentOf({ ...json, err: "" });
    assertDocument(document);
    expect(document).toMatchObject({
      cassettes: [{ file: join("many", "étude.cassette.json"), twin: expect.stringContaining("sparrows") }],
    });
  });

  it("says that a conversation was repeated in one run, unless its client names each", async () => {
    const live = await vendor("ollama", [say("x"), say("x"), say("x"), say("x")]);
    const proxy = await proxying(live.baseURL, "repeated/", { json: true });
    const ask = (headers = {}) =>
      post(`${proxy.url}/api/chat`, chat("Same?", { stream: false }), headers).then((response) => response.text());
    await ask();
    await ask();
    await ask({ "x-playhead-cassette": "one" });
    await ask({ "x-playhead-cassette": "two" });
    const document = documentOf({ ...(await proxy.stop()), err: "" });
    assertDocument(document);
    const file = (name: string) => join("repeated", `${name}.cassette.json`);
    expect((document as unknown as { cassettes: object[] }).cassettes).toEqual([
      { file: file("same"), turns: 1 },
      { file: file("same-2"), turns: 1, repeats: file("same") },
      { file: file("one"), turns: 1 },
      { file: file("two"), turns: 1 },
    ]);
  });

  it("replaces the recording of the same name in a folder with --refresh", async () => {
    for (const refresh of [false, true]) {
      const live = await vendor("ollama", [say(refresh ? "new" : "old")]);
      const proxy = await proxying(live.baseURL, "again/", { refresh });
      await (await post(`${proxy.url}/api/chat`, chat("Same?", { stream: false }))).text();
      expect((await proxy.stop()).out).not.toContain("begins with the same request");
    }
    expect(readdirSync(join(folder, "again"))).toEqual(["same.cassette.json"]);
    expect(load("again/same.cassette.json").entries[0]?.response.finalAnswer).toBe("new");
  });

  it("does not advise --refresh where it was given", async () => {
    const record = async (name: string, refresh: boolean): Promise<string> => {
      const live = await vendor("ollama", [say("x")]);
      const proxy = await proxying(live.baseURL, "twice/", { refresh });
      const headers = { "x-playhead-cassette": name };
      await (await post(`${proxy.url}/api/chat`, chat("Same?", { stream: false }), headers)).text();
      return (await proxy.stop()).out;
    };
    await record("one", false);
    expect(await record("two", true)).toMatch(/one\.cassette\.json, an earlier recording: delete one of the two\n/);
    expect(await record("three", false)).toContain("delete one of the two, or record with --refresh");
  });

  it("puts no secret in the name of a file", async () => {
    const key = "sk-" + "proj-" + "a1B2".repeat(12);
    const live = await vendor("ollama", [say("x")]);
    const proxy = await proxying(live.baseURL, "secret/");
    await (await post(`${proxy.url}/api/chat`, chat(`Key ${key}`, { stream: false }))).text();
    await proxy.stop();
    const [file = ""] = readdirSync(join(folder, "secret"));
    expect(file).toContain("key-redacted");
    expect(file.toLowerCase()).not.toContain("a1b2a1b2");
  });

  it("keeps all turns of one name in one cassette, which the same name pins, and sends the name nowhere", async () => {
    const live = await vendor("openai", [say("a"), say("b"), say("c")]);
    const proxy = await proxying(live.baseURL, "named/");
    const ask = async (url: string, content: string, pin: string) => {
      const response = await post(`${url}/v1/chat/completions`, chat(content), { "x-playhead-cassette": pin });
      return ((await response.json()) as { choices: { message: { content: string } }[] }).choices[0]?.message.content;
    };
    const asked = [
      ["one?", "test_one[oslo]"],
      ["one?", "other"],
      ["two?", "test_one[oslo]"],
    ] as const;
    for (const [content, pin] of asked) await ask(proxy.url, content, pin);
    await proxy.stop();
    expect(readdirSync(join(folder, "named")).sort()).toEqual(["other.cassette.json", "test_one[oslo].cassette.json"]);
    expect(live.asked.map(({ headers }) => headers["x-playhead-cassette"])).toEqual([undefined, undefined, undefined]);
    const server = await serving(["named"]);
    const answers: unknown[] = [];
    for (const [content, pin] of asked.toReversed()) answers.push(await ask(server.url, content, pin));
    expect(answers).toEqual(["c", "b", "a"]);
    expect((await server.stop()).code).toBe(0);
  });

  it.each(["../up", "a/b", "a\\b", "..%2Fup", "C:x", ".hidden", "nul", "x".repeat(300)])(
    "passes nothing on under a name that cannot be a file's: %s",
    async (name) => {
      const live = await vendor("openai", [say("a")]);
      const proxy = await proxying(live.baseURL, "refused/");
      const pinned = { "x-playhead-cassette": name };
      const response = await post(`${proxy.url}/v1/chat/completions`, chat("q"), pinned);
      expect([response.status, live.asked.length]).toEqual([400, 0]);
      expect(proxy.io.err).toContain(
        "not recorded: POST /v1/chat/completions was not passed on: x-playhead-cassette is ",
      );
      await expect(proxy.stop()).rejects.toMatchObject({ code: "nothing-recorded", hint: "The lines above say why." });
    },
  );

  it("refuses a name where all turns go to one file", async () => {
    const live = await vendor("openai", [say("a")]);
    const proxy = await proxying(live.baseURL, "single.cassette.json");
    const response = await post(`${proxy.url}/v1/chat/completions`, chat("q"), { "x-playhead-cassette": "a" });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("pass a folder as --out")]);
  });

  it("names every request that it passed on and did not record, at once and at the end", async () => {
    const live = await listen((request, response) => {
      request.resume();
      // A proxy cannot unpack this encoding.
      const isTurn = request.url === "/chat/completions";
      response.writeHead(200, { "content-type": "application/json", ...(isTurn ? {} : { "content-encoding": "zz" }) });
      response.end(isTurn ? '{"choices":[{"message":{"role":"assistant","content":"ok"}}]}' : "packed");
    });
    servers.push(live.close);
    const target = live.baseURL;
    // Reads nothing of an answer that no client can unpack.
    const post = (url: string, body: unknown, headers = {}) =>
      sendRaw(url, { method: "POST", headers, body: JSON.stringify(body) });
    for (const json of [false, true]) {
      const proxy = await proxying(target, `passed-${json}.cassette.json`, { json });
      for (const _ of [1, 2]) await post(`${proxy.url}/v1/rerank?key=hidden`, { input: "x" });
      await sendRaw(`${proxy.url}/v1/models`, { method: "GET" });
      expect(
        proxy.io.err.match(/passed on, not recorded: POST \/v1\/rerank: the answer is packed as "zz"/g),
      ).toHaveLength(1);
      expect(proxy.io.err).toContain("passed on, not recorded: GET /v1/models: the answer is packed");
      expect(proxy.io.err).not.toContain("hidden");
      await post(`${proxy.url}/chat/completions`, chat("fine"));
      const { code, out } = await proxy.stop();
      expect(code).toBe(1);
      if (!json) {
        expect(out).toContain("POST /v1/rerank passed on, not recorded: 2 times\n");
        expect(out).toContain("GET /v1/models passed on, not recorded: 1 time\n");
        expect(out).toContain(`\n   ${TO_PASS}\n`);
        continue;
      }
      const document = documentOf({ out, code, err: "" });
      assertDocument(document);
      expect(document["passedOn"]).toEqual([
        { method: "POST", path: "/v1/rerank", count: 2, reason: 'the answer is packed as "zz"' },
        { method: "GET", path: "/v1/models", count: 1, reason: 'the answer is packed as "zz"' },
      ]);
      expect(document["requests"]).toContainEqual({
        method: "POST",
        path: "/chat/completions",
        outcome: "turn",
        count: 1,
      });
    }
  });

  it("reports what it could not record of an answer, at once and at the end", async () => {
    const content = [
      { type: "compaction", content: "s" },
      { type: "text", text: "ok" },
    ];
    const target = await rawVendor(JSON.stringify({ type: "message", role: "assistant", content }));
    for (const json of [false, true]) {
      const proxy = await proxying(target, `without-${json}.cassette.json`, { json });
      for (const text of ["one", "two"]) await (await post(`${proxy.url}/v1/messages`, chat(text))).text();
      const { code, out } = await proxy.stop();
      expect(proxy.io.err.match(/recorded without: a block of type "compaction"/g)).toHaveLength(1);
      expect(code).toBe(1);
      if (!json) {
        expect(out).toContain('recorded without, 2 turns: a block of type "compaction"\n');
        continue;
      }
      const document = documentOf({ out, code, err: "" });
      assertDocument(document);
      expect(document["without"]).toEqual({ 'a block of type "compaction"': 2 });
    }
  });

  it("says which paths it did not record where nothing else was asked", async () => {
    const proxy = await proxying(await rawVendor("{}"), "none.cassette.json", { pass: ["POST /v1/*"] });
    await (await post(`${proxy.url}/v1/rerank`, { input: "x" })).text();
    await expect(proxy.stop()).rejects.toMatchObject({
      code: "nothing-recorded",
      hint: "The client requested POST /v1/rerank. The lines above say why it is not recorded.",
    });
    expect(proxy.io.err).toContain("POST /v1/rerank passed on because of --pass: 1 time\n");
  });

  it("names a request of another host or page, which it does not pass on", async () => {
    const proxy = await proxying(await rawVendor("{}"), "foreign.cassette.json");
    const page = { origin: "https://page.example" };
    expect((await post(`${proxy.url}/v1/chat/completions`, chat("q"), page)).status).toBe(403);
    expect(proxy.io.err).toContain(
      "not recorded: POST /v1/chat/completions was not passed on: this server does not answer pages",
    );
    await expect(proxy.stop()).rejects.toMatchObject({ code: "nothing-recorded" });
  });

  it("passes errors of the vendor through and records none", async () => {
    const live = await vendor("openai", [say("a")]);
    const proxy = await proxying(live.baseURL, "errors.cassette.json");
    const url = `${proxy.url}/v1/chat/completions`;
    await (await post(url, chat("q"))).text();
    const spent = await post(url, chat("again"));
    expect([spent.status, spent.headers.get("x-should-retry"), await spent.json()]).toEqual([
      429,
      "false",
      VENDORS.openai.fail({ status: 429, code: "spent", message: "no more" }),
    ]);
    const { code, out } = await proxy.stop();
    expect(code).toBe(0);
    expect(out).toContain("recorded errors.cassette.json, 1 turn\n");
    expect(out).not.toContain("errors-2");
  });

  it("records as an exchange what a turn cannot hold, and says why", async () => {
    const part = { type: "input_audio", input_audio: { data: "", format: "wav" } };
    const target = await rawVendor('{"choices":[{"message":{"role":"assistant","content":"ok"}}]}');
    const proxy = await proxying(target, "lost.cassette.json");
    const speech = { model: "m", messages: [{ role: "user", content: [part] }] };
    const audio = await post(`${proxy.url}/chat/completions`, speech);
    expect(await audio.json()).toMatchObject({ choices: [{ message: { content: "ok" } }] });
    expect((await post(`${proxy.url}/v1/embeddings`, { input: "x" })).status).toBe(200);
    await (await post(`${proxy.url}/chat/completions`, chat("fine"))).text();
    const { code, out, err } = await proxy.stop();
    expect(code).toBe(0);
    expect(err).toBe(
      'recorded as an exchange: POST /chat/completions: messages[0] has a part of type "input_audio"\n' +
        "recorded as an exchange: POST /v1/embeddings\n",
    );
    expect(out).toContain(
      "recorded lost.cassette.json, 1 turn, 2 exchanges\n" +
        "POST /chat/completions recorded as an exchange: 1 time\n" +
        "POST /v1/embeddings recorded as an exchange: 1 time\n" +
        "POST /chat/completions recorded: 1 time\n",
    );
    const server = await serving(["lost.cassette.json"]);
    const other = { ...speech, temperature: 1 };
    const missed = await post(`${server.url}/chat/completions`, other);
    expect([missed.status, await missed.text()]).toEqual([400, expect.stringContaining("/request/json/temperature")]);
    expect(await (await post(`${server.url}/chat/completions`, speech)).json()).toMatchObject({ choices: [{}] });
    expect((await server.stop()).code).toBe(1);
  });

  it("does not record an error that came with status 200, nor half an answer", async () => {
    const target = await rawVendor('{"error":{"message":"overloaded","code":502}}');
    const proxy = await proxying(target, "half.cassette.json");
    await (await post(`${proxy.url}/chat/completions`, chat("q"))).text();
    await expect(proxy.stop()).rejects.toMatchObject({ code: "nothing-recorded" });
    expect(existsSync(join(folder, "half.cassette.json"))).toBe(false);
  });

  it("passes a stream on as it comes, and records it when the client leaves at its last event", async () => {
    let goOn: () => void = () => undefined;
    const parts = VENDORS.openai.stream(say("streamed answer"), { id: "1", createdAt: 0, model: "m" });
    const live = await listen((request, response) => {
      request.resume();
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(parts[0]);
      // The rest waits for the client to have seen the first part; the connection is never closed by the vendor.
      goOn = () => parts.slice(1).forEach((part) => response.write(part));
    });
    servers.push(live.close);
    const proxy = await proxying(live.baseURL, "open.cassette.json");
    const controller = new AbortController();
    const response = await fetch(`${proxy.url}/chat/completions`, {
      method: "POST",
      body: JSON.stringify(chat("q", { stream: true })),
      signal: controller.signal,
    });
    const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toBe(parts[0]);
    goOn();
    let text = "";
    while (!text.includes("[DONE]")) text += (await reader.read()).value ?? "";
    controller.abort();
    const { code } = await proxy.stop();
    expect(code).toBe(0);
    expect(load("open.cassette.json").entries[0]?.response.finalAnswer).toBe("streamed answer");
  });

  it("answers 502 where the target is down or redirects, and follows nothing", async () => {
    let asked = 0;
    const live = await listen((request, response) => {
      asked++;
      request.resume();
      response.writeHead(307, { location: "https://elsewhere.example/" }).end();
    });
    const proxy = await proxying(live.baseURL, "redirect.cassette.json");
    const moved = await post(`${proxy.url}/api/chat`, chat("q"));
    expect([moved.status, asked]).toEqual([502, 1]);
    expect(moved.headers.get("location")).toBeNull();
    expect(((await moved.json()) as { error: string }).error).toContain("which is not followed");
    await live.close();
    const down = await post(`${proxy.url}/v1/messages`, chat("q"));
    expect(down.status).toBe(502);
    expect(await down.json()).toMatchObject({ type: "error", error: { type: "api_error" } });
    await expect(proxy.stop()).rejects.toMatchObject({ code: "nothing-recorded" });
  });

  it("refuses before it listens", async () => {
    const flags = ["record", "--proxy", "--port", "0"];
    const target = ["--target", "https://api.openai.com/v1"];
    const refused = async (argv: string[], env = {}) => {
      const { code, err, out } = await cli(argv, { env });
      expect([code, out]).toEqual([2, ""]);
      return err.split("\n")[0];
    };
    expect(await refused([...flags, ...target, "--out", "x.cassette.json"], { CI: "true" })).toContain(
      "CI never records",
    );
    expect(await refused([...flags, "--out", "x.cassette.json"])).toContain("'--target <url>' not specified");
    expect(await refused([...flags, ...target])).toContain("'--out <file>' not specified");
    expect(await refused(["record", ...target, "node"])).toContain("need --proxy");
    for (const [wrong, why] of [
      ["http://api.openai.com/v1", "http://api.openai.com is not https"],
      ["http://127.0.0.1.evil.example", "is not https"],
      ["ftp://127.0.0.1", "is not https"],
      ["https://user:pw@host/v1", "contains a user name or password"],
      ["https://host/v1?key=b", "the target https://host/v1 has a query or fragment"],
      ["api.openai.com", "is not an absolute URL"],
    ] as const) {
      expect(await refused([...flags, "--target", wrong, "--out", "x.cassette.json"])).toContain(why);
    }
    const below = join("there.txt", "x.cassette.json");
    writeFileSync(join(folder, "there.txt"), "");
    expect(await refused([...flags, ...target, "--refresh", "--out", below])).toContain("there.txt");
    await oneTurn("there.cassette.json", "q", "a");
    expect(await refused([...flags, ...target, "--out", "there.cassette.json"])).toContain(
      "exists and was left unchanged",
    );
    const json = await cli(["record", "--proxy", ...target, "--out", "there.cassette.json", "--json"]);
    expect(documentOf(json)).toMatchObject({ command: "record", error: { code: "file-exists" } });
  });

  it("replaces a recording with --refresh alone", async () => {
    const before = readFileSync(join(folder, "there.cassette.json"), "utf8");
    const live = await vendor("openai", [say("new")]);
    const proxy = await proxying(live.baseURL, "there.cassette.json", { refresh: true, json: true });
    await (await post(`${proxy.url}/chat/completions`, chat("q"))).text();
    const { out, code } = await proxy.stop();
    expect(documentOf({ out, code, err: "" })).toMatchObject({
      command: "record",
      cassettes: [{ file: "there.cassette.json", turns: 1 }],
      lost: [],
    });
    expect(readFileSync(join(folder, "there.cassette.json"), "utf8")).not.toBe(before);
    expect(formatCassette(load("there.cassette.json"))).toBe(readFileSync(join(folder, "there.cassette.json"), "utf8"));
  });
});

describe.skipIf(process.platform === "win32")("a server as a process of its own", () => {
  beforeAll(assertBuilt);

  /** Starts the program and gives what it printed once it has ended by `signal`, which is sent after `use`. */
  async function runUntil(signal: NodeJS.Signals, args: readonly string[], use: (url: string) => Promise<unknown>) {
    const { CI: _ci, ...env } = process.env;
    const child = spawn(process.execPath, [cassetteBin, ...args, "--port", "0"], { cwd: folder, env });
    let out = "";
    const ended = once(child, "close");
    const url = await new Promise<string>((resolve, reject) => {
      child.stdout.on("data", (chunk: Buffer) => {
        out += chunk.toString();
        const found = /http:\/\/127\.0\.0\.1:\d+(?=[\s,])/.exec(out);
        if (found !== null) resolve(found[0]);
      });
      child.on("close", () => reject(new Error(`it ended: ${out}`)));
    });
    await use(url);
    child.kill(signal);
    const [code] = (await ended) as [number | null];
    return { code, out };
  }

  it.each(["SIGINT", "SIGTERM"] as const)(
    "writes what it recorded at %s, and says what was replayed",
    async (signal) => {
      const file = `${signal}.cassette.json`;
      const live = await vendor("openai", [say("a")]);
      const ask = async (url: string) => (await post(`${url}/v1/chat/completions`, chat("q"))).text();
      const recorded = await runUntil(signal, ["record", "--proxy", "--target", live.baseURL, "--out", file], ask);
      expect(recorded).toMatchObject({ code: 0 });
      expect(recorded.out).toContain(`recorded ${file}, 1 turn\n`);
      expect(await runUntil(signal, ["serve", file], ask)).toMatchObject({ code: 0 });
      const idle = await runUntil(signal, ["serve", file], async () => undefined);
      expect(idle.code).toBe(1);
      expect(idle.out).toContain("0 answered, 0 misses, 0 refused, 1 unused\n");
    },
  );
});

/** A vendor that says the same JSON to everyone. */
/** Sends a request and reads its answer to the end, without unpacking it. */
function sendRaw(url: string, { body, ...options }: RequestOptions & { body?: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (answer) => answer.resume().on("end", resolve).on("error", reject));
    sent.on("error", reject).end(body);
  });
}

async function rawVendor(body: string): Promise<string> {
  const live = await listen((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "application/json" }).end(body);
  });
  servers.push(live.close);
  return live.baseURL;
}
