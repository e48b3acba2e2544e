// `playhead/ai-sdk`: cassettes for the AI SDK, without the package to compile or run against.

export { cassetteMiddleware, cassetteModel, fromAiSdk, toAiSdk, wrappedModel } from "../harness/index.js";
