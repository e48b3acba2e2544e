// A small agent with one tool, once for each wire, written with each vendor's own client.

import Anthropic from "@anthropic-ai/sdk";
import Anthropic11 from "anthropic11";
import {
  BedrockRuntimeClient,
  type BedrockRuntimeClientConfig,
  ConverseCommand,
  ConverseStreamCommand,
  type ContentBlock,
  type ConverseStreamCommandOutput,
  type Message,
} from "@aws-sdk/client-bedrock-runtime";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import type { DocumentType } from "@smithy/types";
import { GoogleGenAI, type Content, type Part } from "@google/genai";
import { Mistral } from "@mistralai/mistralai";
import type { AssistantMessage, DeltaMessage } from "@mistralai/mistralai/models/components";
import { CohereClientV2, type Cohere } from "cohere-ai";
import { Ollama } from "ollama";
import OpenAI from "openai";
import OpenAI7 from "openai7";
import type { WireName } from "../../src/core/vendors/table.js";

export interface ClientRun {
  /** The vendor's base URL without a path. */
  url: string;
  isStream?: boolean;
  goal?: string;
  key?: string;
}

/** Calls the model and answers every tool call with `rain`, until the model answers with a text. */
export type ClientAgent = (run: ClientRun) => Promise<string>;

const description = "The weather in a city.";
const schema = { type: "object" as const, properties: { city: { type: "string" } }, required: ["city"] };
const GOAL = "Do I need an umbrella in Oslo?";
const KEY = "sk-" + "test-0123456789abcdef";

const openai: ClientAgent = (run) => askOpenAi(OpenAI, run);

/** The same with the next major version of the client. */
export const openai7: ClientAgent = (run) => askOpenAi(OpenAI7 as unknown as typeof OpenAI, run);

async function askOpenAi(
  Client: typeof OpenAI,
  { url, isStream = false, goal = GOAL, key = KEY }: ClientRun,
): Promise<string> {
  const client = new Client({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: goal }];
  const tools: OpenAI.ChatCompletionTool[] = [
    { type: "function", function: { name: "weather", description, parameters: schema } },
  ];
  for (;;) {
    const body = { model: "gpt-4o", messages, tools };
    const answer = isStream
      ? await client.chat.completions.stream(body).finalChatCompletion()
      : await client.chat.completions.create(body);
    const said = answer.choices[0]?.message as OpenAI.ChatCompletionMessage;
    messages.push({
      role: "assistant",
      content: said.content,
      ...(said.tool_calls === undefined ? {} : { tool_calls: said.tool_calls }),
    });
    if ((said.tool_calls ?? []).length === 0) return said.content ?? "";
    for (const { id } of said.tool_calls ?? []) messages.push({ role: "tool", tool_call_id: id, content: "rain" });
  }
}

const anthropic: ClientAgent = (run) => askAnthropic(Anthropic, run);

/** The same with version 1.11 of the client. */
export const anthropic11: ClientAgent = (run) => askAnthropic(Anthropic11 as unknown as typeof Anthropic, run);

async function askAnthropic(
  Client: typeof Anthropic,
  { url, isStream = false, goal = GOAL, key = KEY }: ClientRun,
): Promise<string> {
  const client = new Client({ apiKey: key, baseURL: url, maxRetries: 0 });
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: goal }];
  const tools: Anthropic.Tool[] = [{ name: "weather", description, input_schema: schema }];
  for (;;) {
    const body = { model: "claude-test", max_tokens: 200, messages, tools };
    const answer = isStream ? await client.messages.stream(body).finalMessage() : await client.messages.create(body);
    messages.push({ role: "assistant", content: answer.content });
    const calls = answer.content.filter((block) => block.type === "tool_use");
    if (calls.length === 0) return answer.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    const results = calls.map(({ id }) => ({ type: "tool_result" as const, tool_use_id: id, content: "rain" }));
    messages.push({ role: "user", content: results });
  }
}

const ollama: ClientAgent = async ({ url, isStream = false, goal = GOAL }) => {
  const client = new Ollama({ host: url });
  const messages: Parameters<Ollama["chat"]>[0]["messages"] = [{ role: "user", content: goal }];
  const tools = [{ type: "function", function: { name: "weather", description, parameters: schema } }];
  for (;;) {
    const body = { model: "llama3.2", messages, tools };
    let content = "";
    let calls: { function: { name: string; arguments: Record<string, unknown> } }[] = [];
    if (isStream) {
      for await (const { message } of await client.chat({ ...body, stream: true })) {
        content += message.content;
        calls = [...calls, ...(message.tool_calls ?? [])];
      }
    } else {
      const { message } = await client.chat(body);
      content = message.content;
      calls = message.tool_calls ?? [];
    }
    messages.push({ role: "assistant", content, ...(calls.length === 0 ? {} : { tool_calls: calls }) });
    if (calls.length === 0) return content;
    for (const { function: asked } of calls) messages.push({ role: "tool", content: "rain", tool_name: asked.name });
  }
};

const responses: ClientAgent = async ({ url, isStream = false, goal = GOAL, key = KEY }) => {
  const client = new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
  const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: goal }];
  const tools: OpenAI.Responses.Tool[] = [
    { type: "function", name: "weather", description, parameters: schema, strict: false },
  ];
  for (;;) {
    const body = { model: "gpt-5", input, tools, store: false, include: ["reasoning.encrypted_content" as const] };
    const answer = isStream ? await client.responses.stream(body).finalResponse() : await client.responses.create(body);
    input.push(...(answer.output as OpenAI.Responses.ResponseInputItem[]));
    const calls = answer.output.flatMap((item) => (item.type === "function_call" ? item : []));
    if (calls.length === 0) return answer.output_text;
    for (const { call_id } of calls) input.push({ type: "function_call_output", call_id, output: "rain" });
  }
};

const gemini: ClientAgent = async ({ url, isStream = false, goal = GOAL, key = KEY }) => {
  const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } });
  const contents: Content[] = [{ role: "user", parts: [{ text: goal }] }];
  const functionDeclarations = [{ name: "weather", description, parametersJsonSchema: schema }];
  for (;;) {
    const body = { model: "gemini-2.5-flash", contents, config: { tools: [{ functionDeclarations }] } };
    const parts: Part[] = [];
    if (isStream) {
      for await (const chunk of await client.models.generateContentStream(body)) {
        parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
      }
    } else parts.push(...((await client.models.generateContent(body)).candidates?.[0]?.content?.parts ?? []));
    contents.push({ role: "model", parts });
    const calls = parts.flatMap(({ functionCall }) => functionCall ?? []);
    if (calls.length === 0) return parts.map(({ text = "" }) => text).join("");
    const results = calls.map(({ id, name }) => ({
      functionResponse: { name: name ?? "", response: { output: "rain" }, ...(id === undefined ? {} : { id }) },
    }));
    contents.push({ role: "user", parts: results });
  }
};

/** The client of AWS at `endpoint`, with a key of Bedrock. It speaks HTTP/2 unless it gets a handler of its own. */
export function bedrockClient(endpoint: string, settings: BedrockRuntimeClientConfig = {}): BedrockRuntimeClient {
  const token = { token: KEY };
  const authSchemePreference = ["httpBearerAuth"];
  return new BedrockRuntimeClient({ endpoint, region: "us-east-1", token, authSchemePreference, ...settings });
}

/** The message of a stream of Bedrock. */
export async function bedrockMessage({ stream }: ConverseStreamCommandOutput): Promise<Message> {
  if (stream === undefined) throw new Error("no stream");
  const blocks: { text: string; call?: { toolUseId: string; name: string }; input: string }[] = [];
  for await (const { contentBlockStart: start, contentBlockDelta: piece } of stream) {
    const index = start?.contentBlockIndex ?? piece?.contentBlockIndex;
    if (index === undefined) continue;
    const block = (blocks[index] ??= { text: "", input: "" });
    const { toolUseId = "", name = "" } = start?.start?.toolUse ?? {};
    if (name !== "") block.call = { toolUseId, name };
    block.text += piece?.delta?.text ?? "";
    block.input += piece?.delta?.toolUse?.input ?? "";
  }
  const content = blocks.map(({ text, call, input }): ContentBlock => {
    return call === undefined ? { text } : { toolUse: { ...call, input: JSON.parse(input) as DocumentType } };
  });
  return { role: "assistant", content };
}

const bedrock: ClientAgent = async ({ url, isStream = false, goal = GOAL, key = KEY }) => {
  // MSW sees only HTTP/1.
  const client = bedrockClient(url, { token: { token: key }, requestHandler: new NodeHttpHandler(), maxAttempts: 1 });
  const messages: Message[] = [{ role: "user", content: [{ text: goal }] }];
  const toolConfig = { tools: [{ toolSpec: { name: "weather", description, inputSchema: { json: schema } } }] };
  for (;;) {
    const body = { modelId: "arn:aws:bedrock:us-east-1:1:inference-profile/m-1", messages, toolConfig };
    const message = isStream
      ? await bedrockMessage(await client.send(new ConverseStreamCommand(body)))
      : ((await client.send(new ConverseCommand(body))).output?.message as Message);
    messages.push(message);
    const calls = (message.content ?? []).flatMap(({ toolUse }) => toolUse ?? []);
    if (calls.length === 0) return (message.content ?? []).map(({ text = "" }) => text).join("");
    const results = calls.map(({ toolUseId }) => ({ toolResult: { toolUseId, content: [{ text: "rain" }] } }));
    messages.push({ role: "user", content: results });
  }
};

const cohere: ClientAgent = async ({ url, isStream = false, goal = GOAL, key = KEY }) => {
  const client = new CohereClientV2({ token: key, baseUrl: url, maxRetries: 0 });
  const messages: Cohere.ChatMessageV2[] = [{ role: "user", content: goal }];
  const tools: Cohere.ToolV2[] = [{ type: "function", function: { name: "weather", description, parameters: schema } }];
  for (;;) {
    const body = { model: "command-a-03-2025", messages, tools };
    const said = isStream ? await readCohere(await client.chatStream(body)) : (await client.chat(body)).message;
    messages.push({ ...said, role: "assistant" });
    const { toolCalls = [], content = [] } = said;
    if (toolCalls.length === 0) return content.map((part) => (part.type === "text" ? part.text : "")).join("");
    for (const { id } of toolCalls) {
      const data = { output: "rain" };
      messages.push({ role: "tool", toolCallId: id ?? "", content: [{ type: "document", document: { data } }] });
    }
  }
};

/** The message of a stream of Cohere's client, which leaves it to its users. */
export async function readCohere(
  stream: AsyncIterable<Cohere.V2ChatStreamResponse>,
): Promise<Omit<Cohere.AssistantMessageResponse, "role">> {
  let [text, toolPlan] = ["", ""];
  const toolCalls: Cohere.ToolCallV2[] = [];
  for await (const event of stream) {
    if (event.type === "content-delta") text += event.delta?.message?.content?.text ?? "";
    if (event.type === "tool-plan-delta") toolPlan += event.delta?.message?.toolPlan ?? "";
    if (event.type === "tool-call-start" && event.delta?.message?.toolCalls) {
      toolCalls.push(event.delta.message.toolCalls);
    }
    if (event.type === "tool-call-delta") {
      const call = toolCalls.at(-1)?.function;
      if (call) call.arguments = (call.arguments ?? "") + (event.delta?.message?.toolCalls?.function?.arguments ?? "");
    }
  }
  return {
    ...(text === "" ? {} : { content: [{ type: "text", text }] }),
    ...(toolPlan === "" ? {} : { toolPlan }),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
  };
}

/** Mistral's client, which speaks OpenAI's wire with a dialect. */
export const mistral: ClientAgent = async ({ url, isStream = false, goal = GOAL, key = KEY }) => {
  const client = new Mistral({ apiKey: key, serverURL: url, retryConfig: { strategy: "none" } });
  type Body = Parameters<typeof client.chat.complete>[0];
  const messages: Body["messages"] = [{ role: "user", content: goal }];
  const tools: Body["tools"] = [{ type: "function", function: { name: "weather", description, parameters: schema } }];
  for (;;) {
    const body = { model: "mistral-small-latest", messages, tools };
    const chunks: (DeltaMessage | AssistantMessage | undefined)[] = [];
    if (isStream) for await (const { data } of await client.chat.stream(body)) chunks.push(data.choices[0]?.delta);
    else chunks.push((await client.chat.complete(body)).choices[0]?.message);
    const toolCalls = chunks.flatMap((chunk) => chunk?.toolCalls ?? []);
    const content = chunks.map((chunk) => (typeof chunk?.content === "string" ? chunk.content : "")).join("");
    messages.push({ role: "assistant", content, toolCalls });
    if (toolCalls.length === 0) return content;
    for (const { id } of toolCalls) messages.push({ role: "tool", toolCallId: id ?? "", content: "rain" });
  }
};

/** What the error of a client says. Those of Google, Cohere and Mistral show the body of a refusal as JSON. */
export function messageOf(error: unknown): string {
  const { message, body = message.startsWith("{") ? message : undefined } = error as Error & { body?: unknown };
  if (typeof body === "string") return (JSON.parse(body) as { error: Error }).error.message;
  return body === undefined ? message : (body as Error).message;
}

/** By wire. */
export const CLIENT_AGENTS: Readonly<Record<WireName, ClientAgent>> = {
  openai,
  responses,
  anthropic,
  gemini,
  bedrock,
  cohere,
  ollama,
};
