// `playhead/openai-agents`: cassettes for the OpenAI Agents SDK. It does not import the SDK.

export { fromAgentsModel, replayAgentsTools as replayTools, toAgentsModel } from "../harness/index.js";
