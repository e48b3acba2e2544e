// `playhead/ai-sdk`: cassettes for the AI SDK, without the package to compile or run against.

export {
  cassetteMiddleware,
  cassetteModel,
  fromAiSdk,
  toAiSdk,
  wrappedModel,
  type AiSdkModel,
  type AiSdkModelV2,
  type AnyAiSdkModel,
  type CassetteMiddleware,
  type CassetteModel,
  type CassetteModelOptions,
  type CassetteModelV2,
  type ToAiSdkOptions,
} from "../harness/index.js";
