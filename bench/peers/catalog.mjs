// The peers that a user would pick, with the measured versions. Each is installed into its own folder and driven by
// its file in contestants/. `main` is the package whose version is printed.

export const LOOP_PEERS = [
  peer("ai-sdk", "AI SDK, generateText", "ai", { ai: "7.0.173", zod: "4.6.7" }),
  peer("openai-agents", "OpenAI Agents", "@openai/agents", { "@openai/agents": "0.20.0", zod: "4.6.7" }),
  peer(
    "langgraph",
    "LangGraph, createReactAgent",
    "@langchain/langgraph",
    { "@langchain/core": "1.2.13", "@langchain/langgraph": "1.4.18", zod: "4.6.7" },
    { "@langchain/langgraph-sdk": "1.12.0" },
  ),
  peer("mastra", "Mastra, Agent.generate", "@mastra/core", { "@mastra/core": "1.71.0", zod: "4.6.7" }),
  peer("pi-agent", "pi-agent, agentLoop", "@earendil-works/pi-agent-core", {
    "@earendil-works/pi-agent-core": "0.87.1",
    "@earendil-works/pi-ai": "0.87.1",
  }),
  peer("pi-agent-older", "pi-agent (older release), agentLoop", "@mariozechner/pi-agent-core", {
    "@mariozechner/pi-agent-core": "0.73.1",
    "@mariozechner/pi-ai": "0.73.1",
  }),
  peer("strands", "Strands", "@strands-agents/sdk", { "@strands-agents/sdk": "1.19.0", zod: "4.6.7" }),
];

export const REPLAY_PEERS = [
  peer("aimock", "aimock", "@copilotkit/aimock", { "@copilotkit/aimock": "1.43.0" }),
  peer("msw-2", "MSW 2", "msw", { msw: "2.15.0" }),
  peer("msw-3", "MSW 3", "msw", { msw: "3.0.5" }),
  peer("polly", "Polly, fetch adapter and files", "@pollyjs/core", {
    "@pollyjs/adapter-fetch": "6.0.7",
    "@pollyjs/core": "6.0.6",
    "@pollyjs/persister-fs": "6.0.6",
  }),
  peer("nock", "nock", "nock", { nock: "15.0.6" }),
  peer("undici", "undici MockAgent", "undici", { undici: "8.12.4" }),
];

export const SERVE_PEERS = [
  {
    ...peer("aimock", "aimock, server", "@copilotkit/aimock", { "@copilotkit/aimock": "1.43.0" }),
    contestant: "serve-aimock.mjs",
  },
  { ...peer("msw-2", "MSW 2, in the process of the client", "msw", { msw: "2.15.0" }), contestant: "serve-msw.mjs" },
  { ...peer("msw-3", "MSW 3, in the process of the client", "msw", { msw: "3.0.5" }), contestant: "serve-msw.mjs" },
];

/** For a session. The LangGraph saver is the one for SQLite, which needs packages of its own. */
export const SESSION_PEERS = [
  LOOP_PEERS.find(({ folder }) => folder === "ai-sdk"),
  {
    ...LOOP_PEERS.find(({ folder }) => folder === "openai-agents"),
    name: "OpenAI Agents, with a MemorySession",
    part: "session",
  },
  {
    ...peer(
      "langgraph-sqlite",
      "LangGraph, createReactAgent with SqliteSaver",
      "@langchain/langgraph",
      {
        "@langchain/core": "1.2.13",
        "@langchain/langgraph": "1.4.18",
        "@langchain/langgraph-checkpoint-sqlite": "1.0.4",
        "@photostructure/sqlite": "1.2.1",
        zod: "4.6.7",
      },
      { "@langchain/langgraph-sdk": "1.12.0" },
    ),
    contestant: "langgraph.mjs",
    part: "sqlite",
  },
];

/** Engines that are no dependencies of this repository. */
export const ENGINE_PEERS = [{ ...peer("pg-boss", "pg-boss", "pg-boss", { "pg-boss": "12.38.0" }), node: 22 }];

/** For a graph vertex, which streams, and for a conversation, which is kept. */
export const FACE_PEERS = [
  { ...LOOP_PEERS.find(({ folder }) => folder === "ai-sdk"), name: "AI SDK, streamText", part: "stream" },
  {
    ...LOOP_PEERS.find(({ folder }) => folder === "langgraph"),
    name: "LangGraph, createReactAgent with MemorySaver",
    part: "kept",
  },
];

function peer(folder, name, main, dependencies, overrides = {}) {
  const contestant = `${folder.replace(/-\d+$|-older$/, "")}.mjs`;
  return { folder, name, main, version: dependencies[main], dependencies, overrides, contestant };
}
