// A cassette as middleware for `wrapLanguageModel`, and a model that answers from a cassette. One middleware serves AI SDK 5, 6 and 7:
// each call says which version the wrapped model has.

import { cassetteProvider, type CassetteProvider, type ReplayOptions } from "../../../cassette/index.js";
import { AgentError, defined, type LlmProviderAdapter, type LlmTurnRequest } from "../../../core/index.js";
import { assertHandle } from "../foreign-model.js";
import { liveProvider, type LiveCall } from "./from-ai-sdk.js";
import { readCall } from "./request.js";
import type {
  AiSdkCallOptions,
  AiSdkModel,
  AiSdkModelV2,
  GenerateResultOf,
  SpecVersion,
  StreamResultOf,
} from "./sdk-types.js";
import { ANY_URL, generate, stream, toAiSdk, type ToAiSdkOptions } from "./to-ai-sdk.js";

/** The call behind a request. A symbol field travels with a request and its copies, and is never recorded. */
const LIVE = Symbol("playhead.live");

type Carrying = LlmTurnRequest & { readonly [LIVE]?: LiveCall };

/** The argument of a middleware of `wrapLanguageModel`. */
interface WrappedCall<V extends SpecVersion = SpecVersion> {
  readonly doGenerate: () => PromiseLike<unknown>;
  readonly doStream: () => PromiseLike<unknown>;
  readonly params: AiSdkCallOptions;
  readonly model: { readonly specificationVersion: V };
}

/** A middleware for `wrapLanguageModel` of AI SDK 5, 6 and 7, made by {@link cassetteMiddleware}. */
export interface CassetteMiddleware {
  readonly specificationVersion: "v3";
  readonly overrideSupportedUrls: () => Record<string, RegExp[]>;
  readonly wrapGenerate: <V extends SpecVersion>(call: WrappedCall<V>) => Promise<GenerateResultOf<V>>;
  readonly wrapStream: <V extends SpecVersion>(call: WrappedCall<V>) => Promise<StreamResultOf<V>>;
}

/**
 * The live side of `cassetteMiddleware`: calls the model that it wraps, with the original arguments. `name` is recorded as the
 * provider. Rejects with `AgentError` `invalid-options` for a turn that did not come through `cassetteMiddleware`.
 */
export function wrappedModel(name = "ai-sdk"): LlmProviderAdapter {
  return liveProvider(name, (request) => {
    const call = (request as Carrying)[LIVE];
    if (call !== undefined) return call;
    throw new AgentError("invalid-options", "wrappedModel() got a turn that did not come through cassetteMiddleware", {
      hint: "Pass it to useCassette, and cassetteMiddleware(handle) to wrapLanguageModel. Elsewhere use fromAiSdk(model).",
    });
  });
}

/**
 * Middleware that sends every call to the provider of `handle`, which `useCassette` returns. The wrapped model is called only
 * through `wrappedModel()`, so a replay never touches it.
 */
export function cassetteMiddleware(handle: { readonly provider: LlmProviderAdapter }): CassetteMiddleware {
  assertHandle(handle, "cassetteMiddleware");
  const { provider } = handle;
  const requestOf = ({ doGenerate, doStream, params }: WrappedCall): Carrying => ({
    ...readCall(params),
    [LIVE]: { generate: doGenerate, stream: doStream },
  });
  return {
    specificationVersion: "v3",
    overrideSupportedUrls: () => ANY_URL,
    wrapGenerate: async (call) => generate(provider, requestOf(call), call.model.specificationVersion) as never,
    wrapStream: async (call) => stream(provider, requestOf(call), call.model.specificationVersion) as never,
  };
}

/** A model that answers from a cassette and from nothing else. */
export interface CassetteModel extends AiSdkModel {
  /** The replay behind the model: unused turns, and the checks for the end of a test. */
  readonly tape: CassetteProvider;
}

/** A {@link CassetteModel} for AI SDK 5. */
export interface CassetteModelV2 extends AiSdkModelV2 {
  /** The replay behind the model: unused turns, and the checks for the end of a test. */
  readonly tape: CassetteProvider;
}

/** The options of {@link cassetteModel}. */
export interface CassetteModelOptions extends ReplayOptions, ToAiSdkOptions {}

/** A model that answers from `cassette`, which is checked like a file. Throws `CassetteError` with a `LoadErrorCode`. */
export function cassetteModel(
  cassette: unknown,
  options: CassetteModelOptions & { readonly specificationVersion: "v2" },
): CassetteModelV2;
export function cassetteModel(cassette: unknown, options?: CassetteModelOptions): CassetteModel;
export function cassetteModel(
  cassette: unknown,
  { specificationVersion, ...options }: CassetteModelOptions = {},
): CassetteModel | CassetteModelV2 {
  const tape = cassetteProvider(cassette, options);
  return { ...toAiSdk(tape, defined({ specificationVersion })), tape };
}
