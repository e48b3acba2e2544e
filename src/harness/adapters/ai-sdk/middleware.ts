// A cassette as middleware for `wrapLanguageModel`, and a model that is a cassette. One middleware serves AI SDK 5, 6 and 7: which
// version the wrapped model speaks, it is told at each call.

import { cassetteProvider, type CassetteProvider, type ReplayOptions } from "../../../cassette/index.js";
import { AgentError, defined, type LlmProviderAdapter, type LlmTurnRequest } from "../../../core/index.js";
import { assertProvider } from "../assert-provider.js";
import { liveProvider, type LiveCall } from "./from-ai-sdk.js";
import { readCall } from "./request.js";
import type {
  AiSdkCallOptions,
  AiSdkModel,
  AiSdkModelV2,
  GenerateResultOf,
  SpecVersion,
  StreamResultOf,
} from "./spec.js";
import { ANY_URL, generate, stream, toAiSdk, type ToAiSdkOptions } from "./to-ai-sdk.js";

/** The call that a request stands for. A symbol goes along with the request, is copied with it, and is never recorded. */
const LIVE = Symbol("playhead.live");

type Carrying = LlmTurnRequest & { readonly [LIVE]?: LiveCall };

/** What `wrapLanguageModel` hands to a middleware at each call. */
export interface WrappedCall<V extends SpecVersion = SpecVersion> {
  readonly doGenerate: () => PromiseLike<unknown>;
  readonly doStream: () => PromiseLike<unknown>;
  readonly params: AiSdkCallOptions;
  readonly model: { readonly specificationVersion: V };
}

/** A middleware for `wrapLanguageModel` of AI SDK 5, 6 and 7; made by {@link cassetteMiddleware}. */
export interface CassetteMiddleware {
  readonly specificationVersion: "v3";
  readonly overrideSupportedUrls: () => Record<string, RegExp[]>;
  readonly wrapGenerate: <V extends SpecVersion>(call: WrappedCall<V>) => Promise<GenerateResultOf<V>>;
  readonly wrapStream: <V extends SpecVersion>(call: WrappedCall<V>) => Promise<StreamResultOf<V>>;
}

/**
 * The live side of `cassetteMiddleware`: the model that it wraps, called with what it was really called with. `name` is
 * kept in the recording as its provider. Rejects with `AgentError` `invalid-options` for a turn that no
 * `cassetteMiddleware` passed on.
 */
export function wrappedModel(name = "ai-sdk"): LlmProviderAdapter {
  return liveProvider(name, (request) => {
    const call = (request as Carrying)[LIVE];
    if (call !== undefined) return call;
    throw new AgentError(
      "invalid-options",
      "wrappedModel() was asked for a turn that no cassetteMiddleware passed on",
      {
        hint: "Give it to useCassette, and cassetteMiddleware(handle) to wrapLanguageModel; elsewhere use fromAiSdk(model).",
      },
    );
  });
}

/**
 * Middleware that asks the provider of `handle`, what `useCassette` gives, for every call. The wrapped model itself is asked
 * only through `wrappedModel()`, so a replay never touches it.
 */
export function cassetteMiddleware({ provider }: { readonly provider: LlmProviderAdapter }): CassetteMiddleware {
  assertProvider(provider, "cassetteMiddleware");
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

/** A model that answers from a cassette, strictly, and from nothing else. */
export interface CassetteModel extends AiSdkModel {
  /** What is left, and the checks for the end of a test. */
  readonly tape: CassetteProvider;
}

/** The same for AI SDK 5. */
export interface CassetteModelV2 extends AiSdkModelV2 {
  /** What is left, and the checks for the end of a test. */
  readonly tape: CassetteProvider;
}

/** The options of {@link cassetteModel}. */
export interface CassetteModelOptions extends ReplayOptions, ToAiSdkOptions {}

/** Checks `cassette` as if it came from a file. Throws `CassetteError` with a `LoadErrorCode`. */
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
