// `playhead/openai-agents`: cassettes for the OpenAI Agents SDK, without the package to compile or run against.

export { fromAgentsModel, toAgentsModel } from "../harness/index.js";
