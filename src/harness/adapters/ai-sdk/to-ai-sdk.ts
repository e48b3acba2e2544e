// One of our providers (a recorder, a replay, a vendor's API) as a language model of the AI SDK.

import {
  AgentError,
  assertKnownOptions,
  joinSignals,
  LlmProviderHttpError,
  providerName,
  showValue,
  type LlmProviderAdapter,
  type LlmStreamEvent,
  type LlmTurnRequest,
} from "../../../core/index.js";
import { assertProvider, streamOf, toFrameworkError } from "../foreign-model.js";
import { playParts } from "./play/play.js";
import { readCall } from "./request.js";
import { writeResult } from "./result.js";
import type { AiSdkModel, AiSdkModelV2, GenerateResult, SpecVersion, StreamPart, StreamResult } from "./sdk-types.js";

/** The options of {@link toAiSdk}. */
export interface ToAiSdkOptions {
  /** The version of the model interface. Default `v3`, for AI SDK 6 and 7. AI SDK 5 accepts only `v2`. */
  readonly specificationVersion?: SpecVersion;
}

/** Keeps the SDK from fetching the URLs in a prompt: a replay has no network, and a recording keeps the URL. */
export const ANY_URL: Record<string, RegExp[]> = { "*/*": [/.*/] };

/**
 * The model. A call rejects as its provider does: with the `CassetteError` of a miss, with the original error of a model under
 * `fromAiSdk`, and with an error that the SDK retries for a retryable failure of another provider.
 */
export function toAiSdk(
  provider: LlmProviderAdapter,
  options: ToAiSdkOptions & { readonly specificationVersion: "v2" },
): AiSdkModelV2;
export function toAiSdk(provider: LlmProviderAdapter, options?: ToAiSdkOptions): AiSdkModel;
export function toAiSdk(provider: LlmProviderAdapter, options: ToAiSdkOptions = {}): AiSdkModel | AiSdkModelV2 {
  assertKnownOptions("toAiSdk", options, ["specificationVersion"]);
  assertProvider(provider, "toAiSdk");
  const { specificationVersion = "v3" } = options;
  if (!["v2", "v3", "v4"].includes(specificationVersion)) {
    throw new AgentError("invalid-options", `toAiSdk: specificationVersion is ${showValue(specificationVersion)}`, {
      hint: 'Use "v2" for AI SDK 5, and "v3" (the default) for AI SDK 6 and 7.',
    });
  }
  return {
    specificationVersion: specificationVersion as "v3",
    ...identify(provider),
    supportedUrls: ANY_URL,
    doGenerate: async (call) => generate(provider, readCall(call), specificationVersion),
    doStream: async (call) => stream(provider, readCall(call), specificationVersion),
  };
}

/** Vendor and model, the same for a recording and its replay. */
function identify(source: LlmProviderAdapter): { provider: string; modelId: string } {
  const name = providerName(source).replace(/^cassette:/, "");
  const [, provider, modelId] = /^([^:]+):(.+)$/s.exec(name) ?? [];
  return { provider: provider ?? "playhead", modelId: modelId ?? name };
}

export async function generate(
  provider: LlmProviderAdapter,
  request: LlmTurnRequest,
  version: SpecVersion,
): Promise<GenerateResult> {
  try {
    return writeResult(await provider.turn(request), version);
  } catch (error) {
    throw toSdkError(error);
  }
}

/**
 * Resolves with the first event, so that a miss, or a call that may be retried, rejects here. Cancelling the stream aborts the call,
 * even while it waits for a silent model.
 */
export async function stream(
  provider: LlmProviderAdapter,
  given: LlmTurnRequest,
  version: SpecVersion,
): Promise<StreamResult> {
  const left = new AbortController();
  const signal = given.signal === undefined ? left.signal : joinSignals(given.signal, left.signal);
  const events = streamOf(provider, { ...given, signal })[Symbol.asyncIterator]();
  try {
    const first = await events.next();
    return { stream: toReadable(playParts(resume(first, events), version), left) };
  } catch (error) {
    throw toSdkError(error);
  }
}

async function* resume(
  first: IteratorResult<LlmStreamEvent>,
  rest: AsyncIterator<LlmStreamEvent>,
): AsyncGenerator<LlmStreamEvent> {
  try {
    if (first.done !== true) yield first.value;
    yield* { [Symbol.asyncIterator]: () => rest };
  } finally {
    // A reader who left after the first event has not started on the rest.
    await rest.return?.();
  }
}

/** A failure during the stream becomes an `error` part, as with every model of the SDK. Cancelling ends the call. */
function toReadable(parts: AsyncGenerator<StreamPart, void, undefined>, left: AbortController) {
  return new ReadableStream<StreamPart>({
    async pull(controller) {
      try {
        const { done, value } = await parts.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        if (left.signal.aborted) return;
        controller.enqueue({ type: "error", error: toSdkError(error) });
        controller.close();
      }
    },
    async cancel(reason) {
      left.abort(reason);
      await parts.return();
    },
  });
}

/**
 * As `toFrameworkError`; a retryable failure of one of our providers gets the marks by which the SDK recognises one, so that its
 * retries and the caller's `isInstance` work.
 */
function toSdkError(error: unknown): unknown {
  const known = toFrameworkError(error);
  if (known !== error || !(error instanceof AgentError) || !error.retryable) return known;
  return Object.assign(new Error(error.message, { cause: error }), {
    name: "AI_APICallError",
    url: "",
    requestBodyValues: {},
    isRetryable: true,
    ...httpFields(error),
    [Symbol.for("vercel.ai.error")]: true,
    [Symbol.for("vercel.ai.error.AI_APICallError")]: true,
  });
}

function httpFields(error: AgentError): object {
  if (!(error instanceof LlmProviderHttpError)) return {};
  const { status, retryAfterMs } = error;
  const waits = retryAfterMs === undefined ? {} : { responseHeaders: { "retry-after-ms": String(retryAfterMs) } };
  return { statusCode: status, ...waits };
}
