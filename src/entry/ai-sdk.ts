// `playhead/ai-sdk`: cassettes for the AI SDK. It does not import the SDK.

export {
  cassetteEmbeddingModel,
  cassetteMiddleware,
  cassetteModel,
  fromAiSdk,
  replayAiSdkTools as replayTools,
  toAiSdk,
  wrappedModel,
} from "../harness/index.js";
