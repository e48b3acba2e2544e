// Two agents on two vendors: one reads and takes notes, the other, who alone may write, posts them.
import { anthropicProvider, createRuntime, defineTool, openaiProvider } from "playhead";

const { OPENAI_API_KEY, OPENAI_BASE_URL, ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL } = process.env;

const read = defineTool({
  name: "read_page",
  description: "The text of a page.",
  schema: { type: "object", required: ["url"], properties: { url: { type: "string" } } },
  invoke: ({ url }) => `${url}: The lighthouse on Rott burned for 167 years. On Sunday it went dark for good.`,
});

const post = defineTool({
  name: "post_note",
  description: "Post a note to the team's channel.",
  schema: { type: "object", required: ["text"], properties: { text: { type: "string" } } },
  effect: "write",
  invoke: ({ text }) => (console.log(`posted: ${text}`), "posted"),
});

const runtime = createRuntime({
  agents: [
    {
      id: "researcher",
      systemPrompt: "Read the page and note the key facts.",
      provider: openaiProvider({ model: "gpt-5", apiKey: OPENAI_API_KEY, baseURL: OPENAI_BASE_URL }),
      customTools: [read],
      budget: { maxTurns: 10, maxTokens: 50_000 },
    },
    {
      id: "actor",
      systemPrompt: "Post the researcher's notes as one sentence.",
      provider: anthropicProvider({
        model: "claude-sonnet-5-5",
        apiKey: ANTHROPIC_API_KEY,
        baseURL: ANTHROPIC_BASE_URL,
      }),
      customTools: [post],
      budget: { maxToolCalls: 5, maxCostUsd: 1 },
    },
  ],
});

const { finalAnswer, visits } = await runtime.run({
  goal: "Read https://news.example/lighthouse and post a summary.",
  plan: { entry: "researcher", edges: [{ from: "researcher", to: "actor" }], exits: ["actor"] },
});
await runtime.destroy();
console.log(visits.map(({ agentId, turns }) => `${agentId}: ${turns} turns`).join(", "));
console.log(finalAnswer);
