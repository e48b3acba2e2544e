// `playhead/ai-sdk`: cassettes for the AI SDK. It does not import the SDK.

export { cassetteMiddleware, cassetteModel, fromAiSdk, toAiSdk, wrappedModel } from "../harness/index.js";
