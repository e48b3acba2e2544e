// `playhead/ai-sdk`: cassettes for the AI SDK, without the package to compile or run against.

export {
  cassetteMiddleware,
  cassetteModel,
  fromAiSdk,
  toAiSdk,
  wrappedModel,
  type AiSdkModel,
  type AnyAiSdkModel,
  type CassetteMiddleware,
  type CassetteModel,
  type ToAiSdkOptions,
} from "../harness/index.js";
