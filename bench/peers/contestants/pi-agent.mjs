// pi-agent: agentLoop, every event read. Two packages hold it, an older release and a newer one; this drives whichever is installed.

import { readFileSync } from "node:fs";
import { createScript, DESCRIPTION, GOAL, SCHEMA, SYSTEM } from "./script.mjs";

const { dependencies } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));
const packageOf = (part) => import(Object.keys(dependencies).find((name) => name.endsWith(part)));
const { agentLoop } = await packageOf("/pi-agent-core");
const { AssistantMessageEventStream } = await packageOf("/pi-ai");

const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const usage = { input: 100, output: 10, cacheRead: 0, cacheWrite: 0, totalTokens: 110, cost };
const names = { api: "bench", provider: "bench" };
const model = {
  ...names,
  id: "instant",
  name: "instant",
  baseUrl: "",
  reasoning: false,
  input: ["text"],
  cost,
  contextWindow: 1e9,
  maxTokens: 1e6,
};

function streamOf(script) {
  return (_, { messages }) => {
    const { calls, text } = script.answer(messages.length);
    const content = calls?.map(({ id, name, json }) => ({
      type: "toolCall",
      id,
      name,
      arguments: JSON.parse(json),
    })) ?? [{ type: "text", text }];
    const stopReason = calls === undefined ? "stop" : "toolUse";
    const message = { role: "assistant", content, ...names, model: "instant", usage, stopReason, timestamp: 0 };
    const stream = new AssistantMessageEventStream();
    stream.push({ type: "done", reason: stopReason, message });
    return stream;
  };
}

function toolOf(script) {
  return {
    name: "add",
    label: "add",
    description: DESCRIPTION,
    parameters: SCHEMA,
    execute: async (_, args) => ({
      content: [{ type: "text", text: String(await script.add(args)) }],
      details: undefined,
    }),
  };
}

export async function run(turns, calls) {
  const script = createScript(turns, calls);
  const context = { systemPrompt: SYSTEM, messages: [], tools: [toolOf(script)] };
  const settings = { model, convertToLlm: (messages) => messages };
  const goal = { role: "user", content: GOAL, timestamp: 0 };
  const events = agentLoop([goal], context, settings, undefined, streamOf(script));
  for await (const event of events) void event;
  const messages = await events.result();
  script.assertDone(messages.at(-1).content.find(({ type }) => type === "text")?.text);
}
