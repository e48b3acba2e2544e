// `playhead/openai-agents`: cassettes for the OpenAI Agents SDK, without the package to compile or run against.

export { fromAgentsModel, toAgentsModel, type AgentsModel, type AnyAgentsModel } from "../harness/index.js";
