// A small agent with one tool, once for each wire, written with each vendor's own client.

import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI, type Content, type Part } from "@google/genai";
import { Ollama } from "ollama";
import OpenAI from "openai";
import OpenAI7 from "openai7";
import type { WireName } from "../../src/core/vendors/vendors.js";

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

const anthropic: ClientAgent = async ({ url, isStream = false, goal = GOAL, key = KEY }) => {
  const client = new Anthropic({ apiKey: key, baseURL: url, maxRetries: 0 });
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
};

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

/** By wire. */
export const CLIENT_AGENTS: Readonly<Record<WireName, ClientAgent>> = { openai, responses, anthropic, gemini, ollama };
