// Records a run, replays it without the model, records the same goal with another model, and compares the two runs.
import { createRuntime, defineTool, scriptedProvider } from "playhead";
import { cassetteProvider, diffCassettes, recordingProvider } from "playhead/cassette";

const extract = defineTool({
  name: "read_page",
  description: "The text of a page.",
  schema: { type: "object", required: ["url"], properties: { url: { type: "string" } } },
  invoke: ({ url }) => `${url}: we sell kits of birds since 1987.`,
});

const reads = (...urls) => ({
  message: {
    role: "assistant",
    content: "",
    toolCalls: urls.map((url, index) => ({ id: `call_${index}`, name: "read_page", arguments: { url } })),
  },
  stopReason: "toolUse",
});
const says = (text) => ({ message: { role: "assistant", content: text }, finalAnswer: text, stopReason: "stop" });

const run = async (provider) => {
  const agent = { id: "a", systemPrompt: "Read, then answer in one sentence.", provider, customTools: [extract] };
  const runtime = createRuntime({ agents: [agent] });
  const { finalAnswer } = await runtime.run({ goal: "summarise the homepage" });
  await runtime.destroy();
  return finalAnswer;
};

// 1. Record. In your code, wrap openaiProvider({ model: "gpt-4o", apiKey }).
const recorder = recordingProvider(scriptedProvider([reads("/"), says("They sell kits of birds.")]));
console.log("recorded:", await run(recorder));
const pinned = recorder.toCassette({ agentId: "a" });

// 2. Replay: the same calls, no model, no cost.
const replay = cassetteProvider(pinned, { requireIntegrity: true });
console.log("replayed:", await run(replay));

// 3. Record the next model with the same goal.
const upgraded = recordingProvider(scriptedProvider([reads("/", "/about"), says("Kits of birds, since 1987.")]));
console.log("upgraded:", await run(upgraded));
for (const drift of diffCassettes(pinned, upgraded.toCassette({ agentId: "a" }), { ignoreContent: true })) {
  console.log("drift:", JSON.stringify(drift));
}
